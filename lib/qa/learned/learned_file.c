/* Reads a file of learned limits. Many threads request frames, nearly in order. So two blocks stay
 * in memory. */
#include "learned/code.h"

#include "base/refuse.h"
#include "learned/learned_index.h"
#include "learned/rules.h"

#include "inflate.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { KEPT = 2, MOST_INFLATED = 1040 /* most bytes that deflate can make of one */ };

struct learned_file {
    int file; /* descriptor; -1: not open */
    char *path, print[LEARNED_PRINT];
    struct learned_index index;
    pthread_mutex_t lock; /* guards all members below */
    struct kept {
        const struct learned_block *block; /* may be NULL */
        struct coded frame[LEARNED_BLOCK_FRAMES];
    } kept[KEPT];
    int next; /* the block to replace next */
};

static ssimcu_status damaged(const struct learned_file *file, const char *what,
                             ssimcu_message *message)
{
    FAIL(DATA, "%.300s: damaged: %s", file->path, what);
}

/* Reads bytes at an offset. */
static ssimcu_status read_at(const struct learned_file *file, uint64_t offset, size_t bytes,
                             uint8_t *to, ssimcu_message *message)
{
    for (size_t used = 0; used < bytes;) {
        const ssize_t got = pread(file->file, to + used, bytes - used, (off_t)(offset + used));
        if (got == 0) return damaged(file, "it is truncated", message);
        if (got > 0) used += (size_t)got;
        if (got < 0 && errno != EINTR)
            return fail_errno(message, SSIMCU_ERROR_FILE, file->path, errno);
    }
    return SSIMCU_OK;
}

/* Reads and inflates bytes, which the caller frees. */
static ssimcu_status unpack(const struct learned_file *file, uint64_t offset, uint32_t packed,
                            uint32_t raw, uint32_t crc, uint8_t **read, ssimcu_message *message)
{
    *read = NULL;
    if (raw > (uint64_t)packed * MOST_INFLATED + MOST_INFLATED)
        return damaged(file, "invalid compressed data", message);
    uint8_t *bytes = malloc((size_t)packed + 1), *to = malloc((size_t)raw + 1);
    ssimcu_status status = bytes && to ? read_at(file, offset, packed, bytes, message)
                                       : ssimcu_no_memory(message, "the learned limits");
    if (status == SSIMCU_OK && (uint32_t)crc32(0, bytes, packed) != crc)
        status = damaged(file, "a wrong CRC", message);
    if (status == SSIMCU_OK && !ssimcu_inflate(bytes, packed, to, raw))
        status = damaged(file, "invalid compressed data", message);
    free(bytes);
    if (status == SSIMCU_OK)
        *read = to;
    else
        free(to);
    return status;
}

/* ---- The index ------------------------------------------------------------------------------- */

static ssimcu_status read_index(struct learned_file *file, uint64_t size, ssimcu_message *message)
{
    const uint64_t before = size - LEARNED_FILE_END_BYTES;
    uint8_t end[LEARNED_FILE_END_BYTES], *index = NULL;
    TRY(read_at(file, before, sizeof end, end, message));
    const uint64_t offset = learned_get(end, 8);
    const uint64_t packed = learned_get(end + 8, 4), raw = learned_get(end + 12, 4);
    if (memcmp(end + 20, LEARNED_FILE_END, 8) != 0 || offset > before ||
        packed != before - offset || raw > LEARNED_INDEX_MOST)
        return damaged(file, "it has no index", message);
    learned_print_of(end, file->print);
    TRY(unpack(file, offset, (uint32_t)packed, (uint32_t)raw, (uint32_t)learned_get(end + 16, 4),
               &index, message));
    const ssimcu_status status = learned_index_read(index, raw, offset, &file->index);
    free(index);
    if (status == SSIMCU_ERROR_MEMORY) return ssimcu_no_memory(message, "the learned limits");
    return status == SSIMCU_OK ? status : damaged(file, "its index", message);
}

static ssimcu_status read_head(struct learned_file *file, ssimcu_message *message)
{
    char magic[8];
    if (pread(file->file, magic, 8, 0) != 8 || memcmp(magic, LEARNED_FILE_START, 7) != 0)
        FAIL(DATA, "%.300s: expected a file of learned limits, as ssimcu calibrate writes it",
             file->path);
    if (magic[7] != LEARNED_FILE_MAGIC[7])
        FAIL(DATA, "%.300s: expected version %c of a file of learned limits; calibrate again",
             file->path, LEARNED_FILE_MAGIC[7]);
    const off_t size = lseek(file->file, 0, SEEK_END);
    if (size < 8 + LEARNED_FILE_END_BYTES) return damaged(file, "it is truncated", message);
    return read_index(file, (uint64_t)size, message);
}

