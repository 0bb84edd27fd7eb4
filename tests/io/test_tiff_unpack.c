/* The compressions of TIFF by themselves: streams that libtiff does not write. */
#include "image/tiff/tiff_unpack.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PADDING = 0xA5 };

/* ---- LZW ------------------------------------------------------------------------------------- */

/* Codes of LZW, in as many bits as a reader expects by now. */
struct codes {
    uint8_t bytes[1 << 14];
    uint32_t count, held, next, bits;
    size_t size;
};

static void put_code(struct codes *codes, uint32_t code)
{
    codes->held = codes->held << codes->bits | code;
    for (codes->count += codes->bits; codes->count >= 8; codes->count -= 8)
        codes->bytes[codes->size++] = (uint8_t)(codes->held >> (codes->count - 8));
    if (code == 256) codes->next = 257, codes->bits = 9;
    if (++codes->next == 1U << codes->bits && codes->bits < 12) codes->bits++;
}

static void end_codes(struct codes *codes)
{
    put_code(codes, 257);
    codes->held <<= 8 - codes->count % 8; /* fills the last byte */
    codes->bytes[codes->size++] = (uint8_t)codes->held;
}

/* An encoder may leave the full table as it is. Codes then keep 12 bits, and none is added. */
Test(tiff_unpack, unpacks_lzw_whose_table_stays_full)
{
    enum { SINGLE = 4500, PAIRS = 300, LAST = 4095 };
    static struct codes codes = {.bits = 9};
    static uint8_t wanted[SINGLE + 2 * PAIRS], got[sizeof wanted];
    size_t size = 0;
    put_code(&codes, 256);
    for (; size < SINGLE; size++) {
        wanted[size] = (uint8_t)(size * 7 ^ size >> 5);
        put_code(&codes, wanted[size]);
    }
    for (uint32_t i = 0; i < PAIRS; i++) { /* entry n: the pair behind byte n - 258 */
        put_code(&codes, LAST - i);
        memcpy(wanted + size, wanted + LAST - i - 258, 2);
        size += 2;
    }
    end_codes(&codes);
    cr_assert(ssimcu_tiff_unpack_lzw(codes.bytes, codes.size, got, size));
    cr_expect(memcmp(got, wanted, size) == 0);
    cr_expect_not(ssimcu_tiff_unpack_lzw(codes.bytes, codes.size - 4, got, size), "cut");
    cr_expect_not(ssimcu_tiff_unpack_lzw(codes.bytes, codes.size, got, size - 2 * 4), "surplus");
}

/* The newest code may still lack its last byte. A code that comes later is refused. */
Test(tiff_unpack, refuses_codes_of_lzw_that_are_not_there_yet)
{
    static const char *const pixels[] = {"ababc", "abbbc"};
    for (uint32_t code = 258; code < 512; code++) {
        struct codes codes = {.bits = 9};
        const uint32_t all[] = {256, 'a', 'b', code, 'c'};
        uint8_t got[16];
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) put_code(&codes, all[i]);
        end_codes(&codes);
        for (size_t wanted = 3; wanted < 8 && code >= 260; wanted++)
            cr_expect_not(ssimcu_tiff_unpack_lzw(codes.bytes, codes.size, got, wanted), "%u", code);
        if (code >= 260) continue;
        cr_assert(ssimcu_tiff_unpack_lzw(codes.bytes, codes.size, got, 5), "%u", code);
        cr_expect(memcmp(got, pixels[code - 258], 5) == 0, "%u", code);
    }
}

/* ---- PackBits -------------------------------------------------------------------------------- */

/* A run or a piece that goes beyond the pixels is refused, and writes nothing there. */
Test(tiff_unpack, unpacks_packbits_to_exactly_its_pixels)
{
    static const uint8_t run[] = {0x80, 253, 7, 2,
                                  1,    2,   3, 0}; /* 4 times 7, then 1 2 3, a spare 0 */
    static const uint8_t pixels[] = {7, 7, 7, 7, 1, 2, 3};
    for (size_t size = 1; size <= sizeof run; size++)
        for (size_t wanted = 1; wanted < 12; wanted++) {
            uint8_t got[16];
            memset(got, PADDING, sizeof got);
            const bool right = (wanted == 7 && size >= 7) || (wanted == 4 && size - 3 < 2);
            cr_expect_eq(ssimcu_tiff_unpack_packbits(run, size, got, wanted), right, "%zu of %zu",
                         wanted, size);
            if (right) cr_expect(memcmp(got, pixels, wanted) == 0);
            for (size_t i = wanted; i < sizeof got; i++) cr_expect_eq(got[i], PADDING);
        }
}
