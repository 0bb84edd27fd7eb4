/* Clips: sequences of video frames that all have one shape.
 *
 * There are three kinds. y4m comes from files and pipes, as ffmpeg -f yuv4mpegpipe writes it. Raw
 * video is planar YUV without a header. The module libssimcu_video.so reads the containers and
 * codecs of FFmpeg's libraries.
 *
 * A YUV frame is one grey plane, or the planes Y, U and V one after the other in one block of
 * memory. Each plane is a grey ssimcu_frame and may have another size. An RGB frame is one
 * interleaved ssimcu_frame, like a picture. A sample above 2^bits - 1 is an error.
 *
 * Frames come in stream order. One thread at a time advances to the next frame (ssimcu_clip_next).
 * Many threads may read frames that have been passed (ssimcu_clip_read). In a regular file
 * ssimcu_clip_next only records the place of the frame, which must be complete. A pipe cannot seek,
 * so ssimcu_clip_next reads the frame itself. */
#pragma once

#include "reader.h"
#include "sequence/sequence.h"
#include "ssimcu_io.h"

/* The range of YUV samples, as in ffmpeg's XCOLORRANGE. Frames of different ranges cannot be
 * compared. */
typedef enum ssimcu_range {
    SSIMCU_RANGE_UNKNOWN = 0,
    SSIMCU_RANGE_LIMITED = 1,
    SSIMCU_RANGE_FULL = 2
} ssimcu_range;

/* How the file says that its frames were scanned. */
typedef enum ssimcu_scan {
    SSIMCU_SCAN_UNKNOWN = 0,
    SSIMCU_SCAN_PROGRESSIVE = 1,
    SSIMCU_SCAN_INTERLACED = 2
} ssimcu_scan;

/* The field of an interlaced frame that comes first in time. */
typedef enum ssimcu_fields {
    SSIMCU_FIELDS_UNKNOWN = 0,
    SSIMCU_FIELDS_TOP = 1, /* lines 1, 3, 5 and so on */
    SSIMCU_FIELDS_BOTTOM = 2
} ssimcu_fields;

enum { SSIMCU_MAX_PLANES = 3 };

typedef struct ssimcu_clip_format {
    uint32_t planes;                       /* 1: grey or RGB; 3: Y, U, V */
    ssimcu_frame plane[SSIMCU_MAX_PLANES]; /* shape of each plane; data is NULL */
    size_t frame_bytes;                    /* bytes of all planes together */
    uint32_t chroma;                       /* chroma subsampling: 400, 411, 420, 422 or 444 */
    uint32_t rate[2];                      /* frames per second: rate[0] / rate[1]; 0: unknown */
    ssimcu_range range;
    ssimcu_scan scan;
    ssimcu_fields fields;
    ssimcu_siting siting; /* place of U and V; the usual one if the file names none */
    bool siting_named;    /* the file names it */
    bool rgb;             /* one interleaved plane of R, G and B; `chroma` is 444 */
    bool lies_apart;  /* a borrowed frame must be read, because its samples lie in another order */
    bool on_device;   /* frames are in GPU memory: they can neither be viewed nor read */
    bool grain;       /* the decoder may add film grain */
    uint32_t dolby;   /* Dolby Vision profile whose samples are not YCbCr; 0: they are YCbCr */
    bool timeless;    /* compressed, and the file has neither times nor a rate */
    bool mirrored;    /* a player mirrors the frame, top to bottom, before it turns it */
    int32_t rotation; /* degrees that a player turns the frame clockwise; it is scored as stored */
    char
        transfer[16]; /* curve of the samples as the file names it: bt709, smpte2084; "": unknown */
    char primaries[16]; /* primaries as the file names them; "": unknown */
    const char *matrix; /* matrix of YUV: bt601, bt709 and so on; NULL: unknown */
    const char *coding; /* codec of the frames; NULL: not compressed */
    uint32_t stream;    /* index of the video stream that is read, from 0 */
    uint32_t streams;   /* video streams in the file, without cover pictures; 0: not a container */
} ssimcu_clip_format;

typedef struct ssimcu_clip ssimcu_clip;

/* What a container knows about a frame. */
typedef struct ssimcu_clip_coded {
    bool known;     /* false: the frames are not compressed, and nothing else is valid */
    uint64_t bytes; /* size of the packet that the frame was decoded from */
    double time;    /* seconds since the first frame; NAN: unknown */
} ssimcu_clip_coded;

