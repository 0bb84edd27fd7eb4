/* Fetching: samples that a look is about to read come into the frames' memory. */
#include "hints/look.h"

void fetch_now(const struct look *look)
{
    struct hints_fetch *const fetch = look->fetch;
    if (fetch->count > 0) fetch->patches(fetch, fetch->list, fetch->count);
    fetch->count = 0;
}

/* V that lies in U comes with it. */
void fetch_add(const struct look *look, int side, uint32_t plane, ssimcu_patch patch)
{
    struct hints_fetch *const fetch = look->fetch;
    const bool beside = plane == 2 && look->frame[side][plane].channels == 2;
    if (beside || fetch->whole[side][plane]) return;
    if (fetch->count == HINTS_PATCHES) fetch_now(look);
    patch.view = (uint32_t)side * HINTS_PLANES + plane;
    fetch->list[fetch->count++] = patch;
}

void fetch_whole(const struct look *look, int side, uint32_t plane)
{
    const ssimcu_frame *const frame = &look->frame[side][plane];
    if (!look->fetch) return;
    fetch_add(look, side, plane,
              (ssimcu_patch){.columns = frame->width, .rows = frame->height, .step = 1});
    fetch_now(look);
    look->fetch->whole[side][plane] = true;
}
