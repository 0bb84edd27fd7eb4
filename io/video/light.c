#include "video/light.h"

#include "fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 1 << 14, COLOURS = 3 };

/* Conversion of samples to codes: (sample - zero) * scale. Codes of Y, R, G and B are 0 to 1, those
 * of U and V are -0.5 to 0.5. */
struct codes {
    float zero, scale;
};

struct ssimcu_video_light {
    ssimcu_clip_format format;
    struct codes luma, chroma;
    float red, blue; /* weights of luma */
    bool hlg;
    float table[STEPS + 2]; /* light of each code; for HLG, scene light */
    float shown;            /* HLG: factor from scene light to display light */
};

/* ---- Curves of BT.2100 ----------------------------------------------------------------------- */

/* Returns cd/m2. */
static double pq(double code)
{
    const double m1 = 2610.0 / 16384, m2 = 2523.0 / 32, c1 = 3424.0 / 4096, c2 = 2413.0 / 128,
                 c3 = 2392.0 / 128, power = pow(code, 1 / m2);
    return 10000 * pow(fmax(power - c1, 0) / (c2 - c3 * power), 1 / m1);
}

/* Returns scene light, 0 to 1. */
static double hlg(double code)
{
    const double a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * log(4 * a);
    return code <= 0.5 ? code * code / 3 : (exp((code - c) / a) + b) / 12;
}

/* ---- Opening --------------------------------------------------------------------------------- */

bool ssimcu_video_light_knows(const ssimcu_clip_format *format)
{
    return (format->rgb || format->planes == COLOURS) && ssimcu_clip_hdr(format);
}

static void find_codes(uint32_t bits, bool limited, struct codes *luma, struct codes *chroma)
{
    const float unit = (float)(1u << (bits - 8)), most = (float)((1u << bits) - 1);
    *luma = limited ? (struct codes){16 * unit, 1 / (219 * unit)} : (struct codes){0, 1 / most};
    *chroma = (struct codes){128 * unit, limited ? 1 / (224 * unit) : 1 / most};
}

ssimcu_status ssimcu_video_light_open(const ssimcu_clip_format *format, double white,
                                      ssimcu_video_light **light, ssimcu_message *message)
{
    enum { HLG_DISPLAY = 1000 /* cd/m2 */ };
    ssimcu_yuv yuv;
    *light = NULL;
    if (!ssimcu_clip_yuv(format, &yuv) && !format->rgb)
        FAIL(UNSUPPORTED, "--hdr: Y, U and V of the matrix %s cannot be converted to light",
             format->matrix);
    ssimcu_video_light *made = calloc(1, sizeof *made);
    if (!made) return ssimcu_no_memory(message, NULL);
    made->format = *format;
    made->red = (float)yuv.red, made->blue = (float)yuv.blue;
    made->hlg = strcmp(ssimcu_clip_hdr(format), "HLG") == 0;
    made->shown = (float)(HLG_DISPLAY / white);
    find_codes(format->plane[0].bits, yuv.limited && !format->rgb, &made->luma, &made->chroma);
    for (int i = 0; i <= STEPS; i++) {
        const double code = (double)i / STEPS;
        made->table[i] = (float)(made->hlg ? hlg(code) : pq(code) / white);
    }
    made->table[STEPS + 1] = made->table[STEPS];
    *light = made;
    return SSIMCU_OK;
}

void ssimcu_video_light_close(ssimcu_video_light **light)
{
    if (!light) return;
    free(*light);
    *light = NULL;
}

