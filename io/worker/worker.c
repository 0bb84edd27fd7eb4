/* The caller's side of workers: idle workers, their messages, and their ends. */
#define _GNU_SOURCE /* memfd_create, prlimit, sigabbrev_np */
#include "worker.h"
#include "packet.h"
#include "spawn.h"

#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TICK_MS = 500,           /* time between checks of a worker that does not answer */
    TICKS_STOPPED = 4,       /* checks that find it stopped before it is killed */
    LOADED_BYTES = 256 << 20 /* more than a module, its libraries and their threads need */
};

struct ssimcu_worker {
    ssimcu_worker *next; /* next idle worker */
    char module[32];
    pid_t pid;
    int socket;
    void *window;
    size_t window_bytes;
    int window_fd;
    uint64_t memory; /* limit in force; 0: none */
    bool greeted;    /* it has reported that its module is open */
    char why[SSIMCU_WORKER_REASON];
};

/* ---- Idle workers ---------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ssimcu_worker *idle;
static pid_t owner; /* process that started the idle workers */

static void drop_window(ssimcu_worker *worker)
{
    if (!worker->window) return;
    munmap(worker->window, worker->window_bytes);
    close(worker->window_fd);
    worker->window = NULL;
}

static void forget(ssimcu_worker *worker)
{
    close(worker->socket);
    drop_window(worker);
    free(worker);
}

/* Drops the workers of the process that this one was forked from. The caller holds the lock. */
static void leave_to_parent(void)
{
    if (owner == getpid()) return;
    while (idle) {
        ssimcu_worker *const worker = idle;
        idle = worker->next;
        forget(worker);
    }
    owner = getpid();
}

static ssimcu_worker *take_idle(const char *module)
{
    pthread_mutex_lock(&lock);
    leave_to_parent();
    ssimcu_worker **link = &idle;
    while (*link && strcmp((*link)->module, module) != 0) link = &(*link)->next;
    ssimcu_worker *const worker = *link;
    if (worker) *link = worker->next;
    pthread_mutex_unlock(&lock);
    return worker;
}

void ssimcu_worker_give(ssimcu_worker *worker)
{
    if (!worker) return;
    pthread_mutex_lock(&lock);
    leave_to_parent();
    worker->next = idle;
    idle = worker;
    pthread_mutex_unlock(&lock);
}

/* Prevents zombies when the library is unloaded. */
__attribute__((destructor)) static void end_idle(void)
{
    for (ssimcu_worker *worker; owner == getpid() && (worker = idle) != NULL;) {
        idle = worker->next;
        ssimcu_worker_end(worker);
    }
}

/* ---- Starting and ending --------------------------------------------------------------------- */

/* Returns how the worker ended. It is dead or about to die. */
static const char *reap(ssimcu_worker *worker, char *text, size_t size)
{
    int status = 0;
    pid_t got;
    do got = waitpid(worker->pid, &status, 0);
    while (got < 0 && errno == EINTR);
    if (got == worker->pid && WIFSIGNALED(status)) {
        const char *const name = sigabbrev_np(WTERMSIG(status));
        snprintf(text, size, "the decoder was ended by %s%s (%s)", name ? "SIG" : "a signal",
                 name ? name : "", strsignal(WTERMSIG(status)));
    } else {
        snprintf(text, size, "the decoder ended early");
    }
    worker->pid = 0;
    return text;
}

/* Kills the worker if it lives. If it has died, reap reports its original end. */
static void kill_worker(const ssimcu_worker *worker)
{
    if (worker->pid > 0 &&
        waitid(P_PID, (id_t)worker->pid, &(siginfo_t){0}, WEXITED | WNOHANG | WNOWAIT) == 0)
        (void)kill(worker->pid, SIGKILL);
}

void ssimcu_worker_end(ssimcu_worker *worker)
{
    char text[SSIMCU_WORKER_REASON];
    if (!worker) return;
    kill_worker(worker);
    if (worker->pid > 0) (void)reap(worker, text, sizeof text);
    forget(worker);
}

/* Starts a worker, which then loads the module. */
static ssimcu_status start(const char *module, ssimcu_worker **worker, ssimcu_message *message)
{
    ssimcu_worker *const made = calloc(1, sizeof *made);
    if (!made) return ssimcu_no_memory(message, NULL);
    snprintf(made->module, sizeof made->module, "%s", module);
    const ssimcu_status status = ssimcu_spawn(module, &made->pid, &made->socket, message);
    if (status != SSIMCU_OK) free(made);
    if (status == SSIMCU_OK) *worker = made;
    return status;
}

/* Waits until the worker has loaded the module. Ends it on failure. */
static ssimcu_status greet(ssimcu_worker *worker, ssimcu_message *message)
{
    struct ssimcu_worker_hello hello;
    ssimcu_status status = SSIMCU_OK;
    if (!ssimcu_worker_receive(worker, &hello, sizeof hello, SSIMCU_WORKER_LOAD_SECONDS, NULL,
                               NULL))
        status = ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: %s", ssimcu_spawn_program(),
                             worker->why);
    else if (!hello.ready)
        status = ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED, "%.*s",
                             (int)sizeof hello.reason - 1, hello.reason);
    worker->greeted = status == SSIMCU_OK;
    if (status != SSIMCU_OK) ssimcu_worker_end(worker);
    return status;
}

bool ssimcu_worker_exists(void) { return ssimcu_spawn_program() != NULL; }

