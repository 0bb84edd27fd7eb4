/* See remote_worker.h. The linker hands the calls of ssimcu_worker_* to the functions here. */
#define _GNU_SOURCE /* memfd_create, F_ADD_SEALS */
#include "remote_worker.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct script script;
struct seen seen;
ssimcu_worker workers[64];
ssimcu_clip *clip;
ssimcu_image_options limits = {.max_pixels = WIDTH * HEIGHT, .threads = THREADS};
ssimcu_stop stop;
char path[] = "/tmp/ssimcu-test-apart-XXXXXX";
static struct video_reply reply; /* the next one */
static const ssimcu_clip_codec *const codec = &ssimcu_codec_av_remote;
static int came; /* what comes with it */

/* ---- What stands for a worker ---------------------------------------------------------------- */

ssimcu_status __wrap_ssimcu_worker_take(const char *module, ssimcu_worker **worker,
                                        ssimcu_message *message);
ssimcu_status __wrap_ssimcu_worker_take(const char *module, ssimcu_worker **worker,
                                        ssimcu_message *message)
{
    (void)message;
    cr_expect_str_eq(module, "video");
    *worker = &workers[seen.taken++];
    return SSIMCU_OK;
}

void __wrap_ssimcu_worker_give(ssimcu_worker *worker);
void __wrap_ssimcu_worker_give(ssimcu_worker *worker) { seen.given += !worker->dead; }

void __wrap_ssimcu_worker_end(ssimcu_worker *worker);
void __wrap_ssimcu_worker_end(ssimcu_worker *worker) { worker->dead = true, seen.ended++; }

const char *__wrap_ssimcu_worker_why(const ssimcu_worker *worker);
const char *__wrap_ssimcu_worker_why(const ssimcu_worker *worker)
{
    cr_expect(worker->dead);
    return "its decoder died";
}

void __wrap_ssimcu_worker_limit_memory(ssimcu_worker *worker, uint64_t bytes);
void __wrap_ssimcu_worker_limit_memory(ssimcu_worker *worker, uint64_t bytes)
{
    seen.limit[worker->threads > 0] = bytes;
}

static void decode(ssimcu_worker *worker)
{
    seen.decoded++;
    reply = script.frame;
    reply.number = 100 + worker->at;
    reply.end = worker->at >= script.end;
    worker->dead = worker->at >= script.kills_decoder && worker->at % script.kills_decoder == 0;
    worker->at++, worker->borrowed++;
    came = script.memory;
}

/* A seek decodes from the key frame to the wanted one, so a deadly frame there kills it. */
static void skip(ssimcu_worker *worker, uint64_t frame)
{
    const uint64_t key = script.keys ? frame - frame % script.keys : 0;
    const uint64_t kills_decoder = frame - frame % script.kills_decoder; /* 0: none */
    reply.number = key > kills_decoder;
    worker->dead = key > 0 && key <= kills_decoder;
    if (reply.number) worker->at = frame;
}

void __wrap_ssimcu_worker_send(ssimcu_worker *worker, const void *request, size_t size,
                               const int *fd, unsigned count);
void __wrap_ssimcu_worker_send(ssimcu_worker *worker, const void *request, size_t size,
                               const int *fd, unsigned count)
{
    const struct video_request *const asks = request;
    cr_assert_eq(size, sizeof *asks);
    cr_expect(count == (asks->ask == VIDEO_OPEN) && !worker->dead);
    memset(&reply, 0, sizeof reply);
    came = -1;
    switch (asks->ask) {
    case VIDEO_OPEN:
        cr_expect(fcntl(*fd, F_GETFD) == FD_CLOEXEC && asks->max_pixels == limits.max_pixels);
        cr_expect_str_eq(asks->name, "clip");
        worker->threads = asks->threads;
        worker->dead = script.opened.end;
        reply = script.opened;
        break;
    case VIDEO_NEXT: decode(worker); break;
    case VIDEO_SKIP: skip(worker, asks->number); break;
    case VIDEO_KEY_DISTANCE: reply.number = 12; break;
    case VIDEO_KEY_BEFORE: reply.number = asks->number; break;
    case VIDEO_IS_BEYOND: reply.number = script.end_is_known && asks->number >= script.end; break;
    case VIDEO_RELEASE:
        seen.released = asks->number;
        worker->borrowed--;
        break;
    case VIDEO_CLOSE: worker->dead = script.dies_on_close; break;
    }
    if (asks->ask != VIDEO_RELEASE) seen.asked = *asks;
}

