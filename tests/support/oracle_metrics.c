/* The definitions of PSNR, MS-SSIM and SSIMULACRA2 as plain code in double: no line and no constant
 * comes from the library. */
#include "check.h"
#include "ssimulacra2_weights.h"

#include <math.h>
#include <stdlib.h>

/* A plane of numbers; it owns its memory. */
struct plane {
    int width, height;
    double *value;
};

static struct plane new_plane(int width, int height)
{
    return (struct plane){width, height, calloc((size_t)width * (size_t)height, sizeof(double))};
}

/* Returns the product of two planes of one size; b NULL: a copy of a. */
static struct plane product(const struct plane *a, const struct plane *b)
{
    struct plane to = new_plane(a->width, a->height);
    for (int i = 0; i < a->width * a->height; i++)
        to.value[i] = a->value[i] * (b ? b->value[i] : 1);
    return to;
}

/* Blurs with `taps` taps along rows and columns. Outside the plane everything is 0; `valid`: only
 * the windows inside it are kept. Frees `from`. */
static struct plane blur(struct plane from, const double *tap, int taps, int valid)
{
    const int half = taps / 2, lost = valid ? 2 * half : 0;
    struct plane rows = new_plane(from.width - lost, from.height);
    struct plane to = new_plane(from.width - lost, from.height - lost);
    for (int y = 0; y < rows.height; y++)
        for (int x = 0; x < rows.width; x++)
            for (int k = 0; k < taps; k++) {
                const int at = x + k - (valid ? 0 : half);
                if (at >= 0 && at < from.width)
                    rows.value[y * rows.width + x] += tap[k] * from.value[y * from.width + at];
            }
    for (int y = 0; y < to.height; y++)
        for (int x = 0; x < to.width; x++)
            for (int k = 0; k < taps; k++) {
                const int at = y + k - (valid ? 0 : half);
                if (at >= 0 && at < rows.height)
                    to.value[y * to.width + x] += tap[k] * rows.value[at * rows.width + x];
            }
    free(rows.value), free(from.value);
    return to;
}

/* Replaces a plane by its half; an odd last row or column is repeated. */
static void halve(struct plane *plane)
{
    struct plane half = new_plane((plane->width + 1) / 2, (plane->height + 1) / 2);
    for (int y = 0; y < half.height; y++)
        for (int x = 0; x < half.width; x++)
            for (int k = 0; k < 4; k++) {
                const int column = 2 * x + k % 2 < plane->width ? 2 * x + k % 2 : 2 * x,
                          row = 2 * y + k / 2 < plane->height ? 2 * y + k / 2 : 2 * y;
                half.value[y * half.width + x] += plane->value[row * plane->width + column] / 4;
            }
    free(plane->value);
    *plane = half;
}

/* Means, and variances about them. */
struct moments {
    struct plane x, y, xx, yy, xy;
};

static struct moments moments_of(const struct plane *x, const struct plane *y, const double *tap,
                                 int taps, int valid)
{
    struct moments m = {.x = blur(product(x, NULL), tap, taps, valid),
                        .y = blur(product(y, NULL), tap, taps, valid),
                        .xx = blur(product(x, x), tap, taps, valid),
                        .yy = blur(product(y, y), tap, taps, valid),
                        .xy = blur(product(x, y), tap, taps, valid)};
    for (int i = 0; i < m.x.width * m.x.height; i++) {
        m.xx.value[i] -= m.x.value[i] * m.x.value[i];
        m.yy.value[i] -= m.y.value[i] * m.y.value[i];
        m.xy.value[i] -= m.x.value[i] * m.y.value[i];
    }
    return m;
}

static void free_moments(struct moments *m)
{
    free(m->x.value), free(m->y.value), free(m->xx.value), free(m->yy.value), free(m->xy.value);
}

/* ---- MS-SSIM --------------------------------------------------------------------------------- */

/* Returns the mean of SSIM over a scale, or of contrast times structure alone. */
static double scale_mean(const struct plane *x, const struct plane *y, int structure)
{
    double tap[11], total = 0, sum = 0;
    for (int i = 0; i < 11; i++) total += tap[i] = exp(-(i - 5.0) * (i - 5.0) / 4.5);
    for (int i = 0; i < 11; i++) tap[i] /= total;
    const double c1 = 0.01 * 0.01, c2 = 0.03 * 0.03;
    struct moments m = moments_of(x, y, tap, 11, 1);
    const int count = m.x.width * m.x.height;
    for (int i = 0; i < count; i++) {
        const double mx = m.x.value[i], my = m.y.value[i];
        const double light = structure ? 1 : (2 * mx * my + c1) / (mx * mx + my * my + c1);
        sum += light * (2 * m.xy.value[i] + c2) / (m.xx.value[i] + m.yy.value[i] + c2);
    }
    free_moments(&m);
    return sum / count;
}

