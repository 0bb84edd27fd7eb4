/* The caller's side of video in a worker. When the decoder dies, a new worker goes on with one
 * thread, which dies at the very frame that kills it. That frame fails. The next one is reached by
 * a seek, if there is a key frame in between; the frames up to there fail too. */
#define _GNU_SOURCE /* O_CLOEXEC, F_GET_SEALS */
#include "video/apart/apart_run.h"

#include "fail.h"
#include "image/image_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_DEATHS = 32 }; /* workers that a clip may cost */

static const uint64_t NO_FRAME = 1ull << 40; /* a number that no frame has */

/* A frame that was lent. */
struct lent {
    struct run *run; /* NULL: it has no samples */
    uint64_t number;
    ssimcu_status status;
    ssimcu_message why;
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
};

/* ---- Opening --------------------------------------------------------------------------------- */

static void take_format(ssimcu_clip *clip, const struct video_reply *reply)
{
    struct apart *const apart = clip->state;
    snprintf(apart->matrix, VIDEO_WORD, "%.*s", VIDEO_WORD - 1, reply->matrix);
    snprintf(apart->coding, VIDEO_WORD, "%.*s", VIDEO_WORD - 1, reply->coding);
    clip->format = reply->format;
    clip->format.matrix = apart->matrix[0] ? apart->matrix : NULL;
    clip->format.coding = apart->coding[0] ? apart->coding : NULL;
    clip->format.stream = clip->stream;
    clip->format.lies_apart = clip->format.on_device = false; /* the worker puts samples in order */
    clip->count = reply->count;
    clip->held = reply->held;
}

static ssimcu_status open_apart(ssimcu_clip *clip, const char *path, ssimcu_message *message)
{
    struct video_reply reply;
    struct apart *const apart = clip->state = calloc(1, sizeof *apart);
    if (!apart) return ssimcu_no_memory(message, NULL);
    pthread_mutex_init(&apart->lock, NULL);
    apart->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (apart->fd < 0)
        return ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: %s", path, strerror(errno));
    const ssimcu_status status = ssimcu_apart_start(clip, clip->limits.threads, &reply, message);
    if (status != SSIMCU_OK) return status;
    take_format(clip, &reply);
    return ssimcu_clip_format_check_size(clip, message);
}

