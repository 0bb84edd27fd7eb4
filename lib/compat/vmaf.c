/* float_ssim and float_ms_ssim of libvmaf. Pictures are floats. A filter multiplies in float, sums
 * in double, and rounds to float after each of its two passes. */
#include "tools.h"

#include <math.h>
#include <stdlib.h>

enum { MOMENTS = 5, TAPS = 11, LOW_PASS = 9, SCALES = 5 };

static const float gaussian[TAPS] = {0.001028f, 0.007599f, 0.036001f, 0.109361f,
                                     0.213006f, 0.266012f, 0.213006f, 0.109361f,
                                     0.036001f, 0.007599f, 0.001028f};

/* A quarter of the low-pass filter between scales, which is that of the 9/7 wavelet, rounded to six
 * digits. */
static const float low_pass[LOW_PASS / 2 + 1][LOW_PASS / 2 + 1] = {
    {0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f},
    {-0.000450f, 0.000283f, 0.001316f, -0.004490f, -0.010146f},
    {-0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f},
    {0.007132f, -0.004490f, -0.020867f, 0.071207f, 0.160885f},
    {0.016114f, -0.010146f, -0.047149f, 0.160885f, 0.363505f}};

struct floats {
    float *ref, *out; /* one block of memory, which begins at ref */
    uint32_t width, height;
};

struct means {
    float ssim, luminance, contrast, structure;
};

static int make(uint32_t width, uint32_t height, struct floats *made)
{
    const size_t count = (size_t)width * height;
    float *memory = malloc(2 * count * sizeof *memory);
    if (!memory) return 1;
    *made = (struct floats){memory, memory + count, width, height};
    return 0;
}

/* Converts a pair's luma to floats whose peak is slightly above 255. */
static int read_luma(const struct ssimcu_compat_pair *pair, struct floats *made)
{
    const struct ssimcu_compat_plane plane = ssimcu_compat_plane_of(pair, 0);
    const float unit = (float)(1u << (pair->ref->bits - 8));
    if (make(plane.width, plane.height, made)) return 1;
    for (size_t i = 0; i < (size_t)plane.width * plane.height; i++) {
        made->ref[i] = (float)plane.ref[i] / unit;
        made->out[i] = (float)plane.out[i] / unit;
    }
    return 0;
}

/* Filters one sample by size x size weights. The border is mirrored. */
static float filter_at(const float *src, const struct floats *form, int64_t x, int64_t y,
                       const float *weight, uint32_t size)
{
    double sum = 0;
    for (uint32_t v = 0; v < size; v++) {
        const float *row =
            src + (size_t)ssimcu_compat_mirror(y + v - size / 2, form->height) * form->width;
        for (uint32_t u = 0; u < size; u++)
            sum += row[ssimcu_compat_mirror(x + u - size / 2, form->width)] * weight[v * size + u];
    }
    return (float)sum;
}

/* Replaces floats by smaller ones. An odd side keeps one more sample, whatever the factor. */
static int decimate(struct floats *floats, uint32_t factor, const float *weight, uint32_t size)
{
    struct floats small;
    const uint32_t width = floats->width / factor + floats->width % 2;
    const uint32_t height = floats->height / factor + floats->height % 2;
    if (make(width, height, &small)) return 1;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const size_t at = (size_t)y * width + x;
            const int64_t from_x = (int64_t)x * factor, from_y = (int64_t)y * factor;
            small.ref[at] = filter_at(floats->ref, floats, from_x, from_y, weight, size);
            small.out[at] = filter_at(floats->out, floats, from_x, from_y, weight, size);
        }
    free(floats->ref);
    *floats = small;
    return 0;
}

static float moment(const struct floats *floats, size_t at, int which)
{
    const float a = floats->ref[at], b = floats->out[at];
    switch (which) {
    case 0: return a;
    case 1: return b;
    case 2: return a * a;
    case 3: return b * b;
    default: return a * b;
    }
}

/* Filters the rows' moments along x. `line` is scratch for a row. */
static void filter_row(const struct floats *floats, uint32_t y, float *line,
                       float *const row[MOMENTS])
{
    const uint32_t across = floats->width - TAPS + 1;
    for (int i = 0; i < MOMENTS; i++) {
        for (uint32_t x = 0; x < floats->width; x++)
            line[x] = moment(floats, (size_t)y * floats->width + x, i);
        for (uint32_t x = 0; x < across; x++) {
            double sum = 0;
            for (int k = 0; k < TAPS; k++) sum += line[x + k] * gaussian[k];
            row[i][x] = (float)sum;
        }
    }
}

static float filter_column(float *row[TAPS], uint32_t y, uint32_t x)
{
    double sum = 0;
    for (uint32_t k = 0; k < TAPS; k++) sum += row[(y + k) % TAPS][x] * gaussian[k];
    return (float)sum;
}

