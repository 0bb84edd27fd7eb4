/* The caller's side of decoding video in a worker. When the decoder crashes, a new worker decodes
 * on one thread, so that it crashes exactly at the frame that causes it. That frame fails. The next
 * one is reached by a seek to a later key frame; the frames before that key frame fail too. */
#define _GNU_SOURCE /* O_CLOEXEC, F_GET_SEALS */
#include "video/remote/remote_run.h"

#include "fail.h"
#include "image/image_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_DEATHS = 32 }; /* crashes allowed per clip */

static const uint64_t NO_FRAME = 1ull << 40; /* larger than any frame number */

/* A borrowed frame. */
struct borrowed {
    struct run *run; /* NULL: no samples */
    uint64_t number;
    ssimcu_status status;
    ssimcu_message why;
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
};

/* ---- Opening --------------------------------------------------------------------------------- */

static void take_format(ssimcu_clip *clip, const struct video_reply *reply)
{
    struct remote *const remote = clip->state;
    snprintf(remote->matrix, VIDEO_WORD, "%.*s", VIDEO_WORD - 1, reply->matrix);
    snprintf(remote->coding, VIDEO_WORD, "%.*s", VIDEO_WORD - 1, reply->coding);
    clip->format = reply->format;
    clip->format.matrix = remote->matrix[0] ? remote->matrix : NULL;
    clip->format.coding = remote->coding[0] ? remote->coding : NULL;
    clip->format.stream = clip->stream;
    clip->format.lies_apart = clip->format.on_device = false; /* the worker reorders samples */
    clip->count = reply->count;
    clip->held = reply->held;
}

static ssimcu_status open_remote(ssimcu_clip *clip, const char *path, ssimcu_message *message)
{
    struct video_reply reply;
    struct remote *const remote = clip->state = calloc(1, sizeof *remote);
    if (!remote) return ssimcu_no_memory(message, NULL);
    pthread_mutex_init(&remote->lock, NULL);
    remote->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (remote->fd < 0) FAIL(FILE, "%.300s: %s", path, strerror(errno));
    TRY(ssimcu_remote_start(clip, clip->limits.threads, &reply, message));
    take_format(clip, &reply);
    return ssimcu_clip_format_check_size(clip, message);
}

