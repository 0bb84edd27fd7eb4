/* report_frames DIRECTORY COUNT WIDTH HEIGHT: makes the frames of a render that a report is
 * about, as PNG. DIRECTORY/ref and DIRECTORY/out hold frames 1 to COUNT of a scene that pans;
 * OUT is REF with a little noise. Some of every 240 frames have one of six faults, which are
 * printed: "frame name", and for local ones "x y width height". Frame 210 is missing in OUT and
 * frame 220 is cut short there. */
#define _DEFAULT_SOURCE
#include "ssimcu_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXTURE = 512, PERIOD = 240 };

static uint8_t texture[TEXTURE][TEXTURE][3];
static uint32_t state = 1;

static uint32_t draw(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static uint8_t clamp(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

/* Draws hills under a sky, with grain: no part of it is flat. */
static void make_texture(void)
{
    for (int y = 0; y < TEXTURE; y++)
        for (int x = 0; x < TEXTURE; x++) {
            const int hill = 90 + abs((x * 3 + x * x / 40) % 120 - 60) / 2, sky = y < hill;
            const int grain = (int)(draw() % 25), shape = ((x * 5) ^ (y * 7)) >> 2 & 31;
            const int colour[3] = {sky ? 120 + y / 2 : 70 + shape, sky ? 150 + y / 3 : 100 + shape,
                                   sky ? 190 - y / 4 : 60 + shape / 2};
            for (int c = 0; c < 3; c++) texture[y][x][c] = clamp(colour[c] + grain);
        }
}

static uint8_t *pixel(const ssimcu_frame *frame, uint32_t x, uint32_t y)
{
    return (uint8_t *)frame->data + y * frame->pitch + 3 * x;
}

static void render(const ssimcu_frame *ref, const ssimcu_frame *out, int number)
{
    for (uint32_t y = 0; y < ref->height; y++)
        for (uint32_t x = 0; x < ref->width; x++)
            for (int c = 0; c < 3; c++) {
                const uint8_t value = texture[y % TEXTURE][(x + 2 * (uint32_t)number) % TEXTURE][c];
                pixel(ref, x, y)[c] = value;
                pixel(out, x, y)[c] = clamp(value + (int)(draw() % 5) - 2);
            }
}

/* ---- Faults ---------------------------------------------------------------------------------- */

static void block(const ssimcu_frame *out)
{
    for (uint32_t y = 64; y < 128; y++)
        for (uint32_t x = 128; x < 192; x++) memcpy(pixel(out, x, y), (uint8_t[]){255, 0, 255}, 3);
}

static void blur(const ssimcu_frame *out)
{
    for (uint32_t y = 64; y < 128; y++)
        for (uint32_t x = 192; x < 256; x++)
            for (int c = 0; c < 3; c++)
                pixel(out, x, y)[c] =
                    (uint8_t)((pixel(out, x, y)[c] + pixel(out, x + 1, y)[c] +
                               pixel(out, x, y + 1)[c] + pixel(out, x + 1, y + 1)[c] + 2) /
                              4);
}

static void black(const ssimcu_frame *out)
{
    for (uint32_t y = 0; y < out->height; y++) memset(pixel(out, 0, y), 0, 3 * out->width);
}

static void shift(const ssimcu_frame *out)
{
    for (uint32_t y = 0; y < out->height; y++)
        memmove(pixel(out, 0, y), pixel(out, 3, y), 3 * (out->width - 3));
}

static void gain(const ssimcu_frame *out)
{
    for (uint32_t y = 0; y < out->height; y++)
        for (uint32_t x = 0; x < 3 * out->width; x++)
            pixel(out, 0, y)[x] = (uint8_t)(pixel(out, 0, y)[x] * 7 / 10);
}

static const struct fault {
    int first, last;
    const char *name;
    void (*damage)(const ssimcu_frame *out);
} FAULTS[] = {{60, 61, "block 128 64 64 64", block},
              {90, 93, "black", black},
              {120, 120, "shift", shift},
              {150, 155, "gain", gain},
              {181, 181, "duplicate", NULL},
              {200, 200, "blur 192 64 64 64", blur}};

static void damage(const ssimcu_frame *out, const ssimcu_frame *last, int number)
{
    for (size_t i = 0; i < sizeof FAULTS / sizeof FAULTS[0]; i++) {
        const struct fault *fault = &FAULTS[i];
        const int at = (number - 1) % PERIOD + 1;
        if (at < fault->first || at > fault->last) continue;
        if (fault->damage)
            fault->damage(out);
        else
            memcpy(out->data, last->data, out->pitch * out->height);
        printf("%d %s\n", number, fault->name);
    }
}

static void write_frame(const char *side, int number, const ssimcu_frame *frame)
{
    char name[64];
    ssimcu_message why = {{0}};
    snprintf(name, sizeof name, "%s/%06d.png", side, number);
    if (ssimcu_image_write_png(name, frame, &why) == SSIMCU_OK) return;
    fprintf(stderr, "%s\n", why.text);
    exit(1);
}

int main(int argc, char **argv)
{
    ssimcu_frame frame[3]; /* REF, OUT, the previous OUT */
    if (argc != 5 || chdir(argv[1]) != 0 || mkdir("ref", 0777) != 0 || mkdir("out", 0777) != 0)
        return 1;
    const int count = atoi(argv[2]);
    for (int i = 0; i < 3; i++) {
        frame[i] = (ssimcu_frame){.width = (uint32_t)atoi(argv[3]),
                                  .height = (uint32_t)atoi(argv[4]),
                                  .channels = 3,
                                  .bits = 8};
        if (ssimcu_frame_alloc(&frame[i], NULL) != SSIMCU_OK) return 1;
    }
    make_texture();
    for (int number = 1; number <= count; number++) {
        render(&frame[0], &frame[1], number);
        damage(&frame[1], &frame[2], number);
        memcpy(frame[2].data, frame[1].data, frame[1].pitch * frame[1].height);
        write_frame("ref", number, &frame[0]);
        write_frame("out", number, &frame[1]);
    }
    for (int i = 0; i < 3; i++) ssimcu_frame_free(&frame[i]);
    if (count >= 220 && (remove("out/000210.png") != 0 || truncate("out/000220.png", 9000) != 0))
        return 1;
    return 0;
}
