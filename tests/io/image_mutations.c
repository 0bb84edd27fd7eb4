/* image_mutations COUNT FILE...: damages each file COUNT times by one changed bit, anywhere. As
 * often it does worse: changed bytes, a moved part, a part cut out, the end cut off. No damage may
 * crash. Prints how many files were refused, how many gave the same pixels, and how many gave
 * others, which no checksum of the format noticed. A file whose end is cut off must be refused:
 * anything else ends with 1. */
#define _GNU_SOURCE /* memfd_create */
#include "ssimcu_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REFUSED, SAME, OTHER, OUTCOMES };

static const ssimcu_image_options options = {.struct_size = sizeof options, .max_pixels = 1 << 22};

static uint64_t state = 1;

static size_t below(size_t count)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (size_t)(state >> 33) % count;
}

static int same(const ssimcu_frame *a, const ssimcu_frame *b)
{
    const size_t row = (size_t)a->width * a->channels * ((a->bits % SSIMCU_BITS_FLOAT + 7) / 8);
    if (a->width != b->width || a->height != b->height || a->channels != b->channels ||
        a->bits != b->bits)
        return 0;
    for (uint32_t y = 0; y < a->height; y++)
        if (memcmp((char *)a->data + y * a->pitch, (char *)b->data + y * b->pitch, row) != 0)
            return 0;
    return 1;
}

static int outcome(const uint8_t *bytes, size_t size, const ssimcu_frame *whole)
{
    char path[32];
    const int fd = memfd_create("mutation", 0);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0) abort();
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    ssimcu_frame frame;
    int result = REFUSED;
    if (ssimcu_image_read(path, &options, &frame, NULL) == SSIMCU_OK)
        result = same(&frame, whole) ? SAME : OTHER;
    ssimcu_frame_free(&frame);
    close(fd);
    return result;
}

/* Makes damage worse than a bit; the end of the file may move. */
static size_t damage(uint8_t *bytes, size_t size)
{
    const size_t at = below(size), length = 1 + below(size - at < 64 ? size - at : 64);
    switch (below(4)) {
    case 0:
        for (size_t i = at; i < at + length; i++) bytes[i] = (uint8_t)below(256);
        return size;
    case 1: memset(bytes + at, below(2) ? 0xFF : 0, length); return size;
    case 2: memmove(bytes + at, bytes + below(size - length + 1), length); return size;
    default: memmove(bytes + at, bytes + at + length, size - at - length); return size - length;
    }
}

static int mutate(const char *name, const uint8_t *bytes, size_t size, const ssimcu_frame *whole,
                  int count)
{
    int bits[OUTCOMES] = {0}, worse[OUTCOMES] = {0}, cut[OUTCOMES] = {0};
    uint8_t *const changed = malloc(size);
    if (!changed) abort();
    for (int i = 0; i < count; i++) {
        memcpy(changed, bytes, size);
        changed[below(size)] ^= (uint8_t)(1 << below(8));
        bits[outcome(changed, size, whole)]++;
        memcpy(changed, bytes, size);
        worse[outcome(changed, damage(changed, size), whole)]++;
        if (i < 500) cut[outcome(bytes, size * (size_t)i / 500, whole)]++;
    }
    free(changed);
    printf("%-28s one bit: %5d refused %5d same %5d other; worse: %5d %5d %5d; cut: %3d %3d %3d\n",
           name, bits[0], bits[1], bits[2], worse[0], worse[1], worse[2], cut[0], cut[1], cut[2]);
    return cut[SAME] + cut[OTHER];
}

static int mutate_file(const char *path, int count)
{
    static uint8_t bytes[1 << 24];
    FILE *const file = fopen(path, "rb");
    if (!file) return 1;
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ssimcu_frame whole;
    ssimcu_message why = {{0}};
    if (ssimcu_image_read(path, &options, &whole, &why) != SSIMCU_OK)
        return fprintf(stderr, "%s\n", why.text);
    const char *const slash = strrchr(path, '/');
    const int bad = mutate(slash ? slash + 1 : path, bytes, size, &whole, count);
    ssimcu_frame_free(&whole);
    return bad;
}

int main(int count, char **arguments)
{
    int bad = 0;
    for (int i = 2; i < count; i++) bad += mutate_file(arguments[i], atoi(arguments[1]));
    return bad != 0;
}
