/* Five blurs, and the formula as in the paper (Wang et al. 2004, equation 13). This code is
 * written to be read and never to be fast. It shares no algebra with the GPU kernels and
 * ssim_tile.h, which use sums and differences.
 *
 * Rows of the five products are blurred horizontally as they are needed and kept in a ring of
 * eleven. A row of the map is the vertical blur of the ring. */
#include "ssim_reference.h"

#include "core/contract.h"

#include <stdlib.h>
#include <string.h>

enum { X, Y, XX, YY, XY, MOMENTS };

static const double GAUSSIAN[SSIMCU_TAPS] = SSIMCU_GAUSSIAN;

struct plane_pair {
    const float *ref, *out;
    int width, height;
    int pad;          /* columns and rows outside the frame that a window may reach: 5 or 0 */
    int across, down; /* window positions */
    double white;
};

/* Rows of doubles that the reference works in. */
struct scratch {
    double *product; /* MOMENTS rows of across + 10: one frame row, with the padding */
    double *ring;    /* 11 x MOMENTS rows of across: the last frame rows, blurred horizontally */
    double *moment;  /* MOMENTS rows of across: one row of windows */
};

/* Computes the five products along frame row y; zeros outside the frame. */
static void multiply_row(const struct plane_pair *pair, int y, double *product)
{
    const int length = pair->across + SSIMCU_TAPS - 1;
    memset(product, 0, (size_t)(MOMENTS * length) * sizeof *product);
    if (y < 0 || y >= pair->height) return;
    const float *ref = pair->ref + (size_t)y * (size_t)pair->width;
    const float *out = pair->out + (size_t)y * (size_t)pair->width;
    for (int x = 0; x < pair->width; x++) {
        const double a = ref[x], b = out[x];
        product[X * length + pair->pad + x] = a;
        product[Y * length + pair->pad + x] = b;
        product[XX * length + pair->pad + x] = a * a;
        product[YY * length + pair->pad + x] = b * b;
        product[XY * length + pair->pad + x] = a * b;
    }
}

/* Blurs each product row horizontally. */
static void blur_row(const struct plane_pair *pair, const double *product, double *blurred)
{
    const int length = pair->across + SSIMCU_TAPS - 1;
    for (int m = 0; m < MOMENTS; m++)
        for (int x = 0; x < pair->across; x++) {
            double sum = 0;
            for (int k = 0; k < SSIMCU_TAPS; k++) sum += GAUSSIAN[k] * product[m * length + x + k];
            blurred[m * pair->across + x] = sum;
        }
}

/* Blurs the ring vertically; its newest row is frame row `last`. */
static void blur_column(const struct plane_pair *pair, const double *ring, int last, double *moment)
{
    const int length = MOMENTS * pair->across;
    const double *row[SSIMCU_TAPS];
    for (int k = 0; k < SSIMCU_TAPS; k++) /* the oldest row first */
        row[k] = ring + (size_t)((last + 1 + k) % SSIMCU_TAPS) * (size_t)length;
    for (int i = 0; i < length; i++) {
        double sum = 0;
        for (int k = 0; k < SSIMCU_TAPS; k++) sum += GAUSSIAN[k] * row[k][i];
        moment[i] = sum;
    }
}

static double ssim(double mx, double my, double xx, double yy, double xy, double white)
{
    const double c1 = SSIMCU_C1(white), c2 = SSIMCU_C2(white);
    const double var_x = xx - mx * mx, var_y = yy - my * my, cov = xy - mx * my;
    return ((2 * (mx * my) + c1) * (2 * cov + c2)) /
           ((mx * mx + my * my + c1) * (var_x + var_y + c2));
}

/* Scores one row of windows: returns the sum of 1 - SSIM. */
static double score_row(const struct plane_pair *pair, const double *moment, float *map)
{
    const int n = pair->across;
    double sum = 0;
    for (int x = 0; x < n; x++) {
        const double value = ssim(moment[X * n + x], moment[Y * n + x], moment[XX * n + x],
                                  moment[YY * n + x], moment[XY * n + x], pair->white);
        sum += 1.0 - value;
        if (map) map[x] = (float)value;
    }
    return sum;
}

static double score_plane(const struct plane_pair *pair, const struct scratch *scratch, float *map)
{
    const size_t row_doubles = (size_t)MOMENTS * (size_t)pair->across;
    double sum = 0;
    for (int row = 0; row < pair->down + SSIMCU_TAPS - 1; row++) {
        multiply_row(pair, row - pair->pad, scratch->product);
        blur_row(pair, scratch->product, scratch->ring + (size_t)(row % SSIMCU_TAPS) * row_doubles);
        const int window = row - (SSIMCU_TAPS - 1);
        if (window < 0) continue;
        blur_column(pair, scratch->ring, row, scratch->moment);
        sum += score_row(pair, scratch->moment,
                         map ? map + (size_t)window * (size_t)pair->across : NULL);
    }
    return sum;
}

