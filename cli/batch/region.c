/* Parts of frames, and whether two frames go together. */
#include "batch/source.h"

#include "fail.h"
#include "sample_size.h"

#include <stdio.h>

ssimcu_status batch_region_check(const struct contract_region *region, const ssimcu_frame *frame,
                                 ssimcu_message *message)
{
    if ((uint64_t)region->x + region->width <= frame->width &&
        (uint64_t)region->y + region->height <= frame->height)
        return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "--region %ux%u+%u+%u is not inside the frame, which is %ux%u",
                       region->width, region->height, region->x, region->y, frame->width,
                       frame->height);
}

void batch_region_cut(const struct contract_region *region, ssimcu_frame *frame)
{
    const size_t pixel = frame->channels * ssimcu_sample_size(frame->bits);
    if (region->width == 0) return;
    if (frame->data)
        frame->data = (uint8_t *)frame->data + region->y * frame->pitch + region->x * pixel;
    frame->width = region->width;
    frame->height = region->height;
}

ssimcu_status source_check_region(const struct contract_region *region,
                                  const ssimcu_clip_format *format, ssimcu_message *message)
{
    const ssimcu_frame *luma = &format->plane[0];
    const uint32_t across = ssimcu_clip_across(format), down = ssimcu_clip_down(format);
    char name[32];
    ssimcu_clip_name(format, name, sizeof name);
    if (region->x % across == 0 && region->width % across == 0 && region->y % down == 0 &&
        region->height % down == 0)
        return batch_region_check(region, luma, message);
    return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                       "--region %ux%u+%u+%u: in %s, W and X must be multiples of %u, H and Y of "
                       "%u",
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

void source_cut(const struct contract_region *region, const ssimcu_clip_format *format,
                struct batch_pair *pair)
{
    pair->x = region->x;
    pair->y = region->y;
    for (uint32_t p = 0; p < pair->planes; p++) {
        const uint32_t across = p > 0 && format ? ssimcu_clip_across(format) : 1;
        const uint32_t down = p > 0 && format ? ssimcu_clip_down(format) : 1;
        const struct contract_region part = {region->width / across, region->height / down,
                                             region->x / across, region->y / down};
        for (int side = 0; side < 2; side++) {
            batch_region_cut(&part, &pair->plane[side][p]);
            if (pair->on_device[side]) cut_view(&part, &pair->view[side][p]);
        }
    }
}

ssimcu_status batch_check_windows(const char *ref_name, const struct ssimcu_image_windows *ref,
                                  const char *out_name, const struct ssimcu_image_windows *out,
                                  ssimcu_message *message)
{
    if (!ref->known || !out->known || (ref->x == out->x && ref->y == out->y)) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "display windows differ: %.200s starts at %d, %d, %.200s at %d, %d",
                       ref_name, ref->x, ref->y, out_name, out->x, out->y);
}

ssimcu_status batch_check_sizes(const char *ref_name, const ssimcu_frame *ref, const char *out_name,
                                const ssimcu_frame *out, ssimcu_message *message)
{
    char mend[80] = "";
    if (ref->width == out->width && ref->height == out->height) return SSIMCU_OK;
    /* scaled to another aspect it would be another picture */
    if ((uint64_t)ref->width * out->height == (uint64_t)out->width * ref->height)
        snprintf(mend, sizeof mend, "; ffmpeg -vf scale=%u:%u would mend OUT", ref->width,
                 ref->height);
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "sizes differ: %.200s is %ux%u, %.200s is %ux%u%s", ref_name, ref->width,
                       ref->height, out_name, out->width, out->height, mend);
}
