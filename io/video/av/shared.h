/* Memory for pictures in a worker that the caller of the worker also maps. Each block is a file in
 * memory. Decoders that accept get_buffer2's memory write into it directly. Pictures of other
 * decoders, or with another order of samples, are copied once. */
#pragma once

#include "video/av/file.h"
#include "video/av/module.h"

/* Returns NULL if memory runs out. */
struct shared *shared_make(void);

/* Accepts NULL. All pictures must have been freed. */
void shared_free(struct shared *shared);

/* Implements AVCodecContext.get_buffer2. Any thread may call it. Returns an FFmpeg error. */
int shared_get_buffer(struct shared *shared, AVCodecContext *decoder, AVFrame *frame, int flags);

/* Locates a picture, and copies it if necessary. Errors: those of pixels_read; MEMORY. */
ssimcu_status shared_borrow(const ssimcu_clip *clip, struct picture *picture,
                            struct ssimcu_video_borrowed *borrowed, ssimcu_message *message);
