/* Converts video frames of PQ or HLG (BT.2100) to linear light. U and V are interpolated linearly.
 * R, G and B keep the primaries of the file. */
#pragma once

#include "video/clip.h"

typedef struct ssimcu_video_light ssimcu_video_light;

/* Returns whether frames of this format can be converted: PQ or HLG, with colours. */
bool ssimcu_video_light_knows(const ssimcu_clip_format *format);

/* Opens a converter for frames of this format, which is PQ or HLG. `white` cd/m2 become 1. PQ ends
 * at 10000 cd/m2. HLG is shown on a display of 1000 cd/m2, with a system gamma of 1.2. Errors:
 * UNSUPPORTED (the matrix), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_video_light_open(const ssimcu_clip_format *format,
                                                        double white, ssimcu_video_light **light,
                                                        ssimcu_message *message);

/* Accepts NULL and a pointer to NULL. */
void ssimcu_video_light_close(ssimcu_video_light **light);

/* Returns the bytes of a converted frame. */
size_t ssimcu_video_light_bytes(const ssimcu_video_light *light);

/* Converts the frame in plane[] to one frame of interleaved RGB floats in `memory`. Many threads
 * may call it, each with separate memory. */
void ssimcu_video_light_run(const ssimcu_video_light *light, void *memory,
                            ssimcu_frame plane[SSIMCU_MAX_PLANES]);
