/* damage cut COUNT FILE...         no file cut at any of COUNT offsets may be read
 * damage flip COUNT FILE...        a table: how many of COUNT flipped bits are noticed
 * damage mutate COUNT SEED FILE... COUNT files with random damage of every kind: none may crash
 *
 * Each prints a line for each file. All run in one process, through a file in memory. */
#define _GNU_SOURCE
#include "ssimcu_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char path[64]; /* the file in memory */
static int memory;

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static uint8_t *load(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) exit(2);
    *size = (size_t)ftell(file);
    uint8_t *bytes = malloc(*size);
    rewind(file);
    if (!bytes || fread(bytes, 1, *size, file) != *size) exit(2);
    fclose(file);
    return bytes;
}

static ssimcu_status read_bytes(const uint8_t *bytes, size_t size, ssimcu_frame *frame)
{
    const ssimcu_image_options options = {.struct_size = sizeof options, .max_pixels = 1 << 22};
    if (ftruncate(memory, 0) != 0 || pwrite(memory, bytes, size, 0) != (ssize_t)size) exit(2);
    return ssimcu_image_read(path, &options, frame, NULL);
}

static size_t frame_bytes(const ssimcu_frame *frame) { return frame->pitch * frame->height; }

static int cut(const char *name, long count)
{
    size_t size;
    uint8_t *bytes = load(name, &size);
    const size_t step = size / (size_t)count > 0 ? size / (size_t)count : 1;
    long read = 0, cuts = 0;
    ssimcu_frame whole;
    if (read_bytes(bytes, size, &whole) != SSIMCU_OK) return 1;
    ssimcu_frame_free(&whole);
    for (size_t end = 0; end < size; end += step, cuts++) {
        ssimcu_frame frame;
        const size_t at = end + step >= size ? size - 1 : end; /* the last cut takes one byte */
        read += read_bytes(bytes, at, &frame) == SSIMCU_OK;
        ssimcu_frame_free(&frame);
    }
    printf("%s: %ld cuts, %ld read\n", name, cuts, read);
    free(bytes);
    return read > 0;
}

static int flip(const char *name, long count)
{
    size_t size;
    uint8_t *bytes = load(name, &size);
    ssimcu_frame whole, frame;
    long noticed = 0, changed = 0;
    if (read_bytes(bytes, size, &whole) != SSIMCU_OK) return 1;
    for (long i = 0; i < count; i++) {
        const uint64_t bit = draw() % (8 * size);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (read_bytes(bytes, size, &frame) != SSIMCU_OK)
            noticed++;
        else if (frame_bytes(&frame) != frame_bytes(&whole) ||
                 memcmp(frame.data, whole.data, frame_bytes(&whole)) != 0)
            changed++;
        ssimcu_frame_free(&frame);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    printf(
        "%s: %ld flips, %.1f %% noticed, %.1f %% changed pixels unnoticed, %.1f %% changed none\n",
        name, count, 100.0 * (double)noticed / (double)count,
        100.0 * (double)changed / (double)count,
        100.0 * (double)(count - noticed - changed) / (double)count);
    ssimcu_frame_free(&whole);
    free(bytes);
    return 0;
}

/* Changes bits, bytes and words, to extremes too, and moves or doubles pieces; more in the
 * header, where sizes are. */
static size_t mutate_once(uint8_t *bytes, size_t size)
{
    static const uint32_t words[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x10000, 0xffff};
    const size_t reach = draw() % 2 ? size : size < 400 ? size : 400, at = draw() % reach;
    const size_t left = size - at, length = draw() % (left < 64 ? left : 64);
    switch (draw() % 6) {
    case 0: bytes[at] ^= (uint8_t)(1 << draw() % 8); break;
    case 1: bytes[at] = (uint8_t)draw(); break;
    case 2:
        if (left >= 4) memcpy(bytes + at, &words[draw() % 7], 4);
        break;
    case 3: memmove(bytes + at, bytes + draw() % (size - length), length); break;
    case 4: memset(bytes + at, (int)(draw() % 256), length); break;
    default: return draw() % 8 == 0 ? at : size;
    }
    return size;
}

static int mutate(const char *name, long count)
{
    size_t size;
    uint8_t *bytes = load(name, &size), *mutant = malloc(size + 1);
    long read = 0;
    for (long i = 0; i < count; i++) {
        ssimcu_frame frame;
        size_t own = size;
        memcpy(mutant, bytes, size);
        for (uint64_t n = 1 + draw() % 4; n > 0 && own > 0; n--) own = mutate_once(mutant, own);
        read += read_bytes(mutant, own, &frame) == SSIMCU_OK;
        ssimcu_frame_free(&frame);
    }
    printf("%s: %ld mutants, %ld read\n", name, count, read);
    free(bytes), free(mutant);
    return 0;
}

int main(int argc, char **argv)
{
    int bad = 0, first = 3;
    if (argc < 4) return 2;
    const long count = atol(argv[2]);
    memory = memfd_create("damaged", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    if (strcmp(argv[1], "mutate") == 0) state += (uint64_t)atol(argv[first++]) * 2654435761u;
    for (int i = first; i < argc; i++)
        bad |= strcmp(argv[1], "cut") == 0    ? cut(argv[i], count)
               : strcmp(argv[1], "flip") == 0 ? flip(argv[i], count)
                                              : mutate(argv[i], count);
    return bad;
}
