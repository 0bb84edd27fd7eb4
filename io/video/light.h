/* Light: frames of video whose samples are PQ or HLG (BT.2100) as linear light. U and V lie on the
 * line between their neighbours. R, G and B have the primaries of the file. */
#ifndef SSIMCU_VIDEO_LIGHT_H
#define SSIMCU_VIDEO_LIGHT_H

#include "video/clip.h"

typedef struct ssimcu_video_light ssimcu_video_light;

/* Whether frames of this format can become light: PQ or HLG, with colours. */
bool ssimcu_video_light_knows(const ssimcu_clip_format *format);

/* Makes what turns frames of this format into light, of which `white` cd/m2 are 1. PQ is 10000
 * cd/m2 at its end. HLG is shown on a display of 1000 cd/m2, with a system gamma of 1.2. The
 * format is of PQ or HLG. Errors: UNSUPPORTED (the matrix), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_video_light_open(const ssimcu_clip_format *format,
                                                        double white, ssimcu_video_light **light,
                                                        ssimcu_message *message);

/* Accepts NULL and a pointer to NULL. */
void ssimcu_video_light_close(ssimcu_video_light **light);

/* Returns the memory of a frame of light. */
size_t ssimcu_video_light_bytes(const ssimcu_video_light *light);

/* Turns the frame in plane[] into a single one of floats in `memory`, R, G and B side by side. Many
 * threads may call it, each with memory of its own. */
void ssimcu_video_light_run(const ssimcu_video_light *light, void *memory,
                            ssimcu_frame plane[SSIMCU_MAX_PLANES]);

#endif
