/* Scaling on the devices that score, against zimg itself: the same samples, to the last bit. */
#include "check.h"
#include "device.h"
#include "video/clip_codec.h"
#include "video/scale.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES_RANDOM, SAMPLES_EXTREME, SAMPLES_STEPS, SAMPLES_KINDS };

/* A case: what is scaled, to what, and how planes lie on the device. */
struct example {
    ssimcu_clip_format from;
    uint32_t width, height, more; /* more bits */
    ssimcu_scaler_name scaler;
    bool paired; /* U and V lie in each other */
    bool upper;  /* samples of 9 to 15 bits are in the upper bits */
    size_t padding;
};

static bool is_deep(const ssimcu_frame *plane) { return plane->bits > 8; }

static uint32_t sample_at(const ssimcu_frame *plane, uint32_t x, uint32_t y)
{
    const char *const row = (const char *)plane->data + y * plane->pitch;
    return is_deep(plane) ? ((const uint16_t *)(const void *)row)[x] : ((const uint8_t *)row)[x];
}

static void set_sample(const ssimcu_frame *plane, uint32_t x, uint32_t y, uint32_t value)
{
    char *const row = (char *)plane->data + y * plane->pitch;
    if (is_deep(plane))
        ((uint16_t *)(void *)row)[x] = (uint16_t)value;
    else
        ((uint8_t *)row)[x] = (uint8_t)value;
}

static void fill(check_random *random, const ssimcu_frame *plane, int kind)
{
    const uint32_t most = (1u << plane->bits) - 1, side = check_between(random, 1, 9);
    for (uint32_t y = 0; y < plane->height; y++)
        for (uint32_t x = 0; x < plane->width; x++)
            set_sample(plane, x, y,
                       kind == SAMPLES_RANDOM    ? check_between(random, 0, most)
                       : kind == SAMPLES_EXTREME ? most * check_between(random, 0, 1)
                                                 : most * ((x / side + y / side) % 2));
}

/* A plane, or two in each other, in memory of a device. */
struct lain {
    ssimcu_view view;
    void *host, *device;
};

static void lay(const struct example *e, const ssimcu_frame *plane, uint32_t channels,
                ssimcu_device device, struct lain *lain)
{
    const size_t sample = is_deep(plane) ? 2 : 1, pixel = channels * sample;
    const size_t pitch = (plane->width * pixel + e->padding) / sample * sample;
    const uint32_t up = e->upper && plane->bits < 16 && is_deep(plane) ? 16 - plane->bits : 0;
    lain->host = calloc(plane->height, pitch);
    cr_assert(lain->host);
    for (uint32_t y = 0; y < plane->height; y++)
        for (uint32_t x = 0; x < plane->width; x++)
            for (uint32_t c = 0; c < channels; c++) {
                const uint32_t value = sample_at(&plane[c], x, y) << up;
                char *const to = (char *)lain->host + y * pitch + x * pixel + c * sample;
                if (is_deep(plane))
                    *(uint16_t *)(void *)to = (uint16_t)value;
                else
                    *(uint8_t *)to = (uint8_t)value;
            }
    lain->device =
        device == SSIMCU_DEVICE_CUDA ? device_copy(lain->host, plane->height * pitch) : NULL;
    lain->view = SSIMCU_INIT(view, .width = plane->width, .height = plane->height,
                             .channels = channels, .pitch = (ptrdiff_t)pitch,
                             .type = is_deep(plane) ? SSIMCU_TYPE_U16 : SSIMCU_TYPE_U8,
                             .peak = ((1u << plane->bits) - 1) << up,
                             .data = {lain->device ? lain->device : lain->host});
}

static void take_away(struct lain *lain)
{
    if (lain->device) device_free(lain->device);
    free(lain->host);
}

/* Scales `channels` planes that lie in each other, by the context, and expects those of zimg. */
static void expect_planes(ssimcu_context *context, ssimcu_device device, const struct example *e,
                          const ssimcu_frame *plane, const ssimcu_frame *wanted, uint32_t channels,
                          const double shift[2])
{
    struct lain lain;
    ssimcu_message why = {{0}};
    const uint32_t bits = wanted->bits, up = e->upper && bits > 8 ? 16 - bits : 0;
    lay(e, plane, channels, device, &lain);
    ssimcu_view scaled = SSIMCU_INIT(view, .width = wanted->width, .height = wanted->height,
                                     .channels = channels, .peak = ((1u << bits) - 1) << up,
                                     .type = bits > 8 ? SSIMCU_TYPE_U16 : SSIMCU_TYPE_U8);
    cr_assert(ssimcu_view_scale(context, &lain.view, e->scaler, shift, channels, &scaled, &why) ==
                  SSIMCU_OK,
              "%s", why.text);
    ssimcu_frame got = check_frame(wanted->width, wanted->height, channels, bits);
    cr_assert(ssimcu_view_read(context, &scaled, &got, &why) == SSIMCU_OK, "%s", why.text);
    for (uint32_t y = 0; y < got.height; y++)
        for (uint32_t x = 0; x < got.width; x++)
            for (uint32_t c = 0; c < channels; c++)
                cr_assert_eq(check_sample(&got, x, y, c), sample_at(&wanted[c], x, y),
                             "%ux%u -> %ux%u, %u bits, filter %d, channel %u at %u,%u: %u, not %u",
                             plane->width, plane->height, got.width, got.height, plane->bits,
                             (int)e->scaler, c, x, y, check_sample(&got, x, y, c),
                             sample_at(&wanted[c], x, y));
    take_away(&lain);
    ssimcu_frame_free(&got);
}