/* The place of a frame. */
typedef struct ssimcu_clip_place {
    int64_t offset; /* offset in the file; -1: already read by next; -2: skipped */
    void *held;     /* frame borrowed from a decoder until ssimcu_clip_release; may be NULL */
    ssimcu_clip_coded coded; /* known for borrowed frames only */
} ssimcu_clip_place;

/* Returns whether `path` ("-": standard input) is video. Raw video is never recognised. A regular
 * file or a pipe is recognised by its first bytes, or by its name if these are damaged. Any other
 * path is judged by its name, even if it does not exist. The call waits for the writer of a pipe
 * until `stop` (reader.h) ends the wait. The pipe is then held open (pipe.h). */
bool ssimcu_clip_is_video(const char *path, const ssimcu_stop *stop);

/* Parses the format of raw video. `size` looks like "3840x2160". `name` is one of ffmpeg's planar
 * formats: gray, yuv420p, yuv411p, yuv422p, yuv444p. Formats of 9 to 16 bits end in the depth and
 * an optional "le": gray10le, yuv420p10le. Returns false if either cannot be parsed. */
bool ssimcu_raw_parse(const char *size, const char *name, ssimcu_clip_format *format);

/* Writes ffmpeg's name of the format, such as "yuv420p10", which ssimcu_raw_parse accepts. 16 bytes
 * are enough. */
void ssimcu_clip_name(const ssimcu_clip_format *format, char *name, size_t size);

/* Returns how many luma samples share one sample of U and V, across and down. */
uint32_t ssimcu_clip_across(const ssimcu_clip_format *format);
uint32_t ssimcu_clip_down(const ssimcu_clip_format *format);

/* Sets *as to the same format with another size and depth. Returns false if that is impossible. */
bool ssimcu_clip_format_as(const ssimcu_clip_format *format, uint32_t width, uint32_t height,
                           uint32_t bits, ssimcu_clip_format *as);

/* Returns "PQ" or "HLG" if the samples have that HDR curve, else NULL. */
const char *ssimcu_clip_hdr(const ssimcu_clip_format *format);

/* Returns the matrix that the file names. If it names none, returns BT.2020 for PQ and HLG, and
 * otherwise the matrix that players guess from the size. */
const char *ssimcu_clip_matrix(const ssimcu_clip_format *format);

/* Sets the conversion of Y, U and V to R, G and B by ssimcu_clip_matrix. If the file names an
 * unknown matrix, sets the guess and returns false. */
bool ssimcu_clip_yuv(const ssimcu_clip_format *format, ssimcu_yuv *yuv);

/* A CUDA device whose video engines decode. The clip calls `begin` after it has read the
 * container's header and before it opens a decoder there. `begin` may be NULL. */
typedef struct ssimcu_clip_gpu {
    uint32_t index;
    void (*begin)(void *user);
    void *user;
} ssimcu_clip_gpu;

/* Options of opening a clip. All zero means the defaults. */
typedef struct ssimcu_clip_how {
    /* Device that decodes if it can; may be NULL. The samples do not depend on it. The format's
     * on_device says whether it decodes, and ssimcu_clip_why_not_gpu why not. The engines do not
     * report damage inside a picture. */
    const ssimcu_clip_gpu *gpu;
    /* Video stream to read, from 0. Cover pictures and thumbnails do not count, as in ffmpeg's
     * "-map 0:V:N". A file that is not a container has one stream. */
    uint32_t stream;
    /* Lets ssimcu_clip_view show frames of another size than the first, with their sizes in the
     * planes. ssimcu_clip_read still refuses them; without this option both do. GPU engines then do
     * not decode codecs whose frames may change size anywhere. */
    bool any_size;
} ssimcu_clip_how;

/* Opens `path`, or standard input for "-". `raw` is the format of raw video, whose file must hold a
 * whole number of frames. For all other formats it is NULL. `limits` (NULL: the defaults) limits
 * the size of a frame; its `threads` are for the decoder. reader.h explains `stop`. `how` may be
 * NULL. Errors: FILE, DATA, UNSUPPORTED, LIMIT, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_open_how(const char *path,
                                                     const ssimcu_clip_format *raw,
                                                     const ssimcu_image_options *limits,
                                                     const ssimcu_stop *stop,
                                                     const ssimcu_clip_how *how, ssimcu_clip **clip,
                                                     ssimcu_message *message);

/* Returns why the GPU does not decode; "" if no GPU was requested or there is nothing to decode. */
const char *ssimcu_clip_why_not_gpu(const ssimcu_clip *clip);

