/* The interface between clip.c and a video format. Each format is one file that defines its codec,
 * and one row of the table in clip.c. */
#pragma once

#include "video/clip.h"

typedef struct ssimcu_clip_codec {
    /* Returns whether `path` has this format, judged by its name and the first `size` bytes of the
     * file. `size` is 0 unless it is a regular file or a pipe. NULL: the user must name the
     * format. */
    bool (*is)(const char *path, const char *start, size_t size);

    /* Implements ssimcu_clip_open. Sets clip->state, clip->count, clip->held and, except for raw
     * video, clip->format. Checks clip->limits before allocating anything that grows with a frame.
     * After an error clip.c calls close. */
    ssimcu_status (*open)(ssimcu_clip *clip, const char *path, ssimcu_message *message);

    /* See ssimcu_clip_next and _read. Before next is called, *end is false, place->offset is -1,
     * and the rest of *place is 0. */
    ssimcu_status (*next)(ssimcu_clip *clip, void *data, ssimcu_clip_place *place, bool *end,
                          ssimcu_message *message);
    ssimcu_status (*read)(const ssimcu_clip *clip, ssimcu_clip_place place, void *data,
                          ssimcu_message *message);

    /* Makes `frame`, which lies ahead, the next one without decoding all frames before it. Returns
     * false, and changes nothing, if that saves no work or is not certain. May be NULL. */
    bool (*skip)(ssimcu_clip *clip, uint64_t frame);

    /* See ssimcu_clip_key_distance, _key_before and _is_beyond. NULL: clip.c decides by the count.
     */
    uint64_t (*key_distance)(ssimcu_clip *clip);
    uint64_t (*key_before)(ssimcu_clip *clip, uint64_t frame);
    bool (*is_beyond)(ssimcu_clip *clip, uint64_t frame);

    /* See ssimcu_clip_view, _device_view and _release. Returns NULL if frames cannot be
     * borrowed. */
    ssimcu_status (*view)(const ssimcu_clip *clip, ssimcu_clip_place place,
                          ssimcu_frame plane[SSIMCU_MAX_PLANES], ssimcu_message *message);
    ssimcu_status (*device_view)(const ssimcu_clip *clip, ssimcu_clip_place place,
                                 ssimcu_view plane[SSIMCU_MAX_PLANES], ssimcu_message *message);
    void (*release)(const ssimcu_clip *clip, ssimcu_clip_place place);

    /* Releases clip->state, which may be NULL or half made. */
    void (*close)(ssimcu_clip *clip);
} ssimcu_clip_codec;

extern const ssimcu_clip_codec ssimcu_codec_raw, ssimcu_codec_y4m, ssimcu_codec_av;

struct ssimcu_clip {
    const ssimcu_clip_codec *codec;
    void *state; /* private to the codec */
    ssimcu_clip_format format;
    ssimcu_image_options limits; /* filled in */
    const ssimcu_stop *stop;
    int64_t count; /* see ssimcu_clip_count and _held */
    uint64_t held;
    uint64_t frames; /* frames passed so far */
    uint64_t passed; /* frames ahead that have been skipped */
    bool ended;
    uint32_t stream; /* see ssimcu_clip_how */
    bool any_size;
    int gpu;        /* CUDA device that decodes; -1: none */
    bool gpu_alone; /* fail to open if the GPU cannot decode */
    int fd; /* a worker's file, whose frames are borrowed in shared memory; -1: opened by name */
    void (*begin)(void *user); /* see ssimcu_clip_gpu */
    void *begin_user;
    ssimcu_message why_not_gpu;
    char name[]; /* path or other name, for messages */
};

/* ---- What formats share ---------------------------------------------------------------------- */

/* Fills in a format: `chroma` 400, 411, 420, 422 or 444, `bits` 8 to 16, sides from 1 to 2^24 - 1.
 * Returns false for any other chroma or depth, or a side of 0. */
bool ssimcu_clip_format_make(uint32_t width, uint32_t height, uint32_t chroma, uint32_t bits,
                             ssimcu_clip_format *format);

/* Turns a 444 format into an RGB one. */
void ssimcu_clip_format_make_rgb(ssimcu_clip_format *format);

/* Checks the size of the format's frames. Errors: LIMIT. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_format_check_size(const ssimcu_clip *clip,
                                                              ssimcu_message *message);

/* Copies the planes of a frame from another place. Errors: MISMATCH (a frame of another size can be
 * shown, but not read). */
ssimcu_status ssimcu_clip_copy(const ssimcu_clip *clip, const ssimcu_frame *from, void *data,
                               ssimcu_message *message);

/* Fails with DATA because the file has fewer video streams. */
ssimcu_status ssimcu_clip_no_stream(const ssimcu_clip *clip, uint32_t streams,
                                    ssimcu_message *message);

/* Parses an integer below 2^24 and moves *text past it. Returns false if there is none. */
bool ssimcu_clip_format_number(const char **text, uint32_t *number);

/* ---- y4m.c, for its tests -------------------------------------------------------------------- */

/* Parses the header line without its line break. `name` is for messages. Errors: DATA,
 * UNSUPPORTED. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_y4m_parse(const char *name, const char *line,
                                                 ssimcu_clip_format *format,
                                                 ssimcu_message *message);

/* Returns whether a line is a FRAME line. */
bool ssimcu_y4m_is_frame(const char *line);
