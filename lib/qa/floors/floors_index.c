#include "floors/floors_index.h"

#include <stdlib.h>
#include <string.h>

enum {
    PART_BYTES = 4 /* and the text; a length of PART_NONE: no text */,
    BLOCK_BYTES = 8 + 5 * 4 + 6 * 4,
    ENTRY_BYTES = 8 + 4,
    REFERRED_BYTES = 4 + 8 + 8 + 8 + 4 + 4,
    HEAD_BYTES = 12
};

static const uint32_t PART_NONE = UINT32_MAX;

void floors_put(uint8_t *to, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++) to[i] = (uint8_t)(number >> 8 * i);
}

uint64_t floors_get(const uint8_t *from, int bytes)
{
    uint64_t number = 0;
    for (int i = 0; i < bytes; i++) number |= (uint64_t)from[i] << 8 * i;
    return number;
}

/* ---- Making one ------------------------------------------------------------------------------ */

/* Makes room for one more element of an array. Returns false if memory ran out. */
static bool grow(void *array, size_t count, size_t *room, size_t size)
{
    void **at = array;
    if (count < *room) return true;
    const size_t wanted = *room > 0 ? 2 * *room : 16;
    void *grown = realloc(*at, wanted * size);
    if (!grown) return false;
    *at = grown;
    *room = wanted;
    return true;
}

