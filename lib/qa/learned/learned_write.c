/* Writes a file of learned limits: frames are collected in a block, which is then deflated. */
#include "base/atomic_file.h"
#include "base/refuse.h"
#include "learned/code.h"
#include "learned/learned_index.h"

#include "base/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct learned_writer {
    struct atomic_file draft;
    bool finished;
    uint64_t offset; /* bytes written */
    char print[LEARNED_PRINT];
    struct learned_index index;
    struct learned_block *block; /* the block being filled; may be NULL */
    struct coded now, before;
    uint8_t *raw; /* the frames of the block */
    size_t used;
};

static ssimcu_status put(struct learned_writer *writer, const void *from, size_t bytes,
                         ssimcu_message *message)
{
    if (fwrite(from, 1, bytes, writer->draft.file) != bytes)
        return fail_errno(message, SSIMCU_ERROR_WRITE, writer->draft.name, errno);
    writer->offset += bytes;
    return SSIMCU_OK;
}

static const char *const starts[] = {LEARNED_FILE_START, NULL};
const struct atomic_file_kind learned_kind = {.name = "a file of learned limits", .starts = starts};

ssimcu_status learned_writer_open(const char *path, struct learned_writer **writer,
                                  ssimcu_message *message)
{
    struct learned_writer *made = *writer = calloc(1, sizeof *made);
    if (!made) return ssimcu_no_memory(message, "the learned limits");
    ssimcu_status status = atomic_file_open(&made->draft, path, results_beside(path, ".tmp"),
                                            &learned_kind, ATOMIC_FILE_REPLACE, message);
    if (status == SSIMCU_OK) status = put(made, LEARNED_FILE_MAGIC, 8, message);
    if (status == SSIMCU_OK) return status;
    learned_writer_close(made);
    *writer = NULL;
    return status;
}

/* Deflates bytes and writes them. */
static ssimcu_status pack(struct learned_writer *writer, const uint8_t *from, size_t bytes,
                          uint32_t *packed, uint32_t *crc, ssimcu_message *message)
{
    uLongf size = compressBound(bytes);
    uint8_t *to = malloc(size);
    if (!to || compress2(to, &size, from, bytes, Z_DEFAULT_COMPRESSION) != Z_OK) {
        free(to);
        return ssimcu_no_memory(message, "the learned limits");
    }
    *packed = (uint32_t)size;
    *crc = (uint32_t)crc32(0, to, (uInt)size);
    const ssimcu_status status = put(writer, to, size, message);
    free(to);
    return status;
}

static ssimcu_status end_block(struct learned_writer *writer, ssimcu_message *message)
{
    struct learned_block *block = writer->block;
    if (!block) return SSIMCU_OK;
    writer->block = NULL;
    block->offset = writer->offset;
    block->raw = (uint32_t)writer->used;
    writer->used = 0;
    return pack(writer, writer->raw, block->raw, &block->packed, &block->crc, message);
}

/* Begins a block of a shot and a grid. */
static ssimcu_status begin_block(struct learned_writer *writer, uint32_t shot,
                                 const struct learned_grid *grid, ssimcu_message *message)
{
    const size_t values = learned_all_values(grid);
    if (values > LEARNED_VALUES_MOST)
        FAIL(LIMIT, "%.300s: too many tiles in a frame", writer->draft.path);
    coded_free(&writer->now);
    coded_free(&writer->before);
    struct learned_index *index = &writer->index;
    if (!results_grow(&index->block, index->blocks, &index->block_room, sizeof *index->block) ||
        !coded_new(&writer->now, values) || !coded_new(&writer->before, values))
        return ssimcu_no_memory(message, "the learned limits");
    writer->block = &index->block[index->blocks++];
    *writer->block = (struct learned_block){.shot = shot, .grid = *grid};
    return SSIMCU_OK;
}

