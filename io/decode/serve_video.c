/* Serves the module for video. remote.h describes requests and replies. */
#define _POSIX_C_SOURCE 200809L
#include "serve.h"

#include "video/remote/remote.h"
#include "worker/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct ssimcu_video_module *module;
static struct video_request request;
static struct video_reply reply;
static ssimcu_clip *clip; /* NULL: not open */
static time_t told;       /* second of the last message */

/* Reports once per second to the caller that the file is being read, because scanning a large one
 * may take minutes. */
static void tell(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec == told) return;
    told = now.tv_sec;
    const struct video_reply alive = {.alive = true};
    (void)ssimcu_packet_send(SSIMCU_WORKER_SOCKET, &alive, sizeof alive, NULL, 0);
}

static bool open_module(char *reason, size_t size)
{
    module = ssimcu_video_module_open(SSIMCU_VIDEO_MODULE, reason, size);
    if (module) module->progress(tell);
    return module != NULL;
}

static void close_clip(void)
{
    if (!clip) return;
    module->codec->close(clip);
    if (clip->fd >= 0) close(clip->fd);
    free(clip);
    clip = NULL;
}

static void copy_word(char to[VIDEO_WORD], const char *from)
{
    snprintf(to, VIDEO_WORD, "%s", from ? from : "");
}

/* Opens the clip, which takes ownership of the descriptor. */
static void open_clip(int *fd)
{
    close_clip();
    clip = calloc(1, sizeof *clip + sizeof request.name);
    if (!clip) {
        reply.status = SSIMCU_ERROR_MEMORY;
        snprintf(reply.why.text, sizeof reply.why.text, "%.300s: out of memory", request.name);
        return;
    }
    memcpy(clip->name, request.name, sizeof request.name - 1);
    clip->codec = module->codec;
    clip->limits.max_pixels = request.max_pixels;
    clip->limits.threads = request.threads;
    clip->stream = request.stream;
    clip->any_size = request.any_size;
    clip->gpu = -1;
    clip->fd = *fd;
    *fd = -1;
    reply.status = clip->codec->open(clip, clip->name, &reply.why);
    if (reply.status != SSIMCU_OK) return;
    reply.format = clip->format;
    copy_word(reply.matrix, clip->format.matrix);
    copy_word(reply.coding, clip->format.coding);
    reply.count = clip->count;
    reply.held = clip->held;
}

static void next_frame(void)
{
    ssimcu_clip_place place = {.offset = -1};
    reply.status = clip->codec->next(clip, NULL, &place, &reply.end, &reply.why);
    if (reply.status != SSIMCU_OK || !place.held) return;
    reply.number = (uint64_t)(uintptr_t)place.held;
    reply.coded = place.coded;
    reply.frame_status = module->borrowed(clip, place, &reply.borrowed, &reply.why);
}

static void release(uint64_t number)
{
    if (clip) clip->codec->release(clip, (ssimcu_clip_place){.held = (void *)(uintptr_t)number});
}

/* Answers requests that need an open clip. */
static void ask_clip(void)
{
    clip->frames = request.frames;
    switch (request.ask) {
    case VIDEO_NEXT: next_frame(); break;
    case VIDEO_SKIP: reply.number = clip->codec->skip(clip, request.number); break;
    case VIDEO_KEY_DISTANCE: reply.number = clip->codec->key_distance(clip); break;
    case VIDEO_KEY_BEFORE: reply.number = clip->codec->key_before(clip, request.number); break;
    case VIDEO_IS_BEYOND: reply.number = clip->codec->is_beyond(clip, request.number); break;
    default: close_clip(); break;
    }
}

static void answer(struct serve_call *call)
{
    reply.borrowed.fd = -1;
    if (request.ask == VIDEO_OPEN)
        open_clip(&call->fd[0]);
    else if (request.ask == VIDEO_RELEASE)
        release(request.number);
    else if (clip)
        ask_clip();
    call->borrowed = reply.borrowed.fd;
    call->silent = request.ask == VIDEO_RELEASE;
}

const struct serve_row serve_video = {"video",        open_module, answer,       &request,
                                      sizeof request, &reply,      sizeof reply, true};
