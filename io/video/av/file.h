/* A video file: what FFmpeg's libraries have open of it, and its pictures, one after the other. */
#ifndef SSIMCU_VIDEO_AV_FILE_H
#define SSIMCU_VIDEO_AV_FILE_H

#include "video/av/damage.h"
#include "video/codec.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

/* The state of a clip. */
struct file {
    AVFormatContext *format;
    AVCodecContext *decoder;
    AVStream *stream;
    AVPacket *packet;
    ssimcu_stopped *stopped;
    struct damage damage;
    bool drained;       /* the decoder has been told that there are no more packets */
    struct lent *first; /* the first picture, which open has decoded; NULL: it has been lent */
    enum AVPixelFormat pixels; /* of the first */
};

/* A decoded picture, lent to whoever reads the clip. */
struct lent {
    AVFrame *frame;
    ssimcu_status status; /* why it cannot be compared */
    ssimcu_message why;
};

/* Opens the file, its best video stream and a decoder. Errors: FILE, DATA, UNSUPPORTED, MEMORY. */
ssimcu_status file_open(ssimcu_clip *clip, const char *path, const ssimcu_image_options *limits,
                        ssimcu_stopped *stopped, ssimcu_message *message);
void file_close(ssimcu_clip *clip);

/* Decodes the next picture. *lent is NULL at the end, and where the reader is told to stop. Errors:
 * DATA: the decoder or the container failed, or a damaged picture did not come out, so that nobody
 * can number those behind it; MEMORY. */
ssimcu_status file_next(ssimcu_clip *clip, struct lent **lent, ssimcu_message *message);

void lent_free(struct lent *lent);

/* ---- shape.c --------------------------------------------------------------------------------- */

/* The clip's format, as the first picture and the stream show it. Errors: UNSUPPORTED (such pixels
 * cannot be compared). */
ssimcu_status shape_read(ssimcu_clip *clip, const AVFrame *frame, ssimcu_message *message);

/* MISMATCH where a picture is not of the clip's shape. */
ssimcu_status shape_check(const ssimcu_clip *clip, const AVFrame *frame, ssimcu_message *message);

/* ---- pixels.c -------------------------------------------------------------------------------- */

/* Size, planes and depth of such frames. False: such pixels cannot be compared. */
bool pixels_format(const AVFrame *frame, ssimcu_clip_format *format);

/* Brings the samples of a frame to the clip's order. Errors: UNSUPPORTED (it is not opaque). */
ssimcu_status pixels_read(const ssimcu_clip *clip, const AVFrame *frame, void *data,
                          ssimcu_message *message);

#endif