int reference_ssim(const float *ref, const float *out, uint32_t width, uint32_t height,
                   int zero_pad, double white, double *sum, float *map)
{
    const int pad = zero_pad ? SSIMCU_RADIUS : 0, shrink = zero_pad ? 0 : SSIMCU_TAPS - 1;
    const struct plane_pair pair = {
        ref, out, (int)width, (int)height, pad, (int)width - shrink, (int)height - shrink, white};
    const size_t row = (size_t)MOMENTS * (size_t)pair.across;
    const size_t padded = row + MOMENTS * (SSIMCU_TAPS - 1);
    double *memory = malloc((padded + SSIMCU_TAPS * row + row) * sizeof *memory);
    if (!memory) return -1;
    const struct scratch scratch = {memory, memory + padded, memory + padded + SSIMCU_TAPS * row};
    *sum += score_plane(&pair, &scratch, map);
    free(memory);
    return 0;
}

void reference_planes(const struct ssimcu_pixel_rule *rule, const ssimcu_frame *frame,
                      float *planes)
{
    const size_t plane = (size_t)frame->width * frame->height;
    for (uint32_t y = 0; y < frame->height; y++) {
        const char *row = (const char *)frame->data + y * frame->pitch;
        float *to = planes + (size_t)y * frame->width;
        for (uint32_t x = 0; x < frame->width; x++) {
            uint32_t sample[4] = {0};
            float value[3] = {0};
            for (uint32_t c = 0; c < rule->channels; c++) {
                const size_t i = (size_t)x * rule->channels + c;
                sample[c] =
                    rule->bits == 8 ? ((const uint8_t *)row)[i] : ((const uint16_t *)row)[i];
            }
            ssimcu_pixel_convert(rule, sample, value);
            for (uint32_t c = 0; c < rule->planes; c++) to[c * plane + x] = value[c];
        }
    }
}

/* Returns the rule that the pipeline makes for a frame without alpha, in RGB. */
static struct ssimcu_pixel_rule plain_rule(const ssimcu_frame *frame, uint32_t bits)
{
    return (struct ssimcu_pixel_rule){.channels = frame->channels,
                                      .planes = frame->channels,
                                      .bits = frame->bits,
                                      .peak = bits == 16 ? 65535 : 255,
                                      .widen = bits > frame->bits ? 257 : 1,
                                      .unit = bits == 16 ? 1.0f / 256 : 1};
}

int reference_score(const ssimcu_frame *ref, const ssimcu_frame *out, int zero_pad, double *score,
                    float *map)
{
    const uint32_t bits = ref->bits > out->bits ? ref->bits : out->bits, shrink = zero_pad ? 0 : 10;
    const size_t plane = (size_t)ref->width * ref->height;
    const size_t windows = (size_t)(ref->width - shrink) * (ref->height - shrink);
    const struct ssimcu_pixel_rule rule[2] = {plain_rule(ref, bits), plain_rule(out, bits)};
    float *x = malloc(plane * ref->channels * sizeof *x);
    float *y = malloc(plane * ref->channels * sizeof *y);
    int failed = !x || !y;
    double sum = 0;
    if (!failed) {
        reference_planes(&rule[0], ref, x);
        reference_planes(&rule[1], out, y);
    }
    for (uint32_t c = 0; c < ref->channels && !failed; c++)
        failed = reference_ssim(x + c * plane, y + c * plane, ref->width, ref->height, zero_pad,
                                bits == 16 ? 65535.0 / 256 : 255, &sum, map + c * windows);
    free(x), free(y);
    *score = 1 - sum / (double)(windows * ref->channels);
    return failed ? -1 : 0;
}

void reference_tiles(const ssimcu_map *map, const ssimcu_tiles *tiles, double *score,
                     double *windows)
{
    const size_t count = (size_t)tiles->columns * tiles->rows;
    for (size_t i = 0; i < count; i++) score[i] = windows[i] = 0;
    for (size_t y = 0; y < map->height; y++)
        for (size_t x = 0; x < map->width; x++) {
            const size_t tile = (y + map->border) / tiles->height * tiles->columns +
                                (x + map->border) / tiles->width;
            windows[tile]++;
            for (size_t c = 0; c < map->channels; c++)
                score[tile] += (double)map->data[(c * map->height + y) * map->width + x];
        }
    for (size_t i = 0; i < count; i++) score[i] /= windows[i] * map->channels;
}
