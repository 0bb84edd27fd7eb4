#include "number/taps.h"

#include "fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Filters --------------------------------------------------------------------------------- */

/* Samples that count on either side if the size does not change. */
static const uint32_t reach_of[] = {[SSIMCU_SCALER_BICUBIC] = 2,
                                    [SSIMCU_SCALER_BILINEAR] = 1,
                                    [SSIMCU_SCALER_LANCZOS] = 3,
                                    [SSIMCU_SCALER_SPLINE36] = 3};

/* A cubic. It is rounded like zimg's, which decides ties of weights. */
static double cubic(double x, double c0, double c1, double c2, double c3)
{
    return c0 + x * (c1 + x * (c2 + x * c3));
}

/* Mitchell and Netravali's, b = 0, c = 0.6. */
static double bicubic(double x)
{
    const double c = 0.6;
    if (x < 1) return cubic(x, 1, 0, (-18 + 6 * c) / 6, (12 - 6 * c) / 6);
    if (x < 2) return cubic(x, 24 * c / 6, -48 * c / 6, 30 * c / 6, -6 * c / 6);
    return 0;
}

static double spline36(double x)
{
    if (x < 1) return cubic(x, 1, -3.0 / 209, -453.0 / 209, 13.0 / 11);
    if (x < 2) return cubic(x - 1, 0, -156.0 / 209, 270.0 / 209, -6.0 / 11);
    if (x < 3) return cubic(x - 2, 0, 26.0 / 209, -45.0 / 209, 1.0 / 11);
    return 0;
}

static double sinc(double x)
{
    const double pi = 3.14159265358979323846;
    return x == 0 ? 1 : sin(x * pi) / (x * pi);
}

static double value_of(ssimcu_scaler_name scaler, double x)
{
    x = fabs(x);
    switch (scaler) {
    case SSIMCU_SCALER_BILINEAR: return fmax(1 - x, 0);
    case SSIMCU_SCALER_LANCZOS: return x < 3 ? sinc(x) * sinc(x / 3) : 0;
    case SSIMCU_SCALER_SPLINE36: return spline36(x);
    default: return bicubic(x);
    }
}

/* ---- Rows of weights ------------------------------------------------------------------------- */

/* The filter on one axis. */
struct axis {
    ssimcu_scaler_name scaler;
    uint32_t from, to;
    double scale, step, shift;
    uint32_t size; /* samples under the filter, before mirroring at the ends */
};

static struct axis axis_of(ssimcu_scaler_name scaler, uint32_t from, uint32_t to, double shift)
{
    struct axis axis = {
        .scaler = scaler, .from = from, .to = to, .scale = (double)to / from, .shift = shift};
    axis.step = fmin(axis.scale, 1);
    axis.size = 2 * (uint32_t)ceil(reach_of[scaler] / axis.step);
    return axis;
}

/* Returns the sample that represents a position. */
static uint32_t mirror(double place, uint32_t samples)
{
    if (place < 0)
        place = -place;
    else if (place >= samples)
        place = 2.0 * samples - place;
    return place <= 0 ? 0 : place >= samples ? samples - 1 : (uint32_t)place;
}

/* Adds the weights of sum i to sample[], which has all samples of the axis and starts as zeros.
 * Sets *low and *high to the first and the last sample. */
static void weigh(const struct axis *axis, uint32_t i, double *sample, uint32_t *low,
                  uint32_t *high)
{
    const double place = (i + 0.5) / axis->scale + axis->shift;
    const double begin = floor(place - axis->size / 2.0 + 0.5) + 0.5;
    double total = 0;
    *low = axis->from, *high = 0;
    for (uint32_t k = 0; k < axis->size; k++)
        total += value_of(axis->scaler, (begin + k - place) * axis->step);
    for (uint32_t k = 0; k < axis->size; k++) {
        const uint32_t at = mirror(begin + k, axis->from);
        sample[at] += value_of(axis->scaler, (begin + k - place) * axis->step) / total;
        if (at < *low) *low = at;
        if (at > *high) *high = at;
    }
}

/* Rounds weights to integers. Each rounding error is carried to the next weight, so the integers
 * make exactly 1 << SSIMCU_TAP_BITS, as the weights make 1. */
