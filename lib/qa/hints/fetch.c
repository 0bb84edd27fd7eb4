/* Fetching: the samples that an analysis is about to read come into the frames' memory. */
#include "hints/analysis.h"

void fetch_now(const struct analysis *analysis)
{
    struct hints_fetch *const fetch = analysis->fetch;
    if (fetch->count > 0) fetch->patches(fetch, fetch->list, fetch->count);
    fetch->count = 0;
}

/* V that is interleaved with U comes with it. */
void fetch_add(const struct analysis *analysis, int side, uint32_t plane, ssimcu_patch patch)
{
    struct hints_fetch *const fetch = analysis->fetch;
    const bool beside = plane == 2 && analysis->frame[side][plane].channels == 2;
    if (beside || fetch->whole[side][plane]) return;
    if (fetch->count == HINTS_PATCHES) fetch_now(analysis);
    patch.view = (uint32_t)side * HINTS_PLANES + plane;
    fetch->list[fetch->count++] = patch;
}

void fetch_whole(const struct analysis *analysis, int side, uint32_t plane)
{
    const ssimcu_frame *const frame = &analysis->frame[side][plane];
    if (!analysis->fetch) return;
    fetch_add(analysis, side, plane,
              (ssimcu_patch){.columns = frame->width, .rows = frame->height, .step = 1});
    fetch_now(analysis);
    analysis->fetch->whole[side][plane] = true;
}
