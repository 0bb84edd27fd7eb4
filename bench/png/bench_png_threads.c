/* bench_png_threads RUNS FILE.png... | --check: times the decoding of two copies of a file at once,
 * and of one alone, in ms. Each is done with one thread for each file and with two, as a Markdown
 * table. The ways take turns. Two threads for each of two files need four cores to themselves. */
#define _POSIX_C_SOURCE 200809L

#include "common/checks.h"
#include "common/common.h"
#include "ssimcu_io.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RUNS = 200, WAYS = 4 };

struct side {
    ssimcu_image *image;
    ssimcu_frame frame;
    bool good;
};

static void *decode(void *argument)
{
    struct side *const side = argument;
    side->good = ssimcu_image_decode(side->image, &side->frame, NULL) == SSIMCU_OK;
    return NULL;
}

static void open_side(struct side *side, const char *path, uint32_t threads)
{
    ssimcu_image_options options = SSIMCU_INIT(image_options);
    ssimcu_message message = {{0}};
    options.threads = threads;
    if (ssimcu_image_open(path, &options, &side->image, &message) != SSIMCU_OK) {
        fprintf(stderr, "bench_png_threads: %s\n", message.text);
        exit(1);
    }
    const ssimcu_frame shape = ssimcu_image_shape(side->image);
    if (!side->frame.data) {
        side->frame = shape;
        if (ssimcu_frame_alloc(&side->frame, NULL) != SSIMCU_OK) exit(1);
        memset(side->frame.data, 0, side->frame.pitch * shape.height);
    }
}

/* Times decoding alone: the files are in memory, and the frames have their pages. */
static double time_decoding(struct side pair[2], const char *path, int files, uint32_t threads)
{
    pthread_t other;
    for (int i = 0; i < files; i++) open_side(&pair[i], path, threads);
    const double start = now_ms();
    if (files == 2 && pthread_create(&other, NULL, decode, &pair[1]) != 0) exit(1);
    decode(&pair[0]);
    if (files == 2) pthread_join(other, NULL);
    const double ms = now_ms() - start;
    for (int i = 0; i < files; i++) {
        if (!pair[i].good || strcmp(ssimcu_image_reader(pair[i].image), "igzip") != 0) exit(1);
        ssimcu_image_close(&pair[i].image);
    }
    return ms;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure_file(const char *path, int runs)
{
    static double ms[WAYS][MAX_RUNS];
    struct side pair[2] = {{0}};
    for (int run = -1; run < runs; run++)
        for (int way = 0; way < WAYS; way++) {
            const double took = time_decoding(pair, path, 2 - way / 2, 1 + (uint32_t)way % 2);
            if (run >= 0) ms[way][run] = took;
        }
    const char *const name = strrchr(path, '/');
    printf("| %s |", name ? name + 1 : path);
    for (int way = 0; way < WAYS; way++) {
        qsort(ms[way], (size_t)runs, sizeof ms[way][0], compare);
        printf(" %.1f (%.1f to %.1f) |", ms[way][runs / 2], ms[way][0], ms[way][runs - 1]);
        if (way % 2) printf(" %.3f |", ms[way][runs / 2] / ms[way - 1][runs / 2]);
    }
    puts("");
    fflush(stdout);
    for (int i = 0; i < 2; i++) ssimcu_frame_free(&pair[i].frame);
}

/* Holds what each way decodes against what was written. */
static int check(void)
{
    for (int i = 0; i < CHECK_SIZES; i++) {
        const uint32_t width = check_sizes[i].width, height = check_sizes[i].height;
        ssimcu_frame frame = check_frame(width, height, 3, 8, 0);
        char path[CHECK_PATH];
        check_path(path, "picture.png");
        if (ssimcu_image_write_png(path, &frame, NULL) != SSIMCU_OK) exit(1);
        struct side pair[2] = {{0}};
        for (int way = 0; way < WAYS; way++) {
            const int files = 2 - way / 2;
            (void)time_decoding(pair, path, files, 1 + (uint32_t)way % 2);
            for (int f = 0; f < files; f++) {
                bool same = true;
                for (uint32_t y = 0; y < height; y++)
                    same &= memcmp((uint8_t *)pair[f].frame.data + y * pair[f].frame.pitch,
                                   (uint8_t *)frame.data + y * frame.pitch, width * 3) == 0;
                check_that(same, "%ux%u, way %d, file %d", width, height, way, f);
                memset(pair[f].frame.data, 0, pair[f].frame.pitch * height);
            }
        }
        for (int f = 0; f < 2; f++) ssimcu_frame_free(&pair[f].frame);
        ssimcu_frame_free(&frame);
    }
    return check_end();
}

int main(int count, char **argument)
{
    if (check_asked(count, argument)) return check();
    const int wanted = count > 2 ? atoi(argument[1]) : 0;
    if (wanted < 1) {
        fprintf(stderr, "usage: bench_png_threads RUNS FILE.png... | --check\n");
        return 2;
    }
    printf("%u CPUs; ms: median of %d (min to max)\n\n", ssimcu_cpu_threads(), wanted);
    puts("| file | two files, 1 thread each | 2 each | ratio | one file, 1 thread | 2 | ratio |");
    puts("|---|---|---|---|---|---|---|");
    for (int i = 2; i < count; i++)
        measure_file(argument[i], wanted < MAX_RUNS ? wanted : MAX_RUNS);
    return 0;
}
