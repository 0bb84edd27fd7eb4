/* The contract's text as plain code: no line and no constant comes from the library. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 11 };

struct plane {
    int width, height;
    double *value;
};

/* Returns the value of one frame's pixel in channel c: widened, composited, and turned into
 * luma. */
static double pixel(const ssimcu_frame *frame, uint32_t x, uint32_t y, int c, double peak,
                    const ssimcu_settings *settings, double background)
{
    const double scale = frame->bits == 8 && peak > 255 ? 257 : 1;
    const int colors = frame->channels >= 3 ? 3 : 1;
    double rgb[3];
    for (int i = 0; i < 3; i++) {
        rgb[i] = check_sample(frame, x, y, (uint32_t)(colors == 3 ? i : 0)) * scale;
        if (frame->channels % 2 == 0 && settings->alpha != SSIMCU_ALPHA_IGNORE) {
            const double a = check_sample(frame, x, y, frame->channels - 1) * scale / peak;
            rgb[i] = rgb[i] * a + background * (1 - a);
        }
    }
    if (settings->color == SSIMCU_COLOR_RGB || colors == 1)
        return rgb[c]; /* grey is its own luma */
    const double r = settings->color == SSIMCU_COLOR_Y709 ? 0.2126 : 0.2990;
    const double g = settings->color == SSIMCU_COLOR_Y709 ? 0.7152 : 0.5870;
    /* the tiny addition rounds exact halves up, which binary fractions blur */
    return floor(r * rgb[0] + g * rgb[1] + (1 - r - g) * rgb[2] + 0.5 + 1e-7);
}

static struct plane make_plane(const ssimcu_frame *frame, int c, double peak,
                               const ssimcu_settings *settings, double background)
{
    const int pad = settings->pad == SSIMCU_PAD_ZERO ? SIDE / 2 : 0;
    const int width = (int)frame->width + 2 * pad, height = (int)frame->height + 2 * pad;
    struct plane plane = {width, height, calloc((size_t)width * (size_t)height, sizeof(double))};
    for (uint32_t y = 0; y < frame->height; y++)
        for (uint32_t x = 0; x < frame->width; x++)
            plane.value[((int)y + pad) * width + (int)x + pad] =
                pixel(frame, x, y, c, peak, settings, background);
    return plane;
}

double *oracle_samples(const ssimcu_frame *frame, int c, double peak,
                       const ssimcu_settings *settings, double background)
{
    ssimcu_settings own = *settings;
    own.pad = SSIMCU_PAD_VALID;
    return make_plane(frame, c, peak, &own, background).value;
}

/* Returns the Gaussian mean of a*b over every 11x11 window, first along rows, then along
 * columns. */
static double *window_means(const struct plane *a, const struct plane *b)
{
    double weight[SIDE], total = 0;
    for (int i = 0; i < SIDE; i++)
        total += weight[i] = exp(-(i - 5.0) * (i - 5.0) / (2 * 1.5 * 1.5));
    const int w = a->width - SIDE + 1, h = a->height - SIDE + 1;
    double *rows = calloc((size_t)w * (size_t)a->height, sizeof *rows);
    double *means = calloc((size_t)w * (size_t)h, sizeof *means);
    for (int y = 0; y < a->height; y++)
        for (int x = 0; x < w; x++)
            for (int k = 0; k < SIDE; k++) {
                const int at = y * a->width + x + k;
                rows[y * w + x] += weight[k] / total * a->value[at] * (b ? b->value[at] : 1.0);
            }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int k = 0; k < SIDE; k++)
                means[y * w + x] += weight[k] / total * rows[(y + k) * w + x];
    free(rows);
    return means;
}

static double plane_score(const struct plane *a, const struct plane *b, double peak)
{
    const double c1 = pow(0.01 * peak, 2), c2 = pow(0.03 * peak, 2);
    double *ma = window_means(a, NULL), *mb = window_means(b, NULL);
    double *aa = window_means(a, a), *bb = window_means(b, b), *ab = window_means(a, b);
    const int count = (a->width - SIDE + 1) * (a->height - SIDE + 1);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        const double va = aa[i] - ma[i] * ma[i], vb = bb[i] - mb[i] * mb[i];
        const double cov = ab[i] - ma[i] * mb[i];
        sum += (2 * ma[i] * mb[i] + c1) * (2 * cov + c2) /
               ((ma[i] * ma[i] + mb[i] * mb[i] + c1) * (va + vb + c2));
    }
    free(ma), free(mb), free(aa), free(bb), free(ab);
    return sum / count;
}

double oracle_plane(double *ref, double *out, uint32_t width, uint32_t height, double peak)
{
    const struct plane a = {(int)width, (int)height, ref}, b = {(int)width, (int)height, out};
    return plane_score(&a, &b, peak);
}

static double score_over(const ssimcu_frame *ref, const ssimcu_frame *out,
                         const ssimcu_settings *settings, double background, double channel[3])
{
    const double peak = exp2(ref->bits > out->bits ? ref->bits : out->bits) - 1;
    const bool grey = ref->channels < 3 && out->channels < 3;
    const int planes = grey || settings->color != SSIMCU_COLOR_RGB ? 1 : 3;
    double sum = 0;
    for (int c = 0; c < planes; c++) {
        struct plane a = make_plane(ref, c, peak, settings, background * peak);
        struct plane b = make_plane(out, c, peak, settings, background * peak);
        sum += channel[c] = plane_score(&a, &b, peak);
        free(a.value), free(b.value);
    }
    return sum / planes;
}

double oracle_score(const ssimcu_frame *ref, const ssimcu_frame *out,
                    const ssimcu_settings *settings, double channel[3])
{
    if (settings->alpha == SSIMCU_ALPHA_BLACK) return score_over(ref, out, settings, 0, channel);
    if (settings->alpha == SSIMCU_ALPHA_WHITE) return score_over(ref, out, settings, 1, channel);
    double other[3] = {0};
    const double black = score_over(ref, out, settings, 0, channel);
    const double white = score_over(ref, out, settings, 1, other);
    if (black <= white) return black;
    for (int c = 0; c < 3; c++) channel[c] = other[c];
    return white;
}
