#include "video/remote/remote_run.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PATIENCE_SECONDS = 60, /* time limit for a frame, or for any progress in reading */
    PIXELS_A_SECOND = 1000000
};

/* Limit for what a worker allocates besides its frames, which lie in shared memory: packets,
 * tables, and pictures of decoders that allocate their own memory. The limit is higher until the
 * first frame shows the size. */
enum { FRAMES_A_THREAD = 4, REFERENCES = 32 };
static const uint64_t OPENING_BYTES = 4ull << 30;
static const uint64_t BASE_BYTES = 512u << 20;

void ssimcu_remote_leave(struct run *run)
{
    if (!run || atomic_fetch_sub(&run->users, 1) > 1) return;
    for (size_t i = 0; i < MOST_BUFFERS; i++)
        if (run->buffer[i].data) munmap(run->buffer[i].data, run->buffer[i].bytes);
    free(run);
}

void ssimcu_remote_end(struct remote *remote, bool closed)
{
    struct run *const run = remote->run;
    if (!run) return;
    pthread_mutex_lock(&remote->lock);
    if (closed)
        ssimcu_worker_give(run->worker);
    else
        ssimcu_worker_end(run->worker);
    run->worker = NULL;
    remote->run = NULL;
    pthread_mutex_unlock(&remote->lock);
    ssimcu_remote_leave(run);
}

static uint32_t patience(const ssimcu_clip *clip)
{
    const ssimcu_frame *const plane = &clip->format.plane[0];
    return PATIENCE_SECONDS + (uint32_t)((uint64_t)plane->width * plane->height / PIXELS_A_SECOND);
}

bool ssimcu_remote_ask(ssimcu_clip *clip, struct video_request *request, int fd,
                       struct video_reply *reply, int *came)
{
    struct remote *const remote = clip->state;
    ssimcu_worker *const worker = remote->run->worker;
    ssimcu_worker_send(worker, request, sizeof *request, &fd, fd >= 0);
    do {
        *came = -1;
        if (!ssimcu_worker_receive(worker, reply, sizeof *reply, patience(clip), clip->stop,
                                   came)) {
            snprintf(remote->why, sizeof remote->why, "%s", ssimcu_worker_why(worker));
            ssimcu_remote_end(remote, false);
            return false;
        }
        if (reply->alive && *came >= 0) close(*came);
    } while (reply->alive);
    return true;
}

bool ssimcu_remote_ask_number(ssimcu_clip *clip, enum video_ask what, uint64_t number,
                              uint64_t frames, struct video_reply *reply)
{
    struct remote *const remote = clip->state;
    struct video_request request = {.ask = what, .number = number, .frames = frames};
    int came = -1;
    if (!remote->run || !ssimcu_remote_ask(clip, &request, -1, reply, &came)) return false;
    if (came >= 0) close(came);
    return true;
}

ssimcu_status ssimcu_remote_died(const ssimcu_clip *clip, ssimcu_message *message)
{
    const struct remote *const remote = clip->state;
    FAIL(DATA, "%.300s: %s", clip->name, remote->why);
}

/* Returns whether the module could have made this format. Its sizes are not trusted any further.
 */
static bool is_sound(const ssimcu_clip *clip, const ssimcu_clip_format *format)
{
    ssimcu_clip_format made = {0};
    const ssimcu_frame *const plane = &format->plane[0];
    if (!ssimcu_clip_format_make(plane->width, plane->height, format->chroma, plane->bits, &made))
        return false;
    if (format->rgb) ssimcu_clip_format_make_rgb(&made);
    return format->range >= SSIMCU_RANGE_UNKNOWN && format->range <= SSIMCU_RANGE_FULL &&
           (unsigned)format->siting <= SSIMCU_SITING_TOP_LEFT && made.planes == format->planes &&
           made.frame_bytes == format->frame_bytes && format->streams > clip->stream &&
           memcmp(made.plane, format->plane, sizeof made.plane) == 0;
}

ssimcu_status ssimcu_remote_start(ssimcu_clip *clip, uint32_t threads, struct video_reply *reply,
                                  ssimcu_message *message)
{
    struct remote *const remote = clip->state;
    struct video_request request = {.ask = VIDEO_OPEN,
                                    .max_pixels = clip->limits.max_pixels,
                                    .threads = threads,
                                    .stream = clip->stream,
                                    .any_size = clip->any_size};
    ssimcu_message why = {{0}};
    int came = -1;
    struct run *const run = calloc(1, sizeof *run);
    if (!run) return ssimcu_no_memory(message, NULL);
    atomic_init(&run->users, 1);
    const ssimcu_status status = ssimcu_worker_take("video", &run->worker, &why);
    if (status != SSIMCU_OK) {
        free(run);
        return ssimcu_fail(message, status, "%.300s: %s", clip->name, why.text);
    }
    pthread_mutex_lock(&remote->lock); /* other threads may release frames of an earlier run */
    remote->run = run;
    pthread_mutex_unlock(&remote->lock);
    strncpy(request.name, clip->name, sizeof request.name - 1);
    ssimcu_worker_limit_memory(run->worker, OPENING_BYTES);
    if (!ssimcu_remote_ask(clip, &request, remote->fd, reply, &came))
        return ssimcu_remote_died(clip, message);
    if (came >= 0) close(came);
    if (reply->status != SSIMCU_OK)
        return ssimcu_fail(message, ssimcu_worker_status(reply->status), "%.*s",
                           (int)sizeof reply->why.text - 1, reply->why.text);
    if (!is_sound(clip, &reply->format))
        FAIL(DATA, "%.300s: the decoder returned an invalid format", clip->name);
    ssimcu_worker_limit_memory(run->worker,
                               BASE_BYTES + (FRAMES_A_THREAD * (uint64_t)threads + REFERENCES) *
                                                reply->format.frame_bytes);
    return SSIMCU_OK;
}
