#include "floors/floors_index.h"

#include "base/results.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART_BYTES = 4 /* and the text; a length of PART_NONE: no text */, HEAD_BYTES = 12 };

static const uint32_t PART_NONE = UINT32_MAX;

/* A number of a row: its place in the struct, and its bytes, of which the file has as many. */
struct field {
    size_t at, bytes;
};

#define FIELD(row, name)                                                                           \
    {                                                                                              \
        offsetof(struct row, name), sizeof((struct row *)0)->name                                  \
    }

/* The rows of an array of the index, field by field in the order of the file. */
struct rows {
    struct field field[13]; /* those that are left have no bytes */
    size_t bytes, size;     /* of a row in the file, and of its struct */
};

static const struct rows block_rows = {
    {FIELD(floors_block, offset), FIELD(floors_block, packed), FIELD(floors_block, raw),
     FIELD(floors_block, crc), FIELD(floors_block, part), FIELD(floors_block, frames),
     FIELD(floors_block, grid.tile), FIELD(floors_block, grid.width),
     FIELD(floors_block, grid.height), FIELD(floors_block, grid.columns),
     FIELD(floors_block, grid.rows), FIELD(floors_block, grid.channels)},
    8 + 11 * 4,
    sizeof(struct floors_block)};

static const struct rows entry_rows = {
    {FIELD(floors_entry, frame), FIELD(floors_entry, runs)}, 8 + 4, sizeof(struct floors_entry)};

static const struct rows referred_rows = {
    {FIELD(floors_referred, part), FIELD(floors_referred, frame), FIELD(floors_referred, is.bytes),
     FIELD(floors_referred, is.seconds), FIELD(floors_referred, is.nanoseconds),
     FIELD(floors_referred, is.crc)},
    4 + 3 * 8 + 2 * 4,
    sizeof(struct floors_referred)};

void floors_print_of(const uint8_t end[FLOORS_FILE_END_BYTES], char print[FLOORS_PRINT])
{
    snprintf(print, FLOORS_PRINT, "%08x%08x", (unsigned)floors_get(end + 16, 4),
             (unsigned)floors_get(end, 4));
}

void floors_put(uint8_t *to, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) to[i] = (uint8_t)(number >> 8 * i);
}

uint64_t floors_get(const uint8_t *from, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++) number |= (uint64_t)from[i] << 8 * i;
    return number;
}

/* ---- Making one ------------------------------------------------------------------------------ */

