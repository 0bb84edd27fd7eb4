/* Shots for the tests of damage: waves that move, and changes of some frames. */
#ifndef SSIMCU_TEST_DETECT_SHOT_H
#define SSIMCU_TEST_DETECT_SHOT_H

#include "check.h"
#include "detect_found.h"

#include "detect/frame/frame_stats.h"
#include "detect/shot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 203, HEIGHT = 157, FRAMES = 12 };

/* A picture of waves that moves with `time`, of samples of any type. */
static inline ssimcu_frame draw(uint32_t channels, uint32_t bits, double time)
{
    ssimcu_frame frame = {.width = WIDTH, .height = HEIGHT, .channels = channels, .bits = bits};
    cr_assert_eq(ssimcu_frame_alloc(&frame, NULL), SSIMCU_OK);
    double wave[WIDTH * 4], swell[WIDTH][2];
    for (uint32_t x = 0; x < WIDTH; x++) {
        const double at = x + 3 * time;
        for (uint32_t c = 0; c < channels; c++) wave[x * channels + c] = 0.2 * sin(at / 9 + c);
        swell[x][0] = 0.1 * sin(at / 31), swell[x][1] = 0.1 * cos(at / 31);
    }
    for (uint32_t y = 0; y < HEIGHT; y++) {
        const double down = cos(y / 7.0), phase[2] = {cos(y / 13.0), sin(y / 13.0)};
        char *row = (char *)frame.data + y * frame.pitch;
        for (uint32_t i = 0; i < WIDTH * channels; i++) {
            const double *by = swell[i / channels],
                         value = 0.45 + wave[i] * down + by[0] * phase[0] + by[1] * phase[1];
            if (bits == SSIMCU_BITS_F32)
                ((float *)row)[i] = (float)value;
            else if (bits == 8)
                ((uint8_t *)row)[i] = (uint8_t)(value * 255);
            else
                ((uint16_t *)row)[i] = (uint16_t)(value * 65535);
        }
    }
    return frame;
}

/* Fills a rectangle with the first byte pattern of its type. */
static inline void fill(ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t width,
                        uint32_t height, uint8_t byte)
{
    const size_t pixel = frame->channels * (frame->bits == 8 ? 1 : frame->bits == 16 ? 2 : 4);
    for (uint32_t j = y; j < y + height; j++)
        memset((char *)frame->data + j * frame->pitch + x * pixel, byte, width * pixel);
}

/* Adds a frame to a shot, which is named by its number, and frees it. `tolerance`: levels by which
 * a codec changes one colour. */
static inline void add_coded(struct shot *shot, int64_t number, uint32_t tolerance,
                             ssimcu_frame *frame)
{
    struct frame_stats *stats = malloc(sizeof *stats);
    cr_assert_eq(frame_stats_scan(frame, tolerance, stats, NULL), SSIMCU_OK);
    colours_take(frame, 1, tolerance, &stats->colours);
    shot_add(shot, number, "x.png", NULL, stats);
    ssimcu_frame_free(frame);
}
static inline void add(struct shot *shot, int64_t number, ssimcu_frame *frame)
{
    add_coded(shot, number, 0, frame);
}

/* Returns the only finding of a shot that was judged, which is of this frame. */
static inline const struct finding *only(const struct shot *shot, size_t at)
{
    for (size_t i = 0; i < shot->count; i++)
        cr_assert_eq(shot->frame[i].found.count, i == at, "frame %d has %d findings: %s", (int)i,
                     (int)shot->frame[i].found.count,
                     shot->frame[i].found.count ? shot->frame[i].found.at[0].text : "");
    return at < shot->count ? &shot->frame[at].found.at[0] : NULL;
}

/* A shot of which frame 5 is changed. */
static inline void make(struct shot *shot, uint32_t channels, uint32_t bits,
                        void (*change)(ssimcu_frame *frame))
{
    *shot = (struct shot){.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(channels, bits, i);
        if (i == 5 && change) change(&frame);
        add(shot, 100 + i, &frame);
    }
    shot_judge(shot);
}

#endif
