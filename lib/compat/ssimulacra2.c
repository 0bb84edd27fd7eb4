/* The program ssimulacra2: errors of structure, edges that appeared and edges that were lost, in
 * three channels at six scales. Their means and 4-norms are weighed and bent to one number. */
#include "ssimulacra2.h"
#include "tools.h"

#include <math.h>
#include <stdlib.h>

enum { SCALES = 6, LEAST = 8, MAPS = 3, NORMS = 2, PLANES = 19 };

/* For each channel, scale, norm and map. */
static const double weights[3 * SCALES * NORMS * MAPS] = {0,
                                                          0.0007376606707406586,
                                                          0,
                                                          0,
                                                          0.0007793481682867309,
                                                          0,
                                                          0,
                                                          0.0004371155730107379,
                                                          0,
                                                          1.1041726426657346,
                                                          0.00066284834129271,
                                                          0.00015231632783718752,
                                                          0,
                                                          0.0016406437456599754,
                                                          0,
                                                          1.8422455520539298,
                                                          11.441172603757666,
                                                          0,
                                                          0.0007989109436015163,
                                                          0.000176816438078653,
                                                          0,
                                                          1.8787594979546387,
                                                          10.94906990605142,
                                                          0,
                                                          0.0007289346991508072,
                                                          0.9677937080626833,
                                                          0,
                                                          0.00014003424285435884,
                                                          0.9981766977854967,
                                                          0.00031949755934435053,
                                                          0.0004550992113792063,
                                                          0,
                                                          0,
                                                          0.0013648766163243398,
                                                          0,
                                                          0,
                                                          0,
                                                          0,
                                                          0,
                                                          7.466890328078848,
                                                          0,
                                                          17.445833984131262,
                                                          0.0006235601634041466,
                                                          0,
                                                          0,
                                                          6.683678146179332,
                                                          0.00037724407979611296,
                                                          1.027889937768264,
                                                          225.20515300849274,
                                                          0,
                                                          0,
                                                          19.213238186143016,
                                                          0.0011401524586618361,
                                                          0.001237755635509985,
                                                          176.39317598450694,
                                                          0,
                                                          0,
                                                          24.43300999870476,
                                                          0.28520802612117757,
                                                          0.0004485436923833408,
                                                          0,
                                                          0,
                                                          0,
                                                          34.77906344483772,
                                                          44.835625328877896,
                                                          0,
                                                          0,
                                                          0,
                                                          0,
                                                          0,
                                                          0,
                                                          0,
                                                          0,
                                                          0.0008680556573291698,
                                                          0,
                                                          0,
                                                          0,
                                                          0,
                                                          0,
                                                          0.0005313191874358747,
                                                          0,
                                                          0.00016533814161379112,
                                                          0,
                                                          0,
                                                          0,
                                                          0,
                                                          0,
                                                          0.0004179171803251336,
                                                          0.0017290828234722833,
                                                          0,
                                                          0.0020827005846636437,
                                                          0,
                                                          0,
                                                          8.826982764996862,
                                                          23.19243343998926,
                                                          0,
                                                          95.1080498811086,
                                                          0.9863978034400682,
                                                          0.9834382792465353,
                                                          0.0012286405048278493,
                                                          171.2667255897307,
                                                          0.9807858872435379,
                                                          0,
                                                          0,
                                                          0,
                                                          0.0005130064588990679,
                                                          0,
                                                          0.00010854057858411537};

/* Planes of floats in one block of memory. */
struct planes {
    uint32_t width, height;            /* of the scale */
    float *linear[2][3], *xyb[2][3];   /* of ref and out */
    float *product, *between;          /* scratch */
    float *mean[2], *square[2], *both; /* blurred: pictures, their squares, their product */
};

struct norms {
    double norm[NORMS][MAPS];
};

/* Returns the block, which the caller frees, or NULL. */
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

/* Makes linear light of a picture. One plane counts as three. */
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

/* Halves a plane where it lies: no sample is written before it was read. The last row or column of
 * an odd size counts twice. */
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

/* Computes what the three maps have at one sample. */
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

static struct norms measure(const struct planes *planes, int channel)
{
    const size_t area = (size_t)planes->width * planes->height;
    struct norms norms = {{{0}}};
    for (size_t i = 0; i < area; i++) {
        double error[MAPS];
        errors_at(planes, channel, i, error);
        for (int map = 0; map < MAPS; map++) {
            norms.norm[0][map] += error[map];
            norms.norm[1][map] += fourth_power(error[map]);
        }
    }
    const double share = 1.0 / (double)area;
    for (int map = 0; map < MAPS; map++) {
        norms.norm[0][map] *= share;
        norms.norm[1][map] = sqrt(sqrt(share * norms.norm[1][map]));
    }
    return norms;
}

/* Weighs the norms. If scales are missing, the weights of those that follow move up, because the
 * program counts them so. */
static double weigh(struct norms norms[3][SCALES], int scales)
{
    const double *weight = weights;
    double sum = 0;
    for (int c = 0; c < 3; c++)
        for (int scale = 0; scale < scales; scale++)
            for (int norm = 0; norm < NORMS; norm++)
                for (int map = 0; map < MAPS; map++)
                    sum += *weight++ * norms[c][scale].norm[norm][map];
    sum *= 0.9562382616834844;
    sum = 2.326765642916932 * sum - 0.020884521182843837 * sum * sum +
          6.248496625763138e-05 * sum * sum * sum;
    return sum > 0 ? 100.0 - 10.0 * pow(sum, 0.6276336467831387) : 100.0;
}

int ssimcu_compat_ssimulacra2(const struct ssimcu_compat_pair *pair, double *score,
                              double channel[3])
{
    struct planes planes;
    struct ssimcu_compat_blur blur;
    struct norms norms[3][SCALES];
    float *memory = make_planes(pair->ref->width[0], pair->ref->height[0], &planes);
    (void)channel; /* the program has one number alone */
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
            norms[c][scale] = measure(&planes, c);
        }
    }
    free(memory);
    *score = weigh(norms, scale);
    return 0;
}
