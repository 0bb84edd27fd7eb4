#include "chunks.h"

#include "fail.h"

#include <string.h>

/* rows of a chunk for each compression: none, RLE, ZIPS, ZIP, PIZ, PXR24, B44, B44A, DWAA, DWAB */
static const uint32_t chunk_rows[] = {1, 1, 1, 16, 32, 16, 32, 32, 32, 256};

enum { NONE = 0, ONE_LEVEL = 0, MIPMAP = 1, MOST_LEVELS = 32 };

static uint64_t divide_up(uint64_t value, uint64_t by) { return (value + by - 1) / by; }

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* The sizes of a tiled part's levels along one side. */
struct levels {
    uint32_t count;
    uint64_t size[MOST_LEVELS];
};

static struct levels find_levels(uint64_t size, uint64_t longest, const struct exr_part *part)
{
    const bool up = part->tile_mode >> 4;
    struct levels levels = {.count = 0};
    uint64_t left = longest;
    for (; levels.count < MOST_LEVELS; levels.count++) {
        const uint64_t whole = size >> levels.count;
        const bool rest = up && (whole << levels.count) < size;
        const uint64_t length = whole + rest;
        levels.size[levels.count] = length > 0 ? length : 1;
        if (left <= 1 || (part->tile_mode & 15) == ONE_LEVEL) break;
        left = up ? (left + 1) / 2 : left / 2;
    }
    levels.count++;
    return levels;
}

/* Finds the levels across and down. A mipmap's levels halve both sides together until the longer
 * side is 1. */
static void part_levels(const struct exr_part *part, struct levels *x, struct levels *y)
{
    const uint64_t width = exr_width(&part->data), height = exr_height(&part->data);
    const uint64_t longest = width > height ? width : height;
    const bool together = (part->tile_mode & 15) == MIPMAP;
    *x = find_levels(width, together ? longest : width, part);
    *y = find_levels(height, together ? longest : height, part);
}

static uint64_t count_tiles(const struct exr_part *part)
{
    struct levels x, y;
    uint64_t count = 0;
    part_levels(part, &x, &y);
    for (uint32_t ly = 0; ly < y.count; ly++)
        for (uint32_t lx = 0; lx < x.count; lx++)
            if ((part->tile_mode & 15) != MIPMAP || lx == ly)
                count += divide_up(x.size[lx], part->tile_width) *
                         divide_up(y.size[ly], part->tile_height);
    return count;
}

