/* The worker of a clip: started, asked, ended. */
#ifndef SSIMCU_VIDEO_AV_APART_RUN_H
#define SSIMCU_VIDEO_AV_APART_RUN_H

#include "video/apart/apart.h"

#include "worker/worker.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MOST_BUFFERS = 512 }; /* pieces of memory that a worker lends from */

/* A worker and the memory that it lends. It lives until its last frame is given back. */
struct run {
    atomic_uint users; /* frames lent, and the clip */
    ssimcu_worker *worker;
    struct buffer {
        uint8_t *data; /* NULL: not seen yet */
        size_t bytes;
    } buffer[MOST_BUFFERS];
};

/* The state of a clip. */
struct apart {
    struct run *run;      /* NULL: the worker has died */
    pthread_mutex_t lock; /* guards run->worker between threads that give frames back and its end */
    int fd;
    char matrix[VIDEO_WORD], coding[VIDEO_WORD];
    uint32_t deaths;
    bool deadly; /* a frame has killed a worker of one thread: only a seek passes it */
    bool astray; /* the worker could not be brought to the frame that is next */
    char why[SSIMCU_WORKER_REASON];
};

/* Starts a worker and opens the clip in it. Errors: those of ssimcu_clip_open. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_apart_start(ssimcu_clip *clip, uint32_t threads,
                                                   struct video_reply *reply,
                                                   ssimcu_message *message);

/* Ends the run; the worker is given back if it has closed its clip. */
void ssimcu_apart_end(struct apart *apart, bool closed);

/* Drops a user of a run; NULL is accepted. */
void ssimcu_apart_leave(struct run *run);

/* Asks the worker and waits for its reply. *came is the descriptor that came with it, or -1. False
 * if the worker has died: the run has ended. */
bool ssimcu_apart_ask(ssimcu_clip *clip, struct video_request *request, int fd,
                      struct video_reply *reply, int *came);

/* Asks for a number or a yes. False if the worker has died, now or before. */
bool ssimcu_apart_ask_number(ssimcu_clip *clip, enum video_ask what, uint64_t number,
                             uint64_t frames, struct video_reply *reply);

/* Fails with DATA and says how the worker has ended. */
ssimcu_status ssimcu_apart_died(const ssimcu_clip *clip, ssimcu_message *message);

#endif
