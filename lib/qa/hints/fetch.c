/* Fetching: samples that a look is about to read come into the frames' memory. */
#include "hints/look.h"

bool fetch_begin(const struct look *look, struct fetch_list *list)
{
    list->count = 0;
    return look->fetch != NULL;
}

void fetch_now(const struct look *look, struct fetch_list *list)
{
    if (list->count > 0) look->fetch->patches(look->fetch, list->patch, list->count);
    list->count = 0;
}

/* V that lies in U comes with it. */
void fetch_add(const struct look *look, struct fetch_list *list, int side, uint32_t plane,
               ssimcu_patch patch)
{
    const bool beside = plane == 2 && look->frame[side][plane].channels == 2;
    if (beside || look->fetch->whole[side][plane]) return;
    if (list->count == sizeof list->patch / sizeof list->patch[0]) fetch_now(look, list);
    patch.view = (uint32_t)side * HINTS_PLANES + plane;
    list->patch[list->count++] = patch;
}

void fetch_whole(const struct look *look, int side, uint32_t plane)
{
    struct fetch_list list;
    const ssimcu_frame *const frame = &look->frame[side][plane];
    if (!fetch_begin(look, &list)) return;
    fetch_add(look, &list, side, plane,
              (ssimcu_patch){.columns = frame->width, .rows = frame->height, .step = 1});
    fetch_now(look, &list);
    look->fetch->whole[side][plane] = true;
}
