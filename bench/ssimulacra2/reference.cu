/* The definition, with no thought of speed but a thread for each channel. */
#include "reference.cuh"
#include "ssimulacra2_weights.h"

#include <algorithm>
#include <cmath>
#include <thread>

namespace reference
{
namespace
{

constexpr int SCALES = SSIMCU_S2_SCALES, CHANNELS = SSIMCU_S2_CHANNELS;
constexpr int SUMS = SSIMCU_S2_SUMS, LEAST_SIDE = 8, REACH = 4, TAPS = 9, NORMS = 2;

/* The filter of sigma 1.5, a sum of cosines over 9 samples (Charalampidis, IEEE TSP 64, 2016). */
constexpr double TAP[TAPS] = {0.00941436780965374, 0.0360111146583644, 0.1093353727774603,
                              0.2129285920104222,  0.2646211054881985, 0.2129285920104222,
                              0.1093353727774603,  0.0360111146583644, 0.00941436780965374};

constexpr double BIAS = 0.0037930732552754493, C2 = 0.0009;

using Plane = std::vector<double>;

struct Picture {
    int width, height;
    Plane channel[CHANNELS];
};

Picture linear_of(const std::vector<double> &code, int width, int height)
{
    Picture picture = {width, height, {}};
    const size_t pixels = (size_t)width * height;
    for (int c = 0; c < CHANNELS; c++) {
        picture.channel[c].resize(pixels);
        for (size_t i = 0; i < pixels; i++) {
            const double v = std::min(std::max(code[c * pixels + i], 0.0), 1.0);
            picture.channel[c][i] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
        }
    }
    return picture;
}

Picture halve(const Picture &from)
{
    Picture to = {(from.width + 1) / 2, (from.height + 1) / 2, {}};
    for (int c = 0; c < CHANNELS; c++) {
        to.channel[c].resize((size_t)to.width * to.height);
        for (int y = 0; y < to.height; y++)
            for (int x = 0; x < to.width; x++) {
                const size_t x1 = std::min(2 * x + 1, from.width - 1);
                const size_t row = (size_t)2 * y * from.width;
                const size_t row1 = (size_t)std::min(2 * y + 1, from.height - 1) * from.width;
                const Plane &v = from.channel[c];
                to.channel[c][(size_t)y * to.width + x] =
                    (v[row + 2 * x] + v[row1 + 2 * x] + v[row + x1] + v[row1 + x1]) / 4;
            }
    }
    return to;
}

/* Returns channel c of the positive XYB. */
Plane xyb_of(const Picture &from, int c)
{
    const double root = cbrt(BIAS);
    Plane plane(from.channel[0].size());
    for (size_t i = 0; i < plane.size(); i++) {
        const double r = from.channel[0][i], g = from.channel[1][i], b = from.channel[2][i];
        const double l = cbrt(0.30 * r + 0.622 * g + 0.078 * b + BIAS) - root;
        const double m = cbrt(0.23 * r + 0.692 * g + 0.078 * b + BIAS) - root;
        const double sr = 0.24342268924547819, sg = 0.20476744424496821;
        const double s = cbrt(sr * r + sg * g + (1 - sr - sg) * b + BIAS) - root;
        plane[i] = c == 0   ? (l - m) / 2 * 14 + 0.42
                   : c == 1 ? (l + m) / 2 + 0.01
                            : s - (l + m) / 2 + 0.55;
    }
    return plane;
}

/* Filters across or down, with zeros around. */
Plane filter(const Plane &from, int width, int height, bool down)
{
    Plane to(from.size());
    const int64_t step = down ? width : 1;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int at = down ? y : x, side = down ? height : width;
            const double *v = &from[(size_t)y * width + x];
            double sum = 0;
            for (int k = std::max(-REACH, -at); k <= std::min(REACH, side - 1 - at); k++)
                sum += TAP[k + REACH] * v[k * step];
            to[(size_t)y * width + x] = sum;
        }
    return to;
}

Plane blur(const Plane &from, int width, int height)
{
    return filter(filter(from, width, height, false), width, height, true);
}

Plane product(const Plane &a, const Plane &b)
{
    Plane c(a.size());
    for (size_t i = 0; i < c.size(); i++) c[i] = a[i] * b[i];
    return c;
}

void add_maps(const Picture &ref, const Picture &out, int c, double *sum)
{
    const int w = ref.width, h = ref.height;
    const Plane x = xyb_of(ref, c), y = xyb_of(out, c), mx = blur(x, w, h), my = blur(y, w, h);
    const Plane xx = blur(product(x, x), w, h), yy = blur(product(y, y), w, h);
    const Plane xy = blur(product(x, y), w, h);
    for (size_t i = 0; i < x.size(); i++) {
        const double vx = xx[i] - mx[i] * mx[i], vy = yy[i] - my[i] * my[i];
        const double cov = xy[i] - mx[i] * my[i], d = mx[i] - my[i];
        const double ssim = 1 - (1 - d * d) * (2 * cov + C2) / (vx + vy + C2);
        const double edge = (1 + fabs(y[i] - my[i])) / (1 + fabs(x[i] - mx[i])) - 1;
        const double map[SUMS / NORMS] = {std::max(ssim, 0.0), std::max(edge, 0.0),
                                          std::max(-edge, 0.0)};
        for (int m = 0; m < SUMS / NORMS; m++) {
            sum[NORMS * m] += map[m];
            sum[NORMS * m + 1] += map[m] * map[m] * map[m] * map[m];
        }
    }
}

} // namespace

Sums sums_of(const std::vector<double> &ref, const std::vector<double> &out, int width, int height)
{
    Sums sums = {};
    Picture a = linear_of(ref, width, height), b = linear_of(out, width, height);
    for (int scale = 0; scale < SCALES; scale++) {
        if (std::min(a.width, a.height) < LEAST_SIDE) break;
        if (scale > 0) a = halve(a), b = halve(b);
        std::vector<std::thread> threads;
        for (int c = 0; c < CHANNELS; c++)
            threads.emplace_back(add_maps, std::cref(a), std::cref(b), c,
                                 &sums[(scale * CHANNELS + c) * SUMS]);
        for (std::thread &thread : threads) thread.join();
    }
    return sums;
}

double score_of(const double *sums, int width, int height)
{
    double s = 0;
    int scales = 0;
    for (int w = width, h = height; scales < SCALES && std::min(w, h) >= LEAST_SIDE; scales++)
        if (scales > 0) w = (w + 1) / 2, h = (h + 1) / 2;
    /* Weights are taken from the front, so with fewer scales each stands for another norm. */
    const double *weight = SSIMULACRA2_WEIGHT;
    for (int c = 0; c < CHANNELS; c++)
        for (int scale = 0, w = width, h = height; scale < scales; scale++) {
            if (scale > 0) w = (w + 1) / 2, h = (h + 1) / 2;
            const double *sum = sums + (scale * CHANNELS + c) * SUMS;
            for (int norm = 0; norm < NORMS; norm++)
                for (int m = 0; m < SUMS / NORMS; m++) {
                    const double mean = sum[NORMS * m + norm] / ((double)w * h);
                    s += *weight++ * (norm ? pow(mean, 0.25) : mean);
                }
        }
    s *= 0.9562382616834844;
    s = 2.326765642916932 * s - 0.020884521182843837 * s * s + 6.248496625763138e-05 * s * s * s;
    return s > 0 ? 100 - 10 * pow(s, 0.6276336467831387) : 100;
}

} // namespace reference
