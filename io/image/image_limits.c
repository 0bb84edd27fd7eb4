#include "image_limits.h"

#include "fail.h"
#include "most_side.h"

ssimcu_image_options ssimcu_limits_fill(const ssimcu_image_options *options)
{
    ssimcu_image_options limits = options ? *options : (ssimcu_image_options){0};
    if (!limits.max_pixels) limits.max_pixels = SSIMCU_IMAGE_MAX_PIXELS;
    if (!limits.max_file_bytes) limits.max_file_bytes = SSIMCU_IMAGE_MAX_FILE_BYTES;
    return limits;
}

ssimcu_status ssimcu_limits_check(const ssimcu_image_options *limits, const char *name,
                                  uint32_t width, uint32_t height, ssimcu_message *message)
{
    if (width > SSIMCU_MOST_SIDE || height > SSIMCU_MOST_SIDE)
        FAIL(LIMIT, "%.300s: %ux%u pixels, the limit is %d on a side", name, width, height,
             SSIMCU_MOST_SIDE);
    if ((uint64_t)width * height > limits->max_pixels)
        FAIL(LIMIT, "%.300s: %ux%u pixels, the limit is %llu in all", name, width, height,
             (unsigned long long)limits->max_pixels);
    return SSIMCU_OK;
}
