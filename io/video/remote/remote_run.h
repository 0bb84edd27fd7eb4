/* Starts, queries and ends the worker of a clip. */
#pragma once

#include "video/remote/remote.h"

#include "worker/worker.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MOST_BUFFERS = 512 }; /* memory blocks that hold a worker's frames */

/* A worker and the memory of its frames. It lives until its last frame is returned. */
struct run {
    atomic_uint users; /* borrowed frames, and the clip */
    ssimcu_worker *worker;
    struct buffer {
        uint8_t *data; /* NULL: not mapped yet */
        size_t bytes;
    } buffer[MOST_BUFFERS];
};

/* The state of a clip. */
struct remote {
    struct run *run;      /* NULL after the worker has died */
    pthread_mutex_t lock; /* protects run->worker from its end while threads return frames */
    int fd;
    char matrix[VIDEO_WORD], coding[VIDEO_WORD];
    uint32_t deaths;
    bool kills_decoder; /* a frame has killed a worker with one thread: only a seek can pass it */
    bool position_lost; /* the worker could not be moved to the next frame */
    char why[SSIMCU_WORKER_REASON];
};

/* Starts a worker and opens the clip in it. Errors: those of ssimcu_clip_open. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_remote_start(ssimcu_clip *clip, uint32_t threads,
                                                    struct video_reply *reply,
                                                    ssimcu_message *message);

/* Ends the run. If the worker has closed its clip, it is kept for reuse. */
void ssimcu_remote_end(struct remote *remote, bool closed);

/* Drops one user of a run. Accepts NULL. */
void ssimcu_remote_leave(struct run *run);

/* Sends a request and waits for the reply. *came is the descriptor received with it, or -1. Returns
 * false if the worker has died; the run has then ended. */
bool ssimcu_remote_ask(ssimcu_clip *clip, struct video_request *request, int fd,
                       struct video_reply *reply, int *came);

/* Asks for a number or a yes. Returns false if the worker has died, now or before. */
bool ssimcu_remote_ask_number(ssimcu_clip *clip, enum video_ask what, uint64_t number,
                              uint64_t frames, struct video_reply *reply);

/* Fails with DATA and reports how the worker ended. */
ssimcu_status ssimcu_remote_died(const ssimcu_clip *clip, ssimcu_message *message);
