#include "render.h"

#include "core/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The model ------------------------------------------------------------------------------- */

static double srgb(double v)
{
    return v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

static double filmic(double x)
{
    return (x * (0.22 * x + 0.10 * 0.30) + 0.20 * 0.01) / (x * (0.22 * x + 0.30) + 0.20 * 0.30) -
           0.01 / 0.30;
}

static double pu21(double nits)
{
    static const double p[] = {0.353487901,   0.3734658629, 8.277049286e-05, 0.9062562627,
                               0.09150303166, 0.9099517204, 596.3148142};
    const double y = fmin(fmax(nits, 0.005), 10000), power = pow(y, p[3]);
    return fmax(p[6] * (pow((p[0] + p[1] * power) / (1 + p[2] * power), p[4]) - p[5]), 0);
}

/* Converts light to what is compared, and gives the L of it. */
double model_encode(const ssimcu_settings *settings, double v)
{
    switch (settings->transfer) {
    case SSIMCU_TRANSFER_SRGB: return srgb(fmin(fmax(v, 0), 1));
    case SSIMCU_TRANSFER_PU21: return pu21(v * (settings->white == 0 ? 100 : settings->white));
    case SSIMCU_TRANSFER_HABLE: return srgb(fmin(filmic(fmax(v, 0) * 1.758141) / filmic(11.2), 1));
    default: return v;
    }
}

double model_range(const ssimcu_settings *settings)
{
    return settings->transfer == SSIMCU_TRANSFER_PU21 ? 256 : 1;
}

/* ---- Renders --------------------------------------------------------------------------------- */

static size_t place(const ssimcu_view *view, uint32_t x, uint32_t y, uint32_t c)
{
    const size_t pixel = (size_t)y * view->width + x;
    return view->layout == SSIMCU_LAYOUT_HWC ? pixel * view->channels + c
                                             : pixel + (size_t)c * view->width * view->height;
}

double render_get(const struct render *render, uint32_t x, uint32_t y, uint32_t c)
{
    const size_t at = place(&render->view, x, y, c);
    switch (render->view.type) {
    case SSIMCU_TYPE_F32: return (double)((float *)render->memory)[at];
    case SSIMCU_TYPE_BF16: return (double)ssimcu_sample_bfloat(((uint16_t *)render->memory)[at]);
    default: return (double)ssimcu_sample_half(((uint16_t *)render->memory)[at]);
    }
}

/* Returns the nearest half below. */
static uint16_t to_half(float value)
{
    uint16_t low = 0, high = 0x7c00;
    while (high - low > 1) {
        const uint16_t middle = (uint16_t)((low + high) / 2);
        if (ssimcu_sample_half(middle) <= fabsf(value))
            low = middle;
        else
            high = middle;
    }
    return value < 0 ? (uint16_t)(low | 0x8000) : low;
}

void render_set(struct render *render, uint32_t x, uint32_t y, uint32_t c, float value)
{
    const size_t at = place(&render->view, x, y, c);
    if (render->view.type == SSIMCU_TYPE_F32)
        ((float *)render->memory)[at] = value;
    else if (render->view.type == SSIMCU_TYPE_BF16)
        memcpy((uint16_t *)render->memory + at, (char *)&value + 2, 2);
    else
        ((uint16_t *)render->memory)[at] = isnan(value)   ? 0x7e00
                                           : isinf(value) ? (uint16_t)(value < 0 ? 0xfc00 : 0x7c00)
                                                          : to_half(value);
}

struct render render_make(uint32_t width, uint32_t height, uint32_t channels, ssimcu_type type,
                          ssimcu_layout layout)
{
    struct render render = {
        .view = SSIMCU_INIT(view), .width = width, .height = height, .channels = channels};
    render.view.width = width;
    render.view.height = height;
    render.view.channels = channels;
    render.view.type = type;
    render.view.layout = layout;
    render.memory = calloc((size_t)width * height * channels, 4);
    render.view.data[0] = render.memory;
    return render;
}

/* Makes light from shadows to highlights of 4, with detail; then noise, and fireflies of 10000. */
void render_paint(struct render *render, check_random *random, double noise, int fireflies)
{
    const uint32_t colors = render->channels >= 3 ? 3 : 1;
    for (uint32_t y = 0; y < render->height; y++)
        for (uint32_t x = 0; x < render->width; x++) {
            const double u = (double)x / render->width, v = (double)y / render->height;
            const double wave = sin(x * 0.7) * cos(y * 0.45) * 0.3 + sin(x * 0.11 + y * 0.07) * 0.7;
            for (uint32_t c = 0; c < colors; c++) {
                const double light = exp2(9 * u - 7 + wave + 0.4 * c) * (0.3 + v);
                const double grain = (check_between(random, 0, 2000) / 1000.0 - 1) * noise;
                render_set(render, x, y, c, (float)(fmin(light, 4) * (1 + grain) - 0.002));
            }
            if (render->channels % 2 == 0)
                render_set(render, x, y, colors, (float)check_between(random, 0, 256) / 256);
        }
    for (int i = 0; i < fireflies; i++)
        render_set(render, check_between(random, 0, render->width - 1),
                   check_between(random, 0, render->height - 1),
                   check_between(random, 0, colors - 1), 1e4f);
}

/* ---- The model's score ----------------------------------------------------------------------- */

static double light_of(const struct render *render, const ssimcu_settings *settings, uint32_t x,
                       uint32_t y, uint32_t c, double background)
{
    const double gain = settings->gain == 0 ? 1 : settings->gain;
    const double peak = render->view.peak == 0 ? 1 : render->view.peak;
    const double v = render_get(render, x, y, render->channels >= 3 ? c : 0) / peak * gain;
    if (render->channels % 2 != 0) return v;
    const double a = render_get(render, x, y, render->channels - 1) / peak;
    return v * a + background * (1 - a);
}

static double model_pixel(const struct render *render, const ssimcu_settings *settings, uint32_t x,
                          uint32_t y, uint32_t c, double background)
{
    const double weight[] = {0.2126, 0.7152, 0.0722};
    if (settings->color == SSIMCU_COLOR_RGB || render->channels < 3)
        return model_encode(settings, light_of(render, settings, x, y, c, background));
    double coded = 0, light = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const double v = light_of(render, settings, x, y, i, background);
        coded += weight[i] * model_encode(settings, v);
        light += weight[i] * v;
    }
    return settings->transfer == SSIMCU_TRANSFER_PU21 ? model_encode(settings, light) : coded;
}