static void close_apart(ssimcu_clip *clip)
{
    struct apart *const apart = clip->state;
    struct video_reply reply;
    if (!apart) return;
    if (apart->run)
        ssimcu_apart_end(apart, ssimcu_apart_ask_number(clip, VIDEO_CLOSE, 0, 0, &reply));
    if (apart->fd >= 0) close(apart->fd);
    pthread_mutex_destroy(&apart->lock);
    free(apart);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Returns the caller's view of the memory in which a frame lies. NULL if it cannot be had, or if
 * its size could change. */
static const uint8_t *map_buffer(struct run *run, const struct ssimcu_video_lent *lent, int fd)
{
    if (lent->buffer >= MOST_BUFFERS) return NULL;
    struct buffer *const buffer = &run->buffer[lent->buffer];
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

/* Fills in the shape of a lent frame: the clip's, or, if that takes any, one of another size. What
 * the worker says of it is trusted no further. */
static bool take_shape(const ssimcu_clip *clip, const struct ssimcu_video_lent *from,
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

/* Fills in the planes of a lent frame. False if one does not lie in its memory. */
static bool take_planes(const ssimcu_clip *clip, const struct ssimcu_video_lent *from, int fd,
                        struct lent *lent)
{
    const uint8_t *const data = map_buffer(lent->run, from, fd);
    ssimcu_clip_format shape;
    if (!data || !take_shape(clip, from, &shape)) return false;
    const size_t bytes = lent->run->buffer[from->buffer].bytes;
    for (uint32_t p = 0; p < shape.planes; p++) {
        const ssimcu_frame *const plane = &shape.plane[p];
        const uint64_t row = plane->pitch, pitch = from->pitch[p], offset = from->offset[p];
        if (pitch < row || pitch > bytes || offset > bytes ||
            pitch * (plane->height - 1) + row > bytes - offset)
            return false;
        lent->plane[p] = *plane;
        lent->plane[p].data = (void *)(uintptr_t)(data + offset); /* a frame that is only read */
        lent->plane[p].pitch = pitch;
    }
    return true;
}

/* Returns the worker's answer about a frame; 0, which is also a no, if it has died. */
static uint64_t ask_about(ssimcu_clip *clip, enum video_ask what, uint64_t frame)
{
    struct video_reply reply;
    return ssimcu_apart_ask_number(clip, what, frame, clip->frames, &reply) ? reply.number : 0;
}

static bool is_beyond(ssimcu_clip *clip, uint64_t frame)
{
    return ask_about(clip, VIDEO_IS_BEYOND, frame);
}

/* Moves a new worker to a frame. False if it has died on the way, or if only a seek could have
 * passed a deadly frame and there is none. */
static bool reach(ssimcu_clip *clip, uint64_t frame)
{
    const struct apart *const apart = clip->state;
    struct video_reply reply;
    if (frame == 0) return true;
    if (!ssimcu_apart_ask_number(clip, VIDEO_SKIP, frame, 0, &reply)) return false;
    if (reply.number) return true;
    for (uint64_t i = 0; i < frame && !apart->deadly; i++) {
        if (!ssimcu_apart_ask_number(clip, VIDEO_NEXT, 0, i, &reply) || reply.status != SSIMCU_OK ||
            reply.end)
            return false;
        const struct video_request release = {.ask = VIDEO_RELEASE, .number = reply.number};
        ssimcu_worker_send(apart->run->worker, &release, sizeof release, NULL, 0);
    }
    return !apart->deadly;
}

/* Brings a worker of one thread to the frame that is next. *reached is false if that is not
 * possible, so that the frame fails. */
static ssimcu_status resume(ssimcu_clip *clip, bool *reached, bool *end, ssimcu_message *message)
{
    struct apart *const apart = clip->state;
    struct video_reply reply;
    ssimcu_status status = SSIMCU_OK;
    if (!apart->run && apart->deaths++ == MOST_DEATHS) return ssimcu_apart_died(clip, message);
    if (!apart->run) status = ssimcu_apart_start(clip, 1, &reply, message);
    if (status != SSIMCU_OK) return status;
    *reached = reach(clip, clip->frames);
    apart->astray = !*reached;
    if (*reached) return SSIMCU_OK;
    apart->deadly = true;
    if (!apart->run) return SSIMCU_OK;
    *end = is_beyond(clip, clip->frames);
    /* The frames that fail would have no end if the worker does not know it. */
    if (*end || is_beyond(clip, NO_FRAME)) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                       "%.300s: %s, and the frames behind cannot be reached", clip->name,
                       apart->why);
}

/* Makes the place of a frame that the worker lends, or that has killed it. */
static ssimcu_status make_lent(ssimcu_clip *clip, const struct video_reply *reply, int fd,
                               ssimcu_clip_place *place, ssimcu_message *message)
{
    struct apart *const apart = clip->state;
    struct lent *const lent = calloc(1, sizeof *lent);
    if (!lent) return ssimcu_no_memory(message, NULL);
    place->held = lent;
    if (!reply) {
        lent->status = ssimcu_apart_died(clip, &lent->why);
        return SSIMCU_OK;
    }
    lent->run = apart->run;
    atomic_fetch_add(&lent->run->users, 1);
    lent->number = reply->number;
    place->coded = reply->coded;
    lent->status = ssimcu_worker_status(reply->frame_status);
    if (lent->status != SSIMCU_OK)
        snprintf(lent->why.text, sizeof lent->why.text, "%.*s", (int)sizeof reply->why.text - 1,
                 reply->why.text);
    else if (!take_planes(clip, &reply->lent, fd, lent))
        lent->status = ssimcu_fail(&lent->why, SSIMCU_ERROR_DATA,
                                   "%.300s: its decoder tells nonsense", clip->name);
    return SSIMCU_OK;
}

/* Takes the frame out of a reply. */
static ssimcu_status take_reply(ssimcu_clip *clip, const struct video_reply *reply, int fd,
                                ssimcu_clip_place *place, bool *end, ssimcu_message *message)
{
    ssimcu_status status = ssimcu_worker_status(reply->status);
    *end = reply->end;
    if (status != SSIMCU_OK)
        status =
            ssimcu_fail(message, status, "%.*s", (int)sizeof reply->why.text - 1, reply->why.text);
    else if (!*end)
        status = make_lent(clip, reply, fd, place, message);
    if (fd >= 0) close(fd);
    return status;
}

static ssimcu_status next(ssimcu_clip *clip, void *data, ssimcu_clip_place *place, bool *end,
                          ssimcu_message *message)
{
    struct apart *const apart = clip->state;
    struct video_request request = {.ask = VIDEO_NEXT, .frames = clip->frames};
    struct video_reply reply;
    int fd;
    (void)data;
    for (;;) {
        bool reached = true;
        *end = ssimcu_is_stopped(clip->stop);
        if (*end) return SSIMCU_OK;
        if (!apart->run || apart->astray) {
            const ssimcu_status status = resume(clip, &reached, end, message);
            if (status != SSIMCU_OK || *end) return status;
        }
        if (reached && ssimcu_apart_ask(clip, &request, -1, &reply, &fd))
            return take_reply(clip, &reply, fd, place, end, message);
        if (ssimcu_is_stopped(clip->stop)) continue;
        apart->deadly = apart->deaths > 0; /* it had one thread, so it died at this frame */
        if (apart->deadly) return make_lent(clip, NULL, -1, place, message);
    }
}

static ssimcu_status view(const ssimcu_clip *clip, ssimcu_clip_place place,
                          ssimcu_frame plane[SSIMCU_MAX_PLANES], ssimcu_message *message)
{
    const struct lent *const lent = place.held;
    if (lent->status != SSIMCU_OK) return ssimcu_fail(message, lent->status, "%s", lent->why.text);
    memcpy(plane, lent->plane, clip->format.planes * sizeof *plane);
    return SSIMCU_OK;
}

static ssimcu_status read_frame(const ssimcu_clip *clip, ssimcu_clip_place place, void *data,
                                ssimcu_message *message)
{
    ssimcu_frame from[SSIMCU_MAX_PLANES], to[SSIMCU_MAX_PLANES];
    ssimcu_status status = view(clip, place, from, message);
    if (status == SSIMCU_OK && (from[0].width != clip->format.plane[0].width ||
                                from[0].height != clip->format.plane[0].height))
        status = ssimcu_clip_no_room(clip, from, message);
    ssimcu_clip_planes(&clip->format, data, to);
    for (uint32_t p = 0; status == SSIMCU_OK && p < clip->format.planes; p++)
        for (uint32_t y = 0; y < to[p].height; y++)
            memcpy((uint8_t *)to[p].data + y * to[p].pitch,
                   (const uint8_t *)from[p].data + y * from[p].pitch, to[p].pitch);
    return status;
}

static void release(const ssimcu_clip *clip, ssimcu_clip_place place)
{
    struct apart *const apart = clip->state;
    struct lent *const lent = place.held;
    const struct video_request request = {.ask = VIDEO_RELEASE, .number = lent->number};
    pthread_mutex_lock(&apart->lock);
    if (lent->run && lent->run == apart->run)
        ssimcu_worker_send(lent->run->worker, &request, sizeof request, NULL, 0);
    pthread_mutex_unlock(&apart->lock);
    ssimcu_apart_leave(lent->run);
    free(lent);
}

/* ---- What needs no frame --------------------------------------------------------------------- */

static bool skip(ssimcu_clip *clip, uint64_t frame) { return ask_about(clip, VIDEO_SKIP, frame); }

static uint64_t key_distance(ssimcu_clip *clip) { return ask_about(clip, VIDEO_KEY_DISTANCE, 0); }

static uint64_t key_before(ssimcu_clip *clip, uint64_t frame)
{
    return ask_about(clip, VIDEO_KEY_BEFORE, frame);
}

const ssimcu_clip_codec ssimcu_codec_av_apart = {.open = open_apart,
                                                 .next = next,
                                                 .skip = skip,
                                                 .key_distance = key_distance,
                                                 .key_before = key_before,
                                                 .is_beyond = is_beyond,
                                                 .read = read_frame,
                                                 .view = view,
                                                 .release = release,
                                                 .close = close_apart};