/* Multiplies the samples of planes by a power of two. */
static void widen(const ssimcu_frame *plane, const ssimcu_frame *wide, uint32_t planes)
{
    for (uint32_t p = 0; p < planes; p++)
        for (uint32_t y = 0; y < plane[p].height; y++)
            for (uint32_t x = 0; x < plane[p].width; x++)
                set_sample(&wide[p], x, y,
                           sample_at(&plane[p], x, y) << (wide[p].bits - plane[p].bits));
}

static void expect_zimg(ssimcu_context *context, ssimcu_device device, check_random *random,
                        const struct example *e)
{
    ssimcu_scaler *scaler;
    ssimcu_message why = {{0}};
    ssimcu_clip_format deep;
    ssimcu_frame plane[SSIMCU_MAX_PLANES], wanted[SSIMCU_MAX_PLANES];
    cr_assert(ssimcu_clip_format_as(&e->from, e->from.plane[0].width, e->from.plane[0].height,
                                    e->from.plane[0].bits + e->more, &deep));
    cr_assert(ssimcu_scaler_open(&deep, e->width, e->height, e->scaler, &scaler, &why) == SSIMCU_OK,
              "%s", why.text);
    void *own = malloc(e->from.frame_bytes), *memory = malloc(ssimcu_scaler_bytes(scaler)),
         *wide = malloc(deep.frame_bytes);
    cr_assert(own && memory && wide);
    ssimcu_clip_planes(&e->from, own, plane);
    ssimcu_clip_planes(&deep, wide, wanted);
    const int kind = (int)check_between(random, 0, SAMPLES_KINDS - 1);
    for (uint32_t p = 0; p < e->from.planes; p++) fill(random, &plane[p], kind);
    widen(plane, wanted, e->from.planes);
    cr_assert(ssimcu_scaler_run(scaler, memory, wanted, &why) == SSIMCU_OK, "%s", why.text);
    for (uint32_t p = 0; p < e->from.planes; p++) {
        double shift[2] = {0, 0};
        const uint32_t channels = e->paired && p == 1 ? 2 : 1;
        if (p > 0) ssimcu_scaler_shift(&e->from, e->width, e->height, shift);
        expect_planes(context, device, e, &plane[p], &wanted[p], channels, shift);
        p += channels - 1;
    }
    ssimcu_scaler_close(&scaler);
    free(own), free(memory), free(wide);
}

static ssimcu_context *open_on(ssimcu_device device)
{
    const ssimcu_settings settings = SSIMCU_INIT(settings, .device = device);
    return check_open(&settings);
}

static struct example example_of(check_random *random, uint32_t chroma, uint32_t bits,
                                 const uint32_t from[2], const uint32_t to[2])
{
    struct example e = {.width = to[0], .height = to[1]};
    e.more = bits < 13 ? check_between(random, 0, 3) : 0;
    cr_assert(ssimcu_clip_format_make(from[0], from[1], chroma, bits, &e.from));
    e.from.range = check_between(random, 0, 1) ? SSIMCU_RANGE_FULL : SSIMCU_RANGE_LIMITED;
    e.from.siting = (ssimcu_siting)check_between(random, 0, chroma == 420 ? 2 : 1);
    e.scaler = (ssimcu_scaler_name)check_between(random, 0, SSIMCU_SCALER_SPLINE36);
    e.paired = check_between(random, 0, 1);
    e.upper = check_between(random, 0, 1);
    e.padding = check_between(random, 0, 2) * 7;
    return e;
}

/* Sizes that video has, one pixel, and both directions at once. */
BACKEND_TEST(view_scale, is_zimg_at_every_size)
{
    static const uint32_t sizes[][2][2] = {
        {{1, 1}, {1, 1}},       {{1, 1}, {16, 9}},       {{16, 9}, {1, 1}},
        {{10, 10}, {37, 53}},   {{37, 53}, {10, 10}},    {{3, 200}, {200, 3}},
        {{192, 108}, {96, 54}}, {{96, 54}, {192, 108}},  {{640, 360}, {90, 360}},
        {{90, 64}, {90, 200}},  {{800, 450}, {3, 2}},    {{2, 3}, {800, 450}},
        {{720, 576}, {500, 9}}, {{1000, 40}, {999, 41}}, {{64, 700}, {65, 11}}};
    static const uint32_t bits[] = {8, 10, 12, 16, 9};
    ssimcu_context *context = open_on(device);
    check_random random = {1};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
            for (int i = 0; i < 4; i++) {
                struct example e =
                    example_of(&random, i % 2 ? 444 : 400, bits[b], sizes[s][0], sizes[s][1]);
                e.scaler = (ssimcu_scaler_name)((unsigned)e.scaler + (unsigned)i) % 4;
                expect_zimg(context, device, &random, &e);
            }
    ssimcu_close(&context);
}

