#include "learned/learned_file.h"
#include "learned/learned_index.h"
#include "targets.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST = 1 << 16, HEAD = 12, PART = 4, FRAMES = 20 };

/* Puts the place, sizes and CRC of the block into the index, as far as it has a first block, so
 * that a fuzzer need not guess a CRC. */
static void mend_index(uint8_t *index, size_t size, const uint8_t *packed, size_t packed_bytes,
                       size_t raw_bytes)
{
    size_t at = HEAD;
    if (size < HEAD) return;
    for (uint64_t shots = learned_get(index, 4); shots > 0 && at + PART <= size; shots--) {
        const uint64_t length = learned_get(index + at, 4);
        at += PART + (length == UINT32_MAX ? 0 : (size_t)length);
    }
    if (at > size || size - at < 20) return;
    learned_put(index + at, 8, 8);
    learned_put(index + at + 8, packed_bytes, 4);
    learned_put(index + at + 12, raw_bytes, 4);
    learned_put(index + at + 16, crc32(0, packed, (uInt)packed_bytes), 4);
}

static size_t pack(const uint8_t *raw, size_t size, uint8_t *to)
{
    uLongf bytes = MOST;
    FUZZ_CHECK(compress(to, &bytes, raw, size) == Z_OK);
    return bytes;
}

/* Makes a file of one block out of its bytes and those of the index, and returns its size. */
static size_t make_file(const uint8_t *block, size_t block_bytes, const uint8_t *bytes,
                        size_t index_bytes, uint8_t *to)
{
    uint8_t *const index = fuzz_copy(bytes, index_bytes);
    memcpy(to, LEARNED_FILE_MAGIC, 8);
    const size_t packed = pack(block, block_bytes, to + 8);
    mend_index(index, index_bytes, to + 8, packed, block_bytes);
    const size_t offset = 8 + packed, own = pack(index, index_bytes, to + offset);
    uint8_t *const end = to + offset + own;
    learned_put(end, offset, 8);
    learned_put(end + 8, own, 4);
    learned_put(end + 12, index_bytes, 4);
    learned_put(end + 16, crc32(0, to + offset, (uInt)own), 4);
    memcpy(end + 20, LEARNED_FILE_END, 8);
    free(index);
    return offset + own + LEARNED_FILE_END_BYTES;
}

static void find(struct learned_file *file, const char *shot, int64_t frame)
{
    struct learned_frame learned;
    struct learned_reference reference = {0};
    ssimcu_message why = {{0}};
    (void)learned_file_reference(file, shot, frame, &reference);
    if (learned_file_find(file, shot, frame, &learned, &why) != SSIMCU_OK) {
        FUZZ_CHECK(fuzz_is_line(why.text));
        return;
    }
    for (size_t i = 0; learned.mean && i < learned_all_values(&learned.grid); i++)
        FUZZ_CHECK(learned.sigma[i] > 0 && learned.mean[i] == learned.mean[i]);
    learned_frame_free(&learned);
}

/* 0, then a file; or 1, the bytes of a block (two bytes), the block and an index, both inflated. */
void fuzz_learned(const uint8_t *data, size_t size)
{
    static uint8_t made[3 * MOST];
    if (size < 3 || size > MOST / 2) return;
    const size_t block = (size_t)(data[1] | data[2] << 8) % (size - 2);
    const size_t bytes = data[0] % 2
                             ? make_file(data + 3, block, data + 3 + block, size - 3 - block, made)
                             : size - 1;
    struct fuzz_file file = fuzz_file_open(data[0] % 2 ? made : data + 1, bytes);
    struct learned_file *learned = NULL;
    ssimcu_message why = {{0}};
    if (learned_file_open(file.path, &learned, &why) == SSIMCU_OK) {
        FUZZ_CHECK(learned_file_frames(learned) <= size);
        for (int64_t frame = 0; frame < FRAMES; frame++)
            find(learned, frame % 2 ? "a" : NULL, frame / 2);
    } else {
        FUZZ_CHECK(fuzz_is_line(why.text));
    }
    learned_file_close(learned);
    fuzz_file_close(&file);
}
