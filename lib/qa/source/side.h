/* A single side: the pictures or the video frames of REF or of OUT, one after the other. A source
 * of pairs has the same rules for its form and for the names of its frames. */
#pragma once

#include "image/declared.h"
#include "pair/pair.h"
#include "source/source.h"

struct side;

/* A frame of a side. Its texts live as long as the side. */
struct side_frame {
    int64_t number;
    const char *path, *shot;
    struct pair pair; /* side 0 has the planes, or the views in device memory */
    struct ssimcu_image_windows windows;
    ssimcu_frame still;      /* the picture's memory */
    const ssimcu_clip *clip; /* NULL: a picture */
    ssimcu_clip_place place; /* the place of a video frame */
    void *memory;            /* owned; a video frame that no decoder lends; may be NULL */
};

/* Opens REF of the input; both paths of the input name it. Video frames are in device memory if the
 * input asks for SSIMCU_DECODE_CUDA, else in host memory. The input must outlive the side. Errors:
 * as source_open. */
ssimcu_status side_open(const struct source_input *input, struct side **side,
                        ssimcu_message *message);

/* Reads the next frame, or sets *end if there is none. The caller releases the frame, even after an
 * error. After an error of a picture, the next one can be read. */
ssimcu_status side_next(struct side *side, struct side_frame *frame, bool *end,
                        ssimcu_message *message);

/* Releases a frame. Any thread may call it before the side is closed. */
void side_release(struct side_frame *frame);

/* Fails with MISMATCH if a source would not compare the two frames. */
ssimcu_status side_match(const struct side_frame *ref, const struct side_frame *out,
                         ssimcu_message *message);

/* Accepts NULL. */
void side_close(struct side *side);
