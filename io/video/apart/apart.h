/* Video in a worker (worker.h): what is asked of it and what it answers. A worker has one clip at a
 * time. Its frames lie in memory that both processes see, and the caller lends them on without a
 * copy. */
#ifndef SSIMCU_VIDEO_AV_APART_H
#define SSIMCU_VIDEO_AV_APART_H

#include "video/av/module.h"

enum video_ask {
    VIDEO_OPEN, /* the file's descriptor comes with it */
    VIDEO_NEXT, /* a frame is lent */
    VIDEO_SKIP, /* goes to frame `number`; the answer is in `number`, as of those below */
    VIDEO_KEY_DISTANCE,
    VIDEO_KEY_BEFORE, /* frame `number` */
    VIDEO_IS_BEYOND,  /* frame `number` */
    VIDEO_RELEASE,    /* the frame `number`; there is no reply, and any thread may send it */
    VIDEO_CLOSE
};

enum { VIDEO_NAME = 1024, VIDEO_WORD = 32 };

struct video_request {
    enum video_ask ask;
    uint64_t number;
    uint64_t frames; /* value of clip->frames */
    /* VIDEO_OPEN */
    uint64_t max_pixels;
    uint32_t threads;
    uint32_t stream; /* values of the clip */
    bool any_size;
    char name[VIDEO_NAME]; /* the name for messages; the end of a longer one is cut off */
};

/* A reply. Where a frame lies comes with the descriptor of its memory. */
struct video_reply {
    bool alive; /* nothing is answered yet, but the file is being read */
    ssimcu_status status;
    ssimcu_message why;
    bool end;
    uint64_t number;            /* number of the lent frame, or the answer; 0: no */
    ssimcu_status frame_status; /* not OK: why the frame that was lent cannot be compared */
    struct ssimcu_video_lent lent;
    ssimcu_clip_coded coded; /* of the frame that was lent */
    /* VIDEO_OPEN; the pointers of the format are not for the caller */
    ssimcu_clip_format format;
    char matrix[VIDEO_WORD], coding[VIDEO_WORD];
    int64_t count;
    uint64_t held;
};

/* The clip's codec in the calling process. clip->state is made by open, as of any codec. */
extern const ssimcu_clip_codec ssimcu_codec_av_apart;

#endif
