/* Fitting: what is done to the frames of REF and of an OUT so that they can be compared. What one
 * file does not say of its samples, it takes from the other (tags.h). Samples are widened to the
 * deeper side's bits, and scaled to one size if that is asked for. */
#ifndef SSIMCU_QA_FIT_H
#define SSIMCU_QA_FIT_H

#include "facts/contract.h"
#include "video/light.h"
#include "video/scale.h"

/* What is done to the frames of one side; zeroed: nothing. */
struct fit {
    bool on;                   /* anything is done to samples */
    ssimcu_clip_format wide;   /* of widened frames, before they are scaled */
    ssimcu_clip_format format; /* of fitted frames, also if nothing is done */
    bool scales;               /* the size changes */
    ssimcu_scaler *scaler;     /* what scales frames in host memory */
    ssimcu_scaler_name name;   /* the filter */
    double beside[2];          /* the shift of U and V of a device that scales */
    uint32_t shift;            /* bits by which samples are widened */
    ssimcu_video_light *light; /* what makes light of the frames then; NULL: nothing */
};

/* Finds out what must be done to frames of these formats. Samples of limited range are widened by a
 * power of two, which is exact: 235 of 8 bits is 940 of 10. In full range and in RGB, where 255 is
 * 1023, no whole factor is right, and the depths stay different. Errors: those of
 * ssimcu_scaler_open. Call fit_close also after an error. */
ssimcu_status fit_make(const struct contract_scale *scale, const ssimcu_clip_format *ref,
                       const ssimcu_clip_format *out, struct fit fit[2], ssimcu_message *message);

/* Has fitted frames of PQ and HLG become linear light as well, of which `white` cd/m2 are 1: frames
 * of floats without a format. Does nothing if one side is of neither. Frames are in host memory.
 * Errors: those of ssimcu_video_light_open. */
ssimcu_status fit_light(double white, struct fit fit[2], ssimcu_message *message);

void fit_close(struct fit fit[2]);

/* Whether samples are scaled or widened; else `on` is about light alone. */
bool fit_changes(const struct fit *fit);

/* Finds how many pixels of fitted frames beside one, across and down, hold something of the samples
 * that lie under it before: at most so many. */
void fit_spread(const struct fit *fit, uint32_t spread[2]);

/* Returns the memory that a frame of this format and the fitted one need together. Frames in device
 * memory need that of the fitted one, for hints. */
size_t fit_bytes(const struct fit *fit, const ssimcu_clip_format *format);

/* Fits the frame in plane[], which is in host memory, and whose own memory may be at the beginning
 * of `memory`. The planes become those of the fitted frame. Many threads may call it. */
ssimcu_status fit_frame(const struct fit *fit, const ssimcu_clip_format *format, void *memory,
                        ssimcu_frame plane[SSIMCU_MAX_PLANES], ssimcu_message *message);

/* Fits a frame that has another size than the format's: one of a video whose frames change size.
 * It becomes one as all others, in `memory`, and *spread is as of fit_spread. Errors: also MEMORY.
 */
ssimcu_status fit_other_size(const struct fit *fit, const ssimcu_clip_format *format, void *memory,
                             ssimcu_frame plane[SSIMCU_MAX_PLANES], uint32_t spread[2],
                             ssimcu_message *message);

/* Copies the planes of a fitted frame to `memory`. */
void fit_copy(const struct fit *fit, void *memory, ssimcu_frame plane[SSIMCU_MAX_PLANES]);

/* Says in words how samples are widened; false: they are not. */
bool fit_says(const struct fit fit[2], const char *out_name, char *text, size_t size);

#endif