/* Lowers *lowest to the lowest mean of a scale. */
static double ms_ssim(struct plane x, struct plane y, double *lowest)
{
    static const double exponent[] = {0.0448, 0.2856, 0.3001, 0.2363, 0.1333};
    double score = 1;
    for (int scale = 0; scale < 5; scale++) {
        const double mean = scale_mean(&x, &y, scale < 4);
        *lowest = fmin(*lowest, mean);
        score *= pow(mean > 0 ? mean : 0, exponent[scale]);
        halve(&x), halve(&y);
    }
    free(x.value), free(y.value);
    return score;
}

static double mean_square(struct plane x, struct plane y)
{
    double sum = 0;
    const int count = x.width * x.height;
    for (int i = 0; i < count; i++) sum += pow(x.value[i] - y.value[i], 2);
    free(x.value), free(y.value);
    return sum / count;
}

/* ---- SSIMULACRA2 ----------------------------------------------------------------------------- */

/* Solves a system of three equations, whose last column is the right side, by elimination. */
static void solve(double row[3][4])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double factor = row[j][i] / row[i][i];
            for (int k = 3; j != i && k >= i; k--) row[j][k] -= factor * row[i][k];
        }
    for (int i = 0; i < 3; i++) row[i][3] /= row[i][i];
}

/* Makes the response to an impulse of Charalampidis' filter (2016): three cosines over 2 N + 1
 * samples, with N = 5 for sigma 1.5. The outermost samples are 0. */
static void make_taps(double tap[9])
{
    enum { N = 5 };
    const double pi = acos(-1), sigma = 1.5;
    double w[3], p[3], r[3], rho[3], z[3] = {0, 0, 1}, row[3][4];
    for (int i = 0; i < 3; i++) {
        const double sign = i % 2 ? -1 : 1;
        w[i] = pi * (2 * i + 1) / (2 * N);
        p[i] = sign / tan(w[i] / 2);
        r[i] = sign * p[i] * p[i] / sin(w[i]);
        rho[i] = exp(-0.5 * pow(sigma * w[i], 2)) / N;
    }
    const double minor = p[0] * r[1] - r[0] * p[1];
    z[0] = (p[1] * r[2] - r[1] * p[2]) / minor;
    z[1] = (p[2] * r[0] - r[2] * p[0]) / minor;
    for (int i = 0; i < 3; i++) row[0][i] = p[i], row[1][i] = r[i], row[2][i] = z[i];
    row[0][3] = 1, row[1][3] = N * N - sigma * sigma;
    row[2][3] = z[0] * rho[0] + z[1] * rho[1] + z[2] * rho[2];
    solve(row);
    for (int k = 0; k < 9; k++) {
        tap[k] = 0;
        for (int i = 0; i < 3; i++) tap[k] += row[i][3] * cos(w[i] * (k - 4));
    }
}

static double to_light(double code)
{
    return code <= 0.04045 ? code / 12.92 : pow((code + 0.055) / 1.055, 2.4);
}

/* Turns planes of R, G and B into positive X, Y and B. */
static void make_xyb(const struct plane rgb[3], struct plane xyb[3])
{
    static const double opsin[3][3] = {
        {0.30, 0.622, 0.078},
        {0.23, 0.692, 0.078},
        {0.24342268924547819, 0.20476744424496821, 1 - 0.24342268924547819 - 0.20476744424496821}};
    const double bias = 0.0037930732552754493;
    for (int c = 0; c < 3; c++) xyb[c] = new_plane(rgb->width, rgb->height);
    for (int i = 0; i < rgb->width * rgb->height; i++) {
        double root[3];
        for (int k = 0; k < 3; k++) {
            double sum = bias;
            for (int c = 0; c < 3; c++) sum += opsin[k][c] * rgb[c].value[i];
            root[k] = cbrt(sum > 0 ? sum : 0) - cbrt(bias);
        }
        const double y = (root[0] + root[1]) / 2;
        xyb[0].value[i] = (root[0] - root[1]) / 2 * 14 + 0.42;
        xyb[1].value[i] = y + 0.01;
        xyb[2].value[i] = root[2] - y + 0.55;
    }
}

/* Sets the six norms of one channel of a scale. Frees both planes. */
static void add_norms(struct plane x, struct plane y, double norm[6])
{
    double tap[9], sum[6] = {0};
    make_taps(tap);
    struct moments m = moments_of(&x, &y, tap, 9, 0);
    const int count = x.width * x.height;
    for (int i = 0; i < count; i++) {
        const double mx = m.x.value[i], my = m.y.value[i];
        const double similar = (1 - (mx - my) * (mx - my)) * (2 * m.xy.value[i] + 0.0009) /
                               (m.xx.value[i] + m.yy.value[i] + 0.0009);
        const double edge = (1 + fabs(y.value[i] - my)) / (1 + fabs(x.value[i] - mx)) - 1;
        const double map[3] = {fmax(0, 1 - similar), fmax(0, edge), fmax(0, -edge)};
        for (int k = 0; k < 3; k++) sum[k] += map[k], sum[3 + k] += pow(map[k], 4);
    }
    for (int k = 0; k < 3; k++) {
        norm[k] = sum[k] / count;
        norm[3 + k] = pow(sum[3 + k] / count, 0.25);
    }
    free_moments(&m);
    free(x.value), free(y.value);
}

