/* The orientation tag: every value, byte order and type. Whatever is wrong or outside is 1. */
#include "image/jpeg/markers.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTE = 1, ASCII, SHORT, LONG, RATIONAL, SBYTE, UNDEFINED, SSHORT, SLONG, FLOAT = 11 };

/* Exif data as a camera writes it: the tag stands behind two others. */
struct exif {
    uint8_t bytes[80];
    size_t size;
    bool big_endian;
};

static void put(struct exif *exif, uint32_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        exif->bytes[exif->size + (exif->big_endian ? bytes - 1 - i : i)] =
            (uint8_t)(value >> (8 * i));
    exif->size += bytes;
}

static void put_entry(struct exif *exif, uint32_t tag, uint32_t type, uint32_t count,
                      uint32_t value)
{
    const size_t bytes = type == SHORT || type == SSHORT ? 2
                         : type == LONG || type == SLONG ? 4
                                                         : 1;
    put(exif, tag, 2);
    put(exif, type, 2);
    put(exif, count, 4);
    put(exif, value, bytes);
    put(exif, 0, 4 - bytes);
}

static struct exif make(bool big_endian, uint32_t type, uint32_t count, uint32_t value)
{
    struct exif exif = {.size = 8, .big_endian = big_endian};
    memcpy(exif.bytes, big_endian ? "Exif\0\0MM" : "Exif\0\0II", 8);
    put(&exif, 42, 2);
    put(&exif, 8, 4);
    put(&exif, 3, 2);
    put_entry(&exif, 0x010F, LONG, 1, 0);
    put_entry(&exif, 0x0111, SHORT, 1, 6);
    put_entry(&exif, 0x0112, type, count, value);
    return exif;
}

/* Reads a copy that ends with the data, so that a sanitizer sees a read past it. */
static unsigned read_of(const struct exif *exif, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    cr_assert(copy);
    memcpy(copy, exif->bytes, size);
    const unsigned orientation = ssimcu_orientation(copy, size);
    free(copy);
    return orientation;
}

static void expect(const struct exif *exif, unsigned wanted, const char *what)
{
    const unsigned is = read_of(exif, exif->size);
    cr_expect(is == wanted, "%s, %s endian: %u, not %u", what, exif->big_endian ? "big" : "little",
              is, wanted);
}

Test(orientation, values_but_1_to_8_are_1)
{
    for (int big_endian = 0; big_endian <= 1; big_endian++)
        for (uint32_t value = 0; value < 0x10000; value++) {
            const struct exif exif = make(big_endian, SHORT, 1, value);
            expect(&exif, value >= 1 && value <= 8 ? value : 1, "value");
        }
}

Test(orientation, any_whole_type_holds_it)
{
    static const uint8_t whole[] = {BYTE, SHORT, LONG, SBYTE, SSHORT, SLONG};
    for (int big_endian = 0; big_endian <= 1; big_endian++)
        for (uint32_t type = 0; type < 0x10000; type++) {
            const struct exif exif = make(big_endian, type, 1, 6);
            expect(&exif, type < 16 && memchr(whole, (int)type, sizeof whole) ? 6 : 1, "type");
        }
    struct exif exif = make(false, LONG, 1, 0x10006);
    expect(&exif, 1, "only the low half of a LONG is right");
    exif = make(false, SLONG, 1, (uint32_t)-6);
    expect(&exif, 1, "negative");
}

Test(orientation, only_one_or_two_values_count)
{
    for (int big_endian = 0; big_endian <= 1; big_endian++)
        for (uint32_t count = 0; count < 8; count++) {
            struct exif exif = make(big_endian, SHORT, count, 6);
            expect(&exif, count == 1 || count == 2 ? 6 : 1, "count");
        }
    struct exif exif = make(false, SHORT, 0x80000001, 6);
    expect(&exif, 1, "a count that would wrap");
}

Test(orientation, cut_anywhere_it_is_1)
{
    for (int big_endian = 0; big_endian <= 1; big_endian++) {
        const struct exif exif = make(big_endian, SHORT, 1, 6);
        for (size_t size = 0; size < exif.size; size++)
            cr_expect(read_of(&exif, size) == 1, "%zu bytes", size);
    }
}

Test(orientation, a_damaged_header_is_1)
{
    for (size_t at = 0; at < 10; at++) {
        struct exif exif = make(at % 2, SHORT, 1, 6);
        exif.bytes[at] ^= 0x20;
        expect(&exif, 1, "header");
    }
    struct exif exif = make(false, SHORT, 1, 6);
    memcpy(exif.bytes + 6, "MM", 2);
    expect(&exif, 1, "the other order of bytes");
}

Test(orientation, only_the_offset_of_the_directory_counts)
{
    struct exif exif = make(true, SHORT, 1, 6);
    const size_t whole = exif.size;
    for (uint64_t offset = 0; offset <= UINT32_MAX; offset += offset < 200 ? 1 : 0x00FFFFFB) {
        exif.size = 10;
        put(&exif, (uint32_t)offset, 4);
        exif.size = whole;
        expect(&exif, offset == 8 ? 6 : 1, "offset");
    }
    exif = make(true, SHORT, 1, 6);
    memset(exif.bytes + 14, 0xFF, 2);
    expect(&exif, 6, "more entries than data");
    memset(exif.bytes + 14, 0, 2);
    expect(&exif, 1, "no entries");
}

Test(orientation, the_first_counts)
{
    struct exif exif = make(false, SHORT, 1, 6);
    exif.bytes[16] = 0x12; /* 0x010F becomes 0x0112 */
    exif.bytes[18] = SHORT;
    exif.bytes[24] = 3;
    expect(&exif, 3, "twice");
}
