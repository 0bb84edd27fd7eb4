#include "orientation.h"

#include "sample_size.h"

#include <stdbool.h>

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
