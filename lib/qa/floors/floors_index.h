/* The index of a file of floors: which frame lies in which block. */
#ifndef SSIMCU_QA_FLOORS_INDEX_H
#define SSIMCU_QA_FLOORS_INDEX_H

#include "floors/floors_file.h"

#define FLOORS_FILE_END "SSIMCUFE"

enum {
    FLOORS_BLOCK_FRAMES = 16,
    FLOORS_FILE_END_BYTES = 28,
    FLOORS_VALUES_MOST = 1 << 24, /* of a frame: far more than tiles of 11 pixels of 8K make */
    FLOORS_INDEX_MOST = 1 << 28   /* bytes */
};

struct floors_block {
    uint64_t offset;
    uint32_t packed, raw, crc; /* bytes in the file, bytes inflated, CRC of those in the file */
    uint32_t part;             /* number of its part */
    uint32_t first, frames;    /* its entries */
    struct floor_grid grid;
};

struct floors_entry {
    int64_t frame;
    uint32_t runs, block;
};

/* The reference of a frame, in the order of part and frame. */
struct floors_referred {
    uint32_t part;
    int64_t frame;
    struct floor_reference is;
};

struct floors_index {
    char **part; /* own; NULL: frames without a part */
    struct floors_block *block;
    struct floors_entry *entry;       /* block after block */
    struct floors_referred *referred; /* own */
    size_t parts, blocks, entries, references;
    size_t part_room, block_room, entry_room, reference_room;
};

/* Returns the number of a part, which is added if it is new; negative: memory ran out. */
int64_t floors_index_part(struct floors_index *index, const char *part);

/* Returns the index as bytes, the caller's to free; NULL: memory ran out. */
uint8_t *floors_index_write(const struct floors_index *index, size_t *bytes);

/* Reads an index of a file whose blocks end before `end`. Errors: DATA (no message), MEMORY. */
ssimcu_status floors_index_read(const uint8_t *from, size_t bytes, uint64_t end,
                                struct floors_index *index);

/* Returns the place of an entry; SIZE_MAX: there is none. */
size_t floors_index_find(const struct floors_index *index, const char *part, int64_t frame);

/* Returns the reference of a frame; NULL: the index has none. */
const struct floors_referred *floors_index_referred(const struct floors_index *index,
                                                    const char *part, int64_t frame);

void floors_index_free(struct floors_index *index);

/* Writes the fingerprint of a file (floors_file.h) from its last bytes: those have the CRC of the
 * index, which has the CRC of every block. */
void floors_print_of(const uint8_t end[FLOORS_FILE_END_BYTES], char print[FLOORS_PRINT]);

/* Write and read a little-endian number of so many bytes. */
void floors_put(uint8_t *to, uint64_t number, size_t bytes);
uint64_t floors_get(const uint8_t *from, size_t bytes);

#endif
