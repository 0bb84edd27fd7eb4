/* Fitting: how frames of REF and of an OUT are made comparable. A file that lacks tags of its
 * samples takes them from the other (tags.h). Samples are widened to the deeper side's bits, and
 * scaled to one size on request. */
#pragma once

#include "record/contract.h"
#include "video/light.h"
#include "video/scale.h"

/* How the frames of one side are changed; zeroed: not at all. */
struct fit {
    bool on;                   /* samples change in any way */
    ssimcu_clip_format wide;   /* format of widened frames, before scaling */
    ssimcu_clip_format format; /* format of fitted frames, even if nothing changes */
    bool scales;               /* the size changes */
    ssimcu_scaler *scaler;     /* scales frames in host memory */
    ssimcu_scaler_name name;   /* the filter */
    double beside[2];          /* the shift of U and V for scaling on a device */
    uint32_t shift;            /* bits by which samples are widened */
    ssimcu_video_light *light; /* converts fitted frames to light; may be NULL */
};

/* Finds out how frames of these formats must be changed. Samples of limited range are widened by a
 * power of two, which is exact: 235 of 8 bits is 940 of 10. In full range and in RGB, where 255 is
 * 1023, no whole factor is right, and the depths stay different. Errors: those of
 * ssimcu_scaler_open. Call fit_close even after an error. */
ssimcu_status fit_make(const struct contract_scale *scale, const ssimcu_clip_format *ref,
                       const ssimcu_clip_format *out, struct fit fit[2], ssimcu_message *message);

/* Converts fitted frames of PQ and HLG to linear light, too, whose 1 is `white` cd/m2: frames of
 * floats without a format. Does nothing if one side is neither. Frames are in host memory. Errors:
 * those of ssimcu_video_light_open. */
ssimcu_status fit_light(double white, struct fit fit[2], ssimcu_message *message);

void fit_close(struct fit fit[2]);

/* Returns whether samples are scaled or widened. If not, `on` concerns only light. */
bool fit_changes(const struct fit *fit);

/* Finds how far an original sample spreads in the fitted frame: how many pixels next to its place
 * it affects at most, across and down. */
void fit_spread(const struct fit *fit, uint32_t spread[2]);

/* Returns the memory for a frame of this format and the fitted one together. Frames in device
 * memory need only that of the fitted one, for hints. */
size_t fit_bytes(const struct fit *fit, const ssimcu_clip_format *format);

/* Fits the frame in plane[], which is in host memory and may be at the start of `memory`. The
 * planes become those of the fitted frame. Many threads may call it. */
ssimcu_status fit_frame(const struct fit *fit, const ssimcu_clip_format *format, void *memory,
                        ssimcu_frame plane[SSIMCU_MAX_PLANES], ssimcu_message *message);

/* Fits a frame whose size is not the format's, from a video whose frames change size. It becomes
 * like all others, in `memory`. *spread is as in fit_spread. Errors: also MEMORY. */
ssimcu_status fit_other_size(const struct fit *fit, const ssimcu_clip_format *format, void *memory,
                             ssimcu_frame plane[SSIMCU_MAX_PLANES], uint32_t spread[2],
                             ssimcu_message *message);

/* Copies the planes of a fitted frame to `memory`. */
void fit_copy(const struct fit *fit, void *memory, ssimcu_frame plane[SSIMCU_MAX_PLANES]);

/* Describes how samples are widened. Returns false if they are not. */
bool fit_says(const struct fit fit[2], const char *out_name, char *text, size_t size);
