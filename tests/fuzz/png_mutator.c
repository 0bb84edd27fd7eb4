/* libFuzzer's changes to a PNG, mostly with the chunks' checksums put right: otherwise almost no
 * change would get past them. */
#include <stdint.h>
#include <string.h>

#include <zlib.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

enum { SIGNATURE_BYTES = 8, AROUND = 12 /* length, type, checksum */ };

static uint32_t big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, room);
    if (size < SIGNATURE_BYTES || memcmp(data, "\x89PNG", 4) != 0 || seed % 8 == 0) return size;
    for (size_t at = SIGNATURE_BYTES; at + AROUND <= size;) {
        const size_t length = big_endian(data + at);
        if (length > size - at - AROUND) break;
        const uint32_t sum = (uint32_t)crc32(0, data + at + 4, (uInt)(length + 4));
        for (int i = 0; i < 4; i++)
            data[at + 8 + length + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
        at += AROUND + length;
    }
    return size;
}