double model_score(const struct render *ref, const struct render *out,
                   const ssimcu_settings *settings, double background)
{
    const size_t pixels = (size_t)ref->width * ref->height;
    const bool grey = ref->channels < 3 && out->channels < 3;
    const uint32_t planes = grey || settings->color != SSIMCU_COLOR_RGB ? 1 : 3;
    double *plane[2] = {malloc(pixels * sizeof(double)), malloc(pixels * sizeof(double))}, sum = 0;
    for (uint32_t c = 0; c < planes; c++) {
        for (int side = 0; side < 2; side++)
            for (size_t i = 0; i < pixels; i++)
                plane[side][i] = model_pixel(side ? out : ref, settings, (uint32_t)(i % ref->width),
                                             (uint32_t)(i / ref->width), c, background);
        sum += oracle_plane(plane[0], plane[1], ref->width, ref->height, model_range(settings));
    }
    free(plane[0]), free(plane[1]);
    return sum / planes;
}

uint64_t model_clamped(const struct render *render, const ssimcu_settings *settings)
{
    const double white = settings->white == 0 ? 100 : settings->white;
    const double most[] = {INFINITY, 1, 10000 / white, 11.2 / 1.758141};
    const double least = settings->transfer == SSIMCU_TRANSFER_AUTO ? -INFINITY : 0;
    const double gain = (settings->gain == 0 ? 1 : settings->gain) /
                        (render->view.peak == 0 ? 1 : render->view.peak);
    uint64_t count = 0;
    for (uint32_t y = 0; y < render->height; y++)
        for (uint32_t x = 0; x < render->width; x++) {
            bool clamped = false;
            for (uint32_t c = 0; c < (render->channels >= 3 ? 3 : 1); c++) {
                const double v = render_get(render, x, y, c) * gain;
                clamped |= v < least || v > most[settings->transfer];
            }
            count += clamped;
        }
    return count;
}
