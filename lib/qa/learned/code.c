#include "learned/code.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 11 /* codes of a sigma per power of 2 */, LOWEST = -12, PARTS = 8 };
enum { MEAN_MOST = 1 << 29, ESCAPE = 255, ESCAPED_BYTES = 5 };

/* The sigmas of one power of 2. */
#define OCTAVE(power)                                                                              \
    (power), 1.0650410894399627 * (power), 1.1343125221954626 * (power),                           \
        1.2080894444044472 * (power), 1.2866648980094317 * (power), 1.3703509847201236 * (power),  \
        1.4594801056814461 * (power), 1.5544062817709192 * (power), 1.6555065597696215 * (power),  \
        1.7631825099920424 * (power), 1.8778618213234126 * (power)

/* The sigma of each code, and of some more. A file of 4K frames needs millions. */
static const double sigma_of[] = {
    OCTAVE(0x1p-12), OCTAVE(0x1p-11), OCTAVE(0x1p-10), OCTAVE(0x1p-9), OCTAVE(0x1p-8),
    OCTAVE(0x1p-7),  OCTAVE(0x1p-6),  OCTAVE(0x1p-5),  OCTAVE(0x1p-4), OCTAVE(0x1p-3),
    OCTAVE(0x1p-2),  OCTAVE(0x1p-1),  OCTAVE(0x1p0),   OCTAVE(0x1p1),  OCTAVE(0x1p2),
    OCTAVE(0x1p3),   OCTAVE(0x1p4),   OCTAVE(0x1p5),   OCTAVE(0x1p6),  OCTAVE(0x1p7),
    OCTAVE(0x1p8),   OCTAVE(0x1p9),   OCTAVE(0x1p10),  OCTAVE(0x1p11)};

static uint8_t code_of(double sigma)
{
    const long code = sigma > 0 ? lround(STEPS * (log2(sigma) - LOWEST)) : 0;
    return (uint8_t)(code < 0 ? 0 : code > UINT8_MAX ? UINT8_MAX : code);
}

/* Returns a mean as an integer number of fractions of a sigma. */
static int32_t in_parts(double mean, double sigma)
{
    const double parts = mean / sigma * PARTS;
    const double most = parts <= MEAN_MOST ? parts : MEAN_MOST;
    return (int32_t)lrint(parts >= -MEAN_MOST ? most : -MEAN_MOST);
}

static double mean_of(const struct coded *coded, size_t i)
{
    return coded->mean[i] * sigma_of[coded->sigma[i]] / PARTS;
}

bool coded_new(struct coded *coded, size_t values)
{
    coded->values = values;
    coded->mean = calloc(values, sizeof *coded->mean + sizeof *coded->sigma);
    coded->sigma = coded->mean ? (uint8_t *)(coded->mean + values) : NULL;
    return coded->mean != NULL;
}

void coded_free(struct coded *coded)
{
    free(coded->mean);
    *coded = (struct coded){0};
}

void coded_take(const struct learned_frame *learned, struct coded *coded)
{
    for (size_t i = 0; i < coded->values; i++) {
        coded->sigma[i] = code_of(learned->sigma[i]);
        coded->mean[i] = in_parts(learned->mean[i], sigma_of[coded->sigma[i]]);
    }
}

void coded_give(const struct coded *coded, struct learned_frame *learned)
{
    for (size_t i = 0; i < coded->values; i++) {
        learned->sigma[i] = (float)sigma_of[coded->sigma[i]];
        learned->mean[i] = (float)mean_of(coded, i);
    }
}

size_t coded_most_bytes(size_t values) { return values * (1 + ESCAPED_BYTES); }

/* Returns the expected value, from the frame before or from the value before it. */
static int32_t expected_mean(const struct coded *coded, const struct coded *before, size_t i)
{
    const double sigma = sigma_of[coded->sigma[i]];
    if (before) return in_parts(mean_of(before, i), sigma);
    return i > 0 ? in_parts(mean_of(coded, i - 1), sigma) : 0;
}

static uint8_t expected_sigma(const struct coded *coded, const struct coded *before, size_t i)
{
    return before ? before->sigma[i] : i > 0 ? coded->sigma[i - 1] : 0;
}

size_t coded_write(const struct coded *coded, const struct coded *before, uint8_t *to)
{
    size_t used = 0;
    for (size_t i = 0; i < coded->values; i++)
        to[used++] = (uint8_t)(coded->sigma[i] - expected_sigma(coded, before, i));
    for (size_t i = 0; i < coded->values; i++) {
        const int64_t off = (int64_t)coded->mean[i] - expected_mean(coded, before, i);
        const uint64_t folded = off < 0 ? 2 * (uint64_t)-off - 1 : 2 * (uint64_t)off;
        to[used++] = (uint8_t)(folded < ESCAPE ? folded : ESCAPE);
        for (int b = 0; b < 4 && folded >= ESCAPE; b++)
            to[used++] = (uint8_t)((folded & UINT32_MAX) >> 8 * b);
    }
    return used;
}

size_t coded_read(struct coded *coded, const struct coded *before, const uint8_t *from,
                  size_t bytes)
{
    size_t used = 0;
    if (bytes < 2 * coded->values) return 0;
    for (size_t i = 0; i < coded->values; i++)
        coded->sigma[i] = (uint8_t)(from[used++] + expected_sigma(coded, before, i));
    for (size_t i = 0; i < coded->values; i++) {
        if (used == bytes) return 0;
        uint64_t folded = from[used++];
        if (folded == ESCAPE && bytes - used < ESCAPED_BYTES - 1) return 0;
        if (folded == ESCAPE) {
            folded = 0;
            for (int b = 0; b < 4; b++) folded |= (uint64_t)from[used++] << 8 * b;
        }
        const int64_t off = folded % 2 ? -(int64_t)(folded / 2) - 1 : (int64_t)(folded / 2);
        const int64_t mean = expected_mean(coded, before, i) + off;
        if (mean > MEAN_MOST || mean < -MEAN_MOST) return 0;
        coded->mean[i] = (int32_t)mean;
    }
    return used;
}
