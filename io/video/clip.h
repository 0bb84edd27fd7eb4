/* Clips: streams of video frames, one after the other, all of one shape.
 *
 * There are three kinds. y4m comes from files and pipes, as ffmpeg -f yuv4mpegpipe writes it. Raw
 * video is planar YUV without any header. The module libssimcu_video.so reads the containers and
 * codecs of FFmpeg's libraries.
 *
 * A YUV frame is one grey plane, or the planes Y, U and V one after the other in one piece of
 * memory. Each plane is a grey ssimcu_frame of its own size. An RGB frame is one ssimcu_frame of R,
 * G and B, as of a picture. A sample above 2^bits - 1 is an error.
 *
 * Frames come in the order of the stream. One thread at a time goes to the next frame
 * (ssimcu_clip_next). Many threads may read frames already gone to (ssimcu_clip_read). In a regular
 * file ssimcu_clip_next only notes the place of the frame, which must be whole. A pipe has no
 * places: there it reads the frame itself. */
#ifndef SSIMCU_CLIP_H
#define SSIMCU_CLIP_H

#include "reader.h"
#include "sequence/sequence.h"
#include "ssimcu_io.h"

/* The range of YUV samples, as ffmpeg's XCOLORRANGE says. Frames of different ranges cannot be
 * compared. */
typedef enum ssimcu_range {
    SSIMCU_RANGE_UNKNOWN = 0,
    SSIMCU_RANGE_LIMITED = 1,
    SSIMCU_RANGE_FULL = 2
} ssimcu_range;

/* What the file says of its frames' lines. */
typedef enum ssimcu_scan {
    SSIMCU_SCAN_UNKNOWN = 0,
    SSIMCU_SCAN_PROGRESSIVE = 1,
    SSIMCU_SCAN_INTERLACED = 2
} ssimcu_scan;

/* Which lines of an interlaced frame come first in time. */
typedef enum ssimcu_fields {
    SSIMCU_FIELDS_UNKNOWN = 0,
    SSIMCU_FIELDS_TOP = 1, /* the first line, the third and so on */
    SSIMCU_FIELDS_BOTTOM = 2
} ssimcu_fields;

enum { SSIMCU_MAX_PLANES = 3 };

typedef struct ssimcu_clip_format {
    uint32_t planes;                       /* 1: grey or RGB; 3: Y, U, V */
    ssimcu_frame plane[SSIMCU_MAX_PLANES]; /* shape of each plane; data is NULL */
    size_t frame_bytes;                    /* bytes of all planes together */
    uint32_t chroma;                       /* chroma subsampling: 400, 411, 420, 422 or 444 */
    uint32_t rate[2];                      /* rate[0] frames in rate[1] seconds; 0: unknown */
    ssimcu_range range;
    ssimcu_scan scan;
    ssimcu_fields fields;
    ssimcu_siting
        siting;        /* of U and V; where such files usually have them if this one does not say */
    bool siting_named; /* the file does say */
    bool rgb;          /* the only plane is of R, G and B; `chroma` is 444 */
    bool lies_apart;   /* a lent frame must be read: its samples lie in another order */
    bool on_device;    /* frames are in a GPU's memory: they can neither be viewed nor read */
    bool grain;        /* the decoder adds film grain, or may */
    uint32_t dolby;    /* profile of Dolby Vision by which samples are not YCbCr; 0: they are */
    bool timeless;     /* compressed, and the file has neither times nor a rate */
    bool mirrored;     /* a player mirrors the frame, top to bottom, before it turns it */
    int32_t rotation;  /* degrees by which a player turns the frame clockwise; scored as stored */
    char
        transfer[16]; /* curve of the samples as the file names it: bt709, smpte2084; "": unknown */
    char primaries[16]; /* primaries as the file names them; "": unknown */
    const char *matrix; /* matrix of YUV: bt601, bt709 and so on; NULL: unknown */
    const char *coding; /* compression of the frames; NULL: none */
    uint32_t stream;    /* number of the video stream that is read, from 0 */
    uint32_t streams;   /* how many the file has, without cover pictures; 0: it is no container */
} ssimcu_clip_format;

typedef struct ssimcu_clip ssimcu_clip;

/* What a container says of a frame. */
typedef struct ssimcu_clip_coded {
    bool known;     /* false: the frames are not compressed, and nothing else is valid */
    uint64_t bytes; /* size of the packet that the frame was decoded from */
    double time;    /* seconds after the first frame; NAN: unknown */
} ssimcu_clip_coded;

/* The place of a frame. */
typedef struct ssimcu_clip_place {
    int64_t offset; /* place in the file; -1: next has read the frame; -2: it was skipped */
    void *held;     /* frame lent by a decoder until ssimcu_clip_release; NULL: none */
    ssimcu_clip_coded coded; /* of a lent frame */
} ssimcu_clip_place;

