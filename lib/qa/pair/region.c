#include "pair/region.h"

#include "base/refuse.h"
#include "pair/pair.h"
#include "sample_size.h"

ssimcu_status region_check(const struct contract_region *region, const ssimcu_frame *frame,
                           ssimcu_message *message)
{
    if ((uint64_t)region->x + region->width <= frame->width &&
        (uint64_t)region->y + region->height <= frame->height)
        return SSIMCU_OK;
    FAIL(MISMATCH, "--region %ux%u+%u+%u is not inside the frame, which is %ux%u", region->width,
         region->height, region->x, region->y, frame->width, frame->height);
}

void region_cut(const struct contract_region *region, ssimcu_frame *frame)
{
    const size_t pixel = frame->channels * ssimcu_sample_size(frame->bits);
    if (region->width == 0) return;
    if (frame->data)
        frame->data = (uint8_t *)frame->data + region->y * frame->pitch + region->x * pixel;
    frame->width = region->width;
    frame->height = region->height;
}

ssimcu_status region_check_video(const struct contract_region *region,
                                 const ssimcu_clip_format *format, ssimcu_message *message)
{
    const ssimcu_frame *luma = &format->plane[0];
    const uint32_t across = ssimcu_clip_across(format), down = ssimcu_clip_down(format);
    char name[32];
    ssimcu_clip_name(format, name, sizeof name);
    if (region->x % across == 0 && region->width % across == 0 && region->y % down == 0 &&
        region->height % down == 0)
        return region_check(region, luma, message);
    FAIL(ARGUMENT, "--region %ux%u+%u+%u: in %s, W and X must be multiples of %u, H and Y of %u",
         region->width, region->height, region->x, region->y, name, across, down);
}

static void cut_view(const struct contract_region *region, ssimcu_view *view)
{
    if (region->width == 0) return;
    view->data[0] =
        (const uint8_t *)view->data[0] + region->y * view->pitch + region->x * view->pixel_stride;
    view->width = region->width;
    view->height = region->height;
}

void region_cut_pair(const struct contract_region *region, const ssimcu_clip_format *format,
                     struct pair *pair)
{
    pair->width = pair->plane[0][0].width;
    pair->height = pair->plane[0][0].height;
    pair->x = region->x;
    pair->y = region->y;
    for (uint32_t p = 0; p < pair->planes; p++) {
        const uint32_t across = p > 0 && format ? ssimcu_clip_across(format) : 1;
        const uint32_t down = p > 0 && format ? ssimcu_clip_down(format) : 1;
        const struct contract_region part = {region->width / across, region->height / down,
                                             region->x / across, region->y / down};
        for (int side = 0; side < 2; side++) {
            region_cut(&part, &pair->plane[side][p]);
            if (pair->on_device[side] && !pair->fit[side]) cut_view(&part, &pair->view[side][p]);
        }
    }
}
