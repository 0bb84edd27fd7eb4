/* Memory for pictures in a worker, which the caller of the worker sees too. Each piece is a file in
 * memory. Decoders write into such memory themselves, if they take what get_buffer2 offers. Other
 * pictures, and those whose samples lie in another order than a clip's, are copied once. */
#ifndef SSIMCU_VIDEO_AV_SHARED_H
#define SSIMCU_VIDEO_AV_SHARED_H

#include "video/av/file.h"
#include "video/av/module.h"

/* Returns NULL if memory ran out. */
struct shared *shared_make(void);

/* Accepts NULL. All pictures have been freed. */
void shared_free(struct shared *shared);

/* Implements AVCodecContext.get_buffer2; any thread may call it. Returns an error of FFmpeg's. */
int shared_get_buffer(struct shared *shared, AVCodecContext *decoder, AVFrame *frame, int flags);

/* Shows where a picture lies, and copies it if it must. Errors: those of pixels_read; MEMORY. */
ssimcu_status shared_lend(const ssimcu_clip *clip, struct picture *picture,
                          struct ssimcu_video_lent *lent, ssimcu_message *message);

#endif