/* Planes of codes from 0 to 1, which it frees. */
static double ssimulacra2(struct plane ref[3], struct plane out[3])
{
    double norm[3][6][6] = {{{0}}}, sum = 0;
    int scales = 0, next = 0;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < ref->width * ref->height; i++) {
            ref[c].value[i] = to_light(ref[c].value[i]);
            out[c].value[i] = to_light(out[c].value[i]);
        }
    for (; scales < 6 && ref->width >= 8 && ref->height >= 8; scales++) {
        struct plane x[3], y[3];
        for (int c = 0; scales > 0 && c < 3; c++) halve(&ref[c]), halve(&out[c]);
        make_xyb(ref, x), make_xyb(out, y);
        for (int c = 0; c < 3; c++) add_norms(x[c], y[c], norm[c][scales]);
    }
    for (int c = 0; c < 3; c++)
        for (int scale = 0; scale < scales; scale++)
            for (int k = 0; k < 6; k++) sum += SSIMULACRA2_WEIGHT[next++] * norm[c][scale][k];
    for (int c = 0; c < 3; c++) free(ref[c].value), free(out[c].value);
    sum *= 0.9562382616834844;
    sum = 2.326765642916932 * sum - 0.020884521182843837 * pow(sum, 2) +
          6.248496625763138e-05 * pow(sum, 3);
    return sum > 0 ? 100 - 10 * pow(sum, 0.6276336467831387) : 100;
}

/* ---- Entry ----------------------------------------------------------------------------------- */

double oracle_metric_of(double *const ref[3], double *const out[3], int planes, int width,
                        int height, ssimcu_metric metric, double *lowest)
{
    struct plane x[3], y[3];
    double sum = 0;
    *lowest = 1;
    for (int c = 0; c < planes; c++) {
        x[c] = (struct plane){width, height, ref[c]};
        y[c] = (struct plane){width, height, out[c]};
    }
    if (metric == SSIMCU_METRIC_SSIMULACRA2) return ssimulacra2(x, y);
    for (int c = 0; c < planes; c++)
        sum += metric == SSIMCU_METRIC_PSNR ? mean_square(x[c], y[c]) : ms_ssim(x[c], y[c], lowest);
    return metric == SSIMCU_METRIC_PSNR ? -10 * log10(sum / planes) : sum / planes;
}

/* Returns samples whose white is 1. */
static double *samples(const ssimcu_frame *frame, int c, double peak,
                       const ssimcu_settings *settings, double background)
{
    double *const value = oracle_samples(frame, c, peak, settings, background * peak);
    for (size_t i = 0; i < (size_t)frame->width * frame->height; i++) value[i] /= peak;
    return value;
}

static double over(const ssimcu_frame *ref, const ssimcu_frame *out,
                   const ssimcu_settings *settings, ssimcu_metric metric, double background)
{
    const double peak = exp2(ref->bits > out->bits ? ref->bits : out->bits) - 1;
    const bool grey = ref->channels < 3 && out->channels < 3;
    ssimcu_settings own = *settings;
    if (metric == SSIMCU_METRIC_SSIMULACRA2) own.color = SSIMCU_COLOR_RGB;
    const int planes =
        metric != SSIMCU_METRIC_SSIMULACRA2 && (grey || own.color != SSIMCU_COLOR_RGB) ? 1 : 3;
    double *x[3], *y[3], lowest;
    for (int c = 0; c < planes; c++) {
        x[c] = samples(ref, grey ? 0 : c, peak, &own, background);
        y[c] = samples(out, grey ? 0 : c, peak, &own, background);
    }
    return oracle_metric_of(x, y, planes, (int)ref->width, (int)ref->height, metric, &lowest);
}

double oracle_metric(const ssimcu_frame *ref, const ssimcu_frame *out,
                     const ssimcu_settings *settings, ssimcu_metric metric)
{
    const bool greys = metric == SSIMCU_METRIC_SSIMULACRA2;
    if (settings->alpha == SSIMCU_ALPHA_BLACK) return over(ref, out, settings, metric, 0);
    if (settings->alpha == SSIMCU_ALPHA_WHITE) return over(ref, out, settings, metric, 1);
    return fmin(over(ref, out, settings, metric, greys ? 0.1 : 0),
                over(ref, out, settings, metric, greys ? 0.9 : 1));
}
