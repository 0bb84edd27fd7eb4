#include "orientation.h"

#include "sample_size.h"

#include <stdbool.h>
#include <string.h>

enum {
    EXIF_BYTES = 6, /* "Exif", 0, 0 */
    HEADER_BYTES = 8,
    ENTRY_BYTES = 12, /* tag, type, count, value */
    ORIENTATION = 0x0112
};

struct tiff {
    const uint8_t *bytes;
    size_t size;
    bool big_endian;
};

static uint32_t number(const struct tiff *tiff, size_t at, size_t bytes)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | tiff->bytes[at + (tiff->big_endian ? i : bytes - 1 - i)];
    return value;
}

/* Returns the orientation in the entry at `at`. */
static unsigned value_of(const struct tiff *tiff, size_t at)
{
    /* sizes of BYTE, SHORT, LONG, SBYTE, SSHORT and SLONG; the standard says SHORT, writers use
     * all */
    static const uint8_t size_of[] = {[1] = 1, [3] = 2, [4] = 4, [6] = 1, [8] = 2, [9] = 4};
    const uint32_t type = number(tiff, at + 2, 2), count = number(tiff, at + 4, 4);
    const size_t bytes = type < sizeof size_of ? size_of[type] : 0;
    if (bytes == 0 || count < 1 || count > 4 / bytes) return 1;
    const uint32_t value = number(tiff, at + 8, bytes);
    return value >= 1 && value <= 8 ? value : 1;
}

unsigned ssimcu_orientation(const uint8_t *data, size_t size)
{
    if (size < EXIF_BYTES + HEADER_BYTES || memcmp(data, "Exif\0", EXIF_BYTES) != 0) return 1;
    struct tiff tiff = {data + EXIF_BYTES, size - EXIF_BYTES, false};
    if (memcmp(tiff.bytes, "MM\0*", 4) == 0)
        tiff.big_endian = true;
    else if (memcmp(tiff.bytes, "II*", 4) != 0)
        return 1;
    const size_t first = number(&tiff, 4, 4);
    if (first > tiff.size - 2) return 1;
    const size_t in_data = (tiff.size - first - 2) / ENTRY_BYTES;
    const size_t entries = number(&tiff, first, 2);
    for (size_t i = 0; i < entries && i < in_data; i++) {
        const size_t at = first + 2 + i * ENTRY_BYTES;
        if (number(&tiff, at, 2) == ORIENTATION) return value_of(&tiff, at);
    }
    return 1;
}

ssimcu_placement ssimcu_orientation_place(const ssimcu_frame *frame, unsigned orientation)
{
    const unsigned o = orientation;
    const bool turned = o >= 5;
    const bool from_right = o == 2 || o == 3 || o == 6 || o == 7;
    const bool from_bottom = o == 3 || o == 4 || o == 7 || o == 8;
    const ptrdiff_t size = (ptrdiff_t)(frame->channels * ssimcu_sample_size(frame->bits));
    const ptrdiff_t pitch = (ptrdiff_t)frame->pitch;
    const ptrdiff_t right = from_right ? -size : size;
    const ptrdiff_t down = from_bottom ? -pitch : pitch;
    uint8_t *first = frame->data;
    if (from_right) first += (frame->width - 1) * size;
    if (from_bottom) first += (frame->height - 1) * pitch;
    return (ssimcu_placement){first, turned ? down : right, turned ? right : down};
}
