/* Exif and MPF are small TIFF files inside a marker. The values are in the first directory of
 * tags. */
#include "markers.h"

#include <string.h>

struct ifd {
    const uint8_t *bytes; /* the TIFF file; offsets in it count from here */
    size_t size;
    bool big_endian;
};

/* Returns the number of `bytes` bytes at `at`, which lie in the file. */
static uint32_t number_at(const struct ifd *ifd, size_t at, size_t bytes)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | ifd->bytes[at + (ifd->big_endian ? i : bytes - 1 - i)];
    return value;
}

/* Opens the TIFF file after the `prefix` bytes of the marker's name. Returns false if it is not a
 * TIFF file. */
static bool open_ifd(struct ifd *ifd, const uint8_t *data, size_t size, const char *name,
                     size_t prefix)
{
    enum { HEADER_BYTES = 8 };
    if (size < prefix + HEADER_BYTES || memcmp(data, name, prefix) != 0) return false;
    *ifd = (struct ifd){data + prefix, size - prefix, memcmp(data + prefix, "MM", 2) == 0};
    return memcmp(ifd->bytes, ifd->big_endian ? "MM\0*" : "II*", 4) == 0;
}

/* Returns the offset of a tag's entry (tag, type, count, value), or 0. A directory may claim more
 * entries than it has data for. */
static size_t find_tag(const struct ifd *ifd, uint32_t tag)
{
    enum { ENTRY_BYTES = 12 };
    const size_t first = number_at(ifd, 4, 4);
    if (first > ifd->size - 2) return 0;
    const size_t in_data = (ifd->size - first - 2) / ENTRY_BYTES;
    const size_t entries = number_at(ifd, first, 2);
    for (size_t i = 0; i < entries && i < in_data; i++) {
        const size_t at = first + 2 + i * ENTRY_BYTES;
        if (number_at(ifd, at, 2) == tag) return at;
    }
    return 0;
}

/* ---- Exif ------------------------------------------------------------------------------------ */

enum { ORIENTATION = 0x0112 };

/* Returns the orientation in the entry at `at`. */
static unsigned value_of(const struct ifd *ifd, size_t at)
{
    /* sizes of BYTE, SHORT, LONG, SBYTE, SSHORT and SLONG; the standard requires SHORT, but writers
     * use all */
    static const uint8_t size_of[] = {[1] = 1, [3] = 2, [4] = 4, [6] = 1, [8] = 2, [9] = 4};
    const uint32_t type = number_at(ifd, at + 2, 2), count = number_at(ifd, at + 4, 4);
    const size_t bytes = type < sizeof size_of ? size_of[type] : 0;
    if (bytes == 0 || count < 1 || count > 4 / bytes) return 1;
    const uint32_t value = number_at(ifd, at + 8, bytes);
    return value >= 1 && value <= 8 ? value : 1;
}

unsigned ssimcu_orientation_said(const uint8_t *data, size_t size)
{
    struct ifd ifd;
    if (!open_ifd(&ifd, data, size, "Exif\0", 6) && !open_ifd(&ifd, data, size, "", 0)) return 0;
    const size_t at = find_tag(&ifd, ORIENTATION);
    return at ? value_of(&ifd, at) : 0;
}

unsigned ssimcu_orientation(const uint8_t *data, size_t size)
{
    const unsigned said = ssimcu_orientation_said(data, size);
    return said ? said : 1;
}

/* ---- MPF ------------------------------------------------------------------------------------- */

enum { COUNT = 0xB001, LIST = 0xB002, LIST_ENTRY = 16 };
enum { PREVIEW = 0x010000, KIND = 0xFF0000 /* class of a picture in its attribute */ };

uint32_t ssimcu_mpf_pictures(const uint8_t *data, size_t size)
{
    struct ifd ifd;
    if (!open_ifd(&ifd, data, size, "MPF", 4)) return 1;
    const size_t count = find_tag(&ifd, COUNT), list = find_tag(&ifd, LIST);
    if (count == 0) return 1;
    const uint32_t pictures = number_at(&ifd, count + 8, 4);
    const uint64_t first = list ? number_at(&ifd, list + 8, 4) : ifd.size;
    uint32_t previews = 0;
    for (uint32_t i = 1; i < pictures && first + (i + (uint64_t)1) * LIST_ENTRY <= ifd.size; i++) {
        const size_t at = (size_t)first + (size_t)i * LIST_ENTRY;
        previews += (number_at(&ifd, at, 4) & KIND) == PREVIEW;
    }
    return pictures > previews ? pictures - previews : 1;
}

/* ---- Segments -------------------------------------------------------------------------------- */

/* Returns the bytes of the segment at *at, after skipping fill bytes. Returns 0 if it is
 * incomplete, or if the picture's data begins here. */
static size_t segment(const uint8_t *jpeg, size_t size, size_t *at)
{
    enum { SOS = 0xDA };
    while (size - *at >= 4 && jpeg[*at] == 0xFF && jpeg[*at + 1] == 0xFF) ++*at;
    if (size - *at < 4 || jpeg[*at] != 0xFF || jpeg[*at + 1] == SOS) return 0;
    const size_t length = 2 + (size_t)(jpeg[*at + 2] << 8 | jpeg[*at + 3]);
    return length <= size - *at ? length : 0;
}

size_t ssimcu_jpeg_profile(const uint8_t *jpeg, size_t size, uint8_t *to, size_t room)
{
    static const char name[] = "ICC_PROFILE"; /* including its 0; the segment's number and count
                                                 follow */
    enum { APP2 = 0xE2, BEFORE = 4 + sizeof name + 2 };
    size_t used = 0, length;
    for (size_t at = 2; (length = segment(jpeg, size, &at)) > 0; at += length) {
        if (jpeg[at + 1] != APP2 || length <= BEFORE ||
            memcmp(jpeg + at + 4, name, sizeof name) != 0)
            continue;
        const size_t more = length - BEFORE < room - used ? length - BEFORE : room - used;
        memcpy(to + used, jpeg + at + BEFORE, more);
        used += more;
    }
    return used;
}

bool ssimcu_jpeg_has_size(const uint8_t *jpeg, size_t size, uint32_t width, uint32_t height)
{
    enum { DHT = 0xC4, JPG = 0xC8, DAC = 0xCC, SIZE_BYTES = 9 };
    size_t length;
    if (size < 4 || memcmp(jpeg, "\xFF\xD8\xFF", 3) != 0) return false;
    for (size_t at = 2; (length = segment(jpeg, size, &at)) > 0; at += length) {
        const uint8_t *const head = jpeg + at, kind = head[1];
        if (kind >> 4 == 0xC && kind != DHT && kind != JPG && kind != DAC && length >= SIZE_BYTES)
            return (uint32_t)(head[5] << 8 | head[6]) == height &&
                   (uint32_t)(head[7] << 8 | head[8]) == width;
    }
    return false;
}
