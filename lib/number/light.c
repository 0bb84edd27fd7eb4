#include "number/light.h"

#include "threads.h"

#include <string.h>

/* ---- Bounds ---------------------------------------------------------------------------------- */

static float value_of(uint32_t type, uint32_t magnitude)
{
    float value;
    if (type == SSIMCU_SAMPLE_F16) return ssimcu_sample_half((uint16_t)magnitude);
    if (type == SSIMCU_SAMPLE_BF16) magnitude <<= 16;
    memcpy(&value, &magnitude, sizeof value);
    return value;
}

/* Returns whether the curve shows a sample, by the curve's arithmetic. */
static int is_shown(const struct ssimcu_light_rule *light, float sample)
{
    const float v = sample * light->gain;
    switch (light->transfer) {
    case SSIMCU_LIGHT_SRGB: return v <= 1.0f;
    case SSIMCU_LIGHT_PU21: return v * light->nits <= SSIMCU_LIGHT_PU21_MOST;
    case SSIMCU_LIGHT_HABLE: return v * SSIMCU_LIGHT_HABLE_BIAS <= SSIMCU_LIGHT_HABLE_WHITE;
    default: return !light->ranged || v <= 1.0f + SSIMCU_LIGHT_ROUNDING;
    }
}

/* Returns whether a sample that rounding has made negative is shown. */
static int is_black(const struct ssimcu_light_rule *light, float sample)
{
    return sample * light->gain <= SSIMCU_LIGHT_ROUNDING;
}

static int is_finite(const struct ssimcu_light_rule *light, float sample)
{
    if (light->transfer != SSIMCU_LIGHT_NONE) return fabsf(sample) <= FLT_MAX;
    return fabsf(sample * light->gain * 255.0f) <= SSIMCU_SAMPLE_LIMIT;
}

typedef int is_inside(const struct ssimcu_light_rule *light, float sample);

/* Returns the largest finite magnitude that is inside. */
static uint32_t find_bound(const struct ssimcu_light_rule *light, uint32_t type, is_inside *inside)
{
    const uint32_t infinity = type == SSIMCU_SAMPLE_F16    ? 0x7c00
                              : type == SSIMCU_SAMPLE_BF16 ? 0x7f80
                                                           : 0x7f800000;
    uint32_t low = 0, high = infinity;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (inside(light, value_of(type, middle)))
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct ssimcu_light_bounds ssimcu_light_bounds(const struct ssimcu_light_rule *light, uint32_t type)
{
    if (!ssimcu_samples_are_float(type)) return (struct ssimcu_light_bounds){0, 0, 0};
    return (struct ssimcu_light_bounds){
        .top = find_bound(light, type, is_shown),
        .bottom = light->ranged                          ? find_bound(light, type, is_black)
                  : light->transfer == SSIMCU_LIGHT_NONE ? UINT32_MAX
                                                         : 0,
        .finite = find_bound(light, type, is_finite),
    };
}

/* ---- Counting -------------------------------------------------------------------------------- */

enum { PIECE = 512, ROWS = 32, ROWS_AHEAD = 8 }; /* pixels per step; rows per task */

/* Returns whether n adjacent samples are all finite and shown. Samples of one sign have the order
 * of integers, so two maxima suffice. */
static int is_clean(const struct ssimcu_light_frame *frame, const void *from, uint32_t n)
{
    const struct ssimcu_light_bounds *bounds = frame->bounds;
    const uint32_t finite = bounds->finite, high = bounds->top < finite ? bounds->top : finite,
                   low = bounds->bottom < finite ? bounds->bottom : finite;
    if (ssimcu_sample_bytes(frame->samples->type) == sizeof(uint16_t)) {
        const int16_t *half = from;
        int16_t above = 0, below = 0;
        for (uint32_t i = 0; i < n; i++) {
            const int16_t other = (int16_t)(half[i] ^ INT16_MIN); /* the opposite sign */
            above = half[i] > above ? half[i] : above;
            below = other > below ? other : below;
        }
        return (uint32_t)above <= high && (uint32_t)below <= low;
    }
    const int32_t *word = from;
    int32_t above = 0, below = 0;
    for (uint32_t i = 0; i < n; i++) {
        const int32_t other = word[i] ^ INT32_MIN;
        above = word[i] > above ? word[i] : above;
        below = other > below ? other : below;
    }
    return (uint32_t)above <= high && (uint32_t)below <= low;
}

/* Classifies n adjacent samples, and returns all flags found. */
static unsigned judge(const struct ssimcu_light_frame *frame, const void *from, uint32_t n,
                      uint8_t *flag)
{
    const struct ssimcu_light_bounds bounds = *frame->bounds;
    unsigned any = 0;
    if (ssimcu_sample_bytes(frame->samples->type) == sizeof(uint16_t)) {
        const uint16_t *half = from, high = (uint16_t)bounds.top, last = (uint16_t)bounds.finite,
                       low = (uint16_t)(bounds.bottom < 0x7fff ? bounds.bottom : 0x7fff);
        uint16_t found = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint16_t magnitude = half[i] & 0x7fff;
            const uint16_t most = half[i] > 0x7fff ? low : high;
            const uint16_t own = magnitude > last   ? SSIMCU_LIGHT_NOT_FINITE
                                 : magnitude > most ? SSIMCU_LIGHT_CLAMPED
                                                    : 0;
            flag[i] = (uint8_t)own;
            found |= own;
        }
        return found;
    }
    const uint32_t *word = from;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t own = ssimcu_light_judge(&bounds, word[i] & 0x7fffffff, word[i] >> 31);
        flag[i] = (uint8_t)own;
        any |= own;
    }
    return any;
}

