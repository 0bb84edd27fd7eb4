/* Scaling: frames of video made larger or smaller, plane by plane as they are stored. Chroma stays
 * where the format has it, between the samples of luma or beside them. Integers stay integers of
 * the same depth: zimg computes, and rounds to the nearest without dithering. Without zimg
 * (scale_stub.c) nothing is scaled. */
#ifndef SSIMCU_SCALE_H
#define SSIMCU_SCALE_H

#include "video/clip.h"

/* Fails if frames of this format cannot be scaled to a size, whoever scales. They are YUV or grey,
 * and both sizes must be whole numbers of chroma samples. Errors: UNSUPPORTED, MISMATCH. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_scaler_check(const ssimcu_clip_format *from, uint32_t width,
                                                    uint32_t height, ssimcu_message *message);

/* Returns the shift of U and V that ssimcu_view_scale needs, so that chroma stays where it is. That
 * of Y is 0. */
void ssimcu_scaler_shift(const ssimcu_clip_format *from, uint32_t width, uint32_t height,
                         double shift[2]);

/* Makes frames of one format larger or smaller. */
typedef struct ssimcu_scaler ssimcu_scaler;

/* Makes a scaler of frames of this format to a size, with a filter for all planes. The frames may
 * have any size, unlike those of ssimcu_scaler_check, whose errors it has otherwise; UNSUPPORTED
 * (there is no zimg, or it cannot do this), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_scaler_open(const ssimcu_clip_format *from, uint32_t width,
                                                   uint32_t height, ssimcu_scaler_name name,
                                                   ssimcu_scaler **scaler, ssimcu_message *message);

/* Accepts NULL and a pointer to NULL. */
void ssimcu_scaler_close(ssimcu_scaler **scaler);

/* Returns the memory that ssimcu_scaler_run needs, for the scaled frame and for its work. */
size_t ssimcu_scaler_bytes(const ssimcu_scaler *scaler);

/* Scales the frame whose planes are in plane[]. They become those of the scaled frame, which lie in
 * `memory`. Many threads may call it, each with memory of its own. Errors: INTERNAL. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_scaler_run(const ssimcu_scaler *scaler, void *memory,
                                                  ssimcu_frame plane[SSIMCU_MAX_PLANES],
                                                  ssimcu_message *message);

#endif
