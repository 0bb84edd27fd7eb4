/* Clips: streams of video frames, one after the other, all of one shape. y4m (files and pipes, as
 * ffmpeg -f yuv4mpegpipe writes them), raw video, which is planar YUV without any header, and, by
 * the module libssimcu_video.so, the containers and codecs of FFmpeg's libraries.
 *
 * A frame is one grey plane or the planes Y, U and V, each a grey ssimcu_frame of its own size, one
 * after the other in one piece of memory; or one ssimcu_frame of R, G and B, as a picture's. A
 * sample above 2^bits - 1 is an error.
 *
 * Frames come in the order of the stream. Going to the next frame (ssimcu_clip_next) is for one
 * thread at a time; the frames gone to can be read (ssimcu_clip_read) by many at once. In a regular
 * file, next only notes the place of the frame, which must be whole; from a pipe, which has no
 * places, it reads the frame itself.
 */
#ifndef SSIMCU_CLIP_H
#define SSIMCU_CLIP_H

#include "reader.h"
#include "sequence/sequence.h"
#include "ssimcu_io.h"

/* What ffmpeg's XCOLORRANGE says. Frames of different ranges cannot be compared. */
typedef enum ssimcu_range {
    SSIMCU_RANGE_UNKNOWN = 0,
    SSIMCU_RANGE_LIMITED = 1,
    SSIMCU_RANGE_FULL = 2
} ssimcu_range;

enum { SSIMCU_MAX_PLANES = 3 };

typedef struct ssimcu_clip_format {
    uint32_t planes;                       /* 1: grey or RGB; 3: Y, U, V */
    ssimcu_frame plane[SSIMCU_MAX_PLANES]; /* data is NULL */
    size_t frame_bytes;                    /* all planes */
    uint32_t chroma;                       /* 400, 411, 420, 422 or 444 */
    uint32_t rate[2];                      /* frames in how many seconds; 0: unknown */
    ssimcu_range range;
    bool rgb;           /* the plane is of R, G and B; `chroma` is 444 */
    bool lies_apart;    /* frames that a decoder lends must be read, not viewed */
    bool on_device;     /* they are in memory of a GPU, and can neither be viewed nor read */
    bool interlaced;    /* says the file */
    int32_t rotation;   /* degrees by which a player turns the frame clockwise; scored as stored */
    const char *matrix; /* of YUV: bt601, bt709 and so on; NULL: unknown */
    const char *coding; /* how frames are compressed; NULL: they are not */
} ssimcu_clip_format;

typedef struct ssimcu_clip ssimcu_clip;

/* Where a frame lies. */
typedef struct ssimcu_clip_place {
    int64_t offset; /* in the file; -1: next has read the frame; -2: it was passed over */
    void *held;     /* a frame that a decoder lends until ssimcu_clip_release; NULL: none */
} ssimcu_clip_place;

/* Whether `path` ("-": standard input) is recognised as video, which raw video never is: a regular
 * file and a pipe by their first bytes or, where they are damaged, by their name; anything else,
 * there or not, by its name. Waits for the writer of a pipe, which is held open (pipe.h), unless
 * `stopped`, as in reader.h. False for a file that cannot be opened. */
bool ssimcu_clip_is_video(const char *path, ssimcu_stopped *stopped);

/* The shape of raw video: `size` as in "3840x2160", `name` one of ffmpeg's names of planar formats:
 * gray, yuv420p, yuv411p, yuv422p, yuv444p, and for 9 to 16 bits with the depth and perhaps "le"
 * behind: gray10le, yuv420p10le. False when either is none. */
bool ssimcu_raw_parse(const char *size, const char *name, ssimcu_clip_format *format);

/* The name of the format, as ffmpeg and ssimcu_raw_parse take it: "yuv420p10". 16 bytes do. */
void ssimcu_clip_name(const ssimcu_clip_format *format, char *name, size_t size);

/* How many luma samples there are for each sample of U and V, across and down. */
uint32_t ssimcu_clip_across(const ssimcu_clip_format *format);
uint32_t ssimcu_clip_down(const ssimcu_clip_format *format);

