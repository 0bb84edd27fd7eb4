#include "pyramid.h"

#include "threads.h"

size_t ssimcu_pyramid_floats(uint32_t width, uint32_t height, uint32_t channels, uint32_t scales)
{
    size_t floats = 0;
    for (uint32_t i = 1; i < scales; i++) {
        width = ssimcu_half(width);
        height = ssimcu_half(height);
        floats += (size_t)width * height * channels * SSIMCU_PAIR;
    }
    return floats;
}

void ssimcu_pyramid_place(const struct ssimcu_shape *shape, uint32_t planes, uint32_t step,
                          uint32_t scales, float *memory, struct ssimcu_pyramid_scale *scale)
{
    scale[0] =
        (struct ssimcu_pyramid_scale){shape->width, shape->height, planes, step, {{0}}, {{0}}};
    for (uint32_t i = 1; i < scales; i++) {
        scale[i] = (struct ssimcu_pyramid_scale){.width = ssimcu_half(scale[i - 1].width),
                                                 .height = ssimcu_half(scale[i - 1].height),
                                                 .planes = scale->planes,
                                                 .step = scale->step};
        const size_t plane = (size_t)scale[i].width * scale[i].height * scale->step;
        for (int slot = 0; slot < SSIMCU_PAIR; slot++)
            for (uint32_t p = 0; p < scale->planes; p++, memory += plane)
                scale[i].plane[slot][p] = memory;
    }
}

void ssimcu_pyramid_use_words(uint32_t scales, struct ssimcu_pyramid_scale *scale)
{
    for (uint32_t i = 1; i < scales; i++)
        for (int slot = 0; slot < SSIMCU_PAIR; slot++)
            for (uint32_t p = 0; p < scale->planes; p++)
                scale[i].words[slot][p] = (uint16_t *)(void *)scale[i].plane[slot][p];
}

struct halving {
    const struct ssimcu_pyramid_scale *from;
    struct ssimcu_pyramid_scale *to;
};

enum { ROWS = 16, PIECE = 128 }; /* rows per task; pixels per step */

/* Defines a function that halves row y of a plane of floats or words. The inner call has a constant
 * step, so that its loops are vectorised. */
#define HALVE_PLANE(name, type, plane_of, halve)                                                   \
    static inline __attribute__((always_inline)) void name##_row(                                  \
        const type *top, const type *bottom, uint32_t width, const uint32_t step, type *to)        \
    {                                                                                              \
        type sum[(PIECE + 1) * SSIMCU_MAX_CHANNELS];                                               \
        for (uint32_t x = 0; x < width; x += PIECE) {                                              \
            const uint32_t count = width - x < PIECE ? width - x : PIECE;                          \
            const size_t at = (size_t)x * step;                                                    \
            for (uint32_t i = 0; i < count * step; i++)                                            \
                sum[i] = (type)(top[at + i] + bottom[at + i]);                                     \
            halve(sum, count, step, to + at / 2);                                                  \
        }                                                                                          \
    }                                                                                              \
    static void name(const struct ssimcu_pyramid_scale *from,                                      \
                     const struct ssimcu_pyramid_scale *to, int slot, uint32_t p, uint32_t y)      \
    {                                                                                              \
        const uint32_t below = 2 * y + 1 < from->height ? 2 * y + 1 : 2 * y;                       \
        const size_t pitch = (size_t)from->width * from->step;                                     \
        const type *top = from->plane_of[slot][p] + 2 * y * pitch,                                 \
                   *bottom = from->plane_of[slot][p] + below * pitch;                              \
        type *half = to->plane_of[slot][p] + (size_t)y * to->width * to->step;                     \
        from->step == 3 ? name##_row(top, bottom, from->width, 3, half)                            \
                        : name##_row(top, bottom, from->width, 1, half);                           \
    }
HALVE_PLANE(halve_floats, float, plane, ssimcu_pyramid_halve_floats)
HALVE_PLANE(halve_words, uint16_t, words, ssimcu_pyramid_halve_words)

static void halve_rows(void *arg, size_t task)
{
    const struct halving *halving = arg;
    const uint32_t first = (uint32_t)task * ROWS, end = first + ROWS;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        for (uint32_t p = 0; p < halving->to->planes; p++)
            for (uint32_t y = first; y < end && y < halving->to->height; y++)
                halving->to->words[0][0] ? halve_words(halving->from, halving->to, slot, p, y)
                                         : halve_floats(halving->from, halving->to, slot, p, y);
}

void ssimcu_pyramid_halve(const struct ssimcu_pyramid_scale *from, struct ssimcu_pyramid_scale *to,
                          struct ssimcu_threads *threads)
{
    struct halving halving = {from, to};
    ssimcu_threads_run(threads, (to->height + ROWS - 1) / ROWS, halve_rows, &halving);
}