bool __wrap_ssimcu_worker_receive(ssimcu_worker *worker, void *to, size_t size, uint32_t seconds,
                                  const ssimcu_stop *until, int *fd);
bool __wrap_ssimcu_worker_receive(ssimcu_worker *worker, void *to, size_t size, uint32_t seconds,
                                  const ssimcu_stop *until, int *fd)
{
    static const struct video_reply reads = {.alive = true};
    cr_assert_eq(size, sizeof reply);
    cr_expect(seconds >= 60 && until == &stop);
    if (script.stops) atomic_store(&stop, true);
    worker->dead = worker->dead || script.stops;
    if (worker->dead) return false;
    memcpy(to, script.alive > 0 ? &reads : &reply, size);
    *fd = came < 0 ? -1 : fcntl(came, F_DUPFD_CLOEXEC, 0);
    return script.alive-- > 0 || true;
}

/* ---- Clips ----------------------------------------------------------------------------------- */

int make_memory(off_t bytes, int seals)
{
    const int fd = memfd_create("frames", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    cr_assert(fd >= 0 && ftruncate(fd, bytes) == 0 && fcntl(fd, F_ADD_SEALS, seals) == 0);
    return fd;
}

void make_clip(void)
{
    clip = calloc(1, sizeof *clip + sizeof "clip"); /* its name is behind it */
    memcpy(clip->name, "clip", sizeof "clip");
    close(mkstemp(path));
    cr_assert(ssimcu_clip_format_make(WIDTH, HEIGHT, 420, 8, &script.opened.format));
    script.opened.format.streams = 1;
    script.kills_decoder = NEVER, script.end = FRAMES;
    script.opened.count = FRAMES, script.opened.held = 77;
    script.memory = make_memory(BYTES, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    for (uint8_t i = 0; i < BYTES; i++) cr_assert_eq(pwrite(script.memory, &i, 1, i), 1);
    script.frame.borrowed = (struct ssimcu_video_borrowed){
        .bytes = BYTES, .offset = {1, 33, 49}, .fd = -1, .width = WIDTH, .height = HEIGHT};
    for (int p = 0; p < 3; p++) script.frame.borrowed.pitch[p] = PITCH;
}

void remove_clip(void)
{
    unlink(path);
    free(clip);
}

void open_clip(void)
{
    ssimcu_message message = {{0}};
    clip->limits = limits, clip->stop = &stop;
    cr_assert_eq(codec->open(clip, path, &message), SSIMCU_OK, "%s", message.text);
}

ssimcu_clip_place next_frame(void)
{
    ssimcu_clip_place place = {.offset = -1};
    ssimcu_message message = {{0}};
    bool at_end = true;
    cr_assert_eq(codec->next(clip, NULL, &place, &at_end, &message), SSIMCU_OK, "%s", message.text);
    cr_assert(!at_end && place.held);
    clip->frames++;
    return place;
}

bool is_good(const char *words)
{
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
    ssimcu_message why = {{0}};
    const ssimcu_clip_place place = next_frame();
    const ssimcu_status status = codec->view(clip, place, plane, &why);
    codec->release(clip, place);
    if (status == SSIMCU_OK) return true;
    cr_expect(status == SSIMCU_ERROR_DATA && strstr(why.text, words), "%s", why.text);
    return false;
}

void expect_failure(const char *words)
{
    ssimcu_clip_place place = {.offset = -1};
    bool at_end = false;
    CHECK_FAILS(codec->next(clip, NULL, &place, &at_end, &message), SSIMCU_ERROR_DATA, words);
    cr_expect_null(place.held);
}
