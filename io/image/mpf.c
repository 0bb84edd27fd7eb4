#include "mpf.h"

#include "ifd.h"

enum { COUNT = 0xB001, LIST = 0xB002, LIST_ENTRY = 16 };
enum { PREVIEW = 0x010000, KIND = 0xFF0000 /* class of a picture in its attribute */ };

uint32_t ssimcu_mpf_pictures(const uint8_t *data, size_t size)
{
    struct ssimcu_ifd ifd;
    if (!ssimcu_ifd_open(&ifd, data, size, "MPF", 4)) return 1;
    const size_t count = ssimcu_ifd_find(&ifd, COUNT), list = ssimcu_ifd_find(&ifd, LIST);
    if (count == 0) return 1;
    const uint32_t pictures = ssimcu_ifd_number(&ifd, count + 8, 4);
    const uint64_t first = list ? ssimcu_ifd_number(&ifd, list + 8, 4) : ifd.size;
    uint32_t previews = 0;
    for (uint32_t i = 1; i < pictures && first + (i + (uint64_t)1) * LIST_ENTRY <= ifd.size; i++) {
        const size_t at = (size_t)first + (size_t)i * LIST_ENTRY;
        previews += (ssimcu_ifd_number(&ifd, at, 4) & KIND) == PREVIEW;
    }
    return pictures > previews ? pictures - previews : 1;
}
