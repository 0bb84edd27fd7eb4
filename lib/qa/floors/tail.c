#include "floors/tail.h"

#include "floors/floors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Moves the first element of the heap down to its place. */
static void sink(struct tail *tail)
{
    size_t at = 0;
    for (;;) {
        size_t least = 2 * at + 1;
        if (least >= tail->count) return;
        if (least + 1 < tail->count && tail->largest[least + 1] < tail->largest[least]) least++;
        if (tail->largest[at] <= tail->largest[least]) return;
        const double moved = tail->largest[at];
        tail->largest[at] = tail->largest[least];
        tail->largest[least] = moved;
        at = least;
    }
}

static void rise(struct tail *tail, double value)
{
    size_t at = tail->count++;
    while (at > 0 && tail->largest[(at - 1) / 2] > value) {
        tail->largest[at] = tail->largest[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    tail->largest[at] = value;
}

void tail_add(struct tail *tail, const double *value, size_t count)
{
    tail->values += count;
    for (size_t i = 0; i < count; i++) {
        if (tail->count <= TAIL_MOST) {
            rise(tail, value[i]);
        } else if (value[i] > tail->largest[0]) {
            tail->largest[0] = value[i];
            sink(tail);
        }
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns how many of so many values are the tail. */
static size_t tail_size(uint64_t values)
{
    uint64_t k = (uint64_t)llround(0.02 * (double)values);
    if (k < TAIL_LEAST) k = TAIL_LEAST;
    if (k > TAIL_MOST) k = TAIL_MOST;
    return (size_t)(k < values / 4 ? k : values / 4);
}

/* Returns the shape of a tail of k values, of which probability-weighted moments are known. */
static double shape_of(const struct tail *tail, size_t k, double mean, double weighted)
{
    const double left = mean - 2 * weighted;
    const double own = left > 0 ? fmin(fmax(2 - mean / left, -0.5), 0.5) : 0;
    const double shape = ((double)k * own + TAIL_KNOWN * tail->shape) / (double)(k + TAIL_KNOWN);
    return fmin(fmax(shape, 0), 0.3);
}

double tail_limit(const struct tail *tail, uint64_t frames, double rate)
{
    const size_t k = tail_size(tail->values);
    double sorted[TAIL_MOST + 1];
    if (k < 2 || frames == 0) return NAN;
    memcpy(sorted, tail->largest, tail->count * sizeof *sorted);
    qsort(sorted, tail->count, sizeof *sorted, by_size);
    const double *excess = sorted + (tail->count - k);
    const double threshold = excess[-1];
    double mean = 0, weighted = 0;
    for (size_t j = 0; j < k; j++) {
        mean += (excess[j] - threshold) / (double)k;
        weighted += (double)(k - 1 - j) / (double)(k - 1) * (excess[j] - threshold) / (double)k;
    }
    const double shape = shape_of(tail, k, mean, weighted);
    const double scale = mean * (1 - shape);
    const double often = (double)k / (double)frames / (rate / FLOOR_RULES);
    const double beyond =
        shape < 1e-6 ? scale * log(often) : scale / shape * (pow(often, shape) - 1);
    return TAIL_MARGIN * (threshold + beyond);
}
