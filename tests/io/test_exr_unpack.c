/* io/exr/unpack.c: chunks made here, of every kind of sample, whole and with too little or too
 * much in them. */
#include "chunks.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { NONE, RLE, ZIPS, ZIP, PIZ, MOST = 1 << 14 };

/* The list of channels: "A" is half, "m" is subsampled and never read, "n" is uint, "z" float. */
static const uint8_t list[] = "A\0\1\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0"
                              "m\0\2\0\0\0\0\0\0\0\2\0\0\0\2\0\0\0"
                              "n\0\0\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0"
                              "z\0\2\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0";

/* One chunk: its samples, and the file that holds it. */
static struct {
    struct ssimcu_exr_task task;
    struct ssimcu_exr_picture picture;
    uint8_t raw[MOST], file[MOST];
    size_t raw_size, size; /* of the chunk in the file */
    uint16_t half[64];
    uint32_t integer[64];
    float real[64];
} made;

static void put(uint64_t value, size_t bytes)
{
    memcpy(made.raw + made.raw_size, &value, bytes);
    made.raw_size += bytes;
}

static void make_samples(int32_t x, int32_t y, uint32_t width, uint32_t rows)
{
    made.raw_size = 0;
    for (uint32_t r = 0; r < rows; r++) {
        const uint32_t row = r * width;
        for (uint32_t i = 0; i < width; i++)
            put(made.half[row + i] = (uint16_t)(0x3c00 + 17 * (row + i)), 2);
        for (int32_t i = x; i < x + (int32_t)width; i++)
            if (i % 2 == 0 && (y + (int32_t)r) % 2 == 0) put((uint64_t)(uint32_t)i, 4);
        for (uint32_t i = 0; i < width; i++) put(made.integer[row + i] = 70000 * (row + i) + 3, 4);
        for (uint32_t i = 0; i < width; i++) {
            uint32_t bits;
            made.real[row + i] = (float)(row + i) / 3 - 1;
            memcpy(&bits, &made.real[row + i], 4);
            put(bits, 4);
        }
    }
}

/* Packs `size` bytes of samples as the compression does. Returns the packed size. */
static size_t pack(uint32_t compression, size_t size, uint8_t *to)
{
    uint8_t bytes[MOST];
    for (size_t i = 0; i < size; i++) bytes[i % 2 ? (size + 1) / 2 + i / 2 : i / 2] = made.raw[i];
    for (size_t i = size; i-- > 1;) bytes[i] = (uint8_t)(bytes[i] - bytes[i - 1] + 128);
    if (compression != RLE) {
        uLongf packed = MOST - 64;
        cr_assert_eq(compress2(to, &packed, bytes, size, 9), Z_OK);
        return packed;
    }
    uint8_t *const start = to;
    for (size_t i = 0; i < size;) {
        size_t run = 1;
        while (i + run < size && run < 128 && bytes[i + run] == bytes[i]) run++;
        if (run == 1) *to++ = 255, *to++ = bytes[i]; /* one byte as it is */
        if (run > 1) *to++ = (uint8_t)(run - 1), *to++ = bytes[i];
        i += run;
    }
    return (size_t)(to - start);
}

/* Makes a file of one chunk: an offset, the chunk's place, its size, its bytes. */
static void make(uint32_t compression, int32_t x, int32_t y, uint32_t width, uint32_t rows,
                 const char *const *names, uint32_t count)
{
    enum { TABLE = 8, PLACE = 4 };
    memset(made.file, 0, sizeof made.file);
    make_samples(x, y, width, rows);
    made.file[0] = TABLE;
    made.size = pack(compression, made.raw_size, made.file + 16);
    if (compression == NONE || made.size == made.raw_size) {
        memcpy(made.file + 16, made.raw, made.raw_size);
        made.size = made.raw_size;
    }
    made.task = (struct ssimcu_exr_task){.bytes = made.file};
    made.task.facts.channel_count = count;
    made.task.facts.bits = count == 1 && names[0][0] == 'A' ? SSIMCU_BITS_F16 : SSIMCU_BITS_F32;
    made.task.facts.data =
        (struct ssimcu_exr_window){x, y, x + (int32_t)width - 1, y + (int32_t)rows - 1};
    made.picture = (struct ssimcu_exr_picture){.count = count,
                                               .chunk_width = width,
                                               .chunk_rows = rows,
                                               .band_rows = rows,
                                               .compression = compression ? compression : ZIP,
                                               .chunk_head = PLACE,
                                               .offsets = made.file,
                                               .channels = {list, sizeof list}};
    for (uint32_t c = 0; c < count; c++) strcpy(made.picture.channel[c].name, names[c]);
}

static ssimcu_status unpack(void *band)
{
    memcpy(made.file + 12, &(uint32_t){(uint32_t)made.size}, 4);
    made.task.size = 16 + made.size;
    made.task.band = band;
    return ssimcu_exr_unpack(&made.task, &made.picture, 0, made.task.facts.data.y0);
}

static const char *const all[] = {"z", "n", "A"}, *const halves[] = {"A"};

