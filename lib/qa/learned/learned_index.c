#include "learned/learned_index.h"

#include "base/results.h"
#include "base/text.h"

#include "fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART_BYTES = 4 /* and the text; a length of PART_NONE: no text */, HEAD_BYTES = 12 };

static const uint32_t PART_NONE = UINT32_MAX;

/* A number of a row: its offset in the struct, and its bytes, both there and in the file. */
struct field {
    size_t at, bytes;
};

#define FIELD(row, name)                                                                           \
    {                                                                                              \
        offsetof(struct row, name), sizeof((struct row *)0)->name                                  \
    }

/* The rows of an array of the index, field by field in the order of the file. */
struct rows {
    struct field field[13]; /* unused fields have no bytes */
    size_t bytes, size;     /* of a row in the file, and of its struct */
};

static const struct rows block_rows = {
    {FIELD(learned_block, offset), FIELD(learned_block, packed), FIELD(learned_block, raw),
     FIELD(learned_block, crc), FIELD(learned_block, shot), FIELD(learned_block, frames),
     FIELD(learned_block, grid.tile), FIELD(learned_block, grid.width),
     FIELD(learned_block, grid.height), FIELD(learned_block, grid.columns),
     FIELD(learned_block, grid.rows), FIELD(learned_block, grid.channels)},
    8 + 11 * 4,
    sizeof(struct learned_block)};

static const struct rows entry_rows = {
    {FIELD(learned_entry, frame), FIELD(learned_entry, runs)}, 8 + 4, sizeof(struct learned_entry)};

static const struct rows referred_rows = {
    {FIELD(learned_referred, shot), FIELD(learned_referred, frame),
     FIELD(learned_referred, is.bytes), FIELD(learned_referred, is.seconds),
     FIELD(learned_referred, is.nanoseconds), FIELD(learned_referred, is.crc)},
    4 + 3 * 8 + 2 * 4,
    sizeof(struct learned_referred)};

void learned_print_of(const uint8_t end[LEARNED_FILE_END_BYTES], char print[LEARNED_PRINT])
{
    snprintf(print, LEARNED_PRINT, "%08x%08x", (unsigned)learned_get(end + 16, 4),
             (unsigned)learned_get(end, 4));
}

void learned_put(uint8_t *to, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) to[i] = (uint8_t)(number >> 8 * i);
}

uint64_t learned_get(const uint8_t *from, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++) number |= (uint64_t)from[i] << 8 * i;
    return number;
}

/* ---- Building -------------------------------------------------------------------------------- */

int64_t learned_index_shot(struct learned_index *index, const char *shot)
{
    for (size_t i = index->shots; i-- > 0;)
        if (text_same(index->shot[i], shot)) return (int64_t)i;
    if (!results_grow(&index->shot, index->shots, &index->shot_room, sizeof *index->shot) ||
        !text_copy(&index->shot[index->shots], shot))
        return -1;
    return (int64_t)index->shots++;
}

void learned_index_free(struct learned_index *index)
{
    for (size_t i = 0; i < index->shots; i++) free(index->shot[i]);
    free(index->shot);
    free(index->block);
    free(index->entry);
    free(index->referred);
    *index = (struct learned_index){0};
}

/* ---- As bytes -------------------------------------------------------------------------------- */

static size_t bytes_of(const struct learned_index *index)
{
    size_t bytes = HEAD_BYTES + index->shots * PART_BYTES + index->blocks * block_rows.bytes +
                   index->entries * entry_rows.bytes + index->references * referred_rows.bytes;
    for (size_t i = 0; i < index->shots; i++)
        if (index->shot[i]) bytes += strlen(index->shot[i]);
    return bytes;
}

/* Writes an array, and returns the place after it. */
static uint8_t *put_rows(uint8_t *to, const void *array, size_t count, const struct rows *rows)
{
    const char *row = array;
    for (size_t i = 0; i < count; i++, row += rows->size)
        for (const struct field *field = rows->field; field->bytes > 0; field++) {
            const void *at = row + field->at;
            const bool wide = field->bytes == sizeof(uint64_t);
            learned_put(to, wide ? *(const uint64_t *)at : *(const uint32_t *)at, field->bytes);
            to += field->bytes;
        }
    return to;
}

