/* What a video format has to offer to clip.c. A format is one file, which defines its codec, and
 * one row of the table in clip.c. */
#ifndef SSIMCU_VIDEO_CLIP_CODEC_H
#define SSIMCU_VIDEO_CLIP_CODEC_H

#include "video/clip.h"

typedef struct ssimcu_clip_codec {
    /* Whether `path` is of this format, going by its name and the `size` first bytes of the file, 0
     * where there is no regular file. NULL: nothing tells the format, the user has to. */
    bool (*is)(const char *path, const char *start, size_t size);

    /* Opens `path` as clip.h says, sets clip->state to what the format keeps, and fills in
     * clip->format (raw video's is there). `limits` are filled in; the format checks them before it
     * allocates what grows with a frame. On an error, close follows. */
    ssimcu_status (*open)(ssimcu_clip *clip, const char *path, const ssimcu_image_options *limits,
                          ssimcu_stopped *stopped, ssimcu_message *message);

    /* As clip.h says. On entry to next, *end is false and *place says that next reads the frame. */
    int64_t (*count)(const ssimcu_clip *clip);
    ssimcu_status (*next)(ssimcu_clip *clip, void *data, ssimcu_clip_place *place, bool *end,
                          ssimcu_message *message);
    ssimcu_status (*read)(const ssimcu_clip *clip, ssimcu_clip_place place, void *data,
                          ssimcu_message *message);

    /* Makes `frame` the one to which next goes, without decoding all before it; never one gone to.
     * False where that saves no work or cannot be done for sure: nothing has changed then. NULL:
     * never. */
    bool (*skip)(ssimcu_clip *clip, uint64_t frame);

    /* As clip.h says. NULL: 0, where frames cannot be counted, else 1; going by the count. */
    uint64_t (*key_distance)(ssimcu_clip *clip);
    bool (*is_beyond)(ssimcu_clip *clip, uint64_t frame);

    /* As clip.h says; NULL: nothing. */
    uint64_t (*held)(const ssimcu_clip *clip);

    /* Of a format that lends frames; others: NULL. As clip.h says. */
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
    void *state; /* the codec's */
    ssimcu_clip_format format;
    uint64_t frames; /* gone to so far */
    uint64_t passed; /* frames to go to next that have been skipped */
    bool ended;
    int gpu; /* whose engines shall decode; -1: none */
    ssimcu_message why_not_gpu;
    char name[]; /* for messages */
};

/* ---- What formats share ---------------------------------------------------------------------- */

/* Fills a format in: `chroma` 400, 411, 420, 422 or 444, `bits` 8 to 16. False for anything else,
 * and for a side of 0. The sides are below 2^24. */
bool ssimcu_clip_format_make(uint32_t width, uint32_t height, uint32_t chroma, uint32_t bits,
                             ssimcu_clip_format *format);

/* Makes it, which is of 444, one of R, G and B. */
void ssimcu_clip_format_make_rgb(ssimcu_clip_format *format);

/* Checks the size of the format's frames. Errors: LIMIT. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_clip_format_check_size(const ssimcu_clip *clip,
                                                              const ssimcu_image_options *limits,
                                                              ssimcu_message *message);

/* A whole number at *text, below 2^24; moves *text past it. */
bool ssimcu_clip_format_number(const char **text, uint32_t *number);

/* ---- y4m.c, for its tests -------------------------------------------------------------------- */

/* The header line, without its line break. `name` is for messages. Errors: DATA, UNSUPPORTED. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_y4m_parse(const char *name, const char *line,
                                                 ssimcu_clip_format *format,
                                                 ssimcu_message *message);

/* Whether a line is one that stands before a frame. */
bool ssimcu_y4m_is_frame(const char *line);

#endif
