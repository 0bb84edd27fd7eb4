#include "pair/range.h"

#include "base/refuse.h"

#include <float.h>
#include <math.h>
#include <string.h>

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

/* ---- Its limits ------------------------------------------------------------------------------ */

/* The number of samples of each size: bins of exponents, each divided into 32. */
enum { BIN_BITS = 18, BINS = 1 << (31 - BIN_BITS) };
struct sizes {
    uint64_t all;
    uint32_t count[BINS];
};

static uint32_t bits_of(float sample)
{
    uint32_t bits;
    memcpy(&bits, &sample, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float sample;
    memcpy(&sample, &bits, sizeof sample);
    return sample;
}

/* Counts the samples of a frame by size, except those that are 0, far or not finite. */
static void count_sizes(const ssimcu_frame *frame, struct sizes *sizes)
{
    const size_t row = (size_t)frame->width * frame->channels;
    for (uint32_t y = 0; y < frame->height; y++)
        for (size_t i = 0; i < row; i++) {
            const float size = fabsf(row_of(frame, y)[i]);
            if (!(size > 0 && size <= FLT_MAX) || is_far(frame, size)) continue;
            sizes->count[bits_of(size) >> BIN_BITS]++;
            sizes->all++;
        }
}

/* Returns the median; 0: no samples. It is interpolated within its bin, so that another seed of a
 * render moves it only a little. */
static double median_of(const struct sizes *sizes)
{
    uint64_t below = 0;
    uint32_t bin = 0;
    if (sizes->all == 0) return 0;
    while (2 * (below + sizes->count[bin]) < sizes->all) below += sizes->count[bin++];
    const double part = ((double)sizes->all / 2 - (double)below) / sizes->count[bin];
    const double from = (double)float_of(bin << BIN_BITS);
    return from + part * ((double)float_of((bin + 1) << BIN_BITS) - from);
}

/* Limits the range to where most samples are. */
static void tighten(const ssimcu_frame *ref, const ssimcu_frame *out, ssimcu_data_range *range)
{
    struct sizes sizes = {0};
    count_sizes(ref, &sizes);
    count_sizes(out, &sizes);
    const double most = RANGE_MOST * median_of(&sizes);
    range->high = fmin(range->high, most);
    range->low = fmax(range->low, -most);
}

/* ---- The samples ----------------------------------------------------------------------------- */

/* Returns a sample's place in the range, where it is linear. Beyond an end it continues with the
 * same slope, as the logarithm of its distance in multiples of that end. An end of 0 has no samples
 * beyond. */
static double place(double sample, const ssimcu_data_range *range, double size)
{
    if (sample > range->high && range->high > 0)
        return (range->high * (1 + log(sample / range->high)) - range->low) / size;
    if (sample < range->low && range->low < 0) return range->low * log(sample / range->low) / size;
    return (sample - range->low) / size;
}

/* Maps the samples. Returns how many lie beyond the range and are not far. */
static uint64_t map(const ssimcu_frame *frame, const ssimcu_data_range *range, double gain)
{
    const size_t row = (size_t)frame->width * frame->channels;
    const double size = (range->high - range->low) * gain;
    const float most = (float)(1 / gain), low = (float)range->low, high = (float)range->high;
    uint64_t beyond = 0;
    for (uint32_t y = 0; y < frame->height; y++)
        for (size_t i = 0; i < row; i++) {
            float *sample = &row_of(frame, y)[i];
            if (is_far(frame, *sample)) {
                *sample = most;
                continue;
            }
            const bool within = !(*sample > high || *sample < low);
            beyond += !within;
            *sample = (float)(within ? (*sample - range->low) / size : place(*sample, range, size));
        }
    return beyond;
}

ssimcu_status range_apply(const struct pair *pair, const struct range_of *of,
                          ssimcu_data_range *range, ssimcu_message *message)
{
    const double gain = of->gain > 0 ? of->gain : 1;
    const ssimcu_frame *ref = pair->plane[0], *out = pair->plane[1];
    if (!range_is_for(ref) || !range_is_for(out))
        FAIL(MISMATCH, "%s is data, such as depth or normals, but %s is not",
             range_is_for(ref) ? "REF" : "OUT", range_is_for(ref) ? "OUT" : "REF");
    *range = (ssimcu_data_range){.known = true};
    const uint64_t far = widen(ref, range) + widen(out, range);
    const double samples = 2.0 * ref->width * ref->height * ref->channels;
    range->far = (double)far / samples;
    if (of->rule && of->rule->has_range) {
        range->low = of->rule->low;
        range->high = of->rule->high;
    } else if (of->depth) {
        tighten(ref, out, range);
    }
    if (range->high == range->low) range->high = 1; /* all samples are 0 or far */
    range->beyond = (double)(map(ref, range, gain) + map(out, range, gain)) / samples;
    return SSIMCU_OK;
}