size_t ssimcu_video_light_bytes(const ssimcu_video_light *light)
{
    const ssimcu_frame *const luma = &light->format.plane[0];
    return (size_t)luma->width * luma->height * COLOURS * sizeof(float);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static float code_of(const ssimcu_frame *plane, struct codes codes, uint32_t y, size_t at)
{
    const void *const row = (const char *)plane->data + y * plane->pitch;
    const float sample =
        plane->bits > 8 ? (float)((const uint16_t *)row)[at] : (float)((const uint8_t *)row)[at];
    return (sample - codes.zero) * codes.scale;
}

/* The two chroma samples around a luma position along one axis. */
struct between {
    uint32_t low, high;
    float part; /* position between them, 0 to 1 */
};

static struct between between(uint32_t at, uint32_t per, bool sits_on_first, uint32_t side)
{
    const float place =
        sits_on_first ? (float)at / (float)per : ((float)at + 0.5f) / (float)per - 0.5f;
    const float inside = fminf(fmaxf(place, 0), (float)(side - 1));
    const uint32_t low = (uint32_t)inside;
    return (struct between){low, low + 1 < side ? low + 1 : low, inside - (float)low};
}

static float mix(float a, float b, float part) { return a + part * (b - a); }

static float chroma_at(const ssimcu_video_light *light, const ssimcu_frame *plane,
                       const struct between *x, const struct between *y)
{
    const struct codes codes = light->chroma;
    return mix(
        mix(code_of(plane, codes, y->low, x->low), code_of(plane, codes, y->low, x->high), x->part),
        mix(code_of(plane, codes, y->high, x->low), code_of(plane, codes, y->high, x->high),
            x->part),
        y->part);
}

static void mix_colours(const ssimcu_video_light *light, float luma, float u, float v,
                        float code[COLOURS])
{
    const float red = light->red, blue = light->blue;
    code[0] = luma + 2 * (1 - red) * v;
    code[2] = luma + 2 * (1 - blue) * u;
    code[1] = (luma - red * code[0] - blue * code[2]) / (1 - red - blue);
}

static float look_up(const ssimcu_video_light *light, float code)
{
    const float at = fminf(fmaxf(code, 0), 1) * STEPS;
    const uint32_t step = (uint32_t)at;
    return mix(light->table[step], light->table[step + 1], at - (float)step);
}

/* Converts the codes of a pixel to light. */
static void make_light(const ssimcu_video_light *light, const float code[COLOURS],
                       float to[COLOURS])
{
    for (int c = 0; c < COLOURS; c++) to[c] = look_up(light, code[c]);
    if (!light->hlg) return;
    const float luminance = 0.2627f * to[0] + 0.678f * to[1] + 0.0593f * to[2];
    const float gain = light->shown * powf(luminance, 0.2f); /* black stays 0 */
    for (int c = 0; c < COLOURS; c++) to[c] *= gain;
}

static void make_row(const ssimcu_video_light *light, const ssimcu_frame *plane, uint32_t y,
                     float *to)
{
    const ssimcu_clip_format *const format = &light->format;
    const bool left = format->siting != SSIMCU_SITING_CENTER,
               top = format->siting == SSIMCU_SITING_TOP_LEFT;
    float code[COLOURS];
    for (uint32_t x = 0; x < plane[0].width; x++, to += COLOURS) {
        if (format->rgb) {
            for (uint32_t c = 0; c < COLOURS; c++)
                code[c] = code_of(&plane[0], light->luma, y, (size_t)x * COLOURS + c);
        } else {
            const struct between across =
                                     between(x, ssimcu_clip_across(format), left, plane[1].width),
                                 down = between(y, ssimcu_clip_down(format), top, plane[1].height);
            mix_colours(light, code_of(&plane[0], light->luma, y, x),
                        chroma_at(light, &plane[1], &across, &down),
                        chroma_at(light, &plane[2], &across, &down), code);
        }
        make_light(light, code, to);
    }
}

void ssimcu_video_light_run(const ssimcu_video_light *light, void *memory,
                            ssimcu_frame plane[SSIMCU_MAX_PLANES])
{
    const uint32_t width = plane[0].width, height = plane[0].height;
    const size_t row = (size_t)width * COLOURS;
    for (uint32_t y = 0; y < height; y++) make_row(light, plane, y, (float *)memory + y * row);
    plane[0] = (ssimcu_frame){.width = width,
                              .height = height,
                              .channels = COLOURS,
                              .bits = SSIMCU_BITS_F32,
                              .pitch = row * sizeof(float),
                              .data = memory,
                              .linear = 1};
}
