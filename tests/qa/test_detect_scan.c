/* The look at a frame, by the loops of every instruction set, is held against its definition, which
 * is written here sample by sample. */
#include "check.h"

#include "detect/frame/codes.h"
#include "detect/frame/frame_stats.h"
#include "detect/loops/loops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The definition -------------------------------------------------------------------------- */

static uint32_t bits_at(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t c)
{
    const char *row = (const char *)frame->data + y * frame->pitch;
    const size_t at = (size_t)x * frame->channels + c;
    if (frame->bits == 8) return ((const uint8_t *)row)[at];
    if (frame->bits == SSIMCU_BITS_F32) return ((const uint32_t *)row)[at];
    return ((const uint16_t *)row)[at];
}

static int code_at(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t c)
{
    const uint32_t bits = bits_at(frame, x, y, c);
    if (frame->bits < SSIMCU_BITS_FLOAT)
        return (int)((frame->bits < 16 ? bits << (15 - frame->bits) : bits >> 1) & 0x7fff);
    const int32_t half =
        frame->bits == SSIMCU_BITS_F16 ? (int16_t)bits : ((int32_t)bits >> 13) - (112 << 10);
    return half < 0x1800 ? 0 : half > 0x7bff ? 0x7bff - 0x1800 : half - 0x1800;
}

/* The code that a kept row has. */
static int kept_at(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t c)
{
    const uint32_t bits = bits_at(frame, x, y, c);
    if (frame->bits == 8) return (int)bits;
    if (frame->bits < SSIMCU_BITS_FLOAT) return code_at(frame, x, y, c);
    const int32_t half =
        frame->bits == SSIMCU_BITS_F16 ? (int16_t)bits : ((int32_t)bits >> 13) - (112 << 10);
    return half < 0 ? 0 : half > 0x7bff ? 0x7bff : half;
}

static void model_numbers(const ssimcu_frame *frame, struct frame_stats *stats)
{
    const bool half = frame->bits == SSIMCU_BITS_F16;
    if (frame->bits < SSIMCU_BITS_FLOAT) return;
    for (uint32_t y = 0; y < frame->height; y++)
        for (uint32_t i = 0; i < frame->width * frame->channels; i++) {
            const uint32_t x = i / frame->channels,
                           bits = bits_at(frame, x, y, i % frame->channels),
                           size = bits & (half ? 0x7fff : 0x7fffffff);
            const bool infinite = size >= (half ? 0x7c00 : 0x7f800000), below = bits != size;
            if (infinite && stats->infinite++ == 0) stats->infinite_x = x, stats->infinite_y = y;
            if (!infinite && below && size > 0 && stats->negative++ == 0)
                stats->negative_x = x, stats->negative_y = y;
        }
}

static int distance(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t left, uint32_t up,
                    uint32_t c)
{
    return abs(code_at(frame, x, y, c) - code_at(frame, x - left, y - up, c));
}

static void model_rows(const ssimcu_frame *frame, struct frame_stats *stats)
{
    const size_t count = (size_t)frame->width * frame->channels;
    for (uint32_t y = 0; y < frame->height; y++) {
        uint64_t steps = 0;
        for (uint32_t x = 1; x < frame->width; x++)
            for (uint32_t c = 0; c < frame->channels; c++)
                steps += (uint64_t)distance(frame, x, y, 1, 0, c);
        const double rough = 64 * (double)steps / (double)count / stats->level;
        stats->rough[y] =
            rough >= UINT16_MAX ? UINT16_MAX : (uint16_t)(rough + (steps > 0 ? 0.999 : 0));
    }
}

static void model_cell(const ssimcu_frame *frame, uint32_t across, uint32_t down,
                       struct frame_stats *stats)
{
    int64_t sum = 0;
    int most = 0;
    for (uint32_t i = 0; i < 64 * frame->channels; i++) {
        const uint32_t c = i / 64, x = 8 * across + i % 8, y = 8 * down + i / 8 % 8;
        const int along = x > 0 ? distance(frame, x, y, 1, 0, c) : 0,
                  above = y > 0 ? distance(frame, x, y, 0, 1, c) : 0;
        sum += code_at(frame, x, y, c) >> 3;
        most = along > most ? along : most;
        most = above > most ? above : most;
    }
    const size_t at = (size_t)down * stats->across + across;
    const double step = 8 * most / stats->level;
    stats->mean[at] = (int16_t)(sum / (8 * frame->channels));
    stats->step[at] = step >= 255 ? 255 : (uint8_t)(step + (most > 0 ? 0.999 : 0));
}

