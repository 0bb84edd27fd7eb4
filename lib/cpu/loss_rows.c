#include "loss_rows.h"

#include "sample_size.h"

#include <string.h>

static const double gaussian[SSIMCU_TAPS] = SSIMCU_GAUSSIAN;

/* ---- Samples --------------------------------------------------------------------------------- */

/* Copies make unaligned reads legal at no cost. Callers pass a constant step, so that the loops are
 * vectorised. */
#define READ(type, value)                                                                          \
    for (int i = 0; i < count; i++) {                                                              \
        type sample;                                                                               \
        memcpy(&sample, row + i * step, sizeof sample);                                            \
        to[i] = (double)(value) / white;                                                           \
    }                                                                                              \
    break

static inline __attribute__((always_inline)) void read_row(uint32_t type, const char *restrict row,
                                                           int64_t step, int count, double white,
                                                           double *restrict to)
{
    switch (type) {
    case SSIMCU_SAMPLE_U8: READ(uint8_t, sample);
    case SSIMCU_SAMPLE_U16: READ(uint16_t, sample);
    case SSIMCU_SAMPLE_F16: READ(uint16_t, ssimcu_sample_half(sample));
    case SSIMCU_SAMPLE_BF16: READ(uint16_t, ssimcu_sample_bfloat(sample));
    case SSIMCU_SAMPLE_F64: READ(double, sample);
    default: READ(float, sample);
    }
}

void ssimcu_loss_read(const struct ssimcu_loss_samples *from, const char *row, int count,
                      double *to)
{
    if (from->pixel == ssimcu_sample_bytes(from->type))
        read_row(from->type, row, ssimcu_sample_bytes(from->type), count, from->white, to);
    else
        read_row(from->type, row, from->pixel, count, from->white, to);
}

static uint16_t to_bfloat(float value)
{
    union {
        float value;
        uint32_t bits;
    } number = {value};
    if ((number.bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(number.bits >> 16 | 0x40);
    return (uint16_t)((number.bits + 0x7fff + (number.bits >> 16 & 1)) >> 16);
}

static void put(uint32_t type, char *to, double value)
{
    const float single = (float)value;
    uint16_t word;
    switch (type) {
    case SSIMCU_SAMPLE_F64: memcpy(to, &value, sizeof value); return;
    case SSIMCU_SAMPLE_F32: memcpy(to, &single, sizeof single); return;
    case SSIMCU_SAMPLE_F16: word = ssimcu_half_of(single); break;
    default: word = to_bfloat(single);
    }
    memcpy(to, &word, sizeof word);
}

void ssimcu_loss_write(const struct ssimcu_loss_samples *to, char *row, int count,
                       const double *from)
{
    for (int i = 0; i < count; i++) put(to->type, row + i * to->pixel, from[i]);
}

/* A product of two floats has its exact value in a double, so it is rounded once. */
void ssimcu_loss_multiply(const struct ssimcu_loss_samples *samples, char *row, int count,
                          double factor)
{
    double value;
    for (int i = 0; i < count; i++, row += samples->pixel) {
        read_row(samples->type, row, samples->pixel, 1, 1, &value);
        put(samples->type, row, value * factor);
    }
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* The window is symmetric, so two numbers share a weight. */
#define WINDOW(at)                                                                                 \
    (gaussian[0] * ((at(0)) + (at(10))) + gaussian[1] * ((at(1)) + (at(9))) +                      \
     gaussian[2] * ((at(2)) + (at(8))) + gaussian[3] * ((at(3)) + (at(7))) +                       \
     gaussian[4] * ((at(4)) + (at(6))) + gaussian[5] * (at(5)))

#define SUM_DOWN(name, at)                                                                         \
    void name(const double *const row[SSIMCU_TAPS], int count, double *restrict to)                \
    {                                                                                              \
        const double *const r[SSIMCU_TAPS] = {row[0], row[1], row[2], row[3], row[4], row[5],      \
                                              row[6], row[7], row[8], row[9], row[10]};            \
        for (int i = 0; i < count; i++) to[i] = WINDOW(at);                                        \
    }
#define OF_ROW(k) r[k][i]
#define SQUARE(k) r[k][i] * r[k][i]
SUM_DOWN(ssimcu_loss_down, OF_ROW)
SUM_DOWN(ssimcu_loss_down_squares, SQUARE)

#define ALONG(k) from[i + (k)]
void ssimcu_loss_across(const double *restrict from, int count, double *restrict to)
{
    for (int i = 0; i < count; i++) to[i] = WINDOW(ALONG);
}

/* The minimum of numbers that are 0 or 1 is their product. */
void ssimcu_loss_least_down(const double *const row[SSIMCU_TAPS], int count, double *restrict to)
{
    for (int i = 0; i < count; i++) to[i] = row[0][i];
    for (int k = 1; k < SSIMCU_TAPS; k++)
        for (int i = 0; i < count; i++) to[i] *= row[k][i];
}

void ssimcu_loss_least_across(const double *restrict from, int count, double *restrict to)
{
    for (int i = 0; i < count; i++) to[i] = from[i];
    for (int k = 1; k < SSIMCU_TAPS; k++)
        for (int i = 0; i < count; i++) to[i] *= from[i + k];
}

/* ---- Windows --------------------------------------------------------------------------------- */

/* Let A and B be the means of s and d, and V and W their variances. SSIM is (1 - p) (1 - q), where
 *
 *     p = B^2 / Q, Q = (A^2 + B^2) / 2 + C1;  q = W / T, T = (V + W) / 2 + C2.
 *
 * So luminance and contrast are never computed as a difference to 1. The chain rule leads from V
 * and W to the means of squares. */
void ssimcu_loss_windows(double *restrict s, double *restrict d, double *restrict ss,
                         double *restrict dd, int count, double *restrict lost)
{
    for (int i = 0; i < count; i++) {
        const double a = s[i], b = d[i], v = ss[i] - a * a, w = dd[i] - b * b;
        const double q1 = 1 / (0.5 * (a * a + b * b) + SSIMCU_C1(1.0));
        const double t1 = 1 / (0.5 * (v + w) + SSIMCU_C2(1.0));
        const double p = b * b * q1, q = w * t1, contrast = 1 - q;
        const double by_v = (1 - p) * q * t1, by_w = (1 - p) * (2 - q) * t1; /* half the difference,
                                                                                half the sum */
        lost[i] = p + q - p * q;
        s[i] = a * (by_v - contrast * p * q1);
        d[i] = b * (contrast * (2 - p) * q1 - by_w);
        ss[i] = -by_v;
        dd[i] = by_w;
    }
}
