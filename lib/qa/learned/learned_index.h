/* The index of a file of learned limits: the block of each frame. */
#pragma once

#include "learned/learned_file.h"

#define LEARNED_FILE_END "SSIMCUFE"

enum {
    LEARNED_BLOCK_FRAMES = 16,
    LEARNED_FILE_END_BYTES = 28,
    LEARNED_VALUES_MOST = 1 << 24, /* a frame's values: far more than 11-pixel tiles of 8K make */
    LEARNED_INDEX_MOST = 1 << 28   /* bytes */
};

struct learned_block {
    uint64_t offset;
    uint32_t packed, raw, crc; /* bytes in the file, bytes inflated, CRC of those in the file */
    uint32_t shot;             /* number of its shot */
    uint32_t first, frames;    /* its entries */
    struct learned_grid grid;
};

struct learned_entry {
    int64_t frame;
    uint32_t runs, block;
};

/* The reference of a frame, in the order of shot and frame. */
struct learned_referred {
    uint32_t shot;
    int64_t frame;
    struct learned_reference is;
};

struct learned_index {
    char **shot; /* owned; NULL: frames without a shot */
    struct learned_block *block;
    struct learned_entry *entry;       /* block after block */
    struct learned_referred *referred; /* owned */
    size_t shots, blocks, entries, references;
    size_t shot_room, block_room, entry_room, reference_room;
};

/* Returns the number of a shot, adding it if it is new; negative: memory ran out. */
int64_t learned_index_shot(struct learned_index *index, const char *shot);

/* Returns the index as bytes, which the caller frees; NULL: memory ran out. */
uint8_t *learned_index_write(const struct learned_index *index, size_t *bytes);

/* Reads an index of a file whose blocks end before `end`. Errors: DATA (no message), MEMORY. */
ssimcu_status learned_index_read(const uint8_t *from, size_t bytes, uint64_t end,
                                 struct learned_index *index);

/* Returns the place of an entry; SIZE_MAX: there is none. */
size_t learned_index_find(const struct learned_index *index, const char *shot, int64_t frame);

/* Returns the reference of a frame; NULL: it is not in the index. */
const struct learned_referred *learned_index_referred(const struct learned_index *index,
                                                      const char *shot, int64_t frame);

void learned_index_free(struct learned_index *index);

/* Writes the fingerprint of a file (learned_file.h) from its last bytes. These contain the CRC of
 * the index, which contains the CRC of every block. */
void learned_print_of(const uint8_t end[LEARNED_FILE_END_BYTES], char print[LEARNED_PRINT]);

/* Write and read a little-endian number of `bytes` bytes. */
void learned_put(uint8_t *to, uint64_t number, size_t bytes);
uint64_t learned_get(const uint8_t *from, size_t bytes);
