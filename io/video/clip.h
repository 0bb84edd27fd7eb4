/* Clips: streams of uncompressed video frames, one after the other, all of one shape. y4m (files
 * and pipes, as ffmpeg -f yuv4mpegpipe writes them) and headerless planar YUV.
 *
 * A frame is one grey plane or the planes Y, U and V, each a grey ssimcu_frame of its own size, one
 * after the other in one piece of memory. Samples above 8 bits are little-endian words in both
 * formats; they are brought to the machine's order, and one above 2^bits - 1 is an error.
 *
 * Frames come in the order of the stream. Taking a place (ssimcu_clip_next) is for one thread at a
 * time; what lies there (ssimcu_clip_read) can be read by many. A pipe has no places: next reads.
 *
 * y4m, decided by its specification (yuv4mpeg(5) of mjpegtools) and by what ffmpeg writes: a
 * missing colourspace is 4:2:0; planes of odd frames are rounded up; parameters of a FRAME line and
 * unknown tags are skipped; where chroma is sited changes nothing here; interlaced frames are
 * stored with their lines in order and are compared as stored; 4:4:4 with alpha is refused.
 */
#ifndef SSIMCU_CLIP_H
#define SSIMCU_CLIP_H

#include "reader.h"
#include "ssimcu_io.h"

/* What ffmpeg's XCOLORRANGE says. Frames of different ranges cannot be compared. */
typedef enum ssimcu_range {
    SSIMCU_RANGE_UNKNOWN = 0,
    SSIMCU_RANGE_LIMITED = 1,
    SSIMCU_RANGE_FULL = 2
} ssimcu_range;

enum { SSIMCU_MAX_PLANES = 3 };

typedef struct ssimcu_clip_format {
    uint32_t planes;                       /* 1: grey; 3: Y, U, V */
    ssimcu_frame plane[SSIMCU_MAX_PLANES]; /* data is NULL */
    size_t frame_bytes;                    /* all planes */
    ssimcu_range range;
} ssimcu_clip_format;

typedef struct ssimcu_clip ssimcu_clip;

/* Where a frame lies in a file. */
typedef struct ssimcu_clip_place {
    int64_t offset; /* negative: read already */
} ssimcu_clip_place;

/* Opens `path`, or standard input for "-": y4m where `raw` is NULL, else frames of that format
 * without any header; a raw file's size must be a whole number of frames. `stopped` as in reader.h.
 * Errors: FILE, DATA, UNSUPPORTED, LIMIT, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_open(const char *path, const ssimcu_clip_format *raw,
                                                 const ssimcu_image_options *limits,
                                                 ssimcu_stopped *stopped, ssimcu_clip **clip,
                                                 ssimcu_message *message);

/* Accepts NULL and a pointer to NULL. */
void ssimcu_clip_close(ssimcu_clip **clip);

const ssimcu_clip_format *ssimcu_clip_shape(const ssimcu_clip *clip);

/* How many frames a regular file holds, going by its size; -1 for a pipe. */
int64_t ssimcu_clip_count(const ssimcu_clip *clip);

/* Whether next reads the frame itself: not a regular file. */
bool ssimcu_clip_is_pipe(const ssimcu_clip *clip);

/* Goes to the next frame and sets *place; *end where there is none. From a pipe the frame is read,
 * to `data` or past it when that is NULL. After an error the clip is at its end.
 * Errors: FILE, DATA. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_next(ssimcu_clip *clip, void *data,
                                                 ssimcu_clip_place *place, bool *end,
                                                 ssimcu_message *message);

/* Reads the frame at `place` to frame_bytes of memory (from a pipe it is there already) and checks
 * its samples. Errors: FILE, DATA. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_read(const ssimcu_clip *clip, ssimcu_clip_place place,
                                                 void *data, ssimcu_message *message);

/* The planes of a frame that was read to `data`. */
void ssimcu_clip_planes(const ssimcu_clip_format *format, void *data,
                        ssimcu_frame plane[SSIMCU_MAX_PLANES]);

/* ---- What clip.c, y4m.c and raw.c share ------------------------------------------------------ */

/* Fills a format in: `chroma` 400, 411, 420, 422 or 444, `bits` 8 to 16. False for anything else,
 * and for a side of 0. The sides are below 2^24. */
bool ssimcu_clip_make_format(uint32_t width, uint32_t height, uint32_t chroma, uint32_t bits,
                             ssimcu_clip_format *format);

/* A whole number at *text, below 2^24; moves *text past it. */
bool ssimcu_clip_number(const char **text, uint32_t *number);

/* y4m.c: the header line, without its line break, and the line before each frame. `name` is for
 * messages. Errors: DATA, UNSUPPORTED. */
enum { SSIMCU_Y4M_HEADER_BYTES = 1024, SSIMCU_Y4M_FRAME_BYTES = 256 };
SSIMCU_MUST_CHECK ssimcu_status ssimcu_y4m_parse(const char *name, const char *line,
                                                 ssimcu_clip_format *format,
                                                 ssimcu_message *message);
bool ssimcu_y4m_is_frame(const char *line);

/* raw.c: "3840x2160" and one of ffmpeg's names of planar formats: gray, yuv420p, yuv411p, yuv422p,
 * yuv444p, and for 9 to 16 bits with the depth and perhaps "le" behind: gray10le, yuv420p10le.
 * False when either is none. */
bool ssimcu_raw_parse(const char *size, const char *name, ssimcu_clip_format *format);

#endif
