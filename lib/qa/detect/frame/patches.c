#include "detect/frame/patches.h"

#include "detect/frame/codes.h"

#include "sample_size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 2 * PATCH, QUARTERS = 4 };

/* Returns whether the memory of one serves the other. */
static bool is_like(const struct patches *a, const struct patches *b)
{
    return a->width == b->width && a->channels == b->channels && a->down == b->down &&
           a->cells_down == b->cells_down && a->bytes == b->bytes;
}

bool patches_open(struct patches *patches, const ssimcu_frame *frame, struct patches *spare)
{
    *patches = (struct patches){.width = frame->width,
                                .channels = frame->channels,
                                .across = frame->width / PATCH,
                                .down = frame->width < PATCH ? 0 : frame->height / PATCH,
                                .bytes = frame->bits == 8};
    patches->cells_across = frame->width / CELL;
    patches->cells_down = frame->width < CELL ? 0 : frame->height / CELL;
    const size_t sample = patches->bytes ? 1 : sizeof(int16_t);
    if (spare && spare->row && is_like(spare, patches)) {
        patches->flat = spare->flat, patches->row = spare->row;
        patches->second = spare->second, patches->colour = spare->colour;
        *spare = (struct patches){.row = NULL};
        return true;
    }
    patches->flat = malloc((size_t)patches->across * patches->down + 1);
    patches->row = malloc(sample * frame->width * frame->channels * patches->down + 1);
    const size_t cells = (size_t)patches->cells_across * patches->cells_down;
    patches->second = malloc((cells + 1) * sizeof *patches->second);
    patches->colour = calloc(cells + 1, sizeof *patches->colour);
    return patches->flat && patches->row && patches->second && patches->colour;
}

void patches_free(struct patches *patches)
{
    free(patches->flat), free(patches->row), free(patches->second), free(patches->colour);
    patches->flat = NULL, patches->row = NULL, patches->second = NULL, patches->colour = NULL;
}

bool patches_are_one(const struct patches *patches)
{
    const size_t pixel = patches->channels * (patches->bytes ? 1 : sizeof(int16_t)),
                 count = (size_t)patches->width * patches->down;
    const char *row = patches->row;
    return count < 2 || memcmp(row, row + pixel, (count - 1) * pixel) == 0;
}

double patches_level(int sample, uint32_t bits)
{
    if (bits == 8) return sample;
    if (bits < SSIMCU_BITS_FLOAT) return sample / codes_level(bits);
    const int exponent = sample >> 10, mantissa = sample & 0x3ff; /* those of a half */
    const double light =
        exponent > 0 ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return STATS_LEVELS * pow(light, 1 / 2.2);
}

int patches_sample(double level, uint32_t bits)
{
    if (level <= 0) return 0;
    if (bits == 8) return (int)ceil(level);
    if (bits < SSIMCU_BITS_FLOAT) return (int)ceil(level * codes_level(bits));
    int exponent;
    const double part = frexp(pow(level / STATS_LEVELS, 2.2), &exponent);
    return exponent > -14 ? (int)ceil(1024 * (exponent + 14 + 2 * part - 1))
                          : (int)ceil(ldexp(part, exponent + 24));
}

/* ---- Rows above and below -------------------------------------------------------------------- */

/* Returns whether a row continues a patch: the channels in `mask` have the values of its first
 * pixel. */
static bool continues(const ssimcu_frame *frame, uint32_t x, uint32_t down, uint32_t y,
                      unsigned mask)
{
    const size_t sample = ssimcu_sample_size(frame->bits), pixel = sample * frame->channels;
    const char *first = (const char *)codes_samples(frame, down * PATCH) + x * pixel,
               *row = (const char *)codes_samples(frame, y) + x * pixel;
    for (size_t i = 0; i < PATCH; i++)
        for (uint32_t c = 0; c < frame->channels; c++)
            if (mask >> c & 1 &&
                memcmp(row + i * pixel + c * sample, first + c * sample, sample) != 0)
                return false;
    return true;
}

/* Counts the rows beyond a patch, up or down, that continue it. */
static unsigned reach(const ssimcu_frame *frame, uint32_t x, uint32_t down, unsigned mask, bool up)
{
    unsigned rows = 0;
    const uint32_t top = down * PATCH, end = top + PATCH;
    while (rows < PATCH_FURTHEST) {
        if (up ? top < rows + 2 : end + rows >= frame->height) break;
        if (!continues(frame, x, down, up ? top - 2 - rows : end + rows, mask)) break;
        rows++;
    }
    return rows;
}

/* Measures the vertical ends of areas between two rows of patches. */
static void measure_ends(struct patches *patches, const ssimcu_frame *frame, uint32_t down)
{
    uint8_t *now = patches->flat + (size_t)down * patches->across,
            *before = down > 0 ? now - patches->across : now;
    const bool last = down + 1 == patches->down;
    for (uint32_t i = 0; i < patches->across; i++) {
        uint64_t some[2];
        if (i + sizeof *some <= patches->across) { /* most words have none */
            memcpy(&some[0], now + i, sizeof *some);
            memcpy(&some[1], before + i, sizeof *some);
            if ((some[0] | some[1]) == 0) {
                i += sizeof *some - 1;
                continue;
            }
        }
        const unsigned mask = now[i] & PATCH_CHANNELS,
                       above = down > 0 ? before[i] & PATCH_CHANNELS : 0;
        if (mask & ~above)
            now[i] = (uint8_t)(now[i] + PATCH_UP * reach(frame, i * PATCH, down, mask, true));
        if (above & ~mask)
            before[i] =
                (uint8_t)(before[i] + PATCH_DOWN * reach(frame, i * PATCH, down - 1, above, false));
        if (last && mask)
            now[i] = (uint8_t)(now[i] + PATCH_DOWN * reach(frame, i * PATCH, down, mask, false));
    }
}