static void close_remote(ssimcu_clip *clip)
{
    struct remote *const remote = clip->state;
    struct video_reply reply;
    if (!remote) return;
    if (remote->run)
        ssimcu_remote_end(remote, ssimcu_remote_ask_number(clip, VIDEO_CLOSE, 0, 0, &reply));
    if (remote->fd >= 0) close(remote->fd);
    pthread_mutex_destroy(&remote->lock);
    free(remote);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Maps the memory that holds a frame. Returns NULL if that fails or if the memory's size could
 * change. */
static const uint8_t *map_buffer(struct run *run, const struct ssimcu_video_borrowed *borrowed,
                                 int fd)
{
    if (borrowed->buffer >= MOST_BUFFERS) return NULL;
    struct buffer *const buffer = &run->buffer[borrowed->buffer];
    const int sealed = F_SEAL_SHRINK | F_SEAL_SEAL;
    if (!buffer->data) {
        if (fd < 0 || (fcntl(fd, F_GET_SEALS) & sealed) != sealed) return NULL;
        const off_t size = lseek(fd, 0, SEEK_END);
        if (size <= 0) return NULL;
        void *const data = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
        if (data == MAP_FAILED) return NULL;
        buffer->data = data;
        buffer->bytes = (size_t)size;
    }
    return buffer->data;
}

/* Fills in the shape of a borrowed frame. It is the clip's, or one of another size if the clip
 * allows that. Nothing else that the worker reports is trusted. */
static bool take_shape(const ssimcu_clip *clip, const struct ssimcu_video_borrowed *from,
                       ssimcu_clip_format *shape)
{
    const ssimcu_frame *const luma = &clip->format.plane[0];
    *shape = clip->format;
    if (from->width == luma->width && from->height == luma->height) return true;
    return clip->any_size && !clip->format.rgb &&
           ssimcu_clip_format_as(&clip->format, from->width, from->height, luma->bits, shape) &&
           ssimcu_limits_check(&clip->limits, clip->name, from->width, from->height, NULL) ==
               SSIMCU_OK;
}

/* Fills in the planes of a borrowed frame. Returns false if a plane does not lie in its memory. */
static bool take_planes(const ssimcu_clip *clip, const struct ssimcu_video_borrowed *from, int fd,
                        struct borrowed *borrowed)
{
    const uint8_t *const data = map_buffer(borrowed->run, from, fd);
    ssimcu_clip_format shape;
    if (!data || !take_shape(clip, from, &shape)) return false;
    const size_t bytes = borrowed->run->buffer[from->buffer].bytes;
    for (uint32_t p = 0; p < shape.planes; p++) {
        const ssimcu_frame *const plane = &shape.plane[p];
        const uint64_t row = plane->pitch, pitch = from->pitch[p], offset = from->offset[p];
        if (pitch < row || pitch > bytes || offset > bytes ||
            pitch * (plane->height - 1) + row > bytes - offset)
            return false;
        borrowed->plane[p] = *plane;
        borrowed->plane[p].data = (void *)(uintptr_t)(data + offset); /* the frame is only read */
        borrowed->plane[p].pitch = pitch;
    }
    return true;
}

/* Returns the worker's answer about a frame. If the worker has died, returns 0, which also means
 * no. */
static uint64_t ask_about(ssimcu_clip *clip, enum video_ask what, uint64_t frame)
{
    struct video_reply reply;
    return ssimcu_remote_ask_number(clip, what, frame, clip->frames, &reply) ? reply.number : 0;
}

static bool is_beyond(ssimcu_clip *clip, uint64_t frame)
{
    return ask_about(clip, VIDEO_IS_BEYOND, frame);
}

/* Moves a new worker to a frame. Returns false if it dies on the way, or if only a seek could pass
 * the frame that kills it and none is possible. */
static bool reach(ssimcu_clip *clip, uint64_t frame)
{
    const struct remote *const remote = clip->state;
    struct video_reply reply;
    if (frame == 0) return true;
    if (!ssimcu_remote_ask_number(clip, VIDEO_SKIP, frame, 0, &reply)) return false;
    if (reply.number) return true;
    for (uint64_t i = 0; i < frame && !remote->kills_decoder; i++) {
        if (!ssimcu_remote_ask_number(clip, VIDEO_NEXT, 0, i, &reply) ||
            reply.status != SSIMCU_OK || reply.end)
            return false;
        const struct video_request release = {.ask = VIDEO_RELEASE, .number = reply.number};
        ssimcu_worker_send(remote->run->worker, &release, sizeof release, NULL, 0);
    }
    return !remote->kills_decoder;
}

/* Starts a worker with one thread and moves it to the next frame. Clears *reached if that is
 * impossible, so that the frame fails. */
static ssimcu_status resume(ssimcu_clip *clip, bool *reached, bool *end, ssimcu_message *message)
{
    struct remote *const remote = clip->state;
    struct video_reply reply;
    if (!remote->run && remote->deaths++ == MOST_DEATHS) return ssimcu_remote_died(clip, message);
    if (!remote->run) TRY(ssimcu_remote_start(clip, 1, &reply, message));
    *reached = reach(clip, clip->frames);
    remote->position_lost = !*reached;
    if (*reached) return SSIMCU_OK;
    remote->kills_decoder = true;
    if (!remote->run) return SSIMCU_OK;
    *end = is_beyond(clip, clip->frames);
    /* If the worker does not know where the clip ends, frames would fail forever. */
    if (*end || is_beyond(clip, NO_FRAME)) return SSIMCU_OK;
    FAIL(DATA, "%.300s: %s, and the frames after it cannot be reached", clip->name, remote->why);
}

/* Makes the place of a frame that is borrowed from the worker, or of one that has killed it. */
static ssimcu_status make_borrowed(ssimcu_clip *clip, const struct video_reply *reply, int fd,
                                   ssimcu_clip_place *place, ssimcu_message *message)
{
    struct remote *const remote = clip->state;
    struct borrowed *const borrowed = calloc(1, sizeof *borrowed);
    if (!borrowed) return ssimcu_no_memory(message, NULL);
    place->held = borrowed;
    if (!reply) {
        borrowed->status = ssimcu_remote_died(clip, &borrowed->why);
        return SSIMCU_OK;
    }
    borrowed->run = remote->run;
    atomic_fetch_add(&borrowed->run->users, 1);
    borrowed->number = reply->number;
    place->coded = reply->coded;
    borrowed->status = ssimcu_worker_status(reply->frame_status);
    if (borrowed->status != SSIMCU_OK)
        snprintf(borrowed->why.text, sizeof borrowed->why.text, "%.*s",
                 (int)sizeof reply->why.text - 1, reply->why.text);
    else if (!take_planes(clip, &reply->borrowed, fd, borrowed))
        borrowed->status =
            ssimcu_fail(&borrowed->why, SSIMCU_ERROR_DATA,
                        "%.300s: the decoder returned invalid plane offsets", clip->name);
    return SSIMCU_OK;
}

/* Takes the frame from a reply. */
static ssimcu_status take_reply(ssimcu_clip *clip, const struct video_reply *reply, int fd,
                                ssimcu_clip_place *place, bool *end, ssimcu_message *message)
{
    ssimcu_status status = ssimcu_worker_status(reply->status);
    *end = reply->end;
    if (status != SSIMCU_OK)
        status =
            ssimcu_fail(message, status, "%.*s", (int)sizeof reply->why.text - 1, reply->why.text);
    else if (!*end)
        status = make_borrowed(clip, reply, fd, place, message);
    if (fd >= 0) close(fd);
    return status;
}

static ssimcu_status next(ssimcu_clip *clip, void *data, ssimcu_clip_place *place, bool *end,
                          ssimcu_message *message)
{
    struct remote *const remote = clip->state;
    struct video_request request = {.ask = VIDEO_NEXT, .frames = clip->frames};
    struct video_reply reply;
    int fd;
    (void)data;
    for (;;) {
        bool reached = true;
        *end = ssimcu_is_stopped(clip->stop);
        if (*end) return SSIMCU_OK;
        if (!remote->run || remote->position_lost) {
            const ssimcu_status status = resume(clip, &reached, end, message);
            if (status != SSIMCU_OK || *end) return status;
        }
        if (reached && ssimcu_remote_ask(clip, &request, -1, &reply, &fd))
            return take_reply(clip, &reply, fd, place, end, message);
        if (ssimcu_is_stopped(clip->stop)) continue;
        remote->kills_decoder = remote->deaths > 0; /* with one thread it died at this frame */
        if (remote->kills_decoder) return make_borrowed(clip, NULL, -1, place, message);
    }
}

static ssimcu_status view(const ssimcu_clip *clip, ssimcu_clip_place place,
                          ssimcu_frame plane[SSIMCU_MAX_PLANES], ssimcu_message *message)
{
    const struct borrowed *const borrowed = place.held;
    if (borrowed->status != SSIMCU_OK)
        return ssimcu_fail(message, borrowed->status, "%s", borrowed->why.text);
    memcpy(plane, borrowed->plane, clip->format.planes * sizeof *plane);
    return SSIMCU_OK;
}

static ssimcu_status read_frame(const ssimcu_clip *clip, ssimcu_clip_place place, void *data,
                                ssimcu_message *message)
{
    ssimcu_frame from[SSIMCU_MAX_PLANES];
    TRY(view(clip, place, from, message));
    return ssimcu_clip_copy(clip, from, data, message);
}

static void release(const ssimcu_clip *clip, ssimcu_clip_place place)
{
    struct remote *const remote = clip->state;
    struct borrowed *const borrowed = place.held;
    const struct video_request request = {.ask = VIDEO_RELEASE, .number = borrowed->number};
    pthread_mutex_lock(&remote->lock);
    if (borrowed->run && borrowed->run == remote->run)
        ssimcu_worker_send(borrowed->run->worker, &request, sizeof request, NULL, 0);
    pthread_mutex_unlock(&remote->lock);
    ssimcu_remote_leave(borrowed->run);
    free(borrowed);
}

/* ---- What needs no frame --------------------------------------------------------------------- */

static bool skip(ssimcu_clip *clip, uint64_t frame) { return ask_about(clip, VIDEO_SKIP, frame); }

static uint64_t key_distance(ssimcu_clip *clip) { return ask_about(clip, VIDEO_KEY_DISTANCE, 0); }

static uint64_t key_before(ssimcu_clip *clip, uint64_t frame)
{
    return ask_about(clip, VIDEO_KEY_BEFORE, frame);
}

const ssimcu_clip_codec ssimcu_codec_av_remote = {.open = open_remote,
                                                  .next = next,
                                                  .skip = skip,
                                                  .key_distance = key_distance,
                                                  .key_before = key_before,
                                                  .is_beyond = is_beyond,
                                                  .read = read_frame,
                                                  .view = view,
                                                  .release = release,
                                                  .close = close_remote};
