/* The blur of ssimulacra2: Charalampidis, "Recursive Implementation of the Gaussian Filter Using
 * Truncated Cosine Functions", IEEE Transactions on Signal Processing 64(14), 2016. Each band is
 * out[n] = a (in[n - N - 1] + in[n + N - 1]) - d out[n - 1] - out[n - 2], and begins before the
 * picture. The poles lie on the unit circle. So rounding errors do not decay along a row, and the
 * order of operations affects the score. */
#include "ssimulacra2.h"

#include <math.h>

enum { BANDS = SSIMCU_COMPAT_BANDS, LANES = SSIMCU_COMPAT_LANES, RADIUS = 5, STRIP = 64 };

#define SIGMA 1.5

struct state {
    float last[BANDS], last_but_one[BANDS];
};

static double cross(const double a[3], const double b[3], int i)
{
    return a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Chooses weights so that the blur preserves a constant and the variance of the Gaussian, and
 * otherwise approximates it best. */
static void weigh_bands(const double omega[BANDS], double weight[BANDS])
{
    double p[3], r[3], z[3], determinant = 0, nearest = 0;
    for (int i = 0; i < BANDS; i++) {
        const double sign = i == 1 ? -1 : 1;
        p[i] = sign / tan(0.5 * omega[i]);
        r[i] = sign * p[i] * p[i] / sin(omega[i]);
    }
    for (int i = 0; i < BANDS; i++) z[i] = i == 2 ? 1 : cross(p, r, i) / cross(p, r, 2);
    for (int i = 0; i < BANDS; i++) {
        nearest += z[i] * exp(-0.5 * SIGMA * SIGMA * omega[i] * omega[i]) / RADIUS;
        determinant += p[i] * cross(r, z, i);
    }
    for (int i = 0; i < BANDS; i++)
        weight[i] = (cross(r, z, i) + cross(z, p, i) * (RADIUS * RADIUS - SIGMA * SIGMA) +
                     cross(p, r, i) * nearest) /
                    determinant;
}

/* Computes the factors of inputs and earlier results in each of four steps. A factor of step k is
 * -d times that of step k - 1, minus that of step k - 2. */
static void unroll(struct ssimcu_compat_blur *blur, int band, double input, double d)
{
    double in[LANES], last[LANES], before[LANES];
    for (int k = 0; k < LANES; k++) {
        in[k] = k == 0 ? input : -d * in[k - 1] - (k > 1 ? in[k - 2] : 0);
        last[k] = k == 0 ? -d : -d * last[k - 1] - (k > 1 ? last[k - 2] : 1);
        before[k] = k == 0 ? -1 : -d * before[k - 1] - (k > 1 ? before[k - 2] : 0);
    }
    for (int k = 0; k < LANES; k++) {
        const int lane = band * LANES + k;
        blur->last[lane] = (float)last[k];
        blur->last_but_one[lane] = (float)before[k];
        for (int i = 0; i < LANES; i++) blur->inputs[i][lane] = i > k ? 0 : (float)in[k - i];
    }
}

void ssimcu_compat_blur_make(struct ssimcu_compat_blur *blur)
{
    double omega[BANDS], weight[BANDS];
    for (int i = 0; i < BANDS; i++) omega[i] = (2 * i + 1) * 3.141592653589793238 / (2.0 * RADIUS);
    weigh_bands(omega, weight);
    for (int i = 0; i < BANDS; i++) {
        const double input = -weight[i] * cos(omega[i] * (RADIUS + 1)), d = -2 * cos(omega[i]);
        unroll(blur, i, input, d);
    }
}

static float sample(const float *in, int64_t at, int64_t width)
{
    return at >= 0 && at < width ? in[at] : 0;
}

/* Does one step along a row and returns the result. */
static float step(const struct ssimcu_compat_blur *blur, struct state *state, float sum)
{
    float made[BANDS];
    for (int i = 0; i < BANDS; i++) {
        const int lane = i * LANES;
        made[i] = ssimcu_compat_multiply_add(blur->last_but_one[lane], state->last_but_one[i],
                                             sum * blur->inputs[0][lane]);
        made[i] = ssimcu_compat_multiply_add(blur->last[lane], state->last[i], made[i]);
        state->last_but_one[i] = state->last[i];
        state->last[i] = made[i];
    }
    return made[0] + (made[1] + made[2]);
}

/* Does four steps along a row at once. */
static void step_four(const struct ssimcu_compat_blur *blur, struct state *state,
                      const float *before, const float *behind, float *out)
{
    float made[BANDS * LANES], last[BANDS * LANES], last_but_one[BANDS * LANES];
    const float first = before[0] + behind[0];
    for (int k = 0; k < BANDS * LANES; k++) {
        last[k] = state->last[k / LANES];
        last_but_one[k] = state->last_but_one[k / LANES];
        made[k] = first * blur->inputs[0][k];
    }
    for (int i = 1; i < LANES; i++) {
        const float sum = before[i] + behind[i];
        for (int k = 0; k < BANDS * LANES; k++)
            made[k] = ssimcu_compat_multiply_add(blur->inputs[i][k], sum, made[k]);
    }
    for (int k = 0; k < BANDS * LANES; k++) {
        made[k] = ssimcu_compat_multiply_add(blur->last_but_one[k], last_but_one[k], made[k]);
        made[k] = ssimcu_compat_multiply_add(blur->last[k], last[k], made[k]);
    }
    for (int i = 0; i < BANDS; i++) {
        state->last_but_one[i] = made[i * LANES + LANES - 2];
        state->last[i] = made[i * LANES + LANES - 1];
    }
    for (int k = 0; k < LANES; k++) out[k] = made[k] + (made[LANES + k] + made[2 * LANES + k]);
}

/* Blurs a row: one step at a time near its ends, otherwise four. */
static void blur_row(const struct ssimcu_compat_blur *blur, const float *in, int64_t width,
                     float *out)
{
    struct state state = {{0}, {0}};
    const int64_t start = 2 * LANES < width ? 2 * LANES : width;
    int64_t n = -RADIUS + 1;
    for (; n < start; n++) {
        const float sum = sample(in, n - RADIUS - 1, width) + sample(in, n + RADIUS - 1, width);
        const float made = step(blur, &state, sum);
        if (n >= 0) out[n] = made;
    }
    for (; n < width - RADIUS - LANES + 2; n += LANES)
        step_four(blur, &state, in + n - RADIUS - 1, in + n + RADIUS - 1, out + n);
    for (; n < width; n++)
        out[n] = step(blur, &state,
                      sample(in, n - RADIUS - 1, width) + sample(in, n + RADIUS - 1, width));
}

/* Does one step down at most STRIP columns. Rows outside the picture are NULL. */
static void step_down(const struct ssimcu_compat_blur *blur, const float *above, const float *below,
                      float state[2][BANDS][STRIP], uint32_t columns, float *out)
{
    float made[BANDS][STRIP];
    for (uint32_t x = 0; x < columns; x++) {
        const float sum = (above ? above[x] : 0) + (below ? below[x] : 0);
        for (int i = 0; i < BANDS; i++) {
            const float before = state[1][i][x];
            state[1][i][x] = state[0][i][x];
            made[i][x] = ssimcu_compat_multiply_add(
                blur->inputs[0][i * LANES], sum,
                ssimcu_compat_multiply_add(blur->last[i * LANES], state[0][i][x], -before));
            state[0][i][x] = made[i][x];
        }
    }
    if (!out) return;
    for (uint32_t x = 0; x < columns; x++) out[x] = made[0][x] + (made[1][x] + made[2][x]);
}

/* Blurs at most STRIP columns. */
static void blur_columns(const struct ssimcu_compat_blur *blur, const float *in, uint32_t width,
                         uint32_t height, uint32_t columns, float *out)
{
    float state[2][BANDS][STRIP] = {{{0}}};
    for (int64_t n = -RADIUS + 1; n < height; n++) {
        const int64_t above = n - RADIUS - 1, below = n + RADIUS - 1;
        step_down(blur, above >= 0 ? in + above * width : NULL,
                  below < height ? in + below * width : NULL, state, columns,
                  n >= 0 ? out + n * width : NULL);
    }
}

void ssimcu_compat_blur_plane(const struct ssimcu_compat_blur *blur, const float *in,
                              uint32_t width, uint32_t height, float *between, float *out)
{
    for (uint32_t y = 0; y < height; y++)
        blur_row(blur, in + (size_t)y * width, width, between + (size_t)y * width);
    for (uint32_t x = 0; x < width; x += STRIP)
        blur_columns(blur, between + x, width, height, width - x < STRIP ? width - x : STRIP,
                     out + x);
}
