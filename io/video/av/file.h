/* A video file: what FFmpeg's libraries have open of it, and its pictures, one after the other. */
#ifndef SSIMCU_VIDEO_AV_FILE_H
#define SSIMCU_VIDEO_AV_FILE_H

#include "video/av/damage.h"
#include "video/av/index.h"
#include "video/av/nvdec.h"
#include "video/clip_codec.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

/* Everything that a checksum or a bitstream can tell. Concealment of errors stays on: without it
 * damaged pictures of H.264 and MPEG-2 are not marked. */
enum { CONTAINER_RECOGNISE = AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE };

/* The state of a clip. */
struct video_file {
    AVFormatContext *format;
    AVCodecContext *decoder;
    AVStream *stream;
    AVPacket *packet;
    ssimcu_stopped *stopped;
    ssimcu_image_options limits;
    struct damage damage;
    bool drained;          /* the decoder has been told that there are no more packets */
    struct picture *ready; /* the next picture, which open or a seek has decoded; NULL: none is */
    enum AVPixelFormat pixels; /* of the first, in whatever memory */
    struct nvdec *nvdec;       /* decodes; NULL: threads do */
    pthread_mutex_t lock;      /* guards the next two */
    pthread_cond_t given_back;
    uint32_t lent_count; /* pictures that are out */
    struct picture_index index;
    uint64_t sent;                 /* packets, counted from the file's first */
    int64_t last_pts;              /* of the picture that came out last */
    int64_t key_pts, key_position; /* of the packet sought last; where it lay */
    bool torn;                     /* a picture was not all written: those up to a key frame */
    bool astray;                   /* after a seek that missed: must begin anew */
};

/* A decoded picture, lent to whoever reads the clip. */
struct picture {
    struct video_file *file;
    AVFrame *frame;
    ssimcu_status status; /* why it cannot be compared */
    ssimcu_message why;
};

/* Opens the file, its best video stream and a decoder. Errors: FILE, DATA, UNSUPPORTED, MEMORY. */
ssimcu_status file_open(ssimcu_clip *clip, const char *path, const ssimcu_image_options *limits,
                        ssimcu_stopped *stopped, ssimcu_message *message);
void file_close(ssimcu_clip *clip);

/* The next picture. *picture is NULL at the end, and where the reader is told to stop. Errors:
 * DATA: the decoder or the container failed, or a damaged picture did not come out, so that nobody
 * can number those behind it; MEMORY. */
ssimcu_status file_next(ssimcu_clip *clip, struct picture **picture, ssimcu_message *message);

/* ---- picture.c ------------------------------------------------------------------------------- */

/* The same, of what the decoder puts out next, whatever is ready. */
ssimcu_status picture_decode(ssimcu_clip *clip, struct picture **picture, ssimcu_message *message);

/* It came out as a key frame. */
bool picture_is_key(const struct video_file *file, const AVFrame *frame);

void picture_free(struct picture *picture); /* from any thread */

/* ---- container.c ----------------------------------------------------------------------------- */

/* Opens the container, once more if need be, with messages to `damage`; an error
 * of FFmpeg's. *format is to be closed in any case. */
int container_open(struct video_file *file, const char *path, struct damage *damage,
                   AVFormatContext **format);

/* Reads packets of this stream alone. */
void container_choose_stream(AVFormatContext *format, int stream);

/* ---- decoder.c ------------------------------------------------------------------------------- */

/* An error of FFmpeg's. */
int decoder_open(struct video_file *file, const AVCodec *codec);

/* The codec's function. */
uint64_t decoder_held(const ssimcu_clip *clip);

/* ---- error.c --------------------------------------------------------------------------------- */

/* Fails with the status and the text of an error of FFmpeg's, and with what a decoder has said. */
ssimcu_status error_fail(const ssimcu_clip *clip, int error, ssimcu_message *message);

/* ---- seek.c: the codec's functions ----------------------------------------------------------- */

bool seek_skip(ssimcu_clip *clip, uint64_t frame);
uint64_t seek_key_distance(ssimcu_clip *clip);
bool seek_is_beyond(ssimcu_clip *clip, uint64_t frame);

/* ---- unwritten.c ----------------------------------------------------------------------------- */

/* Has pictures of a decoder that is about to be opened watched, where that is of use. */
void unwritten_watch(AVCodecContext *decoder);

/* Whether the decoder has left a part of its picture as it was. */
bool unwritten_is(const AVCodecContext *decoder, const AVFrame *frame);

/* ---- shape.c --------------------------------------------------------------------------------- */

/* The clip's format, as the first picture and the stream show it. Errors: UNSUPPORTED (such pixels
 * cannot be compared). */
ssimcu_status shape_read(ssimcu_clip *clip, const AVFrame *frame, ssimcu_message *message);

/* MISMATCH where a picture is not of the clip's shape. */
ssimcu_status shape_check(const ssimcu_clip *clip, const AVFrame *frame, ssimcu_message *message);

/* ---- pixels.c -------------------------------------------------------------------------------- */

/* Size, planes and depth of frames of such pixels. False: they cannot be compared. */
bool pixels_format(enum AVPixelFormat name, uint32_t width, uint32_t height,
                   ssimcu_clip_format *format);

/* The planes of a frame in device memory. */
void pixels_view(const ssimcu_clip *clip, const AVFrame *frame,
                 ssimcu_view plane[SSIMCU_MAX_PLANES]);

/* Brings the samples of a frame to the clip's order. Errors: UNSUPPORTED (it is not opaque). */
ssimcu_status pixels_read(const ssimcu_clip *clip, const AVFrame *frame, void *data,
                          ssimcu_message *message);

#endif
