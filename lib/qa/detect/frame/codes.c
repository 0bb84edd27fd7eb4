#include "detect/frame/codes.h"

#include "sample_size.h"

double codes_level(uint32_t bits)
{
    /* 255 display levels are about ten stops, and each stop has 1,024 codes */
    return bits >= SSIMCU_BITS_FLOAT ? 10 * 1024.0 / STATS_LEVELS : 32767.0 / STATS_LEVELS;
}

const void *codes_samples(const ssimcu_frame *frame, uint32_t y)
{
    const size_t packed = (size_t)frame->width * frame->channels * ssimcu_sample_size(frame->bits);
    return (const char *)frame->data + y * (frame->pitch ? frame->pitch : packed);
}

static void take_bytes(const uint8_t *from, size_t count, int16_t *to)
{
    for (size_t i = 0; i < count; i++) to[i] = (int16_t)(from[i] << CODES_OF_BYTE);
}

static void take_words(const uint16_t *from, size_t count, uint32_t bits, int16_t *to)
{
    if (bits == 16)
        for (size_t i = 0; i < count; i++) to[i] = (int16_t)(from[i] >> 1);
    else
        for (size_t i = 0; i < count; i++) to[i] = (int16_t)(from[i] << (15 - bits) & 0x7fff);
}

bool codes_take(const struct detect_loops *loops, const ssimcu_frame *frame, uint32_t x, uint32_t y,
                uint32_t width, int16_t *row)
{
    const size_t count = (size_t)width * frame->channels,
                 before = (size_t)x * frame->channels * ssimcu_sample_size(frame->bits);
    const void *from = (const char *)codes_samples(frame, y) + before;
    if (frame->bits == SSIMCU_BITS_F16) return loops->take_halves(from, count, LOOPS_BLACK, row);
    if (frame->bits == SSIMCU_BITS_F32) return loops->take_floats(from, count, LOOPS_BLACK, row);
    if (frame->bits == 8)
        take_bytes(from, count, row);
    else
        take_words(from, count, frame->bits, row);
    return false;
}

void codes_row(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t width, int16_t *row)
{
    (void)codes_take(&detect_loops_plain, frame, x, y, width, row);
}

void codes_keep(const struct detect_loops *loops, const ssimcu_frame *frame, uint32_t y,
                int16_t *row)
{
    const size_t count = (size_t)frame->width * frame->channels;
    const void *from = codes_samples(frame, y);
    if (frame->bits == SSIMCU_BITS_F16)
        (void)loops->take_halves(from, count, 0, row);
    else if (frame->bits == SSIMCU_BITS_F32)
        (void)loops->take_floats(from, count, 0, row);
    else
        take_words(from, count, frame->bits, row);
}

/* ---- Invalid numbers ------------------------------------------------------------------------- */

static bool infinite_half(uint16_t bits) { return (bits & 0x7fff) >= 0x7c00; }

static bool infinite_float(uint32_t bits) { return (bits & 0x7fffffff) >= 0x7f800000; }

/* Returns whether a row may have any. Most rows have none, and this loop vectorises. */
static bool any_half(const uint16_t *row, size_t count)
{
    unsigned any = 0;
    for (size_t i = 0; i < count; i++) any |= infinite_half(row[i]) | (row[i] > 0x8000);
    return any;
}

static bool any_float(const uint32_t *row, size_t count)
{
    unsigned any = 0;
    for (size_t i = 0; i < count; i++) any |= infinite_float(row[i]) | (row[i] > 0x80000000u);
    return any;
}

bool codes_finite(const ssimcu_frame *frame, uint32_t x, uint32_t y)
{
    const bool half = frame->bits == SSIMCU_BITS_F16;
    const uint16_t *halves = codes_samples(frame, y);
    const uint32_t *floats = codes_samples(frame, y);
    if (frame->bits < SSIMCU_BITS_FLOAT) return true;
    for (size_t i = (size_t)x * frame->channels; i < ((size_t)x + 1) * frame->channels; i++)
        if (half ? infinite_half(halves[i]) : infinite_float(floats[i])) return false;
    return true;
}

void codes_count(const ssimcu_frame *frame, uint32_t y, struct frame_stats *stats)
{
    const size_t count = (size_t)frame->width * frame->channels;
    const bool half = frame->bits == SSIMCU_BITS_F16;
    const uint16_t *halves = codes_samples(frame, y);
    const uint32_t *floats = codes_samples(frame, y);
    if (half ? !any_half(halves, count) : !any_float(floats, count)) return;
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = half ? (uint32_t)halves[i] << 16 : floats[i];
        const bool infinite = half ? infinite_half(halves[i]) : infinite_float(floats[i]);
        const bool negative = !infinite && bits > 0x80000000u;
        const uint32_t x = (uint32_t)(i / frame->channels);
        if (infinite && stats->infinite++ == 0) stats->infinite_x = x, stats->infinite_y = y;
        if (negative && stats->negative++ == 0) stats->negative_x = x, stats->negative_y = y;
    }
}
