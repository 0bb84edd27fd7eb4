/* Scales video frames plane by plane, as they are stored. Chroma keeps the format's siting. zimg
 * computes, keeps the depth, and rounds to the nearest integer without dithering. In a build
 * without zimg (scale_stub.c) nothing is scaled. */
#pragma once

#include "video/clip.h"

/* Fails if neither zimg nor a GPU can scale frames of this format to a size. The frames are YUV or
 * grey, and both sizes must be whole numbers of chroma samples. Errors: UNSUPPORTED, MISMATCH. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_scaler_check(const ssimcu_clip_format *from, uint32_t width,
                                                    uint32_t height, ssimcu_message *message);

/* Returns the shift of U and V that ssimcu_view_scale needs to keep the siting. The shift of Y is
 * 0. */
void ssimcu_scaler_shift(const ssimcu_clip_format *from, uint32_t width, uint32_t height,
                         double shift[2]);

/* Scales frames of one format. */
typedef struct ssimcu_scaler ssimcu_scaler;

/* Opens a scaler from this format to a size, with one filter for all planes. Unlike in
 * ssimcu_scaler_check, the source may have any size. Errors: otherwise those of
 * ssimcu_scaler_check; UNSUPPORTED (zimg is missing or cannot do this), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_scaler_open(const ssimcu_clip_format *from, uint32_t width,
                                                   uint32_t height, ssimcu_scaler_name name,
                                                   ssimcu_scaler **scaler, ssimcu_message *message);

/* Accepts NULL and a pointer to NULL. */
void ssimcu_scaler_close(ssimcu_scaler **scaler);

/* Returns the bytes that ssimcu_scaler_run needs for the scaled frame and its work. */
size_t ssimcu_scaler_bytes(const ssimcu_scaler *scaler);

/* Scales the frame in plane[]. plane[] then describes the scaled frame, which lies in `memory`.
 * Many threads may call it, each with separate memory. Errors: INTERNAL. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_scaler_run(const ssimcu_scaler *scaler, void *memory,
                                                  ssimcu_frame plane[SSIMCU_MAX_PLANES],
                                                  ssimcu_message *message);