/* Whether `path` ("-": standard input) is video. Raw video is never recognised. A regular file or a
 * pipe is recognised by its first bytes, or, if they are damaged, by its name. Any other path goes
 * by its name, even if nothing is there. Waits for the writer of a pipe, which is then held open
 * (pipe.h), unless `stop` (reader.h) says so. */
bool ssimcu_clip_is_video(const char *path, const ssimcu_stop *stop);

/* Parses the format of raw video. `size` is such as "3840x2160". `name` is one of ffmpeg's planar
 * formats: gray, yuv420p, yuv411p, yuv422p, yuv444p. Formats of 9 to 16 bits end in the depth and
 * perhaps "le": gray10le, yuv420p10le. False if either cannot be parsed. */
bool ssimcu_raw_parse(const char *size, const char *name, ssimcu_clip_format *format);

/* Writes the format's name as ffmpeg and ssimcu_raw_parse know it, such as "yuv420p10". 16 bytes
 * are enough. */
void ssimcu_clip_name(const ssimcu_clip_format *format, char *name, size_t size);

/* Returns how many luma samples share a sample of U and V, across and down. */
uint32_t ssimcu_clip_across(const ssimcu_clip_format *format);
uint32_t ssimcu_clip_down(const ssimcu_clip_format *format);

/* Fills in *as, which is the same format with another size and depth. False if there is none. */
bool ssimcu_clip_format_as(const ssimcu_clip_format *format, uint32_t width, uint32_t height,
                           uint32_t bits, ssimcu_clip_format *as);

/* Returns "PQ" or "HLG" if the samples have that curve of HDR; else NULL. */
const char *ssimcu_clip_hdr(const ssimcu_clip_format *format);

/* Returns the matrix that the file names. If it names none, it is that of BT.2020 for PQ and HLG,
 * or else what players guess from the size. */
const char *ssimcu_clip_matrix(const ssimcu_clip_format *format);

/* Sets how Y, U and V make R, G and B, by ssimcu_clip_matrix. Returns false if the file names a
 * matrix that is not known; the guess is set as well. */
bool ssimcu_clip_yuv(const ssimcu_clip_format *format, ssimcu_yuv *yuv);

/* A CUDA device whose video engines decode. The clip calls `begin` before it opens a decoder there,
 * when it has read the container's header; NULL: it does not. */
typedef struct ssimcu_clip_gpu {
    uint32_t index;
    void (*begin)(void *user);
    void *user;
} ssimcu_clip_gpu;

/* How a clip is opened; all zero: as usual. */
typedef struct ssimcu_clip_how {
    /* Device that decodes, if it can; NULL: none. The samples are the same. The format's on_device
     * says whether it does; if not, ssimcu_clip_why_not_gpu says why. The engines do not report
     * damage inside a picture. */
    const ssimcu_clip_gpu *gpu;
    /* Video stream to read, from 0. Cover pictures and thumbnails do not count, as in ffmpeg's
     * "-map 0:V:N". What is no container has one stream. */
    uint32_t stream;
    /* Frames of video whose size is not the first's are shown by ssimcu_clip_view, in planes that
     * say so; ssimcu_clip_read refuses them, as both do without this. The engines of a GPU do not
     * decode codecs whose frames may change size anywhere. */
    bool any_size;
} ssimcu_clip_how;

/* Opens `path`, or standard input for "-". `raw` is the format of raw video, whose file must hold a
 * whole number of frames; NULL means any other format. `limits` (NULL: the defaults) limit the size
 * of a frame; its `threads` are for the decoder. `stop` is explained in reader.h. `how` may be
 * NULL. Errors: FILE, DATA, UNSUPPORTED, LIMIT, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_open_how(const char *path,
                                                     const ssimcu_clip_format *raw,
                                                     const ssimcu_image_options *limits,
                                                     const ssimcu_stop *stop,
                                                     const ssimcu_clip_how *how, ssimcu_clip **clip,
                                                     ssimcu_message *message);

SSIMCU_MUST_CHECK static inline ssimcu_status
ssimcu_clip_open(const char *path, const ssimcu_clip_format *raw,
                 const ssimcu_image_options *limits, const ssimcu_stop *stop, ssimcu_clip **clip,
                 ssimcu_message *message)
{
    return ssimcu_clip_open_how(path, raw, limits, stop, NULL, clip, message);
}

SSIMCU_MUST_CHECK static inline ssimcu_status
ssimcu_clip_open_on_gpu(const char *path, const ssimcu_clip_format *raw,
                        const ssimcu_image_options *limits, const ssimcu_stop *stop,
                        const ssimcu_clip_gpu *gpu, ssimcu_clip **clip, ssimcu_message *message)
{
    const ssimcu_clip_how how = {.gpu = gpu};
    return ssimcu_clip_open_how(path, raw, limits, stop, &how, clip, message);
}

/* Returns why the GPU is not used; "" if no GPU was asked for or there is nothing to decode. */
const char *ssimcu_clip_why_not_gpu(const ssimcu_clip *clip);