/* Returns by how much a sample stands out over those around it. */
static int stands(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t c)
{
    int low = INT16_MAX, high = -INT16_MAX;
    for (uint32_t n = 0; n < 9; n++) {
        const uint32_t i = x + n % 3 - 1, j = y + n / 3 - 1; /* beyond an end they are too large */
        if (n == 4 || i >= frame->width || j >= frame->height) continue;
        const int d = code_at(frame, x, y, c) - code_at(frame, i, j, c);
        low = d < low ? d : low;
        high = d > high ? d : high;
    }
    return low > 0 ? low : high < 0 ? high : 0;
}

/* Returns whether all samples of a pixel are finite. */
static bool is_finite(const ssimcu_frame *frame, uint32_t x, uint32_t y)
{
    const bool half = frame->bits == SSIMCU_BITS_F16;
    bool finite = true;
    for (uint32_t c = 0; c < frame->channels; c++) {
        const uint32_t size = bits_at(frame, x, y, c) & (half ? 0x7fff : 0x7fffffff);
        finite = finite && size < (half ? 0x7c00 : 0x7f800000);
    }
    return finite || frame->bits < SSIMCU_BITS_FLOAT;
}

static void model_pixel(const ssimcu_frame *frame, uint32_t x, uint32_t y,
                        struct frame_stats *stats)
{
    uint32_t least = 0;
    int by = stands(frame, x, y, 0), limit = (int)(12 * stats->level);
    for (uint32_t c = 1; c < 3 && frame->channels > 2; c++)
        if (abs(stands(frame, x, y, c)) < abs(by)) by = stands(frame, x, y, c);
    for (uint32_t i = 1; i < stats->pixels; i++)
        if (abs(stats->pixel[i].by) < abs(stats->pixel[least].by)) least = i;
    if (stats->pixels == STATS_PIXELS) limit = abs(stats->pixel[least].by);
    if (abs(by) <= limit || !is_finite(frame, x, y)) return;
    if (stats->pixels < STATS_PIXELS) least = stats->pixels++;
    stats->pixel[least] = (struct stats_pixel){x, y, (int16_t)by};
}

static enum stats_alpha model_alpha(const ssimcu_frame *frame)
{
    const uint32_t last = frame->channels - 1;
    const int first = code_at(frame, 0, 0, last);
    bool one = true;
    if (frame->channels % 2) return STATS_OPAQUE;
    for (uint32_t i = 0; i < frame->width * frame->height; i++)
        one = one && code_at(frame, i % frame->width, i / frame->width, last) == first;
    return !one ? STATS_SOME : first == 0 ? STATS_EMPTY : STATS_FULL;
}

/* Returns whether the pixels of a rectangle have one code in a channel. */
static bool is_one(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t width,
                   uint32_t height, uint32_t c)
{
    bool one = true;
    for (uint32_t i = 0; i < width * height; i++)
        one = one && code_at(frame, x + i % width, y + i / width, c) == code_at(frame, x, y, c);
    return one;
}

/* Returns whether row `y` has the samples of the first pixel of a patch, in these channels. */
static bool continues(const ssimcu_frame *frame, uint32_t x, uint32_t first, uint32_t y,
                      unsigned mask)
{
    bool same = true;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t c = 0; c < frame->channels; c++)
            same = same &&
                   (!(mask >> c & 1) || bits_at(frame, x + i, y, c) == bits_at(frame, x, first, c));
    return same;
}

