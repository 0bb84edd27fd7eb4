/* Writes a file of floors: frames are gathered to a block, which is deflated. */
#include "base/draft.h"
#include "floors/code.h"
#include "floors/floors_file.h"
#include "floors/floors_index.h"
#include "floors/rules.h"

#include "base/results.h"

#include "fail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct floors_writer {
    struct draft draft;
    bool finished;
    uint64_t offset; /* bytes written */
    char print[FLOORS_PRINT];
    struct floors_index index;
    struct floors_block *block; /* block that is not written yet; NULL: none */
    struct coded now, before;
    uint8_t *raw; /* the frames of the block */
    size_t used;
};

static ssimcu_status put(struct floors_writer *writer, const void *from, size_t bytes,
                         ssimcu_message *message)
{
    if (fwrite(from, 1, bytes, writer->draft.file) != bytes)
        return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: %s", writer->draft.name,
                           strerror(errno));
    writer->offset += bytes;
    return SSIMCU_OK;
}

ssimcu_status floors_writer_open(const char *path, struct floors_writer **writer,
                                 ssimcu_message *message)
{
    static const char *const starts[] = {FLOORS_FILE_START, NULL};
    static const struct draft_kind kind = {.name = "a file of floors", .starts = starts};
    struct floors_writer *made = *writer = calloc(1, sizeof *made);
    if (!made) return ssimcu_no_memory(message, "the floors");
    ssimcu_status status =
        draft_open(&made->draft, path, results_beside(path, ".tmp"), &kind, DRAFT_REPLACE, message);
    if (status == SSIMCU_OK) status = put(made, FLOORS_FILE_MAGIC, 8, message);
    if (status == SSIMCU_OK) return status;
    floors_writer_close(made);
    *writer = NULL;
    return status;
}

/* Deflates bytes and writes them. */
static ssimcu_status pack(struct floors_writer *writer, const uint8_t *from, size_t bytes,
                          uint32_t *packed, uint32_t *crc, ssimcu_message *message)
{
    uLongf size = compressBound(bytes);
    uint8_t *to = malloc(size);
    if (!to) return ssimcu_no_memory(message, "the floors");
    ssimcu_status status = SSIMCU_OK;
    if (compress2(to, &size, from, bytes, Z_DEFAULT_COMPRESSION) != Z_OK)
        status = ssimcu_no_memory(message, "the floors");
    *packed = (uint32_t)size;
    *crc = (uint32_t)crc32(0, to, (uInt)size);
    if (status == SSIMCU_OK) status = put(writer, to, size, message);
    free(to);
    return status;
}

static ssimcu_status end_block(struct floors_writer *writer, ssimcu_message *message)
{
    struct floors_block *block = writer->block;
    if (!block) return SSIMCU_OK;
    writer->block = NULL;
    block->offset = writer->offset;
    block->raw = (uint32_t)writer->used;
    writer->used = 0;
    return pack(writer, writer->raw, block->raw, &block->packed, &block->crc, message);
}

/* Begins a block of a part and a grid. */
static ssimcu_status begin_block(struct floors_writer *writer, uint32_t part,
                                 const struct floor_grid *grid, ssimcu_message *message)
{
    const size_t values = floor_all_values(grid);
    if (values > FLOORS_VALUES_MOST)
        return ssimcu_fail(message, SSIMCU_ERROR_LIMIT, "%.300s: too many tiles in a frame",
                           writer->draft.path);
    coded_free(&writer->now);
    coded_free(&writer->before);
    struct floors_index *index = &writer->index;
    if (!results_grow(&index->block, index->blocks, &index->block_room, sizeof *index->block) ||
        !coded_new(&writer->now, values) || !coded_new(&writer->before, values))
        return ssimcu_no_memory(message, "the floors");
    writer->block = &index->block[index->blocks++];
    *writer->block = (struct floors_block){.part = part, .grid = *grid};
    return SSIMCU_OK;
}

/* Adds an entry to the index, and makes room for its frame in the block. */
static bool add_entry(struct floors_writer *writer, int64_t frame, uint32_t runs)
{
    struct floors_index *index = &writer->index;
    uint8_t *raw = realloc(writer->raw, writer->used + coded_most_bytes(writer->now.values));
    if (raw) writer->raw = raw;
    if (!raw ||
        !results_grow(&index->entry, index->entries, &index->entry_room, sizeof *index->entry))
        return false;
    index->entry[index->entries++] = (struct floors_entry){.frame = frame, .runs = runs};
    return true;
}