/* Opens the pictures of a sequence as a clip: frame n is the n-th picture. The sequence must
 * outlive the clip; `name` is for messages. All pictures must have the first one's shape, and be
 * grey or RGB and opaque. Errors: those of ssimcu_image_open; MISMATCH (the numbers have gaps). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_open_files(const char *name,
                                                       const ssimcu_sequence *sequence,
                                                       const ssimcu_image_options *limits,
                                                       ssimcu_clip **clip, ssimcu_message *message);

/* Accepts NULL and a pointer to NULL. */
void ssimcu_clip_close(ssimcu_clip **clip);

const ssimcu_clip_format *ssimcu_clip_shape(const ssimcu_clip *clip);

/* Overrules what the file says of its samples. A range of UNKNOWN and a matrix of NULL change
 * nothing; `matrix` must outlive the clip. */
void ssimcu_clip_overrule(ssimcu_clip *clip, ssimcu_range range, const char *matrix);

/* Returns the number of frames, worked out from the size of a regular file; -1 if it is unknown. */
int64_t ssimcu_clip_count(const ssimcu_clip *clip);

/* Estimates the bytes that a decoder holds beside the frames it lends. */
uint64_t ssimcu_clip_held(const ssimcu_clip *clip);

/* Writes what is known of the clip, such as "a.y4m: 120 frames of 3840x2160 yuv420p10, 25 a second,
 * limited range". */
void ssimcu_clip_describe(const ssimcu_clip *clip, char *text, size_t size);

/* Goes to the next frame and sets *place, or sets *end if there is none. If the frame must be read
 * at once (from a pipe), it goes to `data`, frame_bytes of memory, or is skipped if `data` is NULL.
 * A decoder lends its frame instead and ignores `data`. After an error the clip is at its end. An
 * error sets *end if the file ends there without a further frame, but is cut off.
 * Errors: FILE, DATA, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_next(ssimcu_clip *clip, void *data,
                                                 ssimcu_clip_place *place, bool *end,
                                                 ssimcu_message *message);

/* Announces that the caller will not read the next `count` frames to which ssimcu_clip_next goes.
 * They are not decoded if that saves work and the frame behind them can be found for certain. Their
 * places then cannot be read, and damage in them is not seen. */
void ssimcu_clip_pass(ssimcu_clip *clip, uint64_t count);

/* Returns the distance between frames that can be reached without decoding those before them,
 * judged by the first two such frames. 1: every frame can. 0: none, or unknown. */
uint64_t ssimcu_clip_key_distance(ssimcu_clip *clip);

/* Returns the last frame up to `frame` that can be reached without decoding those before it. 0 if
 * none is known. */
uint64_t ssimcu_clip_key_before(ssimcu_clip *clip, uint64_t frame);

/* Whether it is certain, without decoding, that the clip has no frame of this number. */
bool ssimcu_clip_is_beyond(ssimcu_clip *clip, uint64_t frame);

/* Reads the frame at `place` to `data`, frame_bytes of memory, and checks its samples. A frame that
 * ssimcu_clip_next has read must be there already; a lent frame is copied. Errors: FILE, DATA;
 * those of ssimcu_clip_view. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_read(const ssimcu_clip *clip, ssimcu_clip_place place,
                                                 void *data, ssimcu_message *message);

/* Shows the planes of a lent frame where they lie, without a copy. Errors: DATA (it is damaged),
 * MISMATCH (its shape is not the first frame's; see any_size). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_view(const ssimcu_clip *clip, ssimcu_clip_place place,
                                                 ssimcu_frame plane[SSIMCU_MAX_PLANES],
                                                 ssimcu_message *message);

/* Shows the planes of a frame in device memory, one channel each. Waits until the samples are
 * there. Errors: those of ssimcu_clip_view; DEVICE. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_device_view(const ssimcu_clip *clip,
                                                        ssimcu_clip_place place,
                                                        ssimcu_view plane[SSIMCU_MAX_PLANES],
                                                        ssimcu_message *message);

/* Returns what the container says of a lent frame. */
static inline ssimcu_clip_coded ssimcu_clip_coded_of(const ssimcu_clip *clip,
                                                     ssimcu_clip_place place)
{
    (void)clip;
    return place.held ? place.coded : (ssimcu_clip_coded){.known = false};
}

/* Gives a lent frame back, before the clip is closed; any thread may call it. Does nothing if none
 * is lent. */
void ssimcu_clip_release(const ssimcu_clip *clip, ssimcu_clip_place place);

/* Fills in the planes of a frame in memory at `data`. */
void ssimcu_clip_planes(const ssimcu_clip_format *format, void *data,
                        ssimcu_frame plane[SSIMCU_MAX_PLANES]);

#endif
