#include "image/resize.h"

#include "fail.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#define STBIR_ASSERT(condition) ((void)0)
#define STB_IMAGE_RESIZE_STATIC
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include <stb_image_resize.h>

/* stb counts in int: the bytes of its result, and those that it holds for each row and column. */
enum { MOST_SIDE = INT_MAX / 256 };

static bool is_small(uint32_t width, uint32_t height, uint64_t pitch)
{
    return width > 0 && height > 0 && width < MOST_SIDE && height < MOST_SIDE && pitch <= INT_MAX;
}

static bool are_valid(const ssimcu_frame *from, const ssimcu_frame *to)
{
    return from->channels == to->channels && from->bits == to->bits && from->channels >= 1 &&
           from->channels <= 4 && is_small(from->width, from->height, from->pitch) &&
           is_small(to->width, to->height, (uint64_t)to->pitch * to->height);
}

/* Chooses the filter along one side. A box keeps a side of unchanged size as it is; Mitchell's
 * filter would blur it. */
static stbir_filter filter_for(uint32_t from, uint32_t to)
{
    if (from == to) return STBIR_FILTER_BOX;
    return from < to ? STBIR_FILTER_TRIANGLE : STBIR_FILTER_MITCHELL;
}

ssimcu_status ssimcu_resize(const ssimcu_frame *from, ssimcu_frame *to, ssimcu_message *message)
{
    if (!are_valid(from, to))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "%ux%u pixels cannot become %ux%u",
                           from->width, from->height, to->width, to->height);
    const int channels = (int)from->channels;
    const int alpha = channels % 2 == 0 ? channels - 1 : STBIR_ALPHA_CHANNEL_NONE;
    const stbir_datatype type = from->bits == 8 ? STBIR_TYPE_UINT8 : STBIR_TYPE_UINT16;
    const int good =
        stbir_resize(from->data, (int)from->width, (int)from->height, (int)from->pitch, to->data,
                     (int)to->width, (int)to->height, (int)to->pitch, type, channels, alpha, 0,
                     STBIR_EDGE_CLAMP, STBIR_EDGE_CLAMP, filter_for(from->width, to->width),
                     filter_for(from->height, to->height), STBIR_COLORSPACE_LINEAR, NULL);
    return good ? SSIMCU_OK : ssimcu_no_memory(message, "a smaller picture");
}

ssimcu_status ssimcu_resize_floats(const ssimcu_floats *from, ssimcu_floats *to,
                                   ssimcu_message *message)
{
    const size_t pitch[2] = {from->stride * sizeof(float), to->stride * sizeof(float)};
    if (!is_small(from->width, from->height, pitch[0]) ||
        !is_small(to->width, to->height, (uint64_t)pitch[1] * to->height))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "%ux%u values cannot become %ux%u",
                           from->width, from->height, to->width, to->height);
    const stbir_filter across = from->width < to->width ? STBIR_FILTER_TRIANGLE : STBIR_FILTER_BOX;
    const stbir_filter down = from->height < to->height ? STBIR_FILTER_TRIANGLE : STBIR_FILTER_BOX;
    const int good = stbir_resize(
        from->value, (int)from->width, (int)from->height, (int)pitch[0], to->value, (int)to->width,
        (int)to->height, (int)pitch[1], STBIR_TYPE_FLOAT, 1, STBIR_ALPHA_CHANNEL_NONE, 0,
        STBIR_EDGE_CLAMP, STBIR_EDGE_CLAMP, across, down, STBIR_COLORSPACE_LINEAR, NULL);
    return good ? SSIMCU_OK : ssimcu_no_memory(message, "a smaller map");
}
