#include "report/frames/difference.h"

#include "fail.h"

#include <stdlib.h>

enum { EQUAL = 128, MOST_TIMES = 32, LEVELS = 256 };
#define LEAST_TIMES 0.5 /* clips nothing */

static const uint8_t *row_of(const ssimcu_frame *frame, uint32_t y)
{
    return (const uint8_t *)frame->data + y * frame->pitch;
}

/* Counts the samples by their difference in levels. */
static void count_levels(const ssimcu_frame *ref, const ssimcu_frame *out, uint64_t count[LEVELS])
{
    for (uint32_t y = 0; y < ref->height; y++) {
        const uint8_t *a = row_of(ref, y), *b = row_of(out, y);
        for (size_t i = 0; i < (size_t)3 * ref->width; i++) count[abs(b[i] - a[i])]++;
    }
}

static double choose_times(const ssimcu_frame *ref, const ssimcu_frame *out)
{
    uint64_t count[LEVELS] = {0}, above = 0;
    const uint64_t clipped_most = (uint64_t)3 * ref->width * ref->height / 1000;
    int level = LEVELS - 1; /* the largest difference that counts */
    count_levels(ref, out, count);
    while (level > 0 && above + count[level] <= clipped_most) above += count[level--];
    double times = MOST_TIMES;
    while (times > LEAST_TIMES && times * level >= EQUAL) times /= 2;
    return times;
}

ssimcu_status difference_draw(const ssimcu_frame *ref, const ssimcu_frame *out,
                              ssimcu_frame *picture, double *times, ssimcu_message *message)
{
    *picture = (ssimcu_frame){.width = ref->width, .height = ref->height, .channels = 3, .bits = 8};
    TRY(ssimcu_frame_alloc(picture, message));
    *times = choose_times(ref, out);
    for (uint32_t y = 0; y < ref->height; y++) {
        const uint8_t *a = row_of(ref, y), *b = row_of(out, y);
        uint8_t *to = (uint8_t *)picture->data + y * picture->pitch;
        for (size_t i = 0; i < (size_t)3 * ref->width; i++) {
            const double value = EQUAL + *times * (b[i] - a[i]);
            to[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
    }
    return SSIMCU_OK;
}
