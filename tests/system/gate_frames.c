/* gate_frames DIRECTORY: makes the frames of a render that a gate looks at, as PNG.
 * DIRECTORY/ref and DIRECTORY/out hold frames 1 to 45 of 1920 x 1080. A scene pans by four
 * pixels a frame; OUT is REF with a little noise, as of another seed of the renderer. Each frame
 * from 41 on has one local fault, whose place is printed: "frame name x y width height". */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { WIDTH = 1920, HEIGHT = 1080, CLEAN = 40, TEXTURE = 1024, ROW = 3 * WIDTH };

typedef uint8_t picture[HEIGHT][WIDTH][3];

static uint8_t texture[TEXTURE][TEXTURE][3];
static uint32_t state = 1;

static uint32_t draw(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static uint8_t clamp(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

/* Draws soft shapes with grain on them: no tile of it is flat. */
static void make_texture(void)
{
    for (int y = 0; y < TEXTURE; y++)
        for (int x = 0; x < TEXTURE; x++) {
            const int shape = ((x * x / 64 + y * 3) ^ (y * y / 96 + x)) >> 3 & 63;
            for (int c = 0; c < 3; c++)
                texture[y][x][c] = clamp(70 + shape + 12 * c + (int)(draw() % 41));
        }
}

static void render(picture ref, picture out, int frame)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 3; c++) {
                const uint32_t noise = draw();
                ref[y][x][c] = texture[y % TEXTURE][(x + 4 * frame) % TEXTURE][c];
                out[y][x][c] = clamp(ref[y][x][c] + (int)(noise % 5 + (noise >> 8) % 5) - 4);
            }
}

/* ---- Faults ---------------------------------------------------------------------------------- */

struct area {
    int x, y, width, height;
};

static void block(picture out, struct area a)
{
    for (int y = a.y; y < a.y + a.height; y++)
        for (int x = a.x; x < a.x + a.width; x++) memcpy(out[y][x], (uint8_t[]){255, 0, 255}, 3);
}

static void fireflies(picture out, struct area a)
{
    for (int i = 0; i < 40; i++)
        memset(out[a.y + (int)draw() % a.height][a.x + (int)draw() % a.width], 255, 3);
}

static void blur(picture out, struct area a)
{
    for (int y = a.y; y < a.y + a.height; y++)
        for (int x = a.x; x < a.x + a.width; x++)
            for (int c = 0; c < 3; c++)
                out[y][x][c] = (uint8_t)((out[y][x][c] + out[y][x + 1][c] + out[y + 1][x][c] +
                                          out[y + 1][x + 1][c] + 2) /
                                         4);
}

static void shift(picture out, struct area a)
{
    for (int y = a.y; y < a.y + a.height; y++)
        memmove(out[y][a.x], out[y][a.x + 1], 3 * (size_t)a.width);
}

static void cast(picture out, struct area a)
{
    for (int y = a.y; y < a.y + a.height; y++)
        for (int x = a.x; x < a.x + a.width; x++) {
            out[y][x][0] = clamp(out[y][x][0] * 14 / 10);
            out[y][x][2] = clamp(out[y][x][2] * 7 / 10);
        }
}

static const struct fault {
    const char *name;
    void (*damage)(picture out, struct area area);
    struct area area;
} FAULTS[] = {
    {"block", block, {1000, 500, 64, 64}}, {"fireflies", fireflies, {300, 800, 40, 40}},
    {"blur", blur, {1500, 70, 96, 96}},    {"shift", shift, {90, 90, 80, 80}},
    {"cast", cast, {700, 850, 160, 160}},
};
enum { FAULT_COUNT = sizeof FAULTS / sizeof FAULTS[0] };

/* ---- PNG ------------------------------------------------------------------------------------- */

static void put_u32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void put_chunk(FILE *to, const char *type, const uint8_t *data, size_t size)
{
    uint8_t number[4];
    put_u32(number, (uint32_t)size);
    fwrite(number, 1, 4, to);
    fwrite(type, 1, 4, to);
    if (size > 0) fwrite(data, 1, size, to);
    const uLong crc = crc32(crc32(0, (const Bytef *)type, 4), data, (uInt)size);
    put_u32(number, (uint32_t)(size > 0 ? crc : crc32(0, (const Bytef *)type, 4)));
    fwrite(number, 1, 4, to);
}

static void write_png(const char *path, picture pixels)
{
    static uint8_t rows[HEIGHT * (ROW + 1)], packed[HEIGHT * (ROW + 1) * 2];
    uint8_t header[13] = {[8] = 8, [9] = 2};
    uLongf size = sizeof packed;
    FILE *to = fopen(path, "wb");
    put_u32(header, WIDTH);
    put_u32(header + 4, HEIGHT);
    for (int y = 0; y < HEIGHT; y++) memcpy(rows + y * (ROW + 1) + 1, pixels[y], ROW);
    if (!to || compress2(packed, &size, rows, sizeof rows, 0) != Z_OK) exit(1);
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, to);
    put_chunk(to, "IHDR", header, sizeof header);
    put_chunk(to, "IDAT", packed, size);
    put_chunk(to, "IEND", NULL, 0);
    if (fclose(to) != 0) exit(1);
}

int main(int argc, char **argv)
{
    static picture ref, out;
    if (argc != 2 || chdir(argv[1]) != 0 || mkdir("ref", 0777) != 0 || mkdir("out", 0777) != 0)
        return 1;
    make_texture();
    for (int frame = 1; frame <= CLEAN + FAULT_COUNT; frame++) {
        char name[32];
        render(ref, out, frame);
        if (frame > CLEAN) {
            const struct fault *fault = &FAULTS[frame - CLEAN - 1];
            fault->damage(out, fault->area);
            printf("%d %s %d %d %d %d\n", frame, fault->name, fault->area.x, fault->area.y,
                   fault->area.width, fault->area.height);
        }
        snprintf(name, sizeof name, "ref/%04d.png", frame);
        write_png(name, ref);
        snprintf(name, sizeof name, "out/%04d.png", frame);
        write_png(name, out);
    }
    return 0;
}