ssimcu_status learned_file_open(const char *path, struct learned_file **file,
                                ssimcu_message *message)
{
    struct learned_file *made = *file = calloc(1, sizeof *made);
    if (!made) return ssimcu_no_memory(message, "the learned limits");
    pthread_mutex_init(&made->lock, NULL);
    made->path = strdup(path);
    made->file = made->path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssimcu_status status = SSIMCU_OK;
    if (!made->path)
        status = ssimcu_no_memory(message, "the learned limits");
    else if (made->file < 0)
        status = fail_errno(message, SSIMCU_ERROR_FILE, path, errno);
    if (status == SSIMCU_OK) status = read_head(made, message);
    if (status == SSIMCU_OK) return status;
    learned_file_close(made);
    *file = NULL;
    return status;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static void drop(struct kept *kept)
{
    kept->block = NULL;
    for (int i = 0; i < LEARNED_BLOCK_FRAMES; i++) coded_free(&kept->frame[i]);
}

/* Reads the frames of a block. */
static ssimcu_status fill(const struct learned_file *file, const struct learned_block *block,
                          struct kept *kept, ssimcu_message *message)
{
    uint8_t *raw = NULL;
    size_t used = 0;
    const size_t values = learned_all_values(&block->grid);
    ssimcu_status status =
        unpack(file, block->offset, block->packed, block->raw, block->crc, &raw, message);
    for (uint32_t i = 0; i < block->frames && status == SSIMCU_OK; i++) {
        struct coded *frame = &kept->frame[i];
        const bool good = coded_new(frame, values);
        const size_t took =
            good ? coded_read(frame, i > 0 ? frame - 1 : NULL, raw + used, block->raw - used) : 0;
        if (!good)
            status = ssimcu_no_memory(message, "the learned limits");
        else if (took == 0)
            status = damaged(file, "the learned limits of a frame", message);
        used += took;
    }
    if (status == SSIMCU_OK && used != block->raw)
        status = damaged(file, "the length of a block", message);
    free(raw);
    if (status == SSIMCU_OK) kept->block = block;
    return status;
}

/* Returns the frames of a block, which stay until the next call. The caller holds the lock. */
static ssimcu_status keep(struct learned_file *file, const struct learned_block *block,
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

const char *learned_file_print(const struct learned_file *file) { return file->print; }

size_t learned_file_frames(const struct learned_file *file)
{
    size_t frames = 0;
    for (size_t i = 0; i < file->index.entries; i++)
        frames += file->index.entry[i].frame != LEARNED_FILE_SHOT;
    return frames;
}

bool learned_file_next(const struct learned_file *file, size_t *at, const char **shot,
                       int64_t *frame)
{
    const struct learned_index *index = &file->index;
    while (*at < index->entries) {
        const struct learned_entry *entry = &index->entry[(*at)++];
        *shot = index->shot[index->block[entry->block].shot];
        *frame = entry->frame;
        if (*frame != LEARNED_FILE_SHOT) return true;
    }
    return false;
}

ssimcu_status learned_file_find(struct learned_file *file, const char *shot, int64_t frame,
                                struct learned_frame *learned, ssimcu_message *message)
{
    const struct kept *kept = NULL;
    *learned = (struct learned_frame){0};
    size_t at = learned_index_find(&file->index, shot, frame);
    if (at == SIZE_MAX) at = learned_index_find(&file->index, shot, LEARNED_FILE_SHOT);
    if (at == SIZE_MAX) return SSIMCU_OK;
    const struct learned_entry *entry = &file->index.entry[at];
    const struct learned_block *block = &file->index.block[entry->block];
    if (!learned_frame_new(&block->grid, learned))
        return ssimcu_no_memory(message, "the learned limits");
    learned->runs = entry->runs;
    pthread_mutex_lock(&file->lock);
    const ssimcu_status status = keep(file, block, &kept, message);
    if (status == SSIMCU_OK) coded_give(&kept->frame[at - block->first], learned);
    pthread_mutex_unlock(&file->lock);
    if (status != SSIMCU_OK) learned_frame_free(learned);
    return status;
}

bool learned_file_reference(const struct learned_file *file, const char *shot, int64_t frame,
                            struct learned_reference *reference)
{
    const struct learned_referred *found = learned_index_referred(&file->index, shot, frame);
    if (found) *reference = found->is;
    return found != NULL;
}

void learned_file_close(struct learned_file *file)
{
    if (!file) return;
    for (int i = 0; i < KEPT; i++) drop(&file->kept[i]);
    learned_index_free(&file->index);
    if (file->file >= 0) (void)close(file->file);
    pthread_mutex_destroy(&file->lock);
    free(file->path);
    free(file);
}
