/* Patches of views on every device: random places of planes of every kind, against samples that the
 * test picks itself. What no patch names stays. */
#include "check.h"
#include "device.h"

#include <stdlib.h>
#include <string.h>

/* A view in memory of a device, and the frame that patches of it go to. */
struct plane {
    ssimcu_view view;
    ssimcu_frame got, wanted;
    void *host, *device;
    uint32_t down; /* bits by which samples are moved down */
    size_t pixel;  /* bytes */
};

static size_t sample_bytes(uint32_t bits)
{
    return bits == 8 ? 1 : bits == SSIMCU_BITS_F32 ? 4 : 2;
}

/* Makes a plane of noise. Some have pixels twice as far apart as they need, and samples
 * in the upper bits. */
static void make_plane(check_random *random, ssimcu_device device, const uint32_t size[2],
                       uint32_t bits, struct plane *plane)
{
    const uint32_t channels = check_between(random, 1, bits == 8 ? 4 : 2);
    const size_t sample = sample_bytes(bits), pixel = channels * sample;
    const size_t stride = pixel << check_between(random, 0, 1);
    const size_t pitch = size[0] * stride + check_between(random, 0, 9) * sample;
    const uint32_t up = bits < 16 && bits > 8 && check_between(random, 0, 1) ? 16 - bits : 0;
    plane->pixel = pixel;
    plane->down = up;
    plane->host = malloc(pitch * size[1]);
    cr_assert(plane->host);
    for (size_t i = 0; i < pitch * size[1]; i++)
        ((uint8_t *)plane->host)[i] = (uint8_t)check_draw(random);
    plane->device = device == SSIMCU_DEVICE_CUDA ? device_copy(plane->host, pitch * size[1]) : NULL;
    plane->view = SSIMCU_INIT(view, .width = size[0], .height = size[1], .channels = channels,
                              .type = bits == SSIMCU_BITS_F32   ? SSIMCU_TYPE_F32
                                      : bits == SSIMCU_BITS_F16 ? SSIMCU_TYPE_F16
                                      : bits == 8               ? SSIMCU_TYPE_U8
                                                                : SSIMCU_TYPE_U16,
                              .pitch = (ptrdiff_t)pitch, .pixel_stride = stride,
                              .data = {plane->device ? plane->device : plane->host});
    if (bits < SSIMCU_BITS_FLOAT) plane->view.peak = (double)(((1u << bits) - 1) << up);
    plane->got = (ssimcu_frame){.width = size[0],
                                .height = size[1],
                                .channels = channels,
                                .bits = bits,
                                .pitch = size[0] * pixel + 8};
    plane->wanted = plane->got;
    plane->got.data = malloc(plane->got.pitch * size[1]);
    plane->wanted.data = malloc(plane->got.pitch * size[1]);
    cr_assert(plane->got.data && plane->wanted.data);
    memset(plane->got.data, 0xA5, plane->got.pitch * size[1]);
    memset(plane->wanted.data, 0xA5, plane->got.pitch * size[1]);
}

static void free_plane(struct plane *plane)
{
    if (plane->device) device_free(plane->device);
    free(plane->host), free(plane->got.data), free(plane->wanted.data);
}

/* Copies a pixel as a patch should. */
static void want_pixel(const struct plane *plane, uint32_t x, uint32_t y)
{
    const ssimcu_view *const view = &plane->view;
    const char *const from =
        (const char *)plane->host + (size_t)y * (size_t)view->pitch + x * view->pixel_stride;
    char *const to = (char *)plane->wanted.data + y * plane->wanted.pitch + x * plane->pixel;
    for (size_t i = 0; i<plane->pixel; i += plane->down> 0 ? 2 : 1) {
        uint16_t word;
        to[i] = from[i];
        if (plane->down == 0) continue;
        memcpy(&word, from + i, sizeof word);
        word = (uint16_t)(word >> plane->down);
        memcpy(to + i, &word, sizeof word);
    }
}

