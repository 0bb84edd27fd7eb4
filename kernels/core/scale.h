/* Scaling: weighted sums along the rows and columns of a plane of integers give a plane of another
 * size, with the numbers of zimg. Weights have 14 bits. Values between the two directions are
 * rounded to whole numbers. These have 16 bits if scaled samples have 8, else as many as those.
 * Samples that become deeper are widened first. The CPU and the GPU both include this file. */
#pragma once

#include "core/pixel.h"

enum { SSIMCU_TAP_BITS = 14 };

/* The sums along one axis. Sum i adds up samples left[i] to left[i] + width - 1, each times its
 * weight, from weight[i * width] on. The weights of a sum add up to 1 << SSIMCU_TAP_BITS. */
struct ssimcu_taps {
    uint32_t from, to; /* samples before and after */
    uint32_t width;
    int sorted; /* left never falls */
    const int32_t *left;
    const int16_t *weight;
};

/* The input and output of scaling. All tables and samples are in device memory. Pixels are
 * interleaved on both sides. */
struct ssimcu_scale_task {
    struct ssimcu_taps across, down;
    int across_first;
    uint32_t channels;         /* 1 or 2 */
    uint32_t bits;             /* of a sample before: 8 in bytes, 9 to 16 in words */
    uint32_t to_bits;          /* of a sample after, likewise; not fewer */
    uint32_t src_down, dst_up; /* left shift of the words' bits, before and after */
    uint32_t src_step;         /* samples from one pixel to the next; after: `channels` */
    const void *src;
    void *dst;
    int64_t src_pitch, dst_pitch; /* bytes */
};

/* Returns the bits of values between the two directions. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_scale_work_bits(const struct ssimcu_scale_task *task)
{
    return task->to_bits > 8 ? task->to_bits : 16;
}

/* Returns value `at` of a row before scaling. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_scale_read(const struct ssimcu_scale_task *task, const void *row,
                                              int64_t at)
{
    const uint32_t number = task->bits > 8 ? (uint32_t)((const uint16_t *)row)[at] >> task->src_down
                                           : ((const uint8_t *)row)[at];
    return number << (ssimcu_scale_work_bits(task) - task->bits);
}

/* Adds a value to a sum. Values are centred on 0, so that sums stay below 2^31. */
SSIMCU_HOST_DEVICE int32_t ssimcu_scale_add(int32_t sum, int32_t weight, uint32_t number)
{
    return sum + weight * ((int32_t)number - 32768);
}

/* Returns a sum rounded to a value; `most` is the largest value. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_scale_round(int32_t sum, int32_t most)
{
    const int32_t number = ((sum + (1 << (SSIMCU_TAP_BITS - 1))) >> SSIMCU_TAP_BITS) + 32768;
    return (uint32_t)(number < 0 ? 0 : number > most ? most : number);
}

/* Writes a value as sample `at` of a row. 8-bit samples are rounded, ties to even. */
SSIMCU_HOST_DEVICE void ssimcu_scale_write(const struct ssimcu_scale_task *task, void *row,
                                           int64_t at, uint32_t number)
{
    if (task->to_bits > 8) {
        ((uint16_t *)row)[at] = (uint16_t)(number << task->dst_up);
        return;
    }
    number = (number + 127 + (number >> 8 & 1)) >> 8;
    ((uint8_t *)row)[at] = (uint8_t)(number > 255 ? 255 : number);
}