/* Flags of n pixels from (x, y) on. `pixel` is the distance between the flags of neighbouring
 * pixels, `channel` that between those of neighbouring channels. */
struct flags {
    const uint8_t *flag;
    uint32_t pixel, channel, x, y, n;
};

/* Counts the pixels with a clamped colour. All samples are finite. */
static uint32_t add_clamped(const struct flags *flags, uint32_t colors)
{
    const uint8_t *red = flags->flag, *green = red + (colors >= 3 ? flags->channel : 0),
                  *blue = green + (colors >= 3 ? flags->channel : 0);
    uint32_t clamped = 0;
    for (uint32_t i = 0, at = 0; i < flags->n; i++, at += flags->pixel)
        clamped += (red[at] | green[at] | blue[at]) & SSIMCU_LIGHT_CLAMPED;
    return clamped;
}

static void add_up(const struct ssimcu_light_frame *frame, const struct flags *flags,
                   struct ssimcu_light_counts *counts)
{
    const uint32_t channels = frame->rule->channels, colors = channels >= 3 ? 3 : 1;
    for (uint32_t i = 0; i < flags->n; i++) {
        unsigned all = 0, bad = 0;
        for (uint32_t c = 0; c < channels; c++) {
            const unsigned own = flags->flag[i * flags->pixel + c * flags->channel];
            if (c < colors) all |= own;
            if (c < colors || frame->rule->alpha) bad += own == SSIMCU_LIGHT_NOT_FINITE;
        }
        counts->clamped += all & SSIMCU_LIGHT_CLAMPED;
        if (bad > 0 && counts->first == 0)
            counts->first = ~((uint64_t)flags->y * frame->width + flags->x + i);
        counts->not_finite += bad;
    }
}

/* The place of n pixels from (x, y) on: one run without other data, or one run per channel. */
struct piece {
    const char *from[4];
    uint32_t runs, length; /* number of runs, and samples of each */
    size_t apart;          /* bytes from one sample to the next */
    int together;          /* the samples are adjacent */
};

static struct piece find_piece(const struct ssimcu_light_frame *frame, uint32_t x, uint32_t y,
                               uint32_t n)
{
    const struct ssimcu_samples *samples = frame->samples;
    const uint32_t step = samples->step, channels = frame->rule->channels;
    const size_t bytes = ssimcu_sample_bytes(samples->type), pixel = step * bytes;
    const int whole = step > 1 && !samples->planar && step == channels; /* pixels */
    struct piece piece = {.runs = whole ? 1 : channels,
                          .length = whole ? n * step : n,
                          .apart = whole ? bytes : pixel,
                          .together = whole || step == 1};
    for (uint32_t run = 0; run < piece.runs; run++)
        piece.from[run] =
            (const char *)samples->channel[run] + y * samples->pitch_bytes + x * pixel;
    return piece;
}

