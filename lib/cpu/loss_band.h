/* A band of rows of one channel, and the memory to make its loss and its gradient in. Bands share
 * nothing: they make anew what they need of the rows around them. */
#ifndef SSIMCU_LOSS_BAND_H
#define SSIMCU_LOSS_BAND_H

#include "loss/loss.h"

#include <stddef.h>

/* Sums over a band: of 1 - SSIM, |d| and d^2. Of a mask that is counted, over the weights of
 * windows and of pixels. */
struct ssimcu_loss_sums {
    double windows, absolute, squares;
};

struct ssimcu_loss_band {
    const struct ssimcu_loss_task *task;
    const double *part; /* what 1 - SSIM of a window, |d| and d^2 of a pixel count in the loss */
    double *memory;     /* ssimcu_loss_band_doubles() */
    size_t stride;      /* doubles of a row in there; set by ssimcu_loss_band_clear */
    int frame, channel, first, end; /* the rows from the first to before the end */
    struct ssimcu_loss_sums sums;   /* the band adds to them */
};

size_t ssimcu_loss_band_doubles(const struct ssimcu_loss_task *task);

/* Readies the memory for the first band; what a band leaves there serves the next. */
void ssimcu_loss_band_clear(struct ssimcu_loss_band *band);

/* Adds the band's sums, and writes its gradients. */
void ssimcu_loss_band_make(struct ssimcu_loss_band *band);

/* Adds the weights that the mask gives. */
void ssimcu_loss_band_count(struct ssimcu_loss_band *band);

/* Whether the mask gives windows and pixels weights. */
static inline int ssimcu_loss_has_weights(const struct ssimcu_loss_task *task)
{
    return task->mask.data && task->mask_rule != SSIMCU_LOSS_ZERO;
}

/* Returns where a row of samples starts. */
static inline char *ssimcu_loss_row(const struct ssimcu_loss_samples *samples, int frame,
                                    int channel, int y)
{
    return (char *)samples->data + frame * samples->frame + channel * samples->channel +
           y * samples->row;
}

#endif