/* Draws `count` places from a start inside a side, each `step` from the next. */
static void draw_side(check_random *random, uint32_t size, uint32_t most, uint32_t step,
                      uint32_t *start, uint32_t *count)
{
    *start = check_between(random, 0, size - 1);
    const uint32_t room = (size - 1 - *start) / step + 1;
    *count = check_between(random, 1, room < most ? room : most);
}

static ssimcu_patch draw_patch(check_random *random, const struct plane *plane, uint32_t view)
{
    static const uint32_t most[] = {1, 8, 34, 240};
    const uint32_t kind = check_between(random, 0, 63), width = plane->view.width;
    ssimcu_patch patch = {.view = view, .step = check_between(random, 1, kind % 4 ? 1 : 40)};
    draw_side(random, width, most[check_between(random, 0, 3)], patch.step, &patch.x,
              &patch.columns);
    draw_side(random, plane->view.height, most[check_between(random, 0, 2)], patch.step, &patch.y,
              &patch.rows);
    if (kind == 0) patch = (ssimcu_patch){view, 0, 0, width, plane->view.height, 1};
    return patch;
}

static void expect_patches(ssimcu_context *context, ssimcu_device device, check_random *random,
                           const uint32_t size[2], uint32_t count)
{
    static const uint32_t bits[] = {8, 10, 12, 16, SSIMCU_BITS_F16, SSIMCU_BITS_F32};
    static ssimcu_patch patch[3000];
    struct plane plane[6];
    ssimcu_view view[6];
    ssimcu_frame frame[6];
    ssimcu_message why = {{0}};
    const uint32_t views = check_between(random, 1, 6);
    for (uint32_t i = 0; i < views; i++) {
        const uint32_t own[2] = {(size[0] + i % 2) / (1 + i % 2), (size[1] + i % 2) / (1 + i % 2)};
        make_plane(random, device, own, bits[check_between(random, 0, 5)], &plane[i]);
        view[i] = plane[i].view, frame[i] = plane[i].got;
    }
    for (uint32_t i = 0; i < count; i++) {
        patch[i] = draw_patch(random, &plane[i % views], i % views);
        for (uint32_t n = 0; n < patch[i].columns * patch[i].rows; n++)
            want_pixel(&plane[i % views], patch[i].x + n % patch[i].columns * patch[i].step,
                       patch[i].y + n / patch[i].columns * patch[i].step);
    }
    cr_assert_eq(ssimcu_view_patches(context, view, frame, views, patch, count, &why), SSIMCU_OK,
                 "%s", why.text);
    for (uint32_t i = 0; i < views; i++) {
        cr_assert_arr_eq(plane[i].got.data, plane[i].wanted.data,
                         plane[i].got.pitch * plane[i].got.height);
        free_plane(&plane[i]);
    }
}

static ssimcu_context *open_on(ssimcu_device device)
{
    const ssimcu_settings settings = SSIMCU_INIT(settings, .device = device, .wait_asleep = 1);
    return check_open(&settings);
}

/* The context's memory grows and is used again. */
BACKEND_TEST(patches, are_where_they_belong)
{
    static const uint32_t sizes[][2] = {{1, 1},   {10, 10}, {11, 11},   {37, 53},
                                        {640, 3}, {2, 700}, {3841, 11}, {1920, 1080}};
    ssimcu_context *context = open_on(device);
    check_random random = {5};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t count = 0; count <= 3000; count = count * 3 + 1)
            expect_patches(context, device, &random, sizes[s], count);
    const uint32_t large[2] = {3841, 2161};
    expect_patches(context, device, &random, large, 3000);
    ssimcu_close(&context);
}

