/* The loss: what its kernels and its plain C reference share. The samples are scaled to a white of
 * 1; ssimcu_loss.h has the formulas. */
#ifndef SSIMCU_LOSS_TASK_H
#define SSIMCU_LOSS_TASK_H

#include "core/samples.h"

#include <stddef.h>

/* The numbers are those of the public enum ssimcu_loss_mask. */
enum { SSIMCU_LOSS_ZERO, SSIMCU_LOSS_MEAN, SSIMCU_LOSS_INSIDE };

/* What is read, or written as a gradient. Distances are bytes; that of channels may be negative. */
struct ssimcu_loss_samples {
    void *data; /* first sample of the first channel; NULL: there is none */
    uint32_t type;
    int64_t pixel, row, channel, frame; /* distances; one frame serves all if the last is 0 */
    float factor;                       /* 1 / white */
    double white; /* divided by it, equal values of two types stay equal: |d| has no kink between */
};

struct ssimcu_loss_task {
    struct ssimcu_loss_samples side[2]; /* REF, OUT */
    /* Gradients; each has the white of its side. */
    struct ssimcu_loss_samples gradient[2];
    struct ssimcu_loss_samples mask; /* one channel; data NULL: all counts */
    int mask_rule;
    int width, height, channels, frames;
    int zero_pad;         /* windows: 0: inside the frame only; 1: one per pixel */
    double ssim, l1, mse; /* weights */
    int most_shared;      /* bytes of a block's shared memory; 0: what the device has */
    float *loss;          /* [SSIMCU_LOSS_NUMBERS] of the public header */
    double *doubles;      /* the same where a side has doubles, on the CPU alone; else NULL */
    void *workspace;      /* aligned to 256 bytes. Its size does not depend on data */
};

#endif
