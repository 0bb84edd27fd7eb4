/* ssimcu-decode MODULE VERSION: a worker. worker.h describes its start and its messages. */
#define _GNU_SOURCE
#include "serve.h"

#include "worker/worker.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static const struct serve_row *const rows[] = {&serve_exr, &serve_video, NULL};

/* Ends the process as soon as its caller has closed the socket or died, even while it decodes. */
static void *watch(void *argument)
{
    struct pollfd caller = {.fd = SSIMCU_WORKER_SOCKET};
    (void)argument;
    for (;;)
        if (poll(&caller, 1, -1) > 0) _exit(0);
}

static bool start_watch(void)
{
    pthread_attr_t small;
    pthread_t thread;
    if (pthread_attr_init(&small) != 0) return false;
    (void)pthread_attr_setstacksize(&small, 64 << 10);
    return pthread_create(&thread, &small, watch, NULL) == 0;
}

int main(int count, char **argument)
{
    struct ssimcu_worker_hello hello = {.ready = false};
    if (count != 3 || strcmp(argument[2], SSIMCU_WORKER_VERSION) != 0) return 2;
    const struct serve_row *const *row = rows;
    while (*row && strcmp((*row)->name, argument[1]) != 0) row++;
    if (!*row) return 2;
    if (chdir("/") != 0) return 2;
    /* Nothing watches the caller yet, because an earlier thread would not be in the sandbox. */
    (void)alarm(SSIMCU_WORKER_LOAD_SECONDS);
    hello.ready = (*row)->open(hello.reason, sizeof hello.reason);
    (void)alarm(0);
    sandbox_enter((*row)->makes_memory);
    if (!start_watch()) return 2;
    if (!ssimcu_packet_send(SSIMCU_WORKER_SOCKET, &hello, sizeof hello, NULL, 0)) return 0;
    while (hello.ready && serve_one(*row, SSIMCU_WORKER_SOCKET)) continue;
    _exit(0); /* without waiting for threads of libraries */
}
