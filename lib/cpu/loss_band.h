/* A band of rows of one channel, and the memory for computing its loss and gradient. Bands share
 * nothing: each recomputes what it needs of the rows around it. */
#pragma once

#include "loss/loss.h"

#include <stddef.h>

/* Sums over a band: of 1 - SSIM, |d| and d^2. When the mask is counted: of the weights of windows
 * and pixels. */
struct ssimcu_loss_sums {
    double windows, absolute, squares;
};

struct ssimcu_loss_band {
    const struct ssimcu_loss_task *task;
    const double *part; /* factors in the loss of a window's 1 - SSIM, and of a pixel's |d| and
                           d^2 */
    double *memory;     /* ssimcu_loss_band_doubles() */
    size_t stride;      /* doubles of a row in `memory`; set by ssimcu_loss_band_clear */
    int frame, channel, first, end; /* rows [first, end) */
    struct ssimcu_loss_sums sums;   /* the band adds to these */
};

size_t ssimcu_loss_band_doubles(const struct ssimcu_loss_task *task);

/* Prepares the memory for the first band. The next bands can use it as the previous one leaves
 * it. */
void ssimcu_loss_band_clear(struct ssimcu_loss_band *band);

/* Adds the band's sums and writes its gradients. */
void ssimcu_loss_band_make(struct ssimcu_loss_band *band);

/* Adds the mask's weights. */
void ssimcu_loss_band_count(struct ssimcu_loss_band *band);

/* Returns whether the mask gives weights to windows and pixels. */
static inline int ssimcu_loss_has_weights(const struct ssimcu_loss_task *task)
{
    return task->mask.data && task->mask_rule != SSIMCU_LOSS_ZERO;
}

/* Returns the start of a row of samples. */
static inline char *ssimcu_loss_row(const struct ssimcu_loss_samples *samples, int frame,
                                    int channel, int y)
{
    return (char *)samples->data + frame * samples->frame + channel * samples->channel +
           y * samples->row;
}
