/* The small TIFF file inside a marker of a JPEG: its first directory of tags. */
#ifndef SSIMCU_IMAGE_IFD_H
#define SSIMCU_IMAGE_IFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ssimcu_ifd {
    const uint8_t *bytes; /* the TIFF file; places in it count from here */
    size_t size;
    bool big_endian;
};

/* Returns the number of `bytes` bytes at `at`, which lie in the file. */
static inline uint32_t ssimcu_ifd_number(const struct ssimcu_ifd *ifd, size_t at, size_t bytes)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | ifd->bytes[at + (ifd->big_endian ? i : bytes - 1 - i)];
    return value;
}

/* Begins the TIFF file behind the `prefix` bytes of the marker's name. False if it is none. */
static inline bool ssimcu_ifd_open(struct ssimcu_ifd *ifd, const uint8_t *data, size_t size,
                                   const char *name, size_t prefix)
{
    enum { HEADER_BYTES = 8 };
    if (size < prefix + HEADER_BYTES || memcmp(data, name, prefix) != 0) return false;
    *ifd = (struct ssimcu_ifd){data + prefix, size - prefix, memcmp(data + prefix, "MM", 2) == 0};
    return memcmp(ifd->bytes, ifd->big_endian ? "MM\0*" : "II*", 4) == 0;
}

/* Returns the place of a tag's entry (tag, type, count, value), 0 if there is none. A directory may
 * say that it has more entries than there is data for. */
static inline size_t ssimcu_ifd_find(const struct ssimcu_ifd *ifd, uint32_t tag)
{
    enum { ENTRY_BYTES = 12 };
    const size_t first = ssimcu_ifd_number(ifd, 4, 4);
    if (first > ifd->size - 2) return 0;
    const size_t in_data = (ifd->size - first - 2) / ENTRY_BYTES;
    const size_t entries = ssimcu_ifd_number(ifd, first, 2);
    for (size_t i = 0; i < entries && i < in_data; i++) {
        const size_t at = first + 2 + i * ENTRY_BYTES;
        if (ssimcu_ifd_number(ifd, at, 2) == tag) return at;
    }
    return 0;
}

#endif