/* Adds one window's luminance, contrast and structure, and their product, to sum[]. */
static void add_window(const float m[MOMENTS], double sum[4])
{
    const float c1 = (0.01f * 255) * (0.01f * 255), c2 = (0.03f * 255) * (0.03f * 255);
    const float aa = fmaxf(0, m[2] - m[0] * m[0]), bb = fmaxf(0, m[3] - m[1] * m[1]);
    const float ab = m[4] - m[0] * m[1], deviations = sqrtf(aa * bb);
    const double l = (2.0 * m[0] * m[1] + c1) / (m[0] * m[0] + m[1] * m[1] + c1);
    const double c = (2.0 * deviations + c2) / (aa + bb + c2);
    const double s = ((ab < 0 && deviations <= 0 ? 0 : ab) + c2 / 2) / (deviations + c2 / 2);
    sum[0] += l * c * s;
    sum[1] += l;
    sum[2] += c;
    sum[3] += s;
}

/* Filters down the columns, and adds all windows that begin in row y. */
static void add_row(float *row[MOMENTS][TAPS], uint32_t y, uint32_t across, double sum[4])
{
    for (uint32_t x = 0; x < across; x++) {
        float m[MOMENTS];
        for (int i = 0; i < MOMENTS; i++) m[i] = filter_column(row[i], y, x);
        add_window(m, sum);
    }
}

static int compare(const struct floats *floats, struct means *means)
{
    const uint32_t across = floats->width - TAPS + 1, down = floats->height - TAPS + 1;
    float *memory = malloc((MOMENTS * TAPS + 1) * (size_t)floats->width * sizeof *memory);
    if (!memory) return 1;
    float *row[MOMENTS][TAPS], *line = memory + (size_t)MOMENTS * TAPS * floats->width;
    for (int i = 0; i < MOMENTS; i++)
        for (int k = 0; k < TAPS; k++) row[i][k] = memory + (size_t)(i * TAPS + k) * floats->width;
    double sum[4] = {0, 0, 0, 0};
    for (uint32_t y = 0; y < floats->height; y++) {
        float *filtered[MOMENTS];
        for (int i = 0; i < MOMENTS; i++) filtered[i] = row[i][y % TAPS];
        filter_row(floats, y, line, filtered);
        if (y >= TAPS - 1) add_row(row, y - TAPS + 1, across, sum);
    }
    free(memory);
    const double count = (double)across * down;
    *means = (struct means){(float)(sum[0] / count), (float)(sum[1] / count),
                            (float)(sum[2] / count), (float)(sum[3] / count)};
    return 0;
}

/* Shrinks floats whose smaller side is 384 or more with a box filter. */
static int shrink(struct floats *floats)
{
    const uint32_t factor = ssimcu_compat_shrink(floats->width, floats->height);
    if (factor == 1) return 0;
    float *box = malloc((size_t)factor * factor * sizeof *box);
    if (!box) return 1;
    for (size_t i = 0; i < (size_t)factor * factor; i++) box[i] = 1.0f / (float)(factor * factor);
    const int failed = decimate(floats, factor, box, factor);
    free(box);
    return failed;
}

int ssimcu_compat_vmaf_ssim(const struct ssimcu_compat_pair *pair, double *score, double channel[3])
{
    struct floats floats;
    struct means means;
    if (read_luma(pair, &floats)) return 1;
    const int failed = shrink(&floats) || compare(&floats, &means);
    free(floats.ref);
    if (!failed) *score = channel[0] = means.ssim;
    return failed;
}

/* Multiplies the scales' means, each raised to its power. Luminance counts only at the last
 * scale. */
static int multiply_scales(struct floats *floats, double *score)
{
    static const float power[SCALES] = {0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f};
    float weight[LOW_PASS * LOW_PASS];
    for (int v = 0; v < LOW_PASS; v++)
        for (int u = 0; u < LOW_PASS; u++)
            weight[v * LOW_PASS + u] = low_pass[v < LOW_PASS / 2 ? v : LOW_PASS - 1 - v]
                                               [u < LOW_PASS / 2 ? u : LOW_PASS - 1 - u];
    *score = 1;
    for (int i = 0; i < SCALES; i++) {
        struct means means;
        if (i > 0 && decimate(floats, 2, weight, LOW_PASS)) return 1;
        if (compare(floats, &means)) return 1;
        const double last = i == SCALES - 1 ? pow(means.luminance, power[i]) : 1;
        *score *= last * pow(means.contrast, power[i]) * pow(means.structure, power[i]);
    }
    return 0;
}

int ssimcu_compat_vmaf_ms_ssim(const struct ssimcu_compat_pair *pair, double *score,
                               double channel[3])
{
    struct floats floats;
    if (read_luma(pair, &floats)) return 1;
    const int failed = multiply_scales(&floats, score);
    free(floats.ref);
    if (!failed) channel[0] = *score;
    return failed;
}