ssimcu_status floors_writer_add(struct floors_writer *writer, const char *part, int64_t frame,
                                const struct floor_frame *floor, ssimcu_message *message)
{
    const int64_t number = floors_index_part(&writer->index, part);
    const struct floors_block *block = writer->block;
    ssimcu_status status = number < 0 ? ssimcu_no_memory(message, "the floors") : SSIMCU_OK;
    if (status == SSIMCU_OK && block &&
        (block->frames == FLOORS_BLOCK_FRAMES || block->part != (uint32_t)number ||
         !floor_same_grid(&block->grid, &floor->grid)))
        status = end_block(writer, message);
    if (status == SSIMCU_OK && !writer->block)
        status = begin_block(writer, (uint32_t)number, &floor->grid, message);
    if (status != SSIMCU_OK) return status;
    if (!add_entry(writer, frame, floor->runs)) return ssimcu_no_memory(message, "the floors");
    const struct coded before = writer->now;
    writer->now = writer->before;
    writer->before = before;
    coded_take(floor, &writer->now);
    writer->used += coded_write(&writer->now, writer->block->frames++ > 0 ? &before : NULL,
                                writer->raw + writer->used);
    return SSIMCU_OK;
}

ssimcu_status floors_writer_refer(struct floors_writer *writer, const char *part, int64_t frame,
                                  const struct floor_reference *reference, ssimcu_message *message)
{
    const int64_t number = floors_index_part(&writer->index, part);
    struct floors_index *index = &writer->index;
    const struct floors_referred row = {(uint32_t)number, frame, *reference};
    if (number < 0 ||
        !results_grow(&index->referred, index->references, &index->reference_room, sizeof row))
        return ssimcu_no_memory(message, "the floors");
    index->referred[index->references++] = row;
    return SSIMCU_OK;
}

static ssimcu_status write_index(struct floors_writer *writer, ssimcu_message *message)
{
    size_t bytes = 0;
    uint8_t end[FLOORS_FILE_END_BYTES];
    uint32_t packed = 0, crc = 0;
    const uint64_t offset = writer->offset;
    uint8_t *index = floors_index_write(&writer->index, &bytes);
    if (!index) return ssimcu_no_memory(message, "the floors");
    ssimcu_status status =
        bytes <= FLOORS_INDEX_MOST
            ? pack(writer, index, bytes, &packed, &crc, message)
            : ssimcu_fail(message, SSIMCU_ERROR_LIMIT, "%.300s: floors of too many frames",
                          writer->draft.path);
    free(index);
    floors_put(end, offset, 8);
    floors_put(end + 8, packed, 4);
    floors_put(end + 12, bytes, 4);
    floors_put(end + 16, crc, 4);
    memcpy(end + 20, FLOORS_FILE_END, 8);
    floors_print_of(end, writer->print);
    return status == SSIMCU_OK ? put(writer, end, sizeof end, message) : status;
}

ssimcu_status floors_writer_finish(struct floors_writer *writer, ssimcu_message *message)
{
    ssimcu_status status = end_block(writer, message);
    if (status == SSIMCU_OK) status = write_index(writer, message);
    if (status == SSIMCU_OK) status = draft_finish(&writer->draft, 0, message);
    writer->finished = status == SSIMCU_OK;
    return status;
}

ssimcu_status floors_writer_end(struct floors_writer *writer, ssimcu_message *message)
{
    const ssimcu_status status =
        writer->finished ? SSIMCU_OK : floors_writer_finish(writer, message);
    return status == SSIMCU_OK ? draft_give_name(&writer->draft, message) : status;
}

void floors_writer_print(const struct floors_writer *writer, char print[FLOORS_PRINT])
{
    memcpy(print, writer->print, FLOORS_PRINT);
}

void floors_writer_close(struct floors_writer *writer)
{
    if (!writer) return;
    draft_drop(&writer->draft);
    coded_free(&writer->now);
    coded_free(&writer->before);
    floors_index_free(&writer->index);
    free(writer->raw);
    free(writer);
}
