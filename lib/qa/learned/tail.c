#include "learned/tail.h"

#include "learned/learned.h"

#include <math.h>
#include <string.h>

enum { FRAME_RULES = LEARNED_RULES - LEARNED_TILE_RULES };

void tail_add(struct tail *tail, const double *value, size_t count)
{
    double *const largest = tail->largest;
    tail->values += count;
    for (size_t i = 0; i < count; i++) {
        const bool full = tail->count > TAIL_MOST;
        tail->squares += value[i] * value[i];
        if (full && !(value[i] > largest[0])) continue;
        if (full) memmove(largest, largest + 1, --tail->count * sizeof *largest);
        size_t at = tail->count++;
        for (; at > 0 && largest[at - 1] > value[i]; at--) largest[at] = largest[at - 1];
        largest[at] = value[i];
    }
}

/* Returns how many of `values` values are the tail. */
static size_t tail_size(uint64_t values)
{
    uint64_t k = (uint64_t)llround(0.02 * (double)values);
    if (k < TAIL_LEAST) k = TAIL_LEAST;
    if (k > TAIL_MOST) k = TAIL_MOST;
    return (size_t)(k < values / 4 ? k : values / 4);
}

/* Returns the shape of a tail of k values, given their probability-weighted moments. */
static double shape_of(const struct tail *tail, size_t k, double mean, double weighted)
{
    const double left = mean - 2 * weighted;
    const double fitted = left > 0 ? fmin(fmax(2 - mean / left, -0.5), 0.5) : 0;
    const double shape = ((double)k * fitted + TAIL_KNOWN * tail->shape) / (double)(k + TAIL_KNOWN);
    return fmin(fmax(shape, 0), 0.3);
}

/* Returns how many spreads a normal number exceeds with a probability below a half. */
static double normal_beyond(double probability)
{
    double low = 0, high = 40;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (erfc(middle / sqrt(2)) / 2 > probability)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns the same for Student's distribution (Wallace 1959). */
static double student_beyond(double probability, double freedom)
{
    const double normal = normal_beyond(probability) * (8 * freedom + 3) / (8 * freedom + 1);
    return sqrt(freedom * expm1(normal * normal / freedom));
}

/* Returns the limit of a frame rule. A quarter of the freedom is lost to the means, which the same
 * runs train. A spread above 1 shows that tiles move together, for example in flickering light.
 * Their sum is then as far from normal as one tile, and less freedom moves the limit further
 * out. */
static double limit_of_frames(const struct tail *tail, uint64_t frames, double rate)
{
    const double n = (double)frames, known = TAIL_KNOWN_FRAMES;
    const double square = tail->squares / (double)tail->values;
    const double spread = sqrt((known + n * square) / (known + n));
    const double sides = 2 * (double)tail->values / n; /* values of all channels */
    const double freedom = (0.75 * n + known) / fmax(spread, 1);
    const double beyond = student_beyond(rate / FRAME_RULES / sides, fmax(freedom, 2));
    return TAIL_MARGIN * fmax(spread * beyond, tail->largest[tail->count - 1]);
}

double tail_limit(const struct tail *tail, uint64_t frames, double rate)
{
    const double share = rate / (LEARNED_TILE_RULES + 1);
    if (tail->of_frames) return frames < 2 ? NAN : limit_of_frames(tail, frames, share);
    const size_t k = tail_size(tail->values);
    if (k < 2 || frames == 0) return NAN;
    const double *excess = tail->largest + (tail->count - k);
    const double threshold = excess[-1];
    double mean = 0, weighted = 0;
    for (size_t j = 0; j < k; j++) {
        mean += (excess[j] - threshold) / (double)k;
        weighted += (double)(k - 1 - j) / (double)(k - 1) * (excess[j] - threshold) / (double)k;
    }
    const double shape = shape_of(tail, k, mean, weighted);
    const double scale = mean * (1 - shape);
    const double often = (double)k / (double)frames / share;
    const double beyond =
        shape < 1e-6 ? scale * log(often) : scale / shape * (pow(often, shape) - 1);
    return TAIL_MARGIN * (threshold + beyond);
}
