/* io/image/: deflate codes that zlib refuses and igzip takes, and that no encoder writes. */
#include "png_inflate.h"
#include "png_maker.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct bit_writer {
    uint8_t bytes[512];
    uint32_t count;
};

static void write_bits(struct bit_writer *to, uint32_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, to->count++)
        to->bytes[to->count / 8] |= (uint8_t)((value >> i & 1) << to->count % 8);
}

/* Writes a Huffman code, whose bits go the other way round. */
static void write_code(struct bit_writer *to, uint32_t code, uint32_t count)
{
    while (count--) write_bits(to, code >> count, 1);
}

/* Writes one symbol by the canonical code of these lengths. */
static void write_symbol(struct bit_writer *to, const uint8_t *length, uint32_t count,
                         uint32_t symbol)
{
    uint32_t code = 0;
    for (uint32_t bits = 1; bits <= length[symbol]; bits++, code <<= 1)
        for (uint32_t i = 0; i < count; i++) {
            if (bits == length[symbol] && i == symbol) {
                write_code(to, code, bits);
                return;
            }
            code += length[i] == bits;
        }
}

/* Reads a PNG of one grey pixel of value 7: one dynamic block by codes of these lengths. */
static enum verdict compare_codes(const uint8_t literals[257], const uint8_t distances[4])
{
    struct bit_writer to = {.bytes = {0x78, 0x01}, .count = 16};
    const uint8_t fours[16] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    write_bits(&to, 5, 3);  /* the last block, dynamic */
    write_bits(&to, 0, 5);  /* 257 literals */
    write_bits(&to, 3, 5);  /* 4 distances */
    write_bits(&to, 15, 4); /* 19 lengths of lengths: 4 for all except 16 to 18 */
    for (int i = 0; i < 19; i++) write_bits(&to, i < 3 ? 0 : 4, 3);
    for (int i = 0; i < 257; i++) write_symbol(&to, fours, 16, literals[i]);
    for (int i = 0; i < 4; i++) write_symbol(&to, fours, 16, distances[i]);
    write_symbol(&to, literals, 257, 0);
    write_symbol(&to, literals, 257, 7);
    write_symbol(&to, literals, 257, 256);
    const uint8_t adler[] = {0, 9, 0, 8}; /* the bytes 0 and 7 */
    made_png png = {0};
    const size_t size = (to.count + 7) / 8;
    memcpy(to.bytes + size, adler, 4);
    png_put_start(&png, (png_shape){1, 1, 8, GREY});
    png_put_idats(&png, to.bytes, size + 4, 0);
    png_put_chunk(&png, "IEND", "", 0);
    const enum verdict verdict = png_compare_readers(png.bytes, png.size);
    free(png.bytes);
    return verdict;
}

Test(png_codes, refuses_incomplete_codes_as_zlib)
{
    static const struct {
        uint8_t literals[257], distances[4];
        enum verdict verdict;
    } codes[] = {
        {{[0] = 1, [7] = 2, [256] = 2}, {1}, BOTH_READ},
        {{[0] = 1, [7] = 2, [256] = 2}, {0}, BOTH_READ},
        {{[0] = 1, [7] = 2, [256] = 2}, {1, 1}, BOTH_READ},
        {{[0] = 2, [7] = 2, [256] = 2}, {1}, REFUSED},         /* a pattern is unused */
        {{[0] = 1, [7] = 2, [256] = 2}, {2}, REFUSED},         /* a distance is unused */
        {{[0] = 1, [7] = 2, [256] = 2}, {2, 2, 2}, REFUSED},   /* one more is unused */
        {{[0] = 1, [7] = 1, [256] = 2}, {1}, REFUSED},         /* codes collide */
        {{[0] = 1, [7] = 2, [256] = 2}, {1, 1, 1}, REFUSED},   /* distances collide */
        {{[0] = 1, [7] = 2, [9] = 2, [256] = 0}, {1}, REFUSED} /* a block without end */
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        cr_expect_eq(compare_codes(codes[i].literals, codes[i].distances), codes[i].verdict, "%zu",
                     i);
}

/* Reads a dynamic block's header of 257 literals and 3 distances; runs give its codes' lengths. */
struct run_header {
    uint8_t code[19]; /* lengths of the codes of lengths */
    struct {
        uint8_t symbol, extra;
    } run[8];
    bool good;
};

static bool header_is_good(const struct run_header *header)
{
    static const uint8_t order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
    struct bit_writer to = {.count = 0};
    bool last = false;
    write_bits(&to, 5, 3);
    write_bits(&to, 0, 5);
    write_bits(&to, 2, 5);
    write_bits(&to, 15, 4);
    for (int i = 0; i < 19; i++) write_bits(&to, header->code[order[i]], 3);
    for (int i = 0; i < 8 && header->run[i].symbol; i++) {
        const uint8_t symbol = header->run[i].symbol;
        write_symbol(&to, header->code, 19, symbol);
        if (symbol >= 16)
            write_bits(&to, header->run[i].extra, symbol == 16 ? 2 : symbol == 17 ? 3 : 7);
    }
    return ssimcu_png_block_is_good(0, 0, to.bytes, sizeof to.bytes, &last) && last;
}

/* Literals 0, 7 and 256 have codes. Each line ends with what is wrong in it. */
Test(png, headers_of_blocks)
{
#define CODES                                                                                      \
    {                                                                                              \
        [1] = 2, [2] = 2, [17] = 2, [18] = 2                                                       \
    }
#define LITERALS                                                                                   \
    {1, 0}, {17, 3}, {2, 0}, {18, 127}, {18, 99}, { 2, 0 }
    static const struct run_header headers[] = {
        {CODES, {LITERALS, {17, 0}}, true},
        {{[1] = 1, [2] = 2, [17] = 3, [18] = 3}, {LITERALS, {17, 0}}, true},
        {CODES, {LITERALS, {17, 1}}, false},                                  /* one too many */
        {{[1] = 2, [2] = 2, [17] = 2, [18] = 3}, {LITERALS, {17, 0}}, false}, /* not complete */
        {{[1] = 1, [2] = 2, [17] = 2, [18] = 2}, {LITERALS, {17, 0}}, false}, /* too many codes */
        {{[1] = 2, [2] = 2, [17] = 2, [18] = 3, [16] = 3},
         {{16, 0}, {17, 1}, {2, 0}, {18, 127}, {18, 99}, {2, 0}, {17, 0}},
         false}, /* nothing to repeat */
        {CODES,
         {{1, 0}, {17, 2}, {2, 0}, {2, 0}, {18, 127}, {18, 100}, {17, 0}},
         false}, /* no end of the block */
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        cr_expect_eq(header_is_good(&headers[i]), headers[i].good, "%zu", i);
}