/* Opens the pictures of an image sequence as a clip: frame n is the n-th picture. The sequence must
 * outlive the clip; `name` is for messages. All pictures must be grey or RGB, opaque, and of the
 * first one's shape. Errors: those of ssimcu_image_open; MISMATCH (the numbers have gaps). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_open_files(const char *name,
                                                       const ssimcu_sequence *sequence,
                                                       const ssimcu_image_options *limits,
                                                       ssimcu_clip **clip, ssimcu_message *message);

/* Accepts NULL and a pointer to NULL. */
void ssimcu_clip_close(ssimcu_clip **clip);

const ssimcu_clip_format *ssimcu_clip_shape(const ssimcu_clip *clip);

/* Overrides the range and the matrix that the file names. UNKNOWN and NULL leave them unchanged.
 * `matrix` must outlive the clip. */
void ssimcu_clip_overrule(ssimcu_clip *clip, ssimcu_range range, const char *matrix);

/* Returns the number of frames, computed from the size of a regular file; -1 if it is unknown. */
int64_t ssimcu_clip_count(const ssimcu_clip *clip);

/* Estimates the bytes that a decoder holds besides the frames borrowed from it. */
uint64_t ssimcu_clip_held(const ssimcu_clip *clip);

/* Describes the clip, for example "a.y4m: 120 frames of 3840x2160 yuv420p10, 25 a second, limited
 * range". */
void ssimcu_clip_describe(const ssimcu_clip *clip, char *text, size_t size);

/* Advances to the next frame and sets *place, or sets *end if there is none. A frame that must be
 * read at once (from a pipe) goes to `data`, frame_bytes of memory. If `data` is NULL, it is
 * skipped. A decoder ignores `data`: the caller borrows its frame. After an error the clip is at
 * its end. If the file is cut off after its last frame, the error also sets *end. Errors: FILE,
 * DATA, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_next(ssimcu_clip *clip, void *data,
                                                 ssimcu_clip_place *place, bool *end,
                                                 ssimcu_message *message);

/* Announces that the caller will not read the next `count` frames of ssimcu_clip_next. They are not
 * decoded if that saves work and the frame after them is certain to be found. Their places then
 * cannot be read, and damage in them is not detected. */
void ssimcu_clip_pass(ssimcu_clip *clip, uint64_t count);

/* Returns the distance between frames that can be reached without decoding earlier ones, estimated
 * from the first two such frames. It is 1 if every frame can, and 0 if none can or it is
 * unknown. */
uint64_t ssimcu_clip_key_distance(ssimcu_clip *clip);

/* Returns the last frame up to `frame` that can be reached without decoding earlier ones, or 0. */
uint64_t ssimcu_clip_key_before(ssimcu_clip *clip, uint64_t frame);

/* Returns whether it is certain, without decoding, that the clip ends before this frame. */
bool ssimcu_clip_is_beyond(ssimcu_clip *clip, uint64_t frame);

/* Reads the frame at `place` to `data`, frame_bytes of memory, and checks its samples. If
 * ssimcu_clip_next has read the frame, `data` must already hold it. A borrowed frame is copied.
 * Errors: FILE, DATA; those of ssimcu_clip_view. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_read(const ssimcu_clip *clip, ssimcu_clip_place place,
                                                 void *data, ssimcu_message *message);

/* Shows the planes of a borrowed frame in place, without a copy. Errors: DATA (it is damaged),
 * MISMATCH (its shape is not the first frame's; see any_size). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_view(const ssimcu_clip *clip, ssimcu_clip_place place,
                                                 ssimcu_frame plane[SSIMCU_MAX_PLANES],
                                                 ssimcu_message *message);

/* Shows the planes of a frame in device memory, each with one channel. Waits for the samples.
 * Errors: those of ssimcu_clip_view; DEVICE. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_device_view(const ssimcu_clip *clip,
                                                        ssimcu_clip_place place,
                                                        ssimcu_view plane[SSIMCU_MAX_PLANES],
                                                        ssimcu_message *message);

/* Gives back a borrowed frame, if `place` has one. All must be given back before the clip is
 * closed. Any thread may call it. */
void ssimcu_clip_release(const ssimcu_clip *clip, ssimcu_clip_place place);

/* Fills in the planes of a frame in memory at `data`. */
void ssimcu_clip_planes(const ssimcu_clip_format *format, void *data,
                        ssimcu_frame plane[SSIMCU_MAX_PLANES]);