static bool same_part(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

int64_t floors_index_part(struct floors_index *index, const char *part)
{
    for (size_t i = index->parts; i-- > 0;)
        if (same_part(index->part[i], part)) return (int64_t)i;
    char *copy = part ? strdup(part) : NULL;
    if ((part && !copy) ||
        !grow(&index->part, index->parts, &index->part_room, sizeof *index->part)) {
        free(copy);
        return -1;
    }
    index->part[index->parts] = copy;
    return (int64_t)index->parts++;
}

struct floors_block *floors_index_block(struct floors_index *index)
{
    if (!grow(&index->block, index->blocks, &index->block_room, sizeof *index->block)) return NULL;
    struct floors_block *block = &index->block[index->blocks++];
    *block = (struct floors_block){.first = (uint32_t)index->entries};
    return block;
}

struct floors_entry *floors_index_entry(struct floors_index *index)
{
    if (!grow(&index->entry, index->entries, &index->entry_room, sizeof *index->entry)) return NULL;
    struct floors_entry *entry = &index->entry[index->entries++];
    *entry = (struct floors_entry){0};
    return entry;
}

struct floors_referred *floors_index_refer(struct floors_index *index)
{
    if (!grow(&index->referred, index->references, &index->reference_room, sizeof *index->referred))
        return NULL;
    return &index->referred[index->references++];
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
    size_t bytes = HEAD_BYTES + index->parts * PART_BYTES + index->blocks * BLOCK_BYTES +
                   index->entries * ENTRY_BYTES + index->references * REFERRED_BYTES;
    for (size_t i = 0; i < index->parts; i++)
        if (index->part[i]) bytes += strlen(index->part[i]);
    return bytes;
}

static void put_block(uint8_t *to, const struct floors_block *block)
{
    const struct floor_grid *grid = &block->grid;
    const uint32_t number[] = {block->packed, block->raw, block->crc,    block->part,
                               block->frames, grid->tile, grid->width,   grid->height,
                               grid->columns, grid->rows, grid->channels};
    floors_put(to, block->offset, 8);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        floors_put(to + 8 + 4 * i, number[i], 4);
}

static void put_referred(uint8_t *to, const struct floors_referred *referred)
{
    const struct floor_reference *is = &referred->is;
    floors_put(to, referred->part, 4);
    floors_put(to + 4, (uint64_t)referred->frame, 8);
    floors_put(to + 12, (uint64_t)is->bytes, 8);
    floors_put(to + 20, (uint64_t)is->seconds, 8);
    floors_put(to + 28, is->nanoseconds, 4);
    floors_put(to + 32, is->crc, 4);
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
    for (size_t i = 0; i < index->blocks; i++, to += BLOCK_BYTES) put_block(to, &index->block[i]);
    for (size_t i = 0; i < index->entries; i++, to += ENTRY_BYTES) {
        floors_put(to, (uint64_t)index->entry[i].frame, 8);
        floors_put(to + 8, index->entry[i].runs, 4);
    }
    for (size_t i = 0; i < index->references; i++, to += REFERRED_BYTES)
        put_referred(to, &index->referred[i]);
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

static ssimcu_status read_blocks(struct cursor *from, size_t blocks, uint64_t end,
                                 struct floors_index *index)
{
    if (blocks > from->left / BLOCK_BYTES) return SSIMCU_ERROR_DATA;
    index->block = calloc(blocks + 1, sizeof *index->block);
    if (!index->block) return SSIMCU_ERROR_MEMORY;
    uint32_t first = 0;
    for (; index->blocks < blocks; index->blocks++) {
        struct floors_block *block = &index->block[index->blocks];
        const uint8_t *at = take(from, BLOCK_BYTES);
        uint32_t number[11];
        for (int i = 0; i < 11; i++) number[i] = (uint32_t)floors_get(at + 8 + 4 * i, 4);
        *block = (struct floors_block){
            floors_get(at, 8), number[0],
            number[1],         number[2],
            number[3],         first,
            number[4],         {number[5], number[6], number[7], number[8], number[9], number[10]}};
        if (!is_sound(block, index, end)) return SSIMCU_ERROR_DATA;
        first += block->frames;
    }
    return SSIMCU_OK;
}

static ssimcu_status read_entries(struct cursor *from, size_t entries, struct floors_index *index)
{
    if (entries > from->left / ENTRY_BYTES) return SSIMCU_ERROR_DATA;
    index->entry = calloc(entries + 1, sizeof *index->entry);
    if (!index->entry) return SSIMCU_ERROR_MEMORY;
    for (size_t b = 0; b < index->blocks; b++)
        for (uint32_t i = 0; i < index->block[b].frames; i++, index->entries++) {
            const uint8_t *at = take(from, ENTRY_BYTES);
            if (!at) return SSIMCU_ERROR_DATA;
            index->entry[index->entries] = (struct floors_entry){
                (int64_t)floors_get(at, 8), (uint32_t)floors_get(at + 8, 4), (uint32_t)b};
        }
    return index->entries == entries ? SSIMCU_OK : SSIMCU_ERROR_DATA;
}

/* Reads the references, which are the rest of the index. */
static ssimcu_status read_referred(struct cursor *from, struct floors_index *index)
{
    const size_t count = from->left / REFERRED_BYTES;
    if (from->left % REFERRED_BYTES != 0) return SSIMCU_ERROR_DATA;
    index->referred = calloc(count + 1, sizeof *index->referred);
    if (!index->referred) return SSIMCU_ERROR_MEMORY;
    for (; index->references < count; index->references++) {
        const uint8_t *at = take(from, REFERRED_BYTES);
        struct floors_referred *referred = &index->referred[index->references];
        *referred = (struct floors_referred){
            (uint32_t)floors_get(at, 4),
            (int64_t)floors_get(at + 4, 8),
            {(int64_t)floors_get(at + 12, 8), (int64_t)floors_get(at + 20, 8),
             (uint32_t)floors_get(at + 28, 4), (uint32_t)floors_get(at + 32, 4)}};
        if (referred->part >= index->parts) return SSIMCU_ERROR_DATA;
    }
    return SSIMCU_OK;
}

ssimcu_status floors_index_read(const uint8_t *from, size_t bytes, uint64_t end,
                                struct floors_index *index)
{
    struct cursor cursor = {from, bytes};
    const uint8_t *head = take(&cursor, HEAD_BYTES);
    *index = (struct floors_index){0};
    if (!head) return SSIMCU_ERROR_DATA;
    ssimcu_status status = read_parts(&cursor, floors_get(head, 4), index);
    if (status == SSIMCU_OK) status = read_blocks(&cursor, floors_get(head + 4, 4), end, index);
    if (status == SSIMCU_OK) status = read_entries(&cursor, floors_get(head + 8, 4), index);
    if (status == SSIMCU_OK) status = read_referred(&cursor, index);
    return status;
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