/* Holds the patches against their definition. */
static void hold_patches(const ssimcu_frame *frame, const struct patches *patches, const char *what)
{
    cr_assert(patches->across == frame->width / 4 &&
              patches->down == (frame->width < 4 ? 0 : frame->height / 4));
    for (uint32_t i = 0; i < patches->across * patches->down; i++) {
        const uint32_t x = i % patches->across * 4, y = i / patches->across * 4, left = x > 0,
                       up = y > 0;
        unsigned mask = 0, above = 0, below = 0;
        for (uint32_t c = 0; c < frame->channels; c++) {
            bool one = is_one(frame, x - left, y, 4 + left, 4, c) &&
                       is_one(frame, x, y - up, 4, 4 + up, c);
            for (uint32_t k = 1; k < 4; k++)
                one = one && kept_at(frame, x + k, y, c) == kept_at(frame, x, y, c);
            mask |= (unsigned)one << c;
        }
        cr_assert_eq(patches->flat[i] & PATCH_CHANNELS, mask, "patch %u,%u of %s", x, y, what);
        const unsigned before = up ? patches->flat[i - patches->across] & PATCH_CHANNELS : 0,
                       after = y / 4 + 1 < patches->down
                                   ? patches->flat[i + patches->across] & PATCH_CHANNELS
                                   : 0;
        while (mask & ~before && above < 3 && y >= above + 2 &&
               continues(frame, x, y, y - above - 2, mask))
            above++;
        while (mask & ~after && below < 3 && y + 4 + below < frame->height &&
               continues(frame, x, y, y + 4 + below, mask))
            below++;
        cr_assert_eq(patches->flat[i] / PATCH_UP % 4, above, "above %u,%u of %s", x, y, what);
        cr_assert_eq(patches->flat[i] / PATCH_DOWN, below, "below %u,%u of %s", x, y, what);
    }
    for (uint32_t y = 0; y < patches->down; y++)
        for (uint32_t i = 0; i < frame->width * frame->channels; i++)
            cr_assert_eq(patches_at(patches, i / frame->channels, y, i % frame->channels),
                         kept_at(frame, i / frame->channels, 4 * y, i % frame->channels), "%s",
                         what);
}

static uint32_t least(double a, uint32_t b) { return a < b ? (uint32_t)a : b; }

/* Returns a kept sample as second differences count it: light as a display shows it. */
static int shown_at(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t c)
{
    const int code = kept_at(frame, x, y, c);
    if (frame->bits < SSIMCU_BITS_FLOAT) return code;
    const double power = (code / 1024.0 - 15) / 2.2, whole = floor(power),
                 shown = ldexp(1 + power - whole, (int)whole) * 255 * 32;
    return shown < INT16_MAX ? (int)shown : INT16_MAX;
}

/* Returns the second difference of a sample, or that of its difference from the next one. */
static int second_at(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t c, bool colour)
{
    int by = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t at = x + i - 1;
        by +=
            (i == 1 ? -2 : 1) * (colour ? shown_at(frame, at, y, c) - shown_at(frame, at, y, c + 1)
                                        : kept_at(frame, at, y, c));
    }
    return by;
}

/* Holds the second differences of the cells against their definition. */
static void hold_second(const ssimcu_frame *frame, const struct patches *patches, bool colour,
                        const char *what)
{
    const bool bytes = frame->bits == 8;
    const bool shown = colour && frame->bits >= SSIMCU_BITS_FLOAT;
    const double level = bytes ? 1 : shown ? 2 : codes_level(frame->bits) / 16;
    const uint32_t used = !colour ? frame->channels : frame->channels > 2 ? 2 : 0;
    const uint16_t *cell = colour ? patches->colour : patches->second;
    for (uint32_t i = 0; i < patches->cells_across * patches->cells_down; i++) {
        const uint32_t left = i % patches->cells_across * 8, top = i / patches->cells_across * 8;
        uint32_t all = 0;
        for (uint32_t x = left; x < left + 8; x++)
            for (uint32_t c = 0; c < used && x > 0 && x + 1 < frame->width; c++)
                all += least((colour ? 512 : 64) * level,
                             (uint32_t)abs(second_at(frame, x, top, c, colour)) >> (bytes ? 0 : 4));
        const double want = used > 0 ? floor(4 * all / level / (8.0 * used)) : 0;
        cr_assert(fabs(cell[i] - want) <= 1, "cell %u,%u of %s: %u, not %g", left, top, what,
                  cell[i], want);
    }
}

static bool model_flat(const ssimcu_frame *frame)
{
    bool flat = true;
    for (uint32_t i = 0; i < frame->width * frame->height * frame->channels; i++) {
        const uint32_t c = i % frame->channels, pixel = i / frame->channels,
                       x = pixel % frame->width, y = pixel / frame->width;
        const bool kept = y % 4 == 0 && y / 4 < frame->height / 4 && frame->width >= 4;
        flat = flat && (!kept || kept_at(frame, x, y, c) == kept_at(frame, 0, 0, c));
    }
    for (uint32_t i = 0; i < frame->width * frame->height * frame->channels; i++) {
        const uint32_t c = i % frame->channels, pixel = i / frame->channels;
        flat = flat && code_at(frame, pixel % frame->width, pixel / frame->width, c) ==
                           code_at(frame, 0, 0, c);
    }
    return flat;
}