Test(exr_unpack, takes_what_it_knows)
{
    for (uint32_t c = 0; c < 10; c++)
        cr_expect_eq(ssimcu_exr_unpacks(&(struct ssimcu_exr_picture){.compression = c}),
                     c >= RLE && c <= ZIP, "%u", c);
}

Test(exr_unpack, every_kind_of_sample)
{
    for (uint32_t compression = NONE; compression < PIZ; compression++)
        for (uint32_t width = 1; width < 8; width++)
            for (int32_t corner = -3; corner < 3; corner++) {
                float band[64 * 3];
                uint16_t half[64];
                make(compression, corner, corner, width, 5, all, 3);
                cr_assert_eq(unpack(band), SSIMCU_OK, "%u, %u", compression, width);
                for (uint32_t i = 0; i < width * 5; i++) {
                    uint32_t integer;
                    memcpy(&integer, &band[3 * i + 1], 4);
                    cr_expect_eq(band[3 * i], made.real[i]);
                    cr_expect_eq(integer, made.integer[i]);
                    cr_expect_eq(band[3 * i + 2], 1 + 17 * (float)i / 1024, "%u", i);
                }
                make(compression, corner, corner, width, 5, halves, 1);
                cr_assert_eq(unpack(half), SSIMCU_OK);
                cr_expect_arr_eq(half, made.half, width * 5 * 2);
            }
}

/* A chunk may be shorter only because it is packed, never because pixels are missing. Bytes as many
 * as the pixels' count as the pixels themselves. */
Test(exr_unpack, refuses_what_is_not_its_pixels)
{
    for (uint32_t compression = RLE; compression < PIZ; compression++)
        for (uint32_t width = 1; width < 8; width++) {
            float band[64 * 3];
            make(compression, 0, 0, width, 5, all, 3);
            const size_t whole = made.size, bytes = made.raw_size;
            for (size_t less = 1; less <= bytes; less++) {
                made.size = pack(compression, bytes - less, made.file + 16);
                if (made.size != bytes)
                    cr_expect_eq(unpack(band), SSIMCU_ERROR_DATA, "%zu bytes less", less);
            }
            for (size_t more = 1; more <= 300; more++) {
                made.size = pack(compression, bytes + more, made.file + 16);
                if (made.size != bytes)
                    cr_expect_eq(unpack(band), SSIMCU_ERROR_DATA, "%zu bytes more", more);
            }
            if (whole == bytes) continue;
            cr_expect_eq(pack(compression, bytes, made.file + 16), whole);
            for (made.size = 0; made.size < whole; made.size++)
                if (made.size != bytes)
                    cr_expect_eq(unpack(band), SSIMCU_ERROR_DATA, "cut at %zu", made.size);
            memset(made.file + 16 + whole, 0xff, 4); /* the slack of a zlib stream is 3 */
            made.size = whole + 4;
            if (made.size != bytes) cr_expect_eq(unpack(band), SSIMCU_ERROR_DATA);
            made.size = whole;
            cr_expect_eq(unpack(band), SSIMCU_OK);
        }
}

Test(exr_unpack, a_file_that_changes_is_damaged)
{
    float band[64 * 3];
    make(ZIP, 0, 0, 4, 5, all, 3);
    made.file[6] = 1; /* the offset of the chunk */
    cr_expect_eq(unpack(band), SSIMCU_ERROR_DATA);
    make(ZIP, 0, 0, 4, 5, all, 3);
    cr_assert_eq(unpack(band), SSIMCU_OK);
    made.task.size--;
    cr_expect_eq(ssimcu_exr_unpack(&made.task, &made.picture, 0, 0), SSIMCU_ERROR_DATA);
}

/* Tiles of 16 x 8 in a window of 33 x 21: which ones a band needs, and where each lies. */
Test(exr_unpack, finds_the_tiles_of_a_band)
{
    uint8_t file[9 * 8 + 20] = {0};
    for (int i = 0; i < 9; i++) file[8 * i] = 9 * 8;
    const struct ssimcu_exr_task task = {
        .bytes = file, .size = sizeof file, .facts.data = {-5, 7, 27, 27}};
    const struct ssimcu_exr_picture picture = {
        .chunk_width = 16, .chunk_rows = 8, .chunk_head = 16, .offsets = file};
    static const struct {
        struct ssimcu_exr_rows band;
        uint64_t first, end;
    } bands[] = {{{7, 8}, 0, 3}, {{15, 13}, 3, 9}, {{23, 5}, 6, 9}, {{7, 21}, 0, 9}};
    for (int i = 0; i < 4; i++) {
        const struct ssimcu_exr_range range =
            ssimcu_exr_band_chunks(&task, &picture, &bands[i].band);
        cr_expect(range.first == bands[i].first && range.end == bands[i].end, "%d", i);
    }
    struct exr_chunk chunk;
    cr_assert(exr_chunks_find(&task, &picture, 5, &chunk));
    cr_expect(chunk.x == 27 && chunk.y == 15 && chunk.width == 1 && chunk.rows == 8);
    cr_assert(exr_chunks_find(&task, &picture, 7, &chunk));
    cr_expect(chunk.x == 11 && chunk.y == 23 && chunk.width == 16 && chunk.rows == 5);
}