uint8_t *learned_index_write(const struct learned_index *index, size_t *bytes)
{
    *bytes = bytes_of(index);
    uint8_t *made = malloc(*bytes), *to = made;
    if (!made) return NULL;
    learned_put(to, index->shots, 4);
    learned_put(to + 4, index->blocks, 4);
    learned_put(to + 8, index->entries, 4);
    to += HEAD_BYTES;
    for (size_t i = 0; i < index->shots; i++) {
        const size_t length = index->shot[i] ? strlen(index->shot[i]) : 0;
        learned_put(to, index->shot[i] ? length : PART_NONE, PART_BYTES);
        if (length > 0) memcpy(to + PART_BYTES, index->shot[i], length);
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

static ssimcu_status read_parts(struct cursor *from, size_t shots, struct learned_index *index)
{
    if (shots > from->left / PART_BYTES) return SSIMCU_ERROR_DATA;
    index->shot = calloc(shots + 1, sizeof *index->shot);
    if (!index->shot) return SSIMCU_ERROR_MEMORY;
    for (; index->shots < shots; index->shots++) {
        const uint8_t *head = take(from, PART_BYTES);
        if (!head) return SSIMCU_ERROR_DATA;
        const uint32_t length = (uint32_t)learned_get(head, PART_BYTES);
        if (length == PART_NONE) continue;
        const uint8_t *text = take(from, length);
        if (!text || memchr(text, '\0', length)) return SSIMCU_ERROR_DATA;
        index->shot[index->shots] = strndup((const char *)text, length);
        if (!index->shot[index->shots]) return SSIMCU_ERROR_MEMORY;
    }
    return SSIMCU_OK;
}

/* Returns whether the numbers of a block are plausible. */
static bool is_sound(const struct learned_block *block, const struct learned_index *index,
                     uint64_t end)
{
    const struct learned_grid *grid = &block->grid;
    if (grid->tile == 0 || grid->width == 0 || grid->height == 0 || grid->columns == 0 ||
        grid->rows == 0 || (grid->channels != 1 && grid->channels != 3))
        return false;
    if ((uint64_t)(grid->columns - 1) * grid->tile >= grid->width ||
        (uint64_t)(grid->rows - 1) * grid->tile >= grid->height)
        return false;
    if ((uint64_t)grid->columns * grid->rows > LEARNED_VALUES_MOST / 14) return false;
    const uint64_t most = (uint64_t)6 * learned_all_values(grid) * block->frames;
    return block->frames > 0 && block->frames <= LEARNED_BLOCK_FRAMES &&
           block->shot < index->shots && block->raw <= most && block->raw >= most / 3 &&
           block->offset < end && block->packed <= end - block->offset;
}

/* Reads an array of `count` rows that come next. `array`: where its pointer goes. */
static ssimcu_status read_rows(struct cursor *from, size_t count, const struct rows *rows,
                               void *array)
{
    const uint8_t *at = count <= from->left / rows->bytes ? take(from, count * rows->bytes) : NULL;
    char *row = at ? calloc(count + 1, rows->size) : NULL;
    memcpy(array, &row, sizeof row);
    if (!row) return at ? SSIMCU_ERROR_MEMORY : SSIMCU_ERROR_DATA;
    for (size_t i = 0; i < count; i++, row += rows->size)
        for (const struct field *field = rows->field; field->bytes > 0; field++) {
            void *to = row + field->at;
            const uint64_t number = learned_get(at, field->bytes);
            if (field->bytes == sizeof(uint64_t))
                *(uint64_t *)to = number;
            else
                *(uint32_t *)to = (uint32_t)number;
            at += field->bytes;
        }
    return SSIMCU_OK;
}

/* Checks the numbers read, and finds the entries of each block. */
static bool join(struct learned_index *index, uint64_t end)
{
    size_t entries = 0;
    for (size_t b = 0; b < index->blocks; b++) {
        struct learned_block *block = &index->block[b];
        block->first = (uint32_t)entries;
        if (!is_sound(block, index, end) || block->frames > index->entries - entries) return false;
        for (uint32_t i = 0; i < block->frames; i++) index->entry[entries++].block = (uint32_t)b;
    }
    for (size_t i = 0; i < index->references; i++)
        if (index->referred[i].shot >= index->shots) return false;
    return entries == index->entries;
}

ssimcu_status learned_index_read(const uint8_t *from, size_t bytes, uint64_t end,
                                 struct learned_index *index)
{
    struct cursor cursor = {from, bytes};
    const uint8_t *head = take(&cursor, HEAD_BYTES);
    *index = (struct learned_index){0};
    if (!head) return SSIMCU_ERROR_DATA;
    const size_t blocks = learned_get(head + 4, 4), entries = learned_get(head + 8, 4);
    TRY(read_parts(&cursor, learned_get(head, 4), index));
    TRY(read_rows(&cursor, blocks, &block_rows, &index->block));
    TRY(read_rows(&cursor, entries, &entry_rows, &index->entry));
    const size_t references = cursor.left / referred_rows.bytes; /* the rest of the index */
    TRY(read_rows(&cursor, references, &referred_rows, &index->referred));
    index->blocks = blocks;
    index->entries = entries;
    index->references = references;
    return cursor.left == 0 && join(index, end) ? SSIMCU_OK : SSIMCU_ERROR_DATA;
}

size_t learned_index_find(const struct learned_index *index, const char *shot, int64_t frame)
{
    for (size_t b = 0; b < index->blocks; b++) {
        const struct learned_block *block = &index->block[b];
        if (!text_same(index->shot[block->shot], shot)) continue;
        for (size_t i = block->first; i < block->first + block->frames; i++)
            if (index->entry[i].frame == frame) return i;
    }
    return SIZE_MAX;
}

static int by_frame(const void *a, const void *b)
{
    const struct learned_referred *x = a, *y = b;
    if (x->shot != y->shot) return x->shot < y->shot ? -1 : 1;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

const struct learned_referred *learned_index_referred(const struct learned_index *index,
                                                      const char *shot, int64_t frame)
{
    struct learned_referred key = {.frame = frame};
    while (key.shot < index->shots && !text_same(index->shot[key.shot], shot)) key.shot++;
    if (key.shot == index->shots || index->references == 0) return NULL;
    return bsearch(&key, index->referred, index->references, sizeof key, by_frame);
}