static struct frame_stats model(const ssimcu_frame *frame)
{
    struct frame_stats stats = {
        .level = codes_level(frame->bits), .across = frame->width / 8, .down = frame->height / 8};
    const size_t cells = (size_t)stats.across * stats.down;
    stats.mean = malloc((cells + 1) * sizeof *stats.mean);
    stats.step = malloc(cells + 1);
    stats.rough = malloc(frame->height * sizeof *stats.rough);
    cr_assert(stats.mean && stats.step && stats.rough);
    model_numbers(frame, &stats);
    model_rows(frame, &stats);
    for (uint32_t i = 0; i < cells; i++)
        model_cell(frame, i % stats.across, i / stats.across, &stats);
    for (uint32_t y = 0; y < frame->height && frame->width > 2 && frame->height > 2; y++)
        for (uint32_t x = 0; x < frame->width; x++) model_pixel(frame, x, y, &stats);
    stats.alpha = model_alpha(frame);
    stats.flat = model_flat(frame);
    return stats;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static uint32_t next(uint32_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;
    return *state;
}

enum content { NOISE, EXTREMES, SPIKES, DARK, FLAT, STEPS, CONTENTS };

/* Returns a sample of 32 random bits. Random floats are of any size and sign, and some are none. */
static uint32_t sample(uint32_t bits, enum content content, uint32_t x, uint32_t y, uint32_t *state)
{
    const uint32_t random = next(state), top = bits >= SSIMCU_BITS_FLOAT ? 0 : (1u << bits) - 1,
                   f32 = bits == SSIMCU_BITS_F32;
    static const uint32_t halves[] = {0, 0x8000, 0x7bff, 0x7c00, 0xfc00, 0x17ff, 0x1801, 0x3c00};
    if (content == NOISE) return top ? random & top : random;
    if (content == EXTREMES && top) return random & 1 ? top : 0;
    if (content == EXTREMES) return halves[random % 8] << (f32 ? 16 : 0);
    const uint32_t slow = content == FLAT    ? 9
                          : content == DARK  ? random % 4
                          : content == STEPS ? 50 * ((x + y / 4) / 12 % 2) /* slanting edges */
                                             : (x + y) / 5,
                   spike = content == SPIKES && random % 61 == 0 ? 60 + random % 90 : 0,
                   eighth = slow % 100 + spike; /* below 256 */
    if (top) return bits > 8 ? (eighth << (bits - 8)) + (random & (content == SPIKES)) : eighth;
    return f32 ? (0x38000000 + eighth * 0x80000) : 0x3000 + eighth * 24;
}

static ssimcu_frame draw(uint32_t width, uint32_t height, uint32_t channels, uint32_t bits,
                         enum content content, uint32_t *state)
{
    const size_t bytes = bits == 8 ? 1 : bits == SSIMCU_BITS_F32 ? 4 : 2;
    ssimcu_frame frame = {.width = width, .height = height, .channels = channels, .bits = bits};
    frame.pitch = (width * channels + next(state) % 9) * bytes;
    frame.data = malloc(frame.pitch * height); /* so that a sanitizer knows its end */
    cr_assert(frame.data);
    const bool opaque = channels % 2 == 0 && next(state) % 2, apart = next(state) % 2;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t i = 0; i < width * channels; i++) {
            void *to = (char *)frame.data + y * frame.pitch + i * bytes;
            uint32_t value = sample(bits, content, i / channels, y, state);
            if (opaque && i % channels == channels - 1)
                value = apart && y == height - 1 && i == width * channels - 1 ? 0x7f7f7f7f : 1;
            memcpy(to, &value, bytes); /* little endian */
        }
    return frame;
}

/* ---- The test -------------------------------------------------------------------------------- */

