/* bench_png DIR PHOTO.png [RUNS] | --check: times the decoding of a PNG by ssimcu_io against
 * libpng, in CPU time of the thread, as a Markdown table. The PHOTO, RGB of 8 bits, is measured as
 * it is. It gives the size of other kinds of picture, which are written into DIR once and kept
 * there. Pixels are compared first. The decoders take turns, so that a busy machine disturbs all of
 * them. */
#define _POSIX_C_SOURCE 200809L

#include "common/checks.h"
#include "peer.h"
#include "pictures.h"
#include "png_readers.h"
#include "ssimcu_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_RUNS = 200, DECODERS = 3 };

static bool by_fast(const ssimcu_file *file, ssimcu_frame *frame)
{
    return ssimcu_png_read_fast(file, frame);
}

static bool by_libpng(const ssimcu_file *file, ssimcu_frame *frame)
{
    return ssimcu_png_read_libpng(file, frame) == SSIMCU_OK;
}

static bool (*const decoders[DECODERS])(const ssimcu_file *, ssimcu_frame *) = {by_fast, by_libpng,
                                                                                peer_read};

static double thread_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static ssimcu_file load(const char *path)
{
    FILE *const stream = fopen(path, "rb");
    if (!stream || fseek(stream, 0, SEEK_END) != 0) exit(1);
    const size_t size = (size_t)ftell(stream);
    rewind(stream);
    uint8_t *const bytes = malloc(size);
    if (!bytes || fread(bytes, 1, size, stream) != size) exit(1);
    fclose(stream);
    return (ssimcu_file){.name = path, .bytes = bytes, .size = size};
}

static ssimcu_frame new_frame(ssimcu_frame shape)
{
    if (ssimcu_frame_alloc(&shape, NULL) != SSIMCU_OK) exit(1);
    return shape;
}

/* Tells whether all decoders make the same pixels of the file. */
static bool are_equal(const ssimcu_file *file, const ssimcu_frame *shape, int used)
{
    ssimcu_frame frame[DECODERS];
    bool equal = true;
    for (int i = 0; i < used; i++) {
        frame[i] = new_frame(*shape);
        memset(frame[i].data, i, frame[i].pitch * frame[i].height);
        equal &= decoders[i](file, &frame[i]);
        const size_t row = (size_t)shape->width * shape->channels * shape->bits / 8;
        for (uint32_t y = 0; y < shape->height; y++)
            equal &= memcmp((uint8_t *)frame[0].data + y * frame[0].pitch,
                            (uint8_t *)frame[i].data + y * frame[i].pitch, row) == 0;
    }
    for (int i = 0; i < used; i++) ssimcu_frame_free(&frame[i]);
    return equal;
}

static void measure(const char *name, const char *path, int runs)
{
    static double ms[DECODERS][MAX_RUNS];
    const int used = peer_name ? DECODERS : DECODERS - 1;
    const ssimcu_file file = load(path);
    ssimcu_frame shape = {0};
    if (ssimcu_png_read_libpng(&file, &shape) != SSIMCU_OK) exit(1);
    if (!are_equal(&file, &shape, used)) {
        fprintf(stderr, "bench_png: %s: the decoders differ\n", path);
        exit(1);
    }
    ssimcu_frame frame = new_frame(shape);
    for (int run = -1; run < runs; run++)
        for (int i = 0; i < used; i++) {
            const double start = thread_ms();
            decoders[i](&file, &frame);
            if (run >= 0) ms[i][run] = thread_ms() - start;
        }
    for (int i = 0; i < used; i++) qsort(ms[i], (size_t)runs, sizeof ms[i][0], compare);
    printf("| %s | %.1f |", name, (double)file.size / (1 << 20));
    for (int i = 0; i < used; i++)
        printf(" %.1f (%.1f to %.1f) |", ms[i][runs / 2], ms[i][0], ms[i][runs - 1]);
    for (int i = 1; i < used; i++) printf(" %.3f |", ms[0][runs / 2] / ms[i][runs / 2]);
    puts("");
    fflush(stdout);
    ssimcu_frame_free(&frame);
    free((void *)file.bytes);
}

/* All kinds of picture, small and ragged. */
static int check(void)
{
    static struct picture pictures[PICTURES];
    for (int i = 0; i < CHECK_SIZES; i++) {
        const struct check_size size = check_sizes[i];
        ssimcu_frame photo = check_frame(size.width, size.height, 3, 8, 0);
        char folder[CHECK_PATH];
        check_path(folder, "");
        write_pictures(folder, &photo, pictures);
        for (int k = 0; k < PICTURES; k++) {
            const ssimcu_file file = load(pictures[k].path);
            ssimcu_frame shape = {0};
            if (ssimcu_png_read_libpng(&file, &shape) != SSIMCU_OK) exit(1);
            check_that(are_equal(&file, &shape, peer_name ? DECODERS : DECODERS - 1), "%s, %ux%u",
                       pictures[k].name, size.width, size.height);
            free((void *)file.bytes);
            remove(pictures[k].path); /* it would be kept for the next size */
        }
        ssimcu_frame_free(&photo);
    }
    return check_end();
}

int main(int count, char **argument)
{
    if (check_asked(count, argument)) return check();
    if (count < 3) {
        fprintf(stderr, "usage: bench_png DIR PHOTO.png [RUNS] | --check\n");
        return 2;
    }
    const int wanted = count > 3 ? atoi(argument[3]) : 11;
    const int runs = wanted < 1 ? 1 : wanted > MAX_RUNS ? MAX_RUNS : wanted;
    static struct picture pictures[PICTURES];
    ssimcu_frame photo;
    ssimcu_message message = {{0}};
    if (ssimcu_image_read(argument[2], NULL, &photo, &message) != SSIMCU_OK ||
        photo.channels != 3 || photo.bits != 8) {
        fprintf(stderr, "bench_png: %s: not RGB of 8 bits %s\n", argument[2], message.text);
        return 1;
    }
    write_pictures(argument[1], &photo, pictures);
    printf("%ux%u; ms of the thread's CPU: median of %d (min to max)\n\n", photo.width,
           photo.height, runs);
    printf("| picture | MiB | ssimcu_io | libpng |");
    if (peer_name) printf(" %s |", peer_name);
    printf(" of libpng |%s\n", peer_name ? " of the other |" : "");
    printf("|---|---|---|---|---|%s\n", peer_name ? "---|---|" : "");
    measure("the photo's file", argument[2], runs);
    for (int i = 0; i < PICTURES; i++) measure(pictures[i].name, pictures[i].path, runs);
    ssimcu_frame_free(&photo);
    return 0;
}