void ssimcu_worker_start_ahead(const char *module)
{
    ssimcu_worker *worker = NULL;
    if (start(module, &worker, NULL) == SSIMCU_OK) ssimcu_worker_give(worker);
}

ssimcu_status ssimcu_worker_take(const char *module, ssimcu_worker **worker,
                                 ssimcu_message *message)
{
    ssimcu_status status;
    /* An idle worker may have been ended from outside, even after its hello. */
    while ((*worker = take_idle(module)) != NULL) {
        struct pollfd look = {.fd = (*worker)->socket};
        status = (*worker)->greeted ? SSIMCU_OK : greet(*worker, message);
        if (status == SSIMCU_ERROR_FILE) continue;
        if (status != SSIMCU_OK || poll(&look, 1, 0) == 0) return status;
        ssimcu_worker_end(*worker);
    }
    TRY(start(module, worker, message));
    return greet(*worker, message);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

void ssimcu_worker_limit_memory(ssimcu_worker *worker, uint64_t bytes)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)worker, (void)bytes; /* a sanitizer's shadow memory is terabytes */
#else
    struct rlimit limit;
    const uint64_t all = bytes + LOADED_BYTES;
    if (worker->memory == all || prlimit(worker->pid, RLIMIT_DATA, NULL, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max < all ? limit.rlim_max : all;
    if (prlimit(worker->pid, RLIMIT_DATA, &limit, NULL) == 0) worker->memory = all;
    /* Shared memory is a file, which that limit does not count. A worker writes no other file. */
    if (prlimit(worker->pid, RLIMIT_FSIZE, NULL, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max < all ? limit.rlim_max : all;
    (void)prlimit(worker->pid, RLIMIT_FSIZE, &limit, NULL);
#endif
}

void *ssimcu_worker_window(ssimcu_worker *worker, size_t bytes, int *fd)
{
    if (worker->window_bytes < bytes) drop_window(worker);
    if (!worker->window) {
        const int made = memfd_create("ssimcu-window", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (made < 0) return NULL;
        void *const window =
            ftruncate(made, (off_t)bytes) == 0 &&
                    fcntl(made, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0
                ? mmap(NULL, bytes, PROT_READ, MAP_SHARED, made, 0)
                : MAP_FAILED;
        if (window == MAP_FAILED) {
            close(made);
            return NULL;
        }
        worker->window = window;
        worker->window_bytes = bytes;
        worker->window_fd = made;
    }
    *fd = worker->window_fd;
    return worker->window;
}

/* ---- Messages -------------------------------------------------------------------------------- */

void ssimcu_worker_send(ssimcu_worker *worker, const void *request, size_t size, const int *fd,
                        unsigned count)
{
    (void)ssimcu_packet_send(worker->socket, request, size, fd, count);
}

static bool is_stopped(const ssimcu_worker *worker)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)worker->pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == worker->pid;
}

/* Waits for something to receive. If nothing will come, writes the reason. */
static bool wait_for_reply(ssimcu_worker *worker, uint32_t seconds, const ssimcu_stop *stop)
{
    struct pollfd look = {.fd = worker->socket, .events = POLLIN};
    uint64_t waited_ms = 0; /* not a clock: time in which this process is stopped does not count */
    for (int stopped = 0;;) {
        const int ready = poll(&look, 1, TICK_MS);
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
        if (ready == 0) {
            stopped = is_stopped(worker) ? stopped + 1 : 0;
            waited_ms += TICK_MS;
        }
        if (stopped == TICKS_STOPPED)
            snprintf(worker->why, sizeof worker->why, "the decoder was stopped by SIGSTOP");
        else if (ssimcu_is_stopped(stop))
            snprintf(worker->why, sizeof worker->why, "the run was stopped");
        else if (waited_ms > (uint64_t)seconds * 1000)
            snprintf(worker->why, sizeof worker->why,
                     "the decoder did not answer for %u seconds and was ended by SIGKILL",
                     (unsigned)seconds);
        else
            continue;
        return false;
    }
}

bool ssimcu_worker_receive(ssimcu_worker *worker, void *reply, size_t size, uint32_t seconds,
                           const ssimcu_stop *stop, int *fd)
{
    int came[SSIMCU_PACKET_FDS];
    if (wait_for_reply(worker, seconds, stop) &&
        ssimcu_packet_receive(worker->socket, reply, size, fd ? came : NULL)) {
        if (fd) *fd = came[0];
        if (fd && came[1] >= 0) close(came[1]);
        return true;
    }
    char text[SSIMCU_WORKER_REASON];
    kill_worker(worker);
    (void)reap(worker, text, sizeof text);
    if (!worker->why[0]) memcpy(worker->why, text, sizeof text);
    return false;
}

ssimcu_status ssimcu_worker_status(ssimcu_status said)
{
    switch (said) {
    case SSIMCU_OK:
    case SSIMCU_ERROR_ARGUMENT:
    case SSIMCU_ERROR_FILE:
    case SSIMCU_ERROR_UNSUPPORTED:
    case SSIMCU_ERROR_LIMIT:
    case SSIMCU_ERROR_MISMATCH: return said;
    case SSIMCU_ERROR_MEMORY: return SSIMCU_ERROR_LIMIT;
    default: return SSIMCU_ERROR_DATA;
    }
}

const char *ssimcu_worker_why(const ssimcu_worker *worker) { return worker->why; }
