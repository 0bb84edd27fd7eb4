/* Reads a file of floors. Frames are asked for nearly in their order, by many threads. So two
 * blocks stay in memory. */
#include "floors/floors_file.h"

#include "floors/code.h"
#include "floors/floors_index.h"
#include "floors/rules.h"

#include "fail.h"
#include "inflate.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { KEPT = 2, MOST_INFLATED = 1040 /* bytes that deflate makes of one */ };

struct floors_file {
    int file; /* descriptor; -1: not open */
    char *path, print[FLOORS_PRINT];
    struct floors_index index;
    pthread_mutex_t lock; /* guards all below */
    struct kept {
        const struct floors_block *block; /* NULL: none */
        struct coded frame[FLOORS_BLOCK_FRAMES];
    } kept[KEPT];
    int next; /* the one to replace */
};

static ssimcu_status damaged(const struct floors_file *file, const char *what,
                             ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_DATA, "%.300s: damaged: %s", file->path, what);
}

/* Reads bytes at an offset. */
static ssimcu_status read_at(const struct floors_file *file, uint64_t offset, size_t bytes,
                             uint8_t *to, ssimcu_message *message)
{
    for (size_t used = 0; used < bytes;) {
        const ssize_t got = pread(file->file, to + used, bytes - used, (off_t)(offset + used));
        if (got == 0) return damaged(file, "it ends too early", message);
        if (got > 0) used += (size_t)got;
        if (got < 0 && errno != EINTR)
            return ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: %s", file->path,
                               strerror(errno));
    }
    return SSIMCU_OK;
}

/* Reads and inflates bytes, the caller's to free. */
static ssimcu_status unpack(const struct floors_file *file, uint64_t offset, uint32_t packed,
                            uint32_t raw, uint32_t crc, uint8_t **read, ssimcu_message *message)
{
    *read = NULL;
    if (raw > (uint64_t)packed * MOST_INFLATED + MOST_INFLATED)
        return damaged(file, "bytes that do not inflate", message);
    uint8_t *bytes = malloc((size_t)packed + 1), *to = malloc((size_t)raw + 1);
    ssimcu_status status = bytes && to ? read_at(file, offset, packed, bytes, message)
                                       : ssimcu_no_memory(message, "the floors");
    if (status == SSIMCU_OK && (uint32_t)crc32(0, bytes, packed) != crc)
        status = damaged(file, "a wrong CRC", message);
    if (status == SSIMCU_OK && !ssimcu_inflate(bytes, packed, to, raw))
        status = damaged(file, "bytes that do not inflate", message);
    free(bytes);
    if (status == SSIMCU_OK)
        *read = to;
    else
        free(to);
    return status;
}

/* ---- The index ------------------------------------------------------------------------------- */

static ssimcu_status read_index(struct floors_file *file, uint64_t size, ssimcu_message *message)
{
    const uint64_t before = size - FLOORS_FILE_END_BYTES;
    uint8_t end[FLOORS_FILE_END_BYTES], *index = NULL;
    ssimcu_status status = read_at(file, before, sizeof end, end, message);
    if (status != SSIMCU_OK) return status;
    const uint64_t offset = floors_get(end, 8);
    const uint64_t packed = floors_get(end + 8, 4), raw = floors_get(end + 12, 4);
    if (memcmp(end + 20, FLOORS_FILE_END, 8) != 0 || offset > before || packed != before - offset ||
        raw > FLOORS_INDEX_MOST)
        return damaged(file, "it has no index", message);
    floors_print_of(end, file->print);
    status = unpack(file, offset, (uint32_t)packed, (uint32_t)raw,
                    (uint32_t)floors_get(end + 16, 4), &index, message);
    if (status != SSIMCU_OK) return status;
    status = floors_index_read(index, raw, offset, &file->index);
    free(index);
    if (status == SSIMCU_ERROR_MEMORY) return ssimcu_no_memory(message, "the floors");
    return status == SSIMCU_OK ? status : damaged(file, "its index", message);
}

static ssimcu_status read_head(struct floors_file *file, ssimcu_message *message)
{
    char magic[8];
    if (pread(file->file, magic, 8, 0) != 8 || memcmp(magic, FLOORS_FILE_START, 7) != 0)
        return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                           "%.300s: expected a file of floors, as ssimcu calibrate writes it",
                           file->path);
    if (magic[7] != FLOORS_FILE_MAGIC[7])
        return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                           "%.300s: expected version %c of a file of floors; calibrate again",
                           file->path, FLOORS_FILE_MAGIC[7]);
    const off_t size = lseek(file->file, 0, SEEK_END);
    if (size < 8 + FLOORS_FILE_END_BYTES) return damaged(file, "it ends too early", message);
    return read_index(file, (uint64_t)size, message);
}

