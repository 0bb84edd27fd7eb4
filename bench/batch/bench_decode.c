/* bench_decode THREADS FILE... | --check: decodes every file once on THREADS threads and drops the
 * samples. A batch without its scores takes this long. */
#include "common/checks.h"
#include "ssimcu_io.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 256 };

struct files {
    char **path;
    int count;
    atomic_int next, decoded;
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
        atomic_fetch_add(&files->decoded, 1);
    }
    return NULL;
}

/* Decodes all and returns how many there were. */
static int decode(char **path, int count, int threads)
{
    struct files files = {path, count, 0, 0};
    pthread_t thread[MAX_THREADS];
    for (int i = 1; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work, &files) != 0) exit(1);
    work(&files);
    for (int i = 1; i < threads; i++) pthread_join(thread[i], NULL);
    return files.decoded;
}

static int check(void)
{
    char path[CHECK_SIZES][CHECK_PATH], *paths[CHECK_SIZES];
    for (int i = 0; i < CHECK_SIZES; i++) {
        char name[32];
        ssimcu_frame frame = check_frame(check_sizes[i].width, check_sizes[i].height, 3, 8, 0);
        snprintf(name, sizeof name, "%d.png", i);
        check_path(path[i], name);
        paths[i] = path[i];
        if (ssimcu_image_write_png(path[i], &frame, NULL) != SSIMCU_OK) exit(1);
        ssimcu_frame_free(&frame);
    }
    for (int threads = 1; threads <= 2 * CHECK_SIZES; threads++) {
        const int decoded = decode(paths, CHECK_SIZES, threads);
        check_that(decoded == CHECK_SIZES, "%d threads decoded %d of %d files", threads, decoded,
                   CHECK_SIZES);
    }
    return check_end();
}

int main(int argc, char **argv)
{
    if (check_asked(argc, argv)) return check();
    const int threads = argc > 2 ? atoi(argv[1]) : 0;
    if (threads < 1 || threads > MAX_THREADS) {
        fprintf(stderr, "usage: bench_decode THREADS FILE... | --check\n");
        return 2;
    }
    (void)decode(argv + 2, argc - 2, threads);
    return 0;
}