static void round_weights(const double *sample, uint32_t width, int16_t *weight)
{
    double lost = 0;
    for (uint32_t k = 0; k < width; k++) {
        const double wanted = sample[k] * (1 << SSIMCU_TAP_BITS) - lost;
        weight[k] = (int16_t)lrint(wanted);
        lost = weight[k] - wanted;
    }
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Fills in the tables, unless they are NULL. Returns the maximum number of samples in a sum. */
static uint32_t fill(const struct axis *axis, double *sample, uint32_t width, int32_t *left,
                     int16_t *weight)
{
    uint32_t widest = 1;
    for (uint32_t i = 0; i < axis->to; i++) {
        uint32_t low, high;
        weigh(axis, i, sample, &low, &high);
        if (left) {
            left[i] = (int32_t)(low < axis->from - width ? low : axis->from - width);
            round_weights(sample + left[i], width, weight + (size_t)i * width);
        }
        memset(sample + low, 0, (high - low + 1) * sizeof *sample);
        if (high - low + 1 > widest) widest = high - low + 1;
    }
    return widest;
}

/* Makes sums of one sample each. */
static void fill_unchanged(uint32_t count, int32_t *left, int16_t *weight)
{
    for (uint32_t i = 0; i < count; i++) {
        left[i] = (int32_t)i;
        weight[i] = 1 << SSIMCU_TAP_BITS;
    }
}

static int is_sorted(const int32_t *left, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (left[i] < left[i - 1]) return 0;
    return 1;
}

/* Makes the sums along an axis whose `from` samples become `to`. Sample i lies at (i + 0.5) * from
 * / to + shift, in source samples. A filter for fewer samples is widened by the same factor. The
 * axis is mirrored at both ends. Without a change, a sum is one sample. *memory holds the tables;
 * the caller frees it. Errors: MEMORY. */
static ssimcu_status make_taps(ssimcu_scaler_name scaler, uint32_t from, uint32_t to, double shift,
                               struct ssimcu_taps *taps, void **memory, ssimcu_message *message)
{
    const struct axis axis = axis_of(scaler, from, to, shift);
    const int changes = from != to || shift != 0;
    double *sample = calloc(from, sizeof *sample);
    const uint32_t width = sample && changes ? fill(&axis, sample, 0, NULL, NULL) : 1;
    const size_t row = sizeof *taps->left + width * sizeof *taps->weight;
    *memory = sample ? calloc(to, row) : NULL;
    if (!*memory) {
        free(sample);
        return ssimcu_no_memory(message, "the weights of a scale");
    }
    int32_t *const left = *memory;
    int16_t *const weight = (int16_t *)(void *)(left + to);
    if (changes)
        (void)fill(&axis, sample, width, left, weight);
    else
        fill_unchanged(to, left, weight);
    free(sample);
    *taps = (struct ssimcu_taps){from, to, width, is_sorted(left, to), left, weight};
    return SSIMCU_OK;
}

int ssimcu_taps_across_first(const struct ssimcu_taps *across, const struct ssimcu_taps *down)
{
    const double x = (double)across->to / across->from, y = (double)down->to / down->from;
    return fmax(x, 1) * 2 + x * fmax(y, 1) < fmax(y, 1) + y * fmax(x, 1) * 2;
}

/* ---- Tables that a context keeps ------------------------------------------------------------- */

static void free_tables(struct ssimcu_scale_tables *tables)
{
    free(tables->memory[0]);
    free(tables->memory[1]);
    free(tables);
}

void ssimcu_scale_tables_free(struct ssimcu_scale_tables *tables)
{
    while (tables) {
        struct ssimcu_scale_tables *const next = tables->next;
        free_tables(tables);
        tables = next;
    }
}

static int matches(const struct ssimcu_scale_tables *tables, const ssimcu_view *from,
                   ssimcu_scaler_name scaler, const double shift[2], const ssimcu_view *to)
{
    return tables->scaler == scaler && tables->shift[0] == shift[0] &&
           tables->shift[1] == shift[1] && tables->across.from == from->width &&
           tables->down.from == from->height && tables->across.to == to->width &&
           tables->down.to == to->height;
}

ssimcu_status ssimcu_scale_tables_find(struct ssimcu_scale_tables **all, const ssimcu_view *from,
                                       ssimcu_scaler_name scaler, const double shift[2],
                                       const ssimcu_view *to,
                                       const struct ssimcu_scale_tables **found,
                                       ssimcu_message *message)
{
    for (*found = *all; *found; *found = (*found)->next)
        if (matches(*found, from, scaler, shift, to)) return SSIMCU_OK;
    struct ssimcu_scale_tables *made = calloc(1, sizeof *made);
    if (!made) return ssimcu_no_memory(message, NULL);
    made->scaler = scaler;
    made->shift[0] = shift[0], made->shift[1] = shift[1];
    ssimcu_status status = make_taps(scaler, from->width, to->width, shift[0], &made->across,
                                     &made->memory[0], message);
    if (status == SSIMCU_OK)
        status = make_taps(scaler, from->height, to->height, shift[1], &made->down,
                           &made->memory[1], message);
    if (status != SSIMCU_OK) {
        free_tables(made);
        return status;
    }
    made->next = *all;
    *all = made;
    *found = made;
    return SSIMCU_OK;
}
