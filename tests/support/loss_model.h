/* The loss once more, written apart from the library in the plainest way. It follows the text of
 * ssimcu_loss.h, in double, with every window's 121 products. The tests share what stands below. */
#ifndef SSIMCU_TEST_LOSS_MODEL_H
#define SSIMCU_TEST_LOSS_MODEL_H

#include "picture.h"
#include "ssimcu_loss.h"

/* Samples are divided by their peak and lie frame after frame, channel after channel. */
struct loss_model {
    int width, height, channels, frames;
    double *side[2]; /* REF, OUT */
    double *mask;    /* frame after frame; NULL: none */
    ssimcu_loss_mask rule;
    ssimcu_pad pad;
    double ssim, l1, mse;
};

struct loss_model loss_model_make(int width, int height, int channels, int frames);
void loss_model_free(struct loss_model *model);
size_t loss_model_samples(const struct loss_model *model);

/* Makes the four numbers of the loss and, unless they are NULL, the gradients by the samples. */
void loss_model_run(const struct loss_model *model, double number[SSIMCU_LOSS_NUMBERS],
                    double *gradient[2]);

/* Makes a batch of pictures of this shape, whose samples are 0. */
struct picture loss_picture(const struct loss_model *model, int channels, int frames,
                            struct picture_kind kind, uint32_t extra);

/* Writes samples to a picture, rounded to its type, and reads back what it has then. */
void loss_picture_set(struct picture *picture, double *samples);
void loss_picture_get(const struct picture *picture, double *samples);

/* The arguments of a call in a device's memory, and what it made. Those of a CPU lie in the host's.
 */
struct loss_call {
    ssimcu_device device;
    ssimcu_context *context;
    struct picture *ref, *out, *mask, *gradient[2]; /* mask and gradients may be NULL */
    ssimcu_loss_options options;                    /* all but the mask */
    double loss[SSIMCU_LOSS_NUMBERS]; /* made from the floats that it wrote, or the doubles */
};

/* Makes the call or fails the test. */
void loss_call(struct loss_call *call);

#endif
