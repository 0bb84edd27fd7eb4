/* Serves the module for EXR. exr.h describes requests and replies. */
#define _GNU_SOURCE /* MAP_POPULATE */
#include "serve.h"

#include "exr/exr.h"
#include "modules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static ssimcu_exr_read_function *read_exr;
static struct ssimcu_exr_request request;
static struct ssimcu_exr_reply reply;

static bool open_module(char *reason, size_t size)
{
    return ssimcu_module_find(SSIMCU_EXR_MODULE, SSIMCU_EXR_SYMBOL, &read_exr, reason, size);
}

/* A request in progress, and the memory of its two descriptors. */
struct job {
    int socket;
    struct ssimcu_exr_task task;
    void *file, *window;
};

static void tell(const struct ssimcu_exr_task *task)
{
    reply.facts = task->facts;
    memcpy(reply.text, task->text, sizeof reply.text);
    memcpy(reply.names, task->names, sizeof reply.names);
}

/* Hands out a band and waits until the caller has copied it. */
static bool give_band(void *user, int32_t y, uint32_t rows)
{
    struct job *const job = user;
    char go;
    reply.y = y;
    reply.rows = rows;
    tell(&job->task);
    return ssimcu_packet_send(job->socket, &reply, sizeof reply, NULL, 0) &&
           ssimcu_packet_receive(job->socket, &go, sizeof go, NULL);
}

/* Maps the file, and loads all of it if its pixels are wanted. If the file is truncated meanwhile,
 * SIGBUS ends the worker, and the caller reports that. */
static const char *map_file(struct job *job, int fd)
{
    const bool decode = request.window_bytes > 0;
    const off_t size = lseek(fd, 0, SEEK_END);
    if (size < 0) return strerror(errno);
    if ((uint64_t)size < request.size) return "was truncated while it was read";
    job->file =
        mmap(NULL, request.size, PROT_READ, MAP_PRIVATE | (decode ? MAP_POPULATE : 0), fd, 0);
    if (job->file == MAP_FAILED) return strerror(errno);
    if (!decode) (void)madvise(job->file, request.size, MADV_WILLNEED);
    return NULL;
}

static const char *map(struct job *job, const int fd[2])
{
    const char *const wrong = map_file(job, fd[0]);
    if (wrong || request.window_bytes == 0) return wrong;
    /* Its pages exist since the first file, and one call maps them faster than page faults. */
    job->window = mmap(NULL, request.window_bytes, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_POPULATE, fd[1], 0);
    return job->window == MAP_FAILED ? strerror(errno) : NULL;
}

static void read_file(struct job *job)
{
    job->task = (struct ssimcu_exr_task){
        .bytes = job->file,
        .size = request.size,
        .layer = request.has_layer ? request.layer : NULL,
        .channels = request.has_channels ? request.channels : NULL,
        .wide = request.wide,
        .many = request.many,
        .max_pixels = request.max_pixels,
        .threads = request.threads,
        .band = job->window,
        .band_bytes = request.window_bytes,
        .rows = request.rows,
        .take = give_band,
        .user = job,
    };
    reply.status = read_exr(&job->task);
}

static void answer(struct serve_call *call)
{
    struct job job = {.socket = call->socket, .file = MAP_FAILED};
    const char *const wrong = map(&job, call->fd);
    if (!wrong) {
        read_file(&job);
    } else {
        reply.status = SSIMCU_ERROR_FILE;
        snprintf(job.task.text, sizeof job.task.text, "%s", wrong);
    }
    if (job.file != MAP_FAILED) munmap(job.file, request.size);
    if (job.window && job.window != MAP_FAILED) munmap(job.window, request.window_bytes);
    reply.rows = 0; /* the last reply */
    tell(&job.task);
}

const struct serve_row serve_exr = {"exr",          open_module, answer,       &request,
                                    sizeof request, &reply,      sizeof reply, false};