/* ---------------------------------------------------------------------------------------------- */

/* Returns a bit for each channel whose step is 0. Most patches have none: one word shows that. */
static unsigned zeros(const uint8_t *step, uint32_t channels, uint32_t others)
{
    uint32_t word;
    unsigned mask = 0;
    memcpy(&word, step, sizeof word);
    word |= others;
    if (((word - 0x01010101u) & ~word & 0x80808080u) == 0) return 0;
    for (uint32_t c = 0; c < channels; c++) mask |= (unsigned)(step[c] == 0) << c;
    return mask;
}

/* Sums of second differences of a row, for four pixels each. `level`: units of a level. */
struct sums {
    const uint16_t *sum;
    uint32_t channels;
    double level;
};

/* Writes the means of cells, of their first channels. */
static void write_second(const struct sums *sums, uint32_t cells, uint32_t used, uint16_t *cell)
{
    const uint32_t channels = sums->channels;
    const double factor = QUARTERS / (sums->level * CELL * used);
    for (uint32_t i = 0; i < cells; i++) {
        const uint16_t *sum = sums->sum + (size_t)i * CELL * channels;
        uint32_t all = 0;
        for (uint32_t c = 0; c < used; c++) all += sum[c] + sum[PATCH * channels + c];
        cell[i] = (uint16_t)(factor * all);
    }
}

/* Adds the second differences of a kept row to its cells. A pixel at an end of the row has none. Of
 * the colours of light, the levels of a display count: in stops, the dark is all colours. */
static void add_second(struct patches *patches, const struct detect_loops *loops,
                       const ssimcu_frame *frame, uint32_t down, const struct patches_rows *rows)
{
    const uint32_t channels = frame->channels, cells = patches->cells_across;
    const size_t count = (size_t)frame->width * channels, first = (size_t)(down / 2) * cells;
    const bool bytes = patches->bytes, light = frame->bits >= SSIMCU_BITS_FLOAT;
    if (down % 2 > 0 || down / 2 >= patches->cells_down) return; /* the first row of a cell */
    const uint8_t *row = (const uint8_t *)patches->row + count * down;
    const int16_t *codes = (const int16_t *)patches->row + count * down;
    int16_t *second = rows->second;
    struct sums sums = {rows->sum, channels,
                        bytes ? 1 : codes_level(frame->bits) / (1 << LOOPS_SECOND)};
    if (bytes)
        loops->second_bytes(row, count, channels, second);
    else
        loops->second_codes(codes, count, channels, second);
    loops->second_sums(second, count, channels, (unsigned)(PATCHES_MOST * sums.level), rows->sum);
    write_second(&sums, cells, channels, patches->second + first);
    if (channels < COLOURS) return;
    if (light) {
        loops->show_codes(codes, count, rows->shown);
        loops->second_codes(rows->shown, count, channels, second);
        sums.level = (double)LOOPS_SHOWN / (1 << LOOPS_SECOND);
    }
    loops->colour_sums(second, count, channels, (unsigned)(PATCHES_MOST_COLOUR * sums.level),
                       rows->sum);
    write_second(&sums, cells, COLOURS - 1, patches->colour + first);
}

/* Returns those of the channels of a patch that have one value in its kept row, too. Codes of
 * floats near black are all 0, and kept samples are not. */
static unsigned confirm(const int16_t *row, uint32_t channels, unsigned mask)
{
    for (uint32_t c = 0; c < channels; c++) {
        const int16_t first = row[c];
        if ((row[channels + c] ^ first) | (row[2 * channels + c] ^ first) |
            (row[3 * channels + c] ^ first))
            mask &= ~(1u << c);
    }
    return mask;
}

void patches_take(struct patches *patches, const struct detect_loops *loops,
                  const ssimcu_frame *frame, uint32_t down, const uint8_t *step,
                  const struct patches_rows *rows)
{
    const uint32_t channels = frame->channels;
    const size_t count = (size_t)frame->width * channels, at = count * down;
    uint8_t *flat = patches->flat + (size_t)down * patches->across;
    uint32_t some = 0, others = UINT32_MAX;
    memset(&others, 0, channels); /* the bytes of a word that belong to no channel */
    if (patches->bytes)
        memcpy((uint8_t *)patches->row + at, codes_samples(frame, down * PATCH), count);
    else
        codes_keep(loops, frame, down * PATCH, (int16_t *)patches->row + at);
    add_second(patches, loops, frame, down, rows);
    for (uint32_t i = 0; i < patches->across; i++) {
        flat[i] = (uint8_t)zeros(step + (size_t)i * PATCH * channels, channels, others);
        if (flat[i] && frame->bits >= SSIMCU_BITS_FLOAT)
            flat[i] =
                (uint8_t)confirm((const int16_t *)patches->row + at + (size_t)i * PATCH * channels,
                                 channels, flat[i]);
        some += flat[i] != 0;
    }
    if (some > 0 || (down > 0 && patches->some > 0)) measure_ends(patches, frame, down);
    patches->some += some;
}