static bool same_part(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

int64_t floors_index_part(struct floors_index *index, const char *part)
{
    for (size_t i = index->parts; i-- > 0;)
        if (same_part(index->part[i], part)) return (int64_t)i;
    if (!results_grow(&index->part, index->parts, &index->part_room, sizeof *index->part) ||
        !text_copy(&index->part[index->parts], part))
        return -1;
    return (int64_t)index->parts++;
}

void floors_index_free(struct floors_index *index)
{
    for (size_t i = 0; i < index->parts; i++) free(index->part[i]);
    free(index->part);
    free(index->block);
    free(index->entry);
    free(index->referred);
    *index = (struct floors_index){0};
}

/* ---- As bytes -------------------------------------------------------------------------------- */

static size_t bytes_of(const struct floors_index *index)
{
    size_t bytes = HEAD_BYTES + index->parts * PART_BYTES + index->blocks * block_rows.bytes +
                   index->entries * entry_rows.bytes + index->references * referred_rows.bytes;
    for (size_t i = 0; i < index->parts; i++)
        if (index->part[i]) bytes += strlen(index->part[i]);
    return bytes;
}

/* Writes an array, and returns the place behind it. */
static uint8_t *put_rows(uint8_t *to, const void *array, size_t count, const struct rows *rows)
{
    const char *row = array;
    for (size_t i = 0; i < count; i++, row += rows->size)
        for (const struct field *field = rows->field; field->bytes > 0; field++) {
            const void *at = row + field->at;
            const bool wide = field->bytes == sizeof(uint64_t);
            floors_put(to, wide ? *(const uint64_t *)at : *(const uint32_t *)at, field->bytes);
            to += field->bytes;
        }
    return to;
}

uint8_t *floors_index_write(const struct floors_index *index, size_t *bytes)
{
    *bytes = bytes_of(index);
    uint8_t *made = malloc(*bytes), *to = made;
    if (!made) return NULL;
    floors_put(to, index->parts, 4);
    floors_put(to + 4, index->blocks, 4);
    floors_put(to + 8, index->entries, 4);
    to += HEAD_BYTES;
    for (size_t i = 0; i < index->parts; i++) {
        const size_t length = index->part[i] ? strlen(index->part[i]) : 0;
        floors_put(to, index->part[i] ? length : PART_NONE, PART_BYTES);
        if (length > 0) memcpy(to + PART_BYTES, index->part[i], length);
        to += PART_BYTES + length;
    }
    to = put_rows(to, index->block, index->blocks, &block_rows);
    to = put_rows(to, index->entry, index->entries, &entry_rows);
    put_rows(to, index->referred, index->references, &referred_rows);
    return made;
}

/* ---- From bytes ------------------------------------------------------------------------------ */

struct cursor {
    const uint8_t *at;
    size_t left;
};

/* Returns the next bytes, or NULL if there are fewer. */
static const uint8_t *take(struct cursor *from, size_t bytes)
{
    if (from->left < bytes) return NULL;
    const uint8_t *at = from->at;
    from->at += bytes;
    from->left -= bytes;
    return at;
}

static ssimcu_status read_parts(struct cursor *from, size_t parts, struct floors_index *index)
{
    if (parts > from->left / PART_BYTES) return SSIMCU_ERROR_DATA;
    index->part = calloc(parts + 1, sizeof *index->part);
    if (!index->part) return SSIMCU_ERROR_MEMORY;
    for (; index->parts < parts; index->parts++) {
        const uint8_t *head = take(from, PART_BYTES);
        if (!head) return SSIMCU_ERROR_DATA;
        const uint32_t length = (uint32_t)floors_get(head, PART_BYTES);
        if (length == PART_NONE) continue;
        const uint8_t *text = take(from, length);
        if (!text || memchr(text, '\0', length)) return SSIMCU_ERROR_DATA;
        index->part[index->parts] = strndup((const char *)text, length);
        if (!index->part[index->parts]) return SSIMCU_ERROR_MEMORY;
    }
    return SSIMCU_OK;
}

/* Returns whether the numbers of a block can be true. */
static bool is_sound(const struct floors_block *block, const struct floors_index *index,
                     uint64_t end)
{
    const struct floor_grid *grid = &block->grid;
    if (grid->tile == 0 || grid->width == 0 || grid->height == 0 || grid->columns == 0 ||
        grid->rows == 0 || (grid->channels != 1 && grid->channels != 3))
        return false;
    if ((uint64_t)(grid->columns - 1) * grid->tile >= grid->width ||
        (uint64_t)(grid->rows - 1) * grid->tile >= grid->height)
        return false;
    if ((uint64_t)grid->columns * grid->rows > FLOORS_VALUES_MOST / 14) return false;
    const uint64_t most = (uint64_t)6 * floor_all_values(grid) * block->frames;
    return block->frames > 0 && block->frames <= FLOORS_BLOCK_FRAMES &&
           block->part < index->parts && block->raw <= most && block->raw >= most / 3 &&
           block->offset < end && block->packed <= end - block->offset;
}

/* Returns an array of so many rows that come next. NULL: *status, which was OK, says why. */
static void *read_rows(struct cursor *from, size_t count, const struct rows *rows,
                       ssimcu_status *status)
{
    const uint8_t *at = count <= from->left / rows->bytes ? take(from, count * rows->bytes) : NULL;
    char *array = at ? calloc(count + 1, rows->size) : NULL, *row = array;
    if (!array) *status = at ? SSIMCU_ERROR_MEMORY : SSIMCU_ERROR_DATA;
    for (size_t i = 0; array && i < count; i++, row += rows->size)
        for (const struct field *field = rows->field; field->bytes > 0; field++) {
            void *to = row + field->at;
            const uint64_t number = floors_get(at, field->bytes);
            if (field->bytes == sizeof(uint64_t))
                *(uint64_t *)to = number;
            else
                *(uint32_t *)to = (uint32_t)number;
            at += field->bytes;
        }
    return array;
}

/* Checks what was read, and finds the entries of each block. */
static bool join(struct floors_index *index, uint64_t end)
{
    size_t entries = 0;
    for (size_t b = 0; b < index->blocks; b++) {
        struct floors_block *block = &index->block[b];
        block->first = (uint32_t)entries;
        if (!is_sound(block, index, end) || block->frames > index->entries - entries) return false;
        for (uint32_t i = 0; i < block->frames; i++) index->entry[entries++].block = (uint32_t)b;
    }
    for (size_t i = 0; i < index->references; i++)
        if (index->referred[i].part >= index->parts) return false;
    return entries == index->entries;
}

ssimcu_status floors_index_read(const uint8_t *from, size_t bytes, uint64_t end,
                                struct floors_index *index)
{
    struct cursor cursor = {from, bytes};
    const uint8_t *head = take(&cursor, HEAD_BYTES);
    *index = (struct floors_index){0};
    if (!head) return SSIMCU_ERROR_DATA;
    const size_t blocks = floors_get(head + 4, 4), entries = floors_get(head + 8, 4);
    ssimcu_status status = read_parts(&cursor, floors_get(head, 4), index);
    if (status == SSIMCU_OK) index->block = read_rows(&cursor, blocks, &block_rows, &status);
    if (status == SSIMCU_OK) index->entry = read_rows(&cursor, entries, &entry_rows, &status);
    const size_t references = cursor.left / referred_rows.bytes; /* the rest of the index */
    if (status == SSIMCU_OK)
        index->referred = read_rows(&cursor, references, &referred_rows, &status);
    if (status != SSIMCU_OK) return status;
    index->blocks = blocks;
    index->entries = entries;
    index->references = references;
    return cursor.left == 0 && join(index, end) ? SSIMCU_OK : SSIMCU_ERROR_DATA;
}

size_t floors_index_find(const struct floors_index *index, const char *part, int64_t frame)
{
    for (size_t b = 0; b < index->blocks; b++) {
        const struct floors_block *block = &index->block[b];
        if (!same_part(index->part[block->part], part)) continue;
        for (size_t i = block->first; i < block->first + block->frames; i++)
            if (index->entry[i].frame == frame) return i;
    }
    return SIZE_MAX;
}

static int by_frame(const void *a, const void *b)
{
    const struct floors_referred *x = a, *y = b;
    if (x->part != y->part) return x->part < y->part ? -1 : 1;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

const struct floors_referred *floors_index_referred(const struct floors_index *index,
                                                    const char *part, int64_t frame)
{
    struct floors_referred key = {.frame = frame};
    while (key.part < index->parts && !same_part(index->part[key.part], part)) key.part++;
    if (key.part == index->parts || index->references == 0) return NULL;
    return bsearch(&key, index->referred, index->references, sizeof key, by_frame);
}
