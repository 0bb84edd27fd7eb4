/* The program ssimulacra2: structural errors, edges that appeared and edges that were lost, in
 * three channels at six scales. Their means and 4-norms are weighted and mapped to one number. */
#include "ssimulacra2.h"
#include "ssimulacra2_score.h"
#include "tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCALES = 6, LEAST = 8, MAPS = 3, NORMS = 2, PLANES = 19 };

/* Planes of floats in one block of memory. */
struct planes {
    uint32_t width, height;            /* size of the scale */
    float *linear[2][3], *xyb[2][3];   /* of ref and out */
    float *product, *between;          /* scratch */
    float *mean[2], *square[2], *both; /* blurred pictures, squares and product */
};

/* Returns the block, which the caller frees, or NULL if memory runs out. */
static float *make_planes(uint32_t width, uint32_t height, struct planes *planes)
{
    const size_t area = (size_t)width * height;
    float *memory = malloc(PLANES * area * sizeof *memory), *next = memory;
    if (!memory) return NULL;
    planes->width = width;
    planes->height = height;
    for (int side = 0; side < 2; side++) {
        for (int c = 0; c < 3; c++, next += 2 * area) {
            planes->linear[side][c] = next;
            planes->xyb[side][c] = next + area;
        }
        planes->mean[side] = next;
        planes->square[side] = next + area;
        next += 2 * area;
    }
    planes->both = next;
    planes->product = next + area;
    planes->between = next + 2 * area;
    return memory;
}

/* Converts a picture to linear light. One plane counts as three. */
static void read_picture(const struct ssimcu_compat_picture *picture, double peak,
                         float *const linear[3])
{
    const float scale = (float)(1 / peak);
    const size_t area = (size_t)picture->width[0] * picture->height[0];
    for (uint32_t c = 0; c < 3; c++) {
        const double *plane = picture->plane[picture->planes == 3 ? c : 0];
        for (size_t i = 0; i < area; i++)
            linear[c][i] = ssimcu_compat_linear(scale * (float)plane[i]);
    }
}

static void make_xyb(const struct planes *planes)
{
    for (int side = 0; side < 2; side++)
        for (uint32_t y = 0; y < planes->height; y++) {
            const size_t at = (size_t)y * planes->width;
            float *const *from = planes->linear[side], *const *to = planes->xyb[side];
            const float *const rgb[3] = {from[0] + at, from[1] + at, from[2] + at};
            float *const xyb[3] = {to[0] + at, to[1] + at, to[2] + at};
            ssimcu_compat_xyb_row(rgb, xyb, planes->width);
        }
}

/* Halves a plane in place: no sample is written before it is read. The last row or column of an odd
 * size counts twice. */
static void halve_plane(float *plane, uint32_t width, uint32_t height)
{
    float *next = plane;
    for (uint32_t y = 0; y < height; y += 2) {
        const float *upper = plane + (size_t)y * width;
        const float *lower = y + 1 < height ? upper + width : upper;
        for (uint32_t x = 0; x < width; x += 2) {
            const uint32_t right = x + 1 < width ? x + 1 : x;
            *next++ = (upper[x] + upper[right] + lower[x] + lower[right]) * 0.25f;
        }
    }
}

static void halve(struct planes *planes)
{
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < 3; c++)
            halve_plane(planes->linear[side][c], planes->width, planes->height);
    planes->width = (planes->width + 1) / 2;
    planes->height = (planes->height + 1) / 2;
}

static void blur_product(const struct planes *planes, const struct ssimcu_compat_blur *blur,
                         const float *a, const float *b, float *out)
{
    const size_t area = (size_t)planes->width * planes->height;
    for (size_t i = 0; i < area; i++) planes->product[i] = a[i] * b[i];
    ssimcu_compat_blur_plane(blur, planes->product, planes->width, planes->height, planes->between,
                             out);
}

static void blur_channel(const struct planes *planes, const struct ssimcu_compat_blur *blur,
                         int channel)
{
    for (int side = 0; side < 2; side++) {
        const float *plane = planes->xyb[side][channel];
        ssimcu_compat_blur_plane(blur, plane, planes->width, planes->height, planes->between,
                                 planes->mean[side]);
        blur_product(planes, blur, plane, plane, planes->square[side]);
    }
    blur_product(planes, blur, planes->xyb[0][channel], planes->xyb[1][channel], planes->both);
}

static double fourth_power(double x)
{
    x *= x;
    return x * x;
}

/* Computes the three maps at one sample. */
static void errors_at(const struct planes *planes, int channel, size_t at, double error[MAPS])
{
    const float c2 = 0.0009f, a = planes->mean[0][at], b = planes->mean[1][at];
    const float luminance = (float)(1.0 - (a - b) * (a - b));
    const float structure = 2 * (planes->both[at] - a * b) + c2;
    const float scale = (planes->square[0][at] - a * a) + (planes->square[1][at] - b * b) + c2;
    const double ref_edge = fabsf(planes->xyb[0][channel][at] - a);
    const double out_edge = fabsf(planes->xyb[1][channel][at] - b);
    const double more = (1.0 + out_edge) / (1.0 + ref_edge) - 1.0;
    error[0] = fmax(1.0 - luminance * structure / scale, 0);
    error[1] = fmax(more, 0);
    error[2] = fmax(-more, 0);
}

/* Sets the means and the 4-norms of a channel's maps. */
static void measure(const struct planes *planes, int channel, double norm[NORMS][MAPS])
{
    const size_t area = (size_t)planes->width * planes->height;
    const double share = 1.0 / (double)area;
    memset(norm, 0, NORMS * sizeof norm[0]);
    for (size_t i = 0; i < area; i++) {
        double error[MAPS];
        errors_at(planes, channel, i, error);
        for (int map = 0; map < MAPS; map++) {
            norm[0][map] += error[map];
            norm[1][map] += fourth_power(error[map]);
        }
    }
    for (int map = 0; map < MAPS; map++) {
        norm[0][map] *= share;
        norm[1][map] = sqrt(sqrt(share * norm[1][map]));
    }
}

/* If scales are missing, a channel's norms directly follow those of the previous one. */
static double weigh(double norm[3][SCALES][NORMS][MAPS], int scales)
{
    double *const all = norm[0][0][0];
    const int each = scales * NORMS * MAPS;
    for (int c = 1; c < 3; c++) memmove(all + c * each, norm[c], (size_t)each * sizeof *all);
    return ssimcu_s2_score(all, 3 * each);
}

int ssimcu_compat_ssimulacra2(const struct ssimcu_compat_pair *pair, double *score,
                              double channel[3])
{
    struct planes planes;
    struct ssimcu_compat_blur blur;
    double norm[3][SCALES][NORMS][MAPS];
    float *memory = make_planes(pair->ref->width[0], pair->ref->height[0], &planes);
    (void)channel; /* the program has only one number */
    if (!memory) return 1;
    ssimcu_compat_blur_make(&blur);
    read_picture(pair->ref, pair->peak, planes.linear[0]);
    read_picture(pair->out, pair->peak, planes.linear[1]);
    int scale = 0;
    for (; scale < SCALES && planes.width >= LEAST && planes.height >= LEAST; scale++) {
        if (scale > 0) halve(&planes);
        make_xyb(&planes);
        for (int c = 0; c < 3; c++) {
            blur_channel(&planes, &blur, c);
            measure(&planes, c, norm[c][scale]);
        }
    }
    free(memory);
    *score = weigh(norm, scale);
    return 0;
}