/* Adds an entry to the index, and makes room for its frame in the block. */
static bool add_entry(struct learned_writer *writer, int64_t frame, uint32_t runs)
{
    struct learned_index *index = &writer->index;
    uint8_t *raw = realloc(writer->raw, writer->used + coded_most_bytes(writer->now.values));
    if (raw) writer->raw = raw;
    if (!raw ||
        !results_grow(&index->entry, index->entries, &index->entry_room, sizeof *index->entry))
        return false;
    index->entry[index->entries++] = (struct learned_entry){.frame = frame, .runs = runs};
    return true;
}

ssimcu_status learned_writer_add(struct learned_writer *writer, const char *shot, int64_t frame,
                                 const struct learned_frame *learned, ssimcu_message *message)
{
    const int64_t number = learned_index_shot(&writer->index, shot);
    const struct learned_block *block = writer->block;
    if (number < 0) return ssimcu_no_memory(message, "the learned limits");
    if (block && (block->frames == LEARNED_BLOCK_FRAMES || block->shot != (uint32_t)number ||
                  !learned_same_grid(&block->grid, &learned->grid)))
        TRY(end_block(writer, message));
    if (!writer->block) TRY(begin_block(writer, (uint32_t)number, &learned->grid, message));
    if (!add_entry(writer, frame, learned->runs))
        return ssimcu_no_memory(message, "the learned limits");
    const struct coded before = writer->now;
    writer->now = writer->before;
    writer->before = before;
    coded_take(learned, &writer->now);
    writer->used += coded_write(&writer->now, writer->block->frames++ > 0 ? &before : NULL,
                                writer->raw + writer->used);
    return SSIMCU_OK;
}

ssimcu_status learned_writer_refer(struct learned_writer *writer, const char *shot, int64_t frame,
                                   const struct learned_reference *reference,
                                   ssimcu_message *message)
{
    const int64_t number = learned_index_shot(&writer->index, shot);
    struct learned_index *index = &writer->index;
    const struct learned_referred row = {(uint32_t)number, frame, *reference};
    if (number < 0 ||
        !results_grow(&index->referred, index->references, &index->reference_room, sizeof row))
        return ssimcu_no_memory(message, "the learned limits");
    index->referred[index->references++] = row;
    return SSIMCU_OK;
}

static ssimcu_status write_index(struct learned_writer *writer, ssimcu_message *message)
{
    size_t bytes = 0;
    uint8_t end[LEARNED_FILE_END_BYTES];
    uint32_t packed = 0, crc = 0;
    const uint64_t offset = writer->offset;
    uint8_t *index = learned_index_write(&writer->index, &bytes);
    if (!index) return ssimcu_no_memory(message, "the learned limits");
    ssimcu_status status =
        bytes <= LEARNED_INDEX_MOST
            ? pack(writer, index, bytes, &packed, &crc, message)
            : ssimcu_fail(message, SSIMCU_ERROR_LIMIT, "%.300s: learned limits of too many frames",
                          writer->draft.path);
    free(index);
    learned_put(end, offset, 8);
    learned_put(end + 8, packed, 4);
    learned_put(end + 12, bytes, 4);
    learned_put(end + 16, crc, 4);
    memcpy(end + 20, LEARNED_FILE_END, 8);
    learned_print_of(end, writer->print);
    return status == SSIMCU_OK ? put(writer, end, sizeof end, message) : status;
}

ssimcu_status learned_writer_finish(struct learned_writer *writer, ssimcu_message *message)
{
    TRY(end_block(writer, message));
    TRY(write_index(writer, message));
    TRY(atomic_file_finish(&writer->draft, 0, message));
    writer->finished = true;
    return SSIMCU_OK;
}

ssimcu_status learned_writer_end(struct learned_writer *writer, ssimcu_message *message)
{
    if (!writer->finished) TRY(learned_writer_finish(writer, message));
    return atomic_file_give_name(&writer->draft, message);
}

void learned_writer_print(const struct learned_writer *writer, char print[LEARNED_PRINT])
{
    memcpy(print, writer->print, LEARNED_PRINT);
}

void learned_writer_close(struct learned_writer *writer)
{
    if (!writer) return;
    atomic_file_drop(&writer->draft);
    coded_free(&writer->now);
    coded_free(&writer->before);
    learned_index_free(&writer->index);
    free(writer->raw);
    free(writer);
}