ssimcu_status floors_file_open(const char *path, struct floors_file **file, ssimcu_message *message)
{
    struct floors_file *made = *file = calloc(1, sizeof *made);
    if (!made) return ssimcu_no_memory(message, "the floors");
    pthread_mutex_init(&made->lock, NULL);
    made->path = strdup(path);
    made->file = made->path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssimcu_status status = SSIMCU_OK;
    if (!made->path)
        status = ssimcu_no_memory(message, "the floors");
    else if (made->file < 0)
        status = ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: %s", path, strerror(errno));
    if (status == SSIMCU_OK) status = read_head(made, message);
    if (status == SSIMCU_OK) return status;
    floors_file_close(made);
    *file = NULL;
    return status;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static void drop(struct kept *kept)
{
    kept->block = NULL;
    for (int i = 0; i < FLOORS_BLOCK_FRAMES; i++) coded_free(&kept->frame[i]);
}

/* Reads the frames of a block. */
static ssimcu_status fill(const struct floors_file *file, const struct floors_block *block,
                          struct kept *kept, ssimcu_message *message)
{
    uint8_t *raw = NULL;
    size_t used = 0;
    const size_t values = floor_all_values(&block->grid);
    ssimcu_status status =
        unpack(file, block->offset, block->packed, block->raw, block->crc, &raw, message);
    for (uint32_t i = 0; i < block->frames && status == SSIMCU_OK; i++) {
        struct coded *frame = &kept->frame[i];
        const bool good = coded_new(frame, values);
        const size_t took =
            good ? coded_read(frame, i > 0 ? frame - 1 : NULL, raw + used, block->raw - used) : 0;
        if (!good)
            status = ssimcu_no_memory(message, "the floors");
        else if (took == 0)
            status = damaged(file, "the floors of a frame", message);
        used += took;
    }
    if (status == SSIMCU_OK && used != block->raw)
        status = damaged(file, "the length of a block", message);
    free(raw);
    if (status == SSIMCU_OK) kept->block = block;
    return status;
}

/* Returns the frames of a block, which stay until the next call; the caller has the lock. */
static ssimcu_status keep(struct floors_file *file, const struct floors_block *block,
                          const struct kept **found, ssimcu_message *message)
{
    for (int i = 0; i < KEPT; i++)
        if (file->kept[i].block == block) {
            *found = &file->kept[i];
            return SSIMCU_OK;
        }
    struct kept *kept = &file->kept[file->next];
    file->next = (file->next + 1) % KEPT;
    drop(kept);
    const ssimcu_status status = fill(file, block, kept, message);
    if (status != SSIMCU_OK) drop(kept);
    *found = kept;
    return status;
}

const char *floors_file_print(const struct floors_file *file) { return file->print; }

size_t floors_file_frames(const struct floors_file *file)
{
    size_t frames = 0;
    for (size_t i = 0; i < file->index.entries; i++)
        frames += file->index.entry[i].frame != FLOORS_FILE_SHOT;
    return frames;
}

bool floors_file_next(const struct floors_file *file, size_t *at, const char **part, int64_t *frame)
{
    const struct floors_index *index = &file->index;
    while (*at < index->entries) {
        const struct floors_entry *entry = &index->entry[(*at)++];
        *part = index->part[index->block[entry->block].part];
        *frame = entry->frame;
        if (*frame != FLOORS_FILE_SHOT) return true;
    }
    return false;
}

ssimcu_status floors_file_find(struct floors_file *file, const char *part, int64_t frame,
                               struct floor_frame *floor, ssimcu_message *message)
{
    const struct kept *kept = NULL;
    *floor = (struct floor_frame){0};
    size_t at = floors_index_find(&file->index, part, frame);
    if (at == SIZE_MAX) at = floors_index_find(&file->index, part, FLOORS_FILE_SHOT);
    if (at == SIZE_MAX) return SSIMCU_OK;
    const struct floors_entry *entry = &file->index.entry[at];
    const struct floors_block *block = &file->index.block[entry->block];
    if (!floor_frame_new(&block->grid, floor)) return ssimcu_no_memory(message, "the floors");
    floor->runs = entry->runs;
    pthread_mutex_lock(&file->lock);
    const ssimcu_status status = keep(file, block, &kept, message);
    if (status == SSIMCU_OK) coded_give(&kept->frame[at - block->first], floor);
    pthread_mutex_unlock(&file->lock);
    if (status != SSIMCU_OK) floor_frame_free(floor);
    return status;
}

bool floors_file_reference(const struct floors_file *file, const char *part, int64_t frame,
                           struct floor_reference *reference)
{
    const struct floors_referred *found = floors_index_referred(&file->index, part, frame);
    if (found) *reference = found->is;
    return found != NULL;
}

void floors_file_close(struct floors_file *file)
{
    if (!file) return;
    for (int i = 0; i < KEPT; i++) drop(&file->kept[i]);
    floors_index_free(&file->index);
    if (file->file >= 0) (void)close(file->file);
    pthread_mutex_destroy(&file->lock);
    free(file->path);
    free(file);
}
