/* bench_decode THREADS FILE...: decodes every file once on THREADS threads and drops the samples. A
 * batch without its scores takes this long. */
#include "ssimcu_io.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 256 };

struct files {
    char **path;
    int count;
    atomic_int next;
};

static void *work(void *argument)
{
    struct files *const files = argument;
    for (int i = atomic_fetch_add(&files->next, 1); i < files->count;
         i = atomic_fetch_add(&files->next, 1)) {
        ssimcu_frame frame;
        ssimcu_message message = {{0}};
        if (ssimcu_image_read(files->path[i], NULL, &frame, &message) != SSIMCU_OK) {
            fprintf(stderr, "bench_decode: %s\n", message.text);
            exit(1);
        }
        ssimcu_frame_free(&frame);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = argc > 2 ? atoi(argv[1]) : 0;
    if (threads < 1 || threads > MAX_THREADS) {
        fprintf(stderr, "usage: bench_decode THREADS FILE...\n");
        return 2;
    }
    struct files files = {argv + 2, argc - 2, 0};
    pthread_t thread[MAX_THREADS];
    for (int i = 1; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work, &files) != 0) return 1;
    work(&files);
    for (int i = 1; i < threads; i++) pthread_join(thread[i], NULL);
    return 0;
}
