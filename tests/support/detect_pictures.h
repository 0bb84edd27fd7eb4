/* Three small pictures of one noise, on which tests paint: the one that is judged, and both others.
 */
#ifndef SSIMCU_TEST_DETECT_PICTURES_H
#define SSIMCU_TEST_DETECT_PICTURES_H

#include "check.h"

#include "detect/areas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOW = 0, ONE = 1, OTHER = 2, BOTH /* others */ };

struct pictures {
    ssimcu_frame frame[3];
    struct frame_stats stats[3];
    struct temporal temporal;
    struct areas areas;
};

static inline uint8_t *byte_at(ssimcu_frame *frame, uint32_t x, uint32_t y)
{
    return (uint8_t *)frame->data + y * frame->pitch + (size_t)x * frame->channels;
}

/* Opens pictures of 8 bits, of levels from 100 to 139. No patch has one colour. */
static inline void open_pictures(struct pictures *pictures, uint32_t width, uint32_t height,
                                 uint32_t channels)
{
    *pictures = (struct pictures){.areas = {.count = 0}};
    for (int f = 0; f < 3; f++) {
        check_random random = {9};
        ssimcu_frame *frame = &pictures->frame[f];
        *frame = (ssimcu_frame){.width = width, .height = height, .channels = channels, .bits = 8};
        cr_assert_eq(ssimcu_frame_alloc(frame, NULL), SSIMCU_OK);
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t i = 0; i < width * channels; i++)
                byte_at(frame, 0, y)[i] = (uint8_t)check_between(&random, 100, 139);
    }
}

/* Paints a rectangle in one frame, or in both others: one level in all channels. */
static inline void paint(struct pictures *pictures, int which, const struct finding_place *box,
                         uint8_t level)
{
    for (int f = which == BOTH ? ONE : which; f <= (which == BOTH ? OTHER : which); f++)
        for (uint32_t y = box->y; y < box->y + box->height; y++)
            memset(byte_at(&pictures->frame[f], box->x, y), level,
                   (size_t)box->width * pictures->frame[f].channels);
}

/* Paints one channel of it. */
static inline void paint_channel(struct pictures *pictures, int which,
                                 const struct finding_place *box, uint32_t channel, uint8_t level)
{
    for (int f = which == BOTH ? ONE : which; f <= (which == BOTH ? OTHER : which); f++)
        for (uint32_t y = box->y; y < box->y + box->height; y++)
            for (uint32_t x = box->x; x < box->x + box->width; x++)
                byte_at(&pictures->frame[f], x, y)[channel] = level;
}

/* Scans the pictures and finds their areas. Returns how many there are. */
static inline uint32_t find_areas(struct pictures *pictures, uint32_t tolerance, bool relit)
{
    for (int f = 0; f < 3; f++)
        cr_assert_eq(frame_stats_scan(&pictures->frame[f], tolerance, &pictures->stats[f], NULL),
                     SSIMCU_OK);
    pictures->temporal = (struct temporal){
        &pictures->stats[NOW], {&pictures->stats[ONE], &pictures->stats[OTHER]}, false};
    cr_assert(areas_find(&pictures->temporal, relit, &pictures->areas));
    return pictures->areas.count;
}

/* Returns whether there is an area that may be damage. */
static inline bool has_lost(const struct pictures *pictures)
{
    bool has = false;
    for (uint32_t i = 0; i < pictures->areas.count; i++) has = has || pictures->areas.at[i].lost;
    return has;
}

static inline void close_pictures(struct pictures *pictures)
{
    for (int f = 0; f < 3; f++) {
        frame_stats_free(&pictures->stats[f]);
        ssimcu_frame_free(&pictures->frame[f]);
    }
}

#endif