BACKEND_TEST(patches, what_is_refused)
{
    static uint8_t pixels[20][30];
    static ssimcu_frame frames[] = {{30, 20, 1, 8, .data = pixels}, {30, 20, 1, 8, .data = pixels}};
    const ssimcu_view good =
        SSIMCU_INIT(view, .width = 30, .height = 20, .channels = 1, .data = {pixels});
    const ssimcu_view views[] = {
        good, SSIMCU_INIT(view, .width = 30, .height = 19, .channels = 1, .data = {pixels})};
    static const struct {
        ssimcu_patch patch;
        uint32_t count;
        const char *says;
    } rows[] = {{{1, 0, 0, 1, 1, 1}, 1, "view is 1 of 1"},
                {{0, 30, 0, 1, 1, 1}, 1, "not inside 30x20"},
                {{0, 0, 20, 1, 1, 1}, 1, "not inside"},
                {{0, 0, 0, 0, 1, 1}, 1, "not inside"},
                {{0, 0, 0, 1, 0, 1}, 1, "not inside"},
                {{0, 0, 0, 1, 1, 0}, 1, "not inside"},
                {{0, 1, 0, 16, 1, 2}, 1, "not inside"},
                {{0, 0, 1, 1, 20, 1}, 1, "not inside"},
                {{0, 0, 0, UINT32_MAX, 1, UINT32_MAX}, 1, "not inside"},
                {{0, 0, 0, 1, 1, 1}, 0, "expected 1 to 6"},
                {{0, 0, 0, 1, 1, 1}, 7, "expected 1 to 6"},
                {{0, 0, 0, 1, 1, 1}, 2, "the view 30x19"}};
    ssimcu_context *context = open_on(device);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ssimcu_message why = {{0}};
        cr_expect_eq(
            ssimcu_view_patches(context, views, frames, rows[i].count, &rows[i].patch, 1, &why),
            SSIMCU_ERROR_ARGUMENT, "row %zu", i);
        cr_expect(strstr(why.text, rows[i].says), "row %zu: %s", i, why.text);
    }
    const ssimcu_patch one = {0, 0, 0, 1, 1, 1};
    cr_expect_eq(ssimcu_view_patches(NULL, views, frames, 1, &one, 1, NULL), SSIMCU_ERROR_ARGUMENT);
    cr_expect_eq(ssimcu_view_patches(context, NULL, frames, 1, &one, 1, NULL),
                 SSIMCU_ERROR_ARGUMENT);
    cr_expect_eq(ssimcu_view_patches(context, views, NULL, 1, &one, 1, NULL),
                 SSIMCU_ERROR_ARGUMENT);
    cr_expect_eq(ssimcu_view_patches(context, views, frames, 1, NULL, 1, NULL),
                 SSIMCU_ERROR_ARGUMENT);
    ssimcu_close(&context);
}

/* A patch of more than 65536 pixels must be the whole view. */
BACKEND_TEST(patches, large_ones_are_whole)
{
    enum { SIDE = 300 };
    static uint8_t pixels[SIDE * SIDE], got[SIDE * SIDE];
    const ssimcu_frame frame = {SIDE, SIDE, 1, 8, .data = got};
    ssimcu_context *context = open_on(device);
    ssimcu_message why = {{0}};
    void *const there =
        device == SSIMCU_DEVICE_CUDA ? device_copy(pixels, sizeof pixels) : (void *)pixels;
    const ssimcu_view view =
        SSIMCU_INIT(view, .width = SIDE, .height = SIDE, .channels = 1, .data = {there});
    static const ssimcu_patch part = {0, 0, 0, SIDE, SIDE - 1, 1}, all = {0, 0, 0, SIDE, SIDE, 1};
    memset(got, 1, sizeof got);
    cr_expect_eq(ssimcu_view_patches(context, &view, &frame, 1, &part, 1, &why),
                 SSIMCU_ERROR_ARGUMENT);
    cr_expect(strstr(why.text, "65536 at most"), "%s", why.text);
    cr_expect_eq(ssimcu_view_patches(context, &view, &frame, 1, &all, 1, &why), SSIMCU_OK);
    cr_expect_arr_eq(got, pixels, sizeof got);
    if (there != pixels) device_free(there);
    ssimcu_close(&context);
}
