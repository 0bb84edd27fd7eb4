/* SSIMULACRA2 on the CPU (ssimcu_metric): a pair's sums, scale by scale. */
#pragma once

#include "core/ssimulacra2.h"
#include "core/video.h"
#include "pyramid.h"

#include <stddef.h>
#include <stdint.h>

struct ssimcu_ssim_cpu_task;
struct ssimcu_ssim_level;

/* A tile has at most this many pixels. Its blur also reads the margin around it. */
enum { S2_COLUMNS = 240, S2_ROWS = 128, S2_MARGIN = 8, S2_READS = S2_COLUMNS + 2 * S2_MARGIN };

/* Codes of sRGB to linear light: a table of equal steps from 0 to 1, 16 from byte to byte. */
enum { S2_BYTES = 256, S2_STEPS = 16 * (S2_BYTES - 1) };

struct ssimcu_s2_light {
    float step[S2_STEPS + 2]; /* interpolated linearly */
};

/* One side of a video pair: Y, U and V, and their conversion to R, G and B. */
struct ssimcu_s2_video {
    const struct ssimcu_ssim_cpu_task *plane[SSIMCU_MAX_CHANNELS];
    struct ssimcu_video_rule rule;
};

/* One scale of a pair. */
struct ssimcu_s2_task {
    struct ssimcu_pyramid_scale scale;
    struct ssimcu_pyramid_scale half; /* the next scale, which the first one fills in */
    /* The first scale has samples instead of planes. With alpha they are read over black and over
     * white; codes over a grey lie between. Light is read over that grey twice. Otherwise the two
     * are the same. */
    const struct ssimcu_ssim_cpu_task *read[2];
    double grey;
    const struct ssimcu_s2_video *video; /* both sides of video, instead of samples; may be NULL */
    float unit;                          /* factor from plane units to steps of the table */
    const struct ssimcu_s2_light *light;
};

/* Adds the sums of the tile in column `across` and row `down` to sums[channel]. Fills in its part
 * of the next scale if it reads samples. */
typedef void ssimcu_ssimulacra2_tile(const struct ssimcu_s2_task *task, uint32_t across,
                                     uint32_t down,
                                     double sums[SSIMCU_S2_CHANNELS][SSIMCU_S2_SUMS]);

void ssimcu_s2_light_make(struct ssimcu_s2_light *light);

/* Returns the doubles that ssimcu_ssimulacra2_cpu needs for its tiles. */
size_t ssimcu_s2_partials(uint32_t width, uint32_t height);

/* Sets the pair's sums. scale[0] has the size. The other scales have their memory set, for both
 * sides and three planes, or one if the task has one. The tiles depend only on the frame's size,
 * and their sums are added in order. So the bits are the same with any number of threads. */
void ssimcu_ssimulacra2_cpu(const struct ssimcu_s2_task *first, struct ssimcu_pyramid_scale *scale,
                            const struct ssimcu_ssim_level *level, struct ssimcu_threads *threads,
                            double *partial,
                            double sums[SSIMCU_S2_SCALES][SSIMCU_S2_CHANNELS][SSIMCU_S2_SUMS]);
