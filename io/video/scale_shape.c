/* What a format says of scaling, whoever scales. */
#include "video/clip_codec.h"
#include "video/scale.h"

#include "fail.h"

/* Checks one of the two sizes of a format that is scaled to `to`. */
static ssimcu_status check(const ssimcu_clip_format *format, uint32_t width, uint32_t height,
                           const uint32_t to[2], ssimcu_message *message)
{
    const uint32_t across = ssimcu_clip_across(format), down = ssimcu_clip_down(format);
    char name[32];
    if (width % across == 0 && height % down == 0) return SSIMCU_OK;
    ssimcu_clip_name(format, name, sizeof name);
    return ssimcu_fail(
        message, SSIMCU_ERROR_MISMATCH,
        "--scale: %ux%u: a size of %s that is scaled must be a multiple of %u by %u; "
        "ffmpeg -vf scale=%u:%u takes any",
        width, height, name, across, down, to[0], to[1]);
}

ssimcu_status ssimcu_scaler_check(const ssimcu_clip_format *from, uint32_t width, uint32_t height,
                                  ssimcu_message *message)
{
    if (from->rgb)
        return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                           "--scale: frames of YUV and grey are scaled, not RGB");
    const uint32_t to[2] = {width, height};
    const ssimcu_status status =
        check(from, from->plane[0].width, from->plane[0].height, to, message);
    return status == SSIMCU_OK ? check(from, width, height, to, message) : status;
}

/* Returns by how much the first sample of an axis of chroma lies beside the middle of the samples
 * of luma that share it, in samples of chroma. */
static double beside(uint32_t per, bool sits_on_first)
{
    return sits_on_first ? 0.5 - 0.5 / per : 0;
}

void ssimcu_scaler_shift(const ssimcu_clip_format *from, uint32_t width, uint32_t height,
                         double shift[2])
{
    const ssimcu_frame *const luma = &from->plane[0];
    const double x = beside(ssimcu_clip_across(from), from->siting != SSIMCU_SITING_CENTER),
                 y = beside(ssimcu_clip_down(from), from->siting == SSIMCU_SITING_TOP_LEFT);
    shift[0] = x - x / ((double)width / luma->width);
    shift[1] = y - y / ((double)height / luma->height);
}
