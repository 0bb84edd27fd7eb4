#include "pair/range.h"

#include "pair/pair.h"

#include "fail.h"

#include <float.h>

bool range_is_for(const ssimcu_frame *frame)
{
    return frame->bits == SSIMCU_BITS_F32 && !frame->linear;
}

static float *row_of(const ssimcu_frame *frame, uint32_t y)
{
    return (float *)((uint8_t *)frame->data + y * frame->pitch);
}

static bool is_far(const ssimcu_frame *frame, float sample)
{
    return frame->channels == 1 && sample >= RANGE_FAR;
}

/* Widens the range by the samples of a frame. Returns how many are far. */
static uint64_t widen(const ssimcu_frame *frame, ssimcu_data_range *range)
{
    const size_t row = (size_t)frame->width * frame->channels;
    float low = (float)range->low, high = (float)range->high;
    uint64_t far = 0;
    for (uint32_t y = 0; y < frame->height; y++)
        for (size_t i = 0; i < row; i++) {
            const float sample = row_of(frame, y)[i];
            if (is_far(frame, sample))
                far++;
            else if (sample < low && sample >= -FLT_MAX)
                low = sample;
            else if (sample > high && sample <= FLT_MAX)
                high = sample;
        }
    range->low = low;
    range->high = high;
    return far;
}

static void map(const ssimcu_frame *frame, const ssimcu_data_range *range, double gain)
{
    const size_t row = (size_t)frame->width * frame->channels;
    const double size = (range->high - range->low) * gain;
    const float most = (float)(1 / gain);
    for (uint32_t y = 0; y < frame->height; y++)
        for (size_t i = 0; i < row; i++) {
            float *sample = &row_of(frame, y)[i];
            *sample = is_far(frame, *sample) ? most : (float)((*sample - range->low) / size);
        }
}

ssimcu_status range_apply(const struct pair *pair, double gain, ssimcu_data_range *range,
                          ssimcu_message *message)
{
    const ssimcu_frame *ref = pair->plane[0], *out = pair->plane[1];
    if (!range_is_for(ref) || !range_is_for(out))
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "%s is data, such as depth or normals, %s is not",
                           range_is_for(ref) ? "REF" : "OUT", range_is_for(ref) ? "OUT" : "REF");
    *range = (ssimcu_data_range){.known = true};
    const uint64_t far = widen(ref, range) + widen(out, range);
    const double samples = 2.0 * ref->width * ref->height * ref->channels;
    range->far = (double)far / samples;
    if (range->high == range->low) range->high = 1; /* all are 0 or far */
    map(ref, range, gain > 0 ? gain : 1);
    map(out, range, gain > 0 ? gain : 1);
    return SSIMCU_OK;
}
