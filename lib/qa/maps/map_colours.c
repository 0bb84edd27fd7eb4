/* The colours of maps, and drawing maps with them. */
#include "maps/maps.h"

#include <math.h>

enum {
    BLOCK = 16, /* side of a block in pixels */
    DIM = 100   /* brightness, of 255, of OUT's white under an overlay without heat */
};
static const double LEAST_RANGE = 0.001, LEAST_SHARE = 0.5;

/* ---- Range ----------------------------------------------------------------------------------- */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static double mean_of(const ssimcu_floats *map, uint32_t left, uint32_t top)
{
    const uint32_t right = least(left + BLOCK, map->width),
                   bottom = least(top + BLOCK, map->height);
    double sum = 0;
    for (uint32_t y = top; y < bottom; y++)
        for (uint32_t x = left; x < right; x++) sum += map->value[y * map->stride + x];
    return sum / ((double)(right - left) * (bottom - top));
}

struct map_range map_range(const ssimcu_floats *map)
{
    struct map_range range = {INFINITY, -INFINITY};
    for (uint32_t y = 0; y < map->height; y += BLOCK)
        for (uint32_t x = 0; x < map->width; x += BLOCK) {
            const double mean = mean_of(map, x, y);
            range.low = fmin(range.low, mean);
            range.high = fmax(range.high, mean);
        }
    range.low = fmin(range.low, range.high - LEAST_RANGE);
    range.high = fmax(range.high, range.low + LEAST_SHARE * (1 - range.low));
    return range;
}

struct map_range map_of_excess(ssimcu_floats *map)
{
    for (uint32_t y = 0; y < map->height; y++)
        for (uint32_t x = 0; x < map->width; x++) {
            float *value = &map->value[(size_t)y * map->stride + x];
            *value = (float)(1 - fmin(fmax(*value, 0), MAP_EXCESS_MOST) / MAP_EXCESS_MOST);
        }
    return (struct map_range){0, 1};
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static double heat_of(double value, const struct map_range *range)
{
    return fmin(fmax((range->high - value) / (range->high - range->low), 0), 1);
}

static void draw_grey(const float *value, uint32_t width, uint8_t *to)
{
    for (uint32_t x = 0; x < width; x++)
        to[x] = (uint8_t)lrintf(255.0f * fminf(fmaxf(value[x], 0.0f), 1.0f));
}

static void draw_heat(const float *value, uint32_t width, const struct map_range *range,
                      uint8_t *to)
{
    for (uint32_t x = 0; x < width; x++) ssimcu_heat_color(heat_of(value[x], range), to + 3 * x);
}

/* Draws heat over OUT. OUT is grey, so that any colour means heat. Shadows are lifted, to keep dark
 * frames recognisable. Hotter pixels get less grey; only heat is brighter than DIM. */
static void lay_over(const float *value, uint32_t width, const struct map_range *range,
                     const uint8_t *out, uint8_t *to)
{
    for (uint32_t x = 0; x < width; x++, out += 3, to += 3) {
        const double heat = heat_of(value[x], range);
        const double luma = (0.2126 * out[0] + 0.7152 * out[1] + 0.0722 * out[2]) / 255;
        const long ground = lrint(DIM * sqrt(luma) * (1 - heat));
        ssimcu_heat_color(heat, to);
        for (int c = 0; c < 3; c++) to[c] = (uint8_t)least(255, (uint32_t)(to[c] + ground));
    }
}

ssimcu_status map_draw(ssimcu_map_style style, const ssimcu_floats *map,
                       const struct map_range *range, const ssimcu_frame *out,
                       ssimcu_frame *picture, ssimcu_message *message)
{
    *picture = (ssimcu_frame){.width = map->width,
                              .height = map->height,
                              .channels = style == SSIMCU_MAP_GREY ? 1 : 3,
                              .bits = 8};
    const ssimcu_status status = ssimcu_frame_alloc(picture, message);
    for (uint32_t y = 0; y < map->height && status == SSIMCU_OK; y++) {
        const float *value = map->value + y * map->stride;
        uint8_t *to = (uint8_t *)picture->data + y * picture->pitch;
        switch (style) {
        case SSIMCU_MAP_GREY: draw_grey(value, map->width, to); break;
        case SSIMCU_MAP_HEAT: draw_heat(value, map->width, range, to); break;
        case SSIMCU_MAP_OVERLAY:
            lay_over(value, map->width, range, (const uint8_t *)out->data + y * out->pitch, to);
            break;
        }
    }
    return status;
}
