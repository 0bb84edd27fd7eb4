/* Requests to a worker (worker.h) that decodes video, and its replies. A worker has one clip at a
 * time. Its frames lie in memory that both processes share, so they are borrowed without a copy. */
#pragma once

#include "video/av/module.h"

enum video_ask {
    VIDEO_OPEN, /* sent with the file's descriptor */
    VIDEO_NEXT, /* borrows a frame */
    VIDEO_SKIP, /* skips to frame `number`; for this and those below, the reply's `number` is the
                   answer */
    VIDEO_KEY_DISTANCE,
    VIDEO_KEY_BEFORE, /* frame `number` */
    VIDEO_IS_BEYOND,  /* frame `number` */
    VIDEO_RELEASE,    /* frame `number`; has no reply, and any thread may send it */
    VIDEO_CLOSE
};

enum { VIDEO_NAME = 1024, VIDEO_WORD = 32 };

struct video_request {
    enum video_ask ask;
    uint64_t number;
    uint64_t frames; /* clip->frames */
    /* VIDEO_OPEN */
    uint64_t max_pixels;
    uint32_t threads;
    uint32_t stream; /* values of the clip */
    bool any_size;
    char name[VIDEO_NAME]; /* name for messages, truncated */
};

/* A reply. The place of a frame comes with the descriptor of its memory. */
struct video_reply {
    bool alive; /* not an answer yet: the file is being read */
    ssimcu_status status;
    ssimcu_message why;
    bool end;
    uint64_t number;            /* number of the borrowed frame, or the answer; 0: no */
    ssimcu_status frame_status; /* not OK: why the borrowed frame cannot be compared */
    struct ssimcu_video_borrowed borrowed;
    ssimcu_clip_coded coded; /* of the borrowed frame */
    /* VIDEO_OPEN; its pointers are not valid in the caller */
    ssimcu_clip_format format;
    char matrix[VIDEO_WORD], coding[VIDEO_WORD];
    int64_t count;
    uint64_t held;
};

/* The clip's codec in the calling process. */
extern const ssimcu_clip_codec ssimcu_codec_av_remote;