ssimcu_status exr_chunks_count(struct ssimcu_exr_task *task, struct exr_part *part)
{
    const uint64_t count = part->tiled
                               ? count_tiles(part)
                               : divide_up(exr_height(&part->data), chunk_rows[part->compression]);
    if (!part->deep && part->has_count && part->chunks != count)
        FAIL_EXR(DATA, "damaged EXR (%llu chunks, its size needs %llu)",
                 (unsigned long long)part->chunks, (unsigned long long)count);
    if (!part->has_count || !part->deep) part->chunks = count;
    return SSIMCU_OK;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

uint32_t exr_chunks_sample_bytes(const struct exr_channel *channel)
{
    return channel->type == SSIMCU_EXR_HALF ? 2 : 4;
}

uint64_t exr_chunks_pixel_bytes(const struct exr_part *part)
{
    struct exr_walk walk = exr_walk(&part->channels);
    uint64_t bytes = 0;
    for (const char *last = ""; exr_walk_next(&walk); last = walk.channel.name) {
        if (strcmp(last, walk.channel.name) >= 0) return 0;
        bytes += exr_chunks_sample_bytes(&walk.channel);
    }
    return walk.damaged ? 0 : bytes;
}

uint32_t exr_chunks_rows(const struct exr_part *part)
{
    return part->tiled ? part->tile_height : chunk_rows[part->compression];
}

uint64_t exr_chunks_most_bytes(const struct exr_part *part)
{
    const uint64_t width = part->tiled ? part->tile_width : exr_width(&part->data);
    const uint64_t pixels = width * exr_chunks_rows(part);
    return pixels * exr_chunks_pixel_bytes(part);
}

/* Returns how many of the numbers from `first` to `last` are multiples of `step`. */
static uint64_t multiples(int64_t first, int64_t last, int64_t step)
{
    const int64_t before = (first - 1) / step - ((first - 1) % step < 0),
                  until = last / step - (last % step < 0);
    return (uint64_t)(until - before);
}

uint64_t exr_chunks_samples(const struct exr_chunk *chunk, const struct exr_channel *channel,
                            int64_t y)
{
    const int64_t last = (int64_t)chunk->x + chunk->width - 1;
    return y % channel->y_sampling == 0 ? multiples(chunk->x, last, channel->x_sampling) : 0;
}

uint64_t exr_chunks_bytes(const struct exr_chunk *chunk, const struct ssimcu_exr_list *channels)
{
    uint64_t bytes = 0;
    for (struct exr_walk walk = exr_walk(channels); exr_walk_next(&walk);)
        for (int64_t y = chunk->y; y < (int64_t)chunk->y + chunk->rows; y++)
            bytes += exr_chunks_samples(chunk, &walk.channel, y) *
                     exr_chunks_sample_bytes(&walk.channel);
    return bytes;
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

/* The chunk table of one part. */
struct table {
    struct ssimcu_exr_task *task;
    const struct exr_part *part;
    const uint8_t *offsets;
    size_t start;
    bool multipart;
    uint32_t number; /* index of the part in the file */
    uint64_t index;  /* index of the next chunk in the table */
};

static ssimcu_status bad_chunk(const struct table *table, const char *what)
{
    return exr_fail(table->task, SSIMCU_ERROR_DATA, "%s EXR (chunk %llu of %llu %s)",
                    what[0] == 'e' ? "truncated" : "damaged", (unsigned long long)table->index + 1,
                    (unsigned long long)table->part->chunks, what);
}

/* Checks the next chunk. It must begin with the numbers in `place`, end inside the file and hold at
 * most `raw` bytes. */
static ssimcu_status check_chunk(struct table *table, const int64_t *place, int places,
                                 uint64_t raw)
{
    const size_t head = (size_t)(table->multipart ? 4 : 0) + (size_t)places * 4 + 4;
    const uint64_t offset = exr_number_at(table->offsets + table->index * 8, 8);
    const size_t size = table->task->size;
    if (offset == 0) return bad_chunk(table, "is missing");
    if (offset > size || head > size - offset) return bad_chunk(table, "ends beyond the file");
    if (offset < table->start) return bad_chunk(table, "lies in the header");
    const uint8_t *at = table->task->bytes + offset;
    if (table->multipart) {
        if (exr_number_at(at, 4) != table->number)
            return bad_chunk(table, "belongs to another part");
        at += 4;
    }
    for (int i = 0; i < places; i++, at += 4)
        if ((int32_t)(uint32_t)exr_number_at(at, 4) != place[i])
            return bad_chunk(table, "belongs to another place");
    const uint64_t bytes = exr_number_at(at, 4);
    if (bytes > size - offset - head) return bad_chunk(table, "ends beyond the file");
    if (bytes > raw || bytes == 0 || (table->part->compression == NONE && bytes != raw))
        return bad_chunk(table, "has a wrong size");
    table->index++;
    return SSIMCU_OK;
}

static ssimcu_status check_rows(struct table *table)
{
    const struct exr_part *part = table->part;
    const uint32_t rows = chunk_rows[part->compression];
    for (int64_t y = part->data.y0; y <= part->data.y1; y += rows) {
        const int64_t left = (int64_t)part->data.y1 - y + 1;
        const struct exr_chunk chunk = {.x = part->data.x0,
                                        .y = (int32_t)y,
                                        .width = (uint32_t)exr_width(&part->data),
                                        .rows = left < rows ? (uint32_t)left : rows};
        const uint64_t raw = exr_chunks_bytes(&chunk, &part->channels);
        TRY(check_chunk(table, &y, 1, raw));
    }
    return SSIMCU_OK;
}

static ssimcu_status check_level(struct table *table, uint32_t lx, uint32_t ly, uint64_t width,
                                 uint64_t height)
{
    const struct exr_part *part = table->part;
    const uint64_t pixel = exr_chunks_pixel_bytes(part);
    for (uint64_t y = 0; y * part->tile_height < height; y++)
        for (uint64_t x = 0; x * part->tile_width < width; x++) {
            const uint64_t right = width - x * part->tile_width,
                           below = height - y * part->tile_height;
            const uint64_t across = right < part->tile_width ? right : part->tile_width;
            const uint64_t down = below < part->tile_height ? below : part->tile_height;
            const int64_t place[] = {(int64_t)x, (int64_t)y, lx, ly};
            TRY(check_chunk(table, place, 4, across * down * pixel));
        }
    return SSIMCU_OK;
}

static ssimcu_status check_tiles(struct table *table)
{
    struct levels x, y;
    part_levels(table->part, &x, &y);
    for (uint32_t ly = 0; ly < y.count; ly++)
        for (uint32_t lx = 0; lx < x.count; lx++)
            if ((table->part->tile_mode & 15) != MIPMAP || lx == ly)
                TRY(check_level(table, lx, ly, x.size[lx], y.size[ly]));
    return SSIMCU_OK;
}

/* Checks that every chunk of a deep part begins inside the file. This suffices because deep chunks
 * are never decoded. */
static ssimcu_status check_deep(struct table *table)
{
    for (; table->index < table->part->chunks; table->index++) {
        const uint64_t offset = exr_number_at(table->offsets + table->index * 8, 8);
        if (offset == 0) return bad_chunk(table, "is missing");
        if (offset >= table->task->size) return bad_chunk(table, "ends beyond the file");
    }
    return SSIMCU_OK;
}

ssimcu_status exr_chunks_check(struct ssimcu_exr_task *task, const struct exr_file *file,
                               struct ssimcu_exr_picture *picture)
{
    const size_t left = file->cursor.size - file->cursor.at;
    uint64_t all = 0;
    for (uint32_t p = 0; p < file->parts; p++) {
        if (file->part[p].chunks > left / 8 - all)
            FAIL_EXR(DATA, "truncated EXR (too short for its size)");
        all += file->part[p].chunks;
    }
    const size_t start = file->cursor.at + all * 8;
    size_t at = file->cursor.at;
    for (uint32_t p = 0; p < file->parts; p++) {
        const struct exr_part *part = &file->part[p];
        struct table table = {task, part, task->bytes + at, start, file->multipart, p, 0};
        TRY(part->deep    ? check_deep(&table)
            : part->tiled ? check_tiles(&table)
                          : check_rows(&table));
        if (picture->part == (int)p) picture->offsets = table.offsets;
        at += part->chunks * 8;
    }
    picture->chunk_head = (file->multipart ? 4 : 0) + (picture->tiled ? 16 : 4);
    return SSIMCU_OK;
}

/* ---- The picture's chunks -------------------------------------------------------------------- */

uint64_t exr_chunks_across(const struct ssimcu_exr_task *task,
                           const struct ssimcu_exr_picture *picture)
{
    return divide_up(exr_width(&task->facts.data), picture->chunk_width);
}

static uint32_t least(uint64_t a, uint64_t b) { return (uint32_t)(a < b ? a : b); }

bool exr_chunks_find(const struct ssimcu_exr_task *task, const struct ssimcu_exr_picture *picture,
                     uint64_t index, struct exr_chunk *chunk)
{
    const struct ssimcu_exr_window *const data = &task->facts.data;
    const uint64_t across = exr_chunks_across(task, picture);
    const uint64_t right = index % across * picture->chunk_width,
                   down = index / across * picture->chunk_rows;
    const uint64_t head = picture->chunk_head + 4,
                   offset = exr_number_at(picture->offsets + index * 8, 8);
    if (offset > task->size || head > task->size - offset) return false;
    chunk->bytes = task->bytes + offset + head;
    chunk->size = (uint32_t)exr_number_at(chunk->bytes - 4, 4);
    chunk->x = (int32_t)(data->x0 + (int64_t)right);
    chunk->y = (int32_t)(data->y0 + (int64_t)down);
    chunk->width = least(exr_width(data) - right, picture->chunk_width);
    chunk->rows = least(exr_height(data) - down, picture->chunk_rows);
    return chunk->size <= task->size - offset - head;
}
