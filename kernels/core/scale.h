/* Scaling: a plane of integers becomes one of another size by weighted sums along its rows and its
 * columns, in zimg's numbers. Weights have 14 bits. What lies between the two directions is rounded
 * to whole numbers: of 16 bits if scaled samples have 8, else of as many bits as these. Samples
 * that become deeper are widened first. The CPU and the GPU both include this file. */
#ifndef SSIMCU_CORE_SCALE_H
#define SSIMCU_CORE_SCALE_H

#include "core/pixel.h"

enum { SSIMCU_TAP_BITS = 14 };

/* The sums along one axis. Sum i adds up samples left[i] to left[i] + width - 1, each times its
 * weight, weight[i * width] and so on, which make 1 << SSIMCU_TAP_BITS together. */
struct ssimcu_taps {
    uint32_t from, to; /* samples before and after */
    uint32_t width;
    int sorted; /* left never falls */
    const int32_t *left;
    const int16_t *weight;
};

/* What is scaled, with all tables and samples in memory of the device. Pixels have their channels
 * side by side, on both sides. */
struct ssimcu_scale_task {
    struct ssimcu_taps across, down;
    int across_first;
    uint32_t channels;         /* 1 or 2 */
    uint32_t bits;             /* of a sample before: 8 in bytes, 9 to 16 in words */
    uint32_t to_bits;          /* of a sample after, likewise; not fewer */
    uint32_t src_down, dst_up; /* by how many bits words lie higher, before and after */
    uint32_t src_step;         /* samples from one pixel to the next; after: `channels` */
    const void *src;
    void *dst;
    int64_t src_pitch, dst_pitch; /* bytes */
};

/* Returns the bits of numbers between the directions. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_scale_work_bits(const struct ssimcu_scale_task *task)
{
    return task->to_bits > 8 ? task->to_bits : 16;
}

/* Returns number `at` of a row before it is scaled. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_scale_read(const struct ssimcu_scale_task *task, const void *row,
                                              int64_t at)
{
    const uint32_t number = task->bits > 8 ? (uint32_t)((const uint16_t *)row)[at] >> task->src_down
                                           : ((const uint8_t *)row)[at];
    return number << (ssimcu_scale_work_bits(task) - task->bits);
}

/* Adds a number to a sum. Numbers are moved to around 0, because sums then stay below 2^31. */
SSIMCU_HOST_DEVICE int32_t ssimcu_scale_add(int32_t sum, int32_t weight, uint32_t number)
{
    return sum + weight * ((int32_t)number - 32768);
}

/* Returns the number that a sum is rounded to; `most` is the largest there is. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_scale_round(int32_t sum, int32_t most)
{
    const int32_t number = ((sum + (1 << (SSIMCU_TAP_BITS - 1))) >> SSIMCU_TAP_BITS) + 32768;
    return (uint32_t)(number < 0 ? 0 : number > most ? most : number);
}

/* Writes a number as sample `at` of a row. Those of 8 bits are rounded, ties to even. */
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

#endif