static void hold(const ssimcu_frame *frame, const struct frame_stats *stats,
                 const struct frame_stats *want, const char *what)
{
    const size_t cells = (size_t)want->across * want->down;
    cr_assert(stats->across == want->across && stats->down == want->down, "%s", what);
    cr_assert_arr_eq(stats->mean, want->mean, cells * sizeof *want->mean, "mean, %s", what);
    cr_assert_arr_eq(stats->step, want->step, cells, "step, %s", what);
    cr_assert_arr_eq(stats->rough, want->rough, frame->height * sizeof *want->rough, "%s", what);
    cr_assert(stats->flat == want->flat && stats->alpha == want->alpha, "flat, %s", what);
    cr_assert(stats->infinite == want->infinite && stats->infinite_x == want->infinite_x &&
                  stats->infinite_y == want->infinite_y && stats->negative == want->negative &&
                  stats->negative_x == want->negative_x && stats->negative_y == want->negative_y,
              "numbers, %s", what);
    cr_assert_eq(stats->pixels, want->pixels, "%u pixels, not %u, %s", stats->pixels, want->pixels,
                 what);
    for (uint32_t i = 0; i < want->pixels; i++)
        cr_assert(stats->pixel[i].x == want->pixel[i].x && stats->pixel[i].y == want->pixel[i].y &&
                      stats->pixel[i].by == want->pixel[i].by,
                  "pixel %u, %s", i, what);
}

static void try(uint32_t width, uint32_t height, uint32_t channels, uint32_t bits,
                enum content content, uint32_t *state)
{
    char what[128];
    ssimcu_frame frame = draw(width, height, channels, bits, content, state);
    struct frame_stats want = model(&frame);
    for (const struct detect_loops *const *loops = detect_loops_all;; loops++) {
        struct frame_stats stats;
        if ((*loops)->available()) {
            snprintf(what, sizeof what, "%s: %ux%u, %u channels, bits %u, content %d",
                     (*loops)->name, width, height, channels, bits, content);
            cr_assert_eq(frame_stats_scan_by(*loops, &frame, 0, NULL, &stats, NULL), SSIMCU_OK);
            hold(&frame, &stats, &want, what);
            hold_patches(&frame, &stats.patches, what);
            hold_second(&frame, &stats.patches, false, what);
            hold_second(&frame, &stats.patches, true, what);
            frame_stats_free(&stats);
        }
        if (*loops == &detect_loops_plain) break; /* the last one */
    }
    frame_stats_free(&want);
    free(frame.data);
}

/* Light becomes the levels of a display, from its darkest to ten times white. */
Test(detect_scan, light_as_a_display_shows_it)
{
    for (const struct detect_loops *const *loops = detect_loops_all;; loops++) {
        int16_t before = 0;
        for (int16_t code = 0; (*loops)->available() && code < 0x7c00; code++) {
            const double light = ldexp(1 + code % 1024 / 1024.0, code / 1024 - 15),
                         want = fmin(255 * pow(light, 1 / 2.2), INT16_MAX / 32.0);
            int16_t shown;
            (*loops)->show_codes(&code, 1, &shown);
            cr_assert(shown >= before && fabs(shown / 32.0 - want) <= 0.07 * want + 1,
                      "%s: %g, not %g", (*loops)->name, shown / 32.0, want);
            before = shown;
        }
        if (*loops == &detect_loops_plain) break;
    }
}

static const uint32_t types[] = {8, 9, 10, 12, 16, SSIMCU_BITS_F16, SSIMCU_BITS_F32};
enum { TYPES = sizeof types / sizeof *types };

Test(detect_scan, is_as_defined)
{
    static const uint32_t sizes[][2] = {{1, 1},  {1, 40},  {40, 1},  {2, 9},   {3, 3},   {7, 7},
                                        {8, 8},  {9, 17},  {11, 11}, {16, 10}, {31, 25}, {64, 9},
                                        {65, 9}, {66, 16}, {67, 8},  {129, 11}};
    uint32_t state = 2463534242;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t channels = 1; channels <= 4; channels++)
            for (int t = 0; t < TYPES; t++)
                for (int content = 0; content < CONTENTS; content++)
                    try(sizes[s][0], sizes[s][1], channels, types[t], (enum content)content,
                        &state);
}

Test(detect_scan, is_as_defined_at_random_sizes)
{
    uint32_t state = 88172645;
    for (int i = 0; i < 600 / CHECK_LESS; i++) {
        const uint32_t width = next(&state) % 300 + 1, height = next(&state) % 40 + 1,
                       channels = next(&state) % 4 + 1, bits = types[next(&state) % TYPES];
        try(width, height, channels, bits, (enum content)(next(&state) % CONTENTS), &state);
    }
}

/* Rows are as long as sums in pieces have to stand: all samples as far apart as they can be. */
Test(detect_scan, is_as_defined_in_long_rows)
{
    uint32_t state = 5;
    for (int t = 0; t < TYPES; t++)
        for (uint32_t channels = 1; channels <= 4; channels += 3)
            try(20011, 9, channels, types[t], EXTREMES, &state);
}
