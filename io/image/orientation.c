#include "orientation.h"

#include "ifd.h"

#include "sample_size.h"

enum { ORIENTATION = 0x0112 };

/* Returns the orientation in the entry at `at`. */
static unsigned value_of(const struct ssimcu_ifd *ifd, size_t at)
{
    /* sizes of BYTE, SHORT, LONG, SBYTE, SSHORT and SLONG; the standard says SHORT, writers use
     * all */
    static const uint8_t size_of[] = {[1] = 1, [3] = 2, [4] = 4, [6] = 1, [8] = 2, [9] = 4};
    const uint32_t type = ssimcu_ifd_number(ifd, at + 2, 2),
                   count = ssimcu_ifd_number(ifd, at + 4, 4);
    const size_t bytes = type < sizeof size_of ? size_of[type] : 0;
    if (bytes == 0 || count < 1 || count > 4 / bytes) return 1;
    const uint32_t value = ssimcu_ifd_number(ifd, at + 8, bytes);
    return value >= 1 && value <= 8 ? value : 1;
}

unsigned ssimcu_orientation(const uint8_t *data, size_t size)
{
    struct ssimcu_ifd ifd;
    if (!ssimcu_ifd_open(&ifd, data, size, "Exif\0", 6)) return 1;
    const size_t at = ssimcu_ifd_find(&ifd, ORIENTATION);
    return at ? value_of(&ifd, at) : 1;
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
