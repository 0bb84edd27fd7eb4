#include "pyramid.h"

#include "threads.h"

size_t ssimcu_pyramid_floats(uint32_t width, uint32_t height, uint32_t planes, uint32_t scales)
{
    size_t floats = 0;
    for (uint32_t i = 1; i < scales; i++) {
        width = ssimcu_pyramid_half(width);
        height = ssimcu_pyramid_half(height);
        floats += (size_t)width * height * planes * SSIMCU_PAIR;
    }
    return floats;
}

void ssimcu_pyramid_place(uint32_t width, uint32_t height, uint32_t planes, uint32_t scales,
                          float *memory, struct ssimcu_pyramid_scale *scale)
{
    scale[0] = (struct ssimcu_pyramid_scale){.width = width, .height = height, .planes = planes};
    for (uint32_t i = 1; i < scales; i++) {
        scale[i] = (struct ssimcu_pyramid_scale){.width = ssimcu_pyramid_half(scale[i - 1].width),
                                                 .height = ssimcu_pyramid_half(scale[i - 1].height),
                                                 .planes = planes};
        const size_t plane = (size_t)scale[i].width * scale[i].height;
        for (int slot = 0; slot < SSIMCU_PAIR; slot++)
            for (uint32_t c = 0; c < planes; c++, memory += plane) scale[i].plane[slot][c] = memory;
    }
}

struct halving {
    const struct ssimcu_pyramid_scale *from;
    struct ssimcu_pyramid_scale *to;
};

enum { ROWS = 16 }; /* of a task */

static void halve_row(const float *restrict top, const float *restrict bottom, uint32_t width,
                      float *restrict to)
{
    for (uint32_t i = 0; i < width / 2; i++)
        to[i] = 0.25f * ((top[2 * i] + top[2 * i + 1]) + (bottom[2 * i] + bottom[2 * i + 1]));
    if (width % 2) to[width / 2] = 0.5f * (top[width - 1] + bottom[width - 1]);
}

static void halve_rows(void *arg, size_t task)
{
    const struct halving *halving = arg;
    const struct ssimcu_pyramid_scale *from = halving->from, *to = halving->to;
    const uint32_t first = (uint32_t)task * ROWS, end = first + ROWS;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        for (uint32_t c = 0; c < to->planes; c++)
            for (uint32_t y = first; y < end && y < to->height; y++) {
                const uint32_t below = 2 * y + 1 < from->height ? 2 * y + 1 : 2 * y;
                halve_row(from->plane[slot][c] + (size_t)2 * y * from->width,
                          from->plane[slot][c] + (size_t)below * from->width, from->width,
                          to->plane[slot][c] + (size_t)y * to->width);
            }
}

void ssimcu_pyramid_halve(const struct ssimcu_pyramid_scale *from, struct ssimcu_pyramid_scale *to,
                          struct ssimcu_threads *threads)
{
    struct halving halving = {from, to};
    ssimcu_threads_run(threads, (to->height + ROWS - 1) / ROWS, halve_rows, &halving);
}
