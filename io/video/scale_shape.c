/* Rules of scaling that do not depend on the scaler. */
#include "video/clip_codec.h"
#include "video/scale.h"

#include "fail.h"

/* Checks the source or the target size of a format that is scaled to `to`. */
static ssimcu_status check(const ssimcu_clip_format *format, uint32_t width, uint32_t height,
                           const uint32_t to[2], ssimcu_message *message)
{
    const uint32_t across = ssimcu_clip_across(format), down = ssimcu_clip_down(format);
    char name[32];
    if (width % across == 0 && height % down == 0) return SSIMCU_OK;
    ssimcu_clip_name(format, name, sizeof name);
    FAIL(MISMATCH,
         "--scale: %ux%u: scaled %s needs a multiple of %u by %u; ffmpeg -vf scale=%u:%u takes any "
         "size",
         width, height, name, across, down, to[0], to[1]);
}

ssimcu_status ssimcu_scaler_check(const ssimcu_clip_format *from, uint32_t width, uint32_t height,
                                  ssimcu_message *message)
{
    if (from->rgb) FAIL(UNSUPPORTED, "--scale: expected YUV or grey, found RGB");
    const uint32_t to[2] = {width, height};
    TRY(check(from, from->plane[0].width, from->plane[0].height, to, message));
    return check(from, width, height, to, message);
}

/* Returns the offset of the first chroma sample of an axis from the centre of its luma samples, in
 * chroma samples. */
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