/* Chroma of odd sizes, at every siting. */
BACKEND_TEST(view_scale, is_zimg_with_chroma)
{
    static const uint32_t chromas[] = {420, 422, 411, 444};
    ssimcu_context *context = open_on(device);
    check_random random = {2};
    for (int i = 0; i < 300; i++) {
        const uint32_t chroma = chromas[i % 4];
        const uint32_t across = chroma == 411 ? 4 : chroma == 444 ? 1 : 2;
        const uint32_t down = chroma == 420 ? 2 : 1;
        const uint32_t from[2] = {across * check_between(&random, 1, 90),
                                  down * check_between(&random, 1, 90)},
                       to[2] = {across * check_between(&random, 1, 90),
                                down * check_between(&random, 1, 90)};
        const struct example e =
            example_of(&random, chroma, 8 + check_between(&random, 0, 8), from, to);
        expect_zimg(context, device, &random, &e);
    }
    ssimcu_close(&context);
}

/* Samples become deeper without a change of size, and a place is used again. */
BACKEND_TEST(view_scale, widens_alone)
{
    ssimcu_context *context = open_on(device);
    check_random random = {3};
    for (uint32_t bits = 8; bits <= 14; bits++)
        for (uint32_t more = 0; bits + more <= 16; more++) {
            const uint32_t size[2] = {check_between(&random, 1, 300),
                                      check_between(&random, 1, 70)};
            struct example e = example_of(&random, 444, bits, size, size);
            e.more = more;
            expect_zimg(context, device, &random, &e);
        }
    ssimcu_close(&context);
}

BACKEND_TEST(view_scale, what_is_refused)
{
    static const uint8_t sample[16];
    const ssimcu_view good =
        SSIMCU_INIT(view, .width = 2, .height = 2, .channels = 1, .data = {sample});
    const double none[2] = {0, 0}, far[2] = {0, 2e7};
    ssimcu_view three = good, back = good, odd = good, floats = good, deep = good, two = good;
    three.channels = 3, back.pitch = -2, odd.peak = 200, two.channels = 2;
    ssimcu_view planar = two, apart = two;
    planar.layout = SSIMCU_LAYOUT_CHW;
    apart.layout = SSIMCU_LAYOUT_PLANES, apart.data[1] = sample + 8;
    floats.type = SSIMCU_TYPE_F32, deep.type = SSIMCU_TYPE_U16, deep.peak = 1023;
    const struct {
        const ssimcu_view *view, *scaled;
        int scaler;
        const double *shift;
        uint32_t place;
        const char *says;
    } rows[] = {{&good, &good, 4, none, 0, "unknown filter"},
                {&good, &good, 0, NULL, 0, "two numbers"},
                {&good, &good, 0, far, 0, "two numbers"},
                {&good, &good, 0, none, 6, "place is 6"},
                {&three, &three, 0, none, 0, "one channel, or two"},
                {&planar, &two, 0, none, 0, "one channel, or two"},
                {&apart, &two, 0, none, 0, "one channel, or two"},
                {&two, &good, 0, none, 0, "as many channels"},
                {&back, &good, 0, none, 0, "from the top down"},
                {&odd, &good, 0, none, 0, "bytes of 8 bits"},
                {&floats, &floats, 0, none, 0, "bytes of 8 bits"},
                {&deep, &good, 0, none, 0, "of 10 bits or more"},
                {NULL, &good, 0, none, 0, "view is NULL"},
                {&good, NULL, 0, none, 0, "scaled is NULL"}};
    ssimcu_context *context = open_on(device);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ssimcu_message why = {{0}};
        ssimcu_view scaled = rows[i].scaled ? *rows[i].scaled : good;
        cr_expect(ssimcu_view_scale(context, rows[i].view, (ssimcu_scaler_name)rows[i].scaler,
                                    rows[i].shift, rows[i].place, rows[i].scaled ? &scaled : NULL,
                                    &why) == SSIMCU_ERROR_ARGUMENT);
        cr_expect(strstr(why.text, rows[i].says), "row %zu: %s", i, why.text);
    }
    cr_expect(ssimcu_view_scale(NULL, &good, SSIMCU_SCALER_BICUBIC, none, 0, &two, NULL) ==
              SSIMCU_ERROR_ARGUMENT);
    ssimcu_close(&context);
}
