#include "image/resize.h"

#include "fail.h"
#include "start_thread.h"

#include <limits.h>
#include <stdbool.h>

#define STBIR_ASSERT(condition) ((void)0)
#define STB_IMAGE_RESIZE_STATIC
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include <stb_image_resize.h>

/* stb counts the bytes of its result, and of its tables per row and column, in int. */
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

/* Chooses the filter along one side. A box leaves a side of unchanged size as it is; Mitchell's
 * filter would blur it. */
static stbir_filter filter_for(uint32_t from, uint32_t to)
{
    if (from == to) return STBIR_FILTER_BOX;
    return from < to ? STBIR_FILTER_TRIANGLE : STBIR_FILTER_MITCHELL;
}

/* ---- Bands ----------------------------------------------------------------------------------- */

/* A picture being resized. */
struct resizing {
    const void *from;
    void *to;
    int width[2], height[2], pitch[2]; /* before and after */
    stbir_datatype type;
    int channels, alpha;
    stbir_filter across, down;
};

/* Rows of the result that one thread computes. */
struct band {
    const struct resizing *of;
    int first, end;
    int good;
};

enum {
    BANDS = 8,
    LARGE = 1 << 20 /* source pixels from which one thread per band pays off */
};

static void *resize_band(void *argument)
{
    struct band *band = argument;
    const struct resizing *of = band->of;
    band->good = stbir_resize_subpixel(
        of->from, of->width[0], of->height[0], of->pitch[0],
        (char *)of->to + (size_t)band->first * (size_t)of->pitch[1], of->width[1],
        band->end - band->first, of->pitch[1], of->type, of->channels, of->alpha, 0,
        STBIR_EDGE_CLAMP, STBIR_EDGE_CLAMP, of->across, of->down, STBIR_COLORSPACE_LINEAR, NULL,
        (float)of->width[1] / (float)of->width[0], (float)of->height[1] / (float)of->height[0], 0,
        (float)band->first);
    return NULL;
}

/* Resizes in bands. Their number is the same on every machine, so that the result is, too. Returns
 * false if memory runs out. */
static bool resize(const struct resizing *of)
{
    const bool large = (int64_t)of->width[0] * of->height[0] >= LARGE && of->height[1] >= BANDS;
    const int count = large ? BANDS : 1;
    struct band band[BANDS];
    pthread_t thread[BANDS];
    bool started[BANDS] = {false}, good = true;
    for (int i = 0; i < count; i++) {
        const int64_t rows = of->height[1];
        band[i] = (struct band){of, (int)(rows * i / count), (int)(rows * (i + 1) / count), 0};
        started[i] = i > 0 && ssimcu_start_thread(&thread[i], resize_band, &band[i]);
    }
    for (int i = 0; i < count; i++)
        if (!started[i]) (void)resize_band(&band[i]);
    for (int i = 0; i < count; i++) {
        if (started[i]) pthread_join(thread[i], NULL);
        good = good && band[i].good;
    }
    return good;
}

/* ---- Pictures and floats --------------------------------------------------------------------- */

ssimcu_status ssimcu_resize(const ssimcu_frame *from, ssimcu_frame *to, ssimcu_message *message)
{
    if (!are_valid(from, to))
        FAIL(ARGUMENT, "%ux%u pixels cannot become %ux%u", from->width, from->height, to->width,
             to->height);
    const int channels = (int)from->channels;
    const struct resizing of = {.from = from->data,
                                .to = to->data,
                                .width = {(int)from->width, (int)to->width},
                                .height = {(int)from->height, (int)to->height},
                                .pitch = {(int)from->pitch, (int)to->pitch},
                                .type = from->bits == 8 ? STBIR_TYPE_UINT8 : STBIR_TYPE_UINT16,
                                .channels = channels,
                                .alpha =
                                    channels % 2 == 0 ? channels - 1 : STBIR_ALPHA_CHANNEL_NONE,
                                .across = filter_for(from->width, to->width),
                                .down = filter_for(from->height, to->height)};
    return resize(&of) ? SSIMCU_OK : ssimcu_no_memory(message, "a smaller picture");
}

ssimcu_status ssimcu_resize_floats(const ssimcu_floats *from, ssimcu_floats *to,
                                   ssimcu_message *message)
{
    const size_t pitch[2] = {from->stride * sizeof(float), to->stride * sizeof(float)};
    if (!is_small(from->width, from->height, pitch[0]) ||
        !is_small(to->width, to->height, (uint64_t)pitch[1] * to->height))
        FAIL(ARGUMENT, "%ux%u values cannot become %ux%u", from->width, from->height, to->width,
             to->height);
    const struct resizing of = {
        .from = from->value,
        .to = to->value,
        .width = {(int)from->width, (int)to->width},
        .height = {(int)from->height, (int)to->height},
        .pitch = {(int)pitch[0], (int)pitch[1]},
        .type = STBIR_TYPE_FLOAT,
        .channels = 1,
        .alpha = STBIR_ALPHA_CHANNEL_NONE,
        .across = from->width < to->width ? STBIR_FILTER_TRIANGLE : STBIR_FILTER_BOX,
        .down = from->height < to->height ? STBIR_FILTER_TRIANGLE : STBIR_FILTER_BOX};
    return resize(&of) ? SSIMCU_OK : ssimcu_no_memory(message, "a smaller map");
}