/* Opens `path`, or standard input for "-". `raw` is the format of raw video, whose file must hold a
 * whole number of frames; NULL means any other format. The limits of `limits` (NULL: the defaults)
 * hold for the size of a frame, its `threads` for a decoder. `stopped` as in reader.h.
 * Errors: FILE, DATA, UNSUPPORTED, LIMIT, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_open(const char *path, const ssimcu_clip_format *raw,
                                                 const ssimcu_image_options *limits,
                                                 ssimcu_stopped *stopped, ssimcu_clip **clip,
                                                 ssimcu_message *message);

/* The same. The video engines of CUDA device `gpu` decode what they can, and give the same samples:
 * on_device of the format says so, ssimcu_clip_why_not_gpu otherwise. They do not tell of damage in
 * a picture. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_open_on_gpu(
    const char *path, const ssimcu_clip_format *raw, const ssimcu_image_options *limits,
    ssimcu_stopped *stopped, uint32_t gpu, ssimcu_clip **clip, ssimcu_message *message);

/* Empty where nobody has asked for a GPU, or where there is nothing to decode. */
const char *ssimcu_clip_why_not_gpu(const ssimcu_clip *clip);

/* The same of the pictures of a sequence, which must outlive the clip: frame n is the n-th, and
 * `name` is for messages. All are of the first one's shape, grey or RGB, and opaque. Errors: those
 * of ssimcu_image_open; MISMATCH (they are not numbered one after the other). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_open_files(const char *name,
                                                       const ssimcu_sequence *sequence,
                                                       const ssimcu_image_options *limits,
                                                       ssimcu_clip **clip, ssimcu_message *message);

/* Accepts NULL and a pointer to NULL. */
void ssimcu_clip_close(ssimcu_clip **clip);

const ssimcu_clip_format *ssimcu_clip_shape(const ssimcu_clip *clip);

/* How many frames there are, going by the size of a regular file; -1 where nobody knows. */
int64_t ssimcu_clip_count(const ssimcu_clip *clip);

/* Bytes that a decoder holds beside the frames it lends; an estimate. */
uint64_t ssimcu_clip_held(const ssimcu_clip *clip);

/* "120 frames of 3840x2160 yuv420p10, 25 a second, limited range", as far as that is known. */
void ssimcu_clip_describe(const ssimcu_clip *clip, char *text, size_t size);

/* Goes to the next frame and sets *place, or *end where there is none. A frame that next itself
 * reads goes to `data`, frame_bytes of memory, or is skipped when that is NULL; a decoder lends it
 * instead, also when `data` is NULL. After an error the clip is at its end. Errors: FILE, DATA. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_next(ssimcu_clip *clip, void *data,
                                                 ssimcu_clip_place *place, bool *end,
                                                 ssimcu_message *message);

/* Says that nobody will read the next `count` frames to which ssimcu_clip_next goes. Where that
 * saves work, and the frame behind them can be found for sure, they are not decoded: damage in them
 * is not seen then, and their places cannot be read. */
void ssimcu_clip_pass(ssimcu_clip *clip, uint64_t count);

/* How far apart frames lie that can be gone to without decoding what is before them, going by the
 * first two: 1 where all can be. 0: there are none, or nobody knows. */
uint64_t ssimcu_clip_key_distance(ssimcu_clip *clip);

/* Whether it is certain, without decoding, that there is no frame of this number. */
bool ssimcu_clip_is_beyond(ssimcu_clip *clip, uint64_t frame);

/* Reads the frame at `place` to `data`, frame_bytes of memory (what next has read is there
 * already; what a decoder lends is copied), and checks its samples. Errors: FILE, DATA; those of
 * ssimcu_clip_view. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_read(const ssimcu_clip *clip, ssimcu_clip_place place,
                                                 void *data, ssimcu_message *message);

/* The planes of a frame that a decoder lends, where they lie. Errors: DATA (it is damaged),
 * MISMATCH (it is of another shape than the first). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_view(const ssimcu_clip *clip, ssimcu_clip_place place,
                                                 ssimcu_frame plane[SSIMCU_MAX_PLANES],
                                                 ssimcu_message *message);

/* The same of a clip of which frames are in device memory: planes of one channel. Waits until the
 * samples are there. Errors: also DEVICE. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_device_view(const ssimcu_clip *clip,
                                                        ssimcu_clip_place place,
                                                        ssimcu_view plane[SSIMCU_MAX_PLANES],
                                                        ssimcu_message *message);

/* Gives a lent frame back, from any thread, before the clip is closed; nothing where none is. */
void ssimcu_clip_release(const ssimcu_clip *clip, ssimcu_clip_place place);

/* The planes of a frame that was read to `data`. */
void ssimcu_clip_planes(const ssimcu_clip_format *format, void *data,
                        ssimcu_frame plane[SSIMCU_MAX_PLANES]);

#endif
