/* The task of the loss, which the kernels and the plain C reference share. Samples are scaled so
 * that white is 1. ssimcu_loss.h has the formulas. */
#pragma once

#include "core/samples.h"

/* The values match the public enum ssimcu_loss_mask. */
enum { SSIMCU_LOSS_ZERO, SSIMCU_LOSS_MEAN, SSIMCU_LOSS_INSIDE };

/* Samples to read, or a gradient to write. Distances are in bytes. The distance of channels may be
 * negative. */
struct ssimcu_loss_samples {
    void *data; /* first sample of the first channel, or NULL */
    uint32_t type;
    int64_t pixel, row, channel, frame; /* distances; frame 0: one frame serves all */
    float factor;                       /* 1 / white */
    double white; /* the divisor: equal values of two types stay equal, so |d| has no kink there */
};

struct ssimcu_loss_task {
    struct ssimcu_loss_samples side[2]; /* REF, OUT */
    /* The gradients. Each has the white of its side. */
    struct ssimcu_loss_samples gradient[2];
    struct ssimcu_loss_samples mask; /* one channel; data NULL: everything counts */
    int mask_rule;
    int width, height, channels, frames;
    int zero_pad;         /* 0: only windows inside the frame; 1: one per pixel */
    double ssim, l1, mse; /* weights */
    int most_shared;      /* limit of a block's shared memory in bytes; 0: the device's */
    float *loss;          /* [SSIMCU_LOSS_NUMBERS] of the public header */
    double *doubles;      /* the same in double if a side has doubles (CPU only), else NULL */
    void *workspace;      /* aligned to 256 bytes; its size does not depend on the data */
};