/* Returns whether all samples of a piece are finite and shown. Also prefetches the same pixels of a
 * later row, because the hardware prefetches only within a page. */
static int piece_is_clean(const struct ssimcu_light_frame *frame, const struct piece *piece)
{
    const uintptr_t ahead = ROWS_AHEAD * (uintptr_t)frame->samples->pitch_bytes;
    int clean = 1;
    if (!piece->together) return 0;
    for (uint32_t run = 0; run < piece->runs; run++) {
        const uintptr_t next = (uintptr_t)piece->from[run] + ahead;
        for (size_t i = 0; i < piece->length * piece->apart; i += 64)
            __builtin_prefetch((const void *)(next + i));
        clean &= is_clean(frame, piece->from[run], piece->length);
    }
    return clean;
}

/* Counts n pixels, up to PIECE. */
static void count_piece(const struct ssimcu_light_frame *frame, uint32_t x, uint32_t y, uint32_t n,
                        struct ssimcu_light_counts *counts)
{
    const struct piece piece = find_piece(frame, x, y, n);
    const uint32_t channels = frame->rule->channels;
    uint8_t flag[4 * PIECE];
    unsigned any = 0;
    if (piece_is_clean(frame, &piece)) return;
    for (uint32_t run = 0; run < piece.runs; run++) {
        uint8_t *to = flag + run * PIECE;
        if (piece.together)
            any |= judge(frame, piece.from[run], piece.length, to);
        else
            for (uint32_t i = 0; i < n; i++)
                any |= judge(frame, piece.from[run] + i * piece.apart, 1, to + i);
    }
    const int whole = piece.runs < channels;
    const struct flags flags = {flag, whole ? channels : 1, whole ? 1 : PIECE, x, y, n};
    if (any & SSIMCU_LIGHT_NOT_FINITE)
        add_up(frame, &flags, counts);
    else
        counts->clamped += add_clamped(&flags, channels >= 3 ? 3 : 1);
}

struct ssimcu_light_counts ssimcu_light_count(const struct ssimcu_light_frame *frame, uint32_t x,
                                              uint32_t y, uint32_t width, uint32_t height)
{
    struct ssimcu_light_counts counts = {0, 0, 0};
    for (uint32_t row = y; row < y + height; row++)
        for (uint32_t done = 0; done < width; done += PIECE)
            count_piece(frame, x + done, row, width - done < PIECE ? width - done : PIECE, &counts);
    return counts;
}

void ssimcu_light_add(struct ssimcu_light_counts *all, const struct ssimcu_light_counts *own)
{
    uint64_t first = __atomic_load_n(&all->first, __ATOMIC_RELAXED);
    if (own->clamped > 0) __atomic_fetch_add(&all->clamped, own->clamped, __ATOMIC_RELAXED);
    if (own->not_finite == 0) return;
    __atomic_fetch_add(&all->not_finite, own->not_finite, __ATOMIC_RELAXED);
    while (first < own->first && !__atomic_compare_exchange_n(&all->first, &first, own->first, 0,
                                                              __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

struct scan {
    const struct ssimcu_light_frame *frame;
    struct ssimcu_light_counts counts;
};

static void count_rows(void *arg, size_t task)
{
    struct scan *scan = arg;
    const struct ssimcu_light_frame *frame = scan->frame;
    const uint32_t y = (uint32_t)task * ROWS, left = frame->height - y;
    const struct ssimcu_light_counts own =
        ssimcu_light_count(frame, 0, y, frame->width, left < ROWS ? left : ROWS);
    ssimcu_light_add(&scan->counts, &own);
}

struct ssimcu_light_counts ssimcu_light_scan(const struct ssimcu_light_frame *frame,
                                             struct ssimcu_threads *threads)
{
    struct scan scan = {frame, {0, 0, 0}};
    ssimcu_threads_run(threads, ((size_t)frame->height + ROWS - 1) / ROWS, count_rows, &scan);
    return scan.counts;
}
