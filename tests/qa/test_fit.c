/* What is done to frames so that they can be compared: sizes, depths, and the matrix of a side that
 * names none. */
#include "pair/device.h"
#include "pair/fit.h"
#include "pair/tags.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct contract_scale none = {.to = SSIMCU_SCALE_NONE};

static ssimcu_clip_format format_of(const char *size, const char *name)
{
    ssimcu_clip_format format;
    cr_assert(ssimcu_raw_parse(size, name, &format));
    return format;
}

Test(fit, nothing_is_done_to_frames_that_match)
{
    const ssimcu_clip_format a = format_of("64x48", "yuv420p10");
    struct fit fit[2];
    char text[200];
    cr_assert(fit_make(&none, &a, &a, fit, NULL) == SSIMCU_OK);
    cr_expect(!fit[0].on && !fit[1].on && !fit_says(fit, "out", text, sizeof text));
    cr_expect(memcmp(&fit[0].format, &fit[1].format, sizeof a) == 0 &&
              fit_bytes(&fit[0], &a) == a.frame_bytes);
    const ssimcu_clip_format other = format_of("32x24", "yuv420p10");
    cr_assert(fit_make(&none, &a, &other, fit, NULL) == SSIMCU_OK);
    cr_expect(!fit[0].on && !fit[1].on); /* sizes stay different, which is an error elsewhere */
    fit_close(fit);
}

/* Samples of 8 bits, and of 10, become exact multiples, also from rows with a pitch. */
Test(fit, shallower_samples_are_widened)
{
    static const struct {
        const char *shallow, *deep;
        uint32_t factor;
    } rows[] = {
        {"yuv420p", "yuv420p10", 4}, {"yuv420p10", "yuv420p12", 4}, {"gray", "gray16", 256}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ssimcu_clip_format a = format_of("34x18", rows[i].shallow),
                                 b = format_of("34x18", rows[i].deep);
        struct fit fit[2];
        ssimcu_frame plane[SSIMCU_MAX_PLANES];
        char text[200];
        cr_assert(fit_make(&none, &b, &a, fit, NULL) == SSIMCU_OK);
        cr_assert(!fit[0].on && fit[1].on && fit_says(fit, "o.mp4", text, sizeof text));
        cr_expect(strstr(text, "o.mp4: samples of ") && strstr(text, " bits in OUT "), "%s", text);
        cr_expect(fit[1].format.plane[0].bits == b.plane[0].bits);
        cr_expect(fit[1].format.frame_bytes == b.frame_bytes);
        uint8_t *memory = malloc(fit_bytes(&fit[1], &a));
        cr_assert(memory);
        for (size_t k = 0; k < a.frame_bytes; k++)
            memory[k] = (uint8_t)(k % 251 % (a.plane[0].bits > 8 && k % 2 ? 4 : 256));
        uint8_t *kept = malloc(a.frame_bytes);
        cr_assert(kept);
        memcpy(kept, memory, a.frame_bytes);
        ssimcu_clip_planes(&a, memory, plane);
        cr_assert(fit_frame(&fit[1], &a, memory, plane, NULL) == SSIMCU_OK);
        const uint8_t *from = kept;
        for (uint32_t p = 0; p < a.planes; p++) {
            cr_assert(plane[p].bits == b.plane[p].bits && plane[p].pitch % 2 == 0);
            for (uint32_t y = 0; y < plane[p].height; y++)
                for (uint32_t x = 0; x < plane[p].width; x++) {
                    const uint32_t wide = a.plane[0].bits > 8;
                    const uint32_t value = from[0] + (wide ? 256u * from[1] : 0);
                    const uint16_t *row =
                        (const uint16_t *)(const void *)((uint8_t *)plane[p].data +
                                                         y * plane[p].pitch);
                    cr_assert(row[x] == value * rows[i].factor, "%zu: %u,%u", i, x, y);
                    from += 1 + wide;
                }
        }
        free(memory), free(kept);
        fit_close(fit);
    }
}

/* In full range, and in RGB, no whole factor is right. */
Test(fit, what_is_not_widened)
{
    ssimcu_clip_format a = format_of("64x48", "yuv420p"), b = format_of("64x48", "yuv420p10");
    struct fit fit[2];
    a.range = SSIMCU_RANGE_FULL;
    cr_assert(fit_make(&none, &a, &b, fit, NULL) == SSIMCU_OK);
    cr_expect(!fit[0].on && !fit[1].on);
    a.range = SSIMCU_RANGE_UNKNOWN, b.rgb = true;
    cr_assert(fit_make(&none, &a, &b, fit, NULL) == SSIMCU_OK);
    cr_expect(!fit[0].on && !fit[1].on);
    fit_close(fit);
}

/* Frames in device memory need no scaler: the device scales and widens them. */
Test(fit, frames_on_a_device)
{
    const struct contract_scale to_ref = {.to = SSIMCU_SCALE_REF, .scaler = SSIMCU_SCALER_LANCZOS};
    ssimcu_clip_format a = format_of("64x48", "yuv420p10"), b = format_of("32x36", "yuv420p");
    struct fit fit[2];
    ssimcu_message why = {{0}};
    a.on_device = b.on_device = true;
    cr_assert(fit_make(&to_ref, &a, &b, fit, &why) == SSIMCU_OK, "%s", why.text);
    cr_expect(!fit[0].scales && !fit[0].on && !fit_changes(&fit[0]));
    cr_expect(fit[1].scales && !fit[1].scaler && fit[1].shift == 2 && fit_changes(&fit[1]));
    cr_expect(fit[1].name == SSIMCU_SCALER_LANCZOS);
    cr_expect(fit[1].beside[0] == 0.25 - 0.25 / 2 && fit[1].beside[1] == 0);
    cr_expect(fit[1].format.on_device && fit_bytes(&fit[1], &b) == a.frame_bytes);
    fit_close(fit);
    const struct contract_scale odd = {.to = SSIMCU_SCALE_SIZE, .width = 63, .height = 48};
    cr_expect(fit_make(&odd, &a, &b, fit, &why) == SSIMCU_ERROR_MISMATCH);
    cr_expect(strstr(why.text, "multiple of 2 by 2"), "%s", why.text);
    fit_close(fit);
}

/* Each side is scaled to the size that is asked for, and only if its own is another. */
Test(fit, sizes)
{
    static const struct {
        struct contract_scale scale;
        bool on[2];
        uint32_t width;
    } rows[] = {{{.to = SSIMCU_SCALE_REF}, {false, true}, 1280},
                {{.to = SSIMCU_SCALE_OUT}, {true, false}, 640},
                {{.to = SSIMCU_SCALE_SIZE, .width = 960, .height = 540}, {true, true}, 960},
                {{.to = SSIMCU_SCALE_SIZE, .width = 640, .height = 360}, {true, false}, 640}};
    ssimcu_clip_format ref = format_of("1280x720", "yuv420p10"),
                       out = format_of("640x360", "yuv420p");
    ref.matrix = out.matrix = "bt709";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fit fit[2];
        ssimcu_message why = {{0}};
        const ssimcu_status status = fit_make(&rows[i].scale, &ref, &out, fit, &why);
        if (status == SSIMCU_ERROR_UNSUPPORTED) cr_skip_test("%s", why.text); /* no zimg */
        cr_assert(status == SSIMCU_OK, "%s", why.text);
        const ssimcu_clip_format *side[2] = {&fit[0].format, &fit[1].format};
        for (int s = 0; s < 2; s++) {
            cr_expect(!fit[s].scaler == !rows[i].on[s], "row %zu", i);
            cr_expect(side[s]->plane[0].width == rows[i].width && side[s]->plane[0].bits == 10);
            cr_expect(fit_bytes(&fit[s], s ? &out : &ref) >=
                      (s ? out : ref).frame_bytes + (fit[s].on ? side[s]->frame_bytes : 0));
        }
        fit_close(fit);
        cr_expect(!fit[0].scaler && !fit[1].scaler);
    }
}

/* Both sides of other sizes have one matrix, that of REF, unless they name another. */
Test(fit, a_matrix_that_is_not_named)
{
    const struct contract_scale scale = {.to = SSIMCU_SCALE_OUT};
    ssimcu_clip_format ref = format_of("1280x720", "yuv420p"),
                       out = format_of("640x360", "yuv420p");
    struct fit fit[2];
    const ssimcu_status status = fit_make(&scale, &ref, &out, fit, NULL);
    if (status == SSIMCU_ERROR_UNSUPPORTED) cr_skip_test("no zimg");
    cr_assert(status == SSIMCU_OK);
    for (int s = 0; s < 2; s++) cr_expect_str_eq(fit[s].format.matrix, "bt709");
    fit_close(fit);
    ref.matrix = "bt2020", out.matrix = "bt601";
    cr_assert(fit_make(&scale, &ref, &out, fit, NULL) == SSIMCU_OK);
    cr_expect_str_eq(fit[1].format.matrix, "bt601");
    fit_close(fit);
}

/* A side that does not name the place of its chroma takes what the other says. "420jpeg" of y4m and
 * left of a decoder say nothing. */
Test(fit, a_siting_that_is_not_named)
{
    enum { LEFT = SSIMCU_SITING_LEFT, CENTER = SSIMCU_SITING_CENTER, TOP = SSIMCU_SITING_TOP_LEFT };
    static const struct {
        int own[2];
        bool named[2];
        int settled[2];
    } rows[] = {{{LEFT, LEFT}, {false, false}, {LEFT, LEFT}},
                {{CENTER, CENTER}, {false, false}, {CENTER, CENTER}},
                {{CENTER, LEFT}, {false, false}, {LEFT, LEFT}},
                {{CENTER, LEFT}, {true, false}, {CENTER, CENTER}},
                {{CENTER, TOP}, {false, true}, {TOP, TOP}},
                {{CENTER, TOP}, {true, true}, {CENTER, TOP}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int turn = 0; turn < 2; turn++) {
            ssimcu_clip_format side[2];
            for (int s = 0; s < 2; s++) {
                side[s] = format_of("64x48", "yuv420p");
                side[s].siting = (ssimcu_siting)rows[i].own[s ^ turn];
                side[s].siting_named = rows[i].named[s ^ turn];
            }
            tags_settle(side);
            for (int s = 0; s < 2; s++)
                cr_expect_eq((int)side[s].siting, rows[i].settled[s ^ turn], "row %zu", i);
            cr_expect(tags_sites_differ(&side[0], &side[1]) == (i == 5));
        }
}

static uint32_t sample_of(const ssimcu_view *view, uint32_t x, uint32_t y)
{
    const char *at = (const char *)view->data[0] + y * view->pitch + x * view->pixel_stride;
    return *(const uint16_t *)(const void *)at >> 6;
}

/* What a device makes of NV12 is what the CPU makes of its planes, from the region on. */
Test(fit, a_device_finishes_what_load_leaves)
{
    const struct contract_scale to_ref = {.to = SSIMCU_SCALE_REF};
    ssimcu_clip_format a = format_of("96x72", "yuv420p10"), b = format_of("64x36", "yuv420p");
    struct fit host[2], device[2];
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
    ssimcu_context *context = NULL;
    ssimcu_message why = {{0}};
    const ssimcu_status status = fit_make(&to_ref, &a, &b, host, &why);
    if (status == SSIMCU_ERROR_UNSUPPORTED) cr_skip_test("%s", why.text); /* no zimg */
    uint8_t *memory = malloc(fit_bytes(&host[1], &b)), nv12[64 * 36 * 3 / 2];
    const ssimcu_settings settings = SSIMCU_INIT(settings, .device = SSIMCU_DEVICE_CPU);
    cr_assert(status == SSIMCU_OK && memory && ssimcu_open(&settings, &context, NULL) == SSIMCU_OK);
    for (size_t i = 0; i < sizeof nv12; i++) memory[i] = (uint8_t)(i * i % 251);
    memcpy(nv12, memory, 64 * 36);
    for (size_t i = 0; i < 32 * 18; i++) {
        nv12[64 * 36 + 2 * i] = memory[64 * 36 + i];
        nv12[64 * 36 + 2 * i + 1] = memory[64 * 36 + 32 * 18 + i];
    }
    ssimcu_clip_planes(&b, memory, plane);
    cr_assert(fit_frame(&host[1], &b, memory, plane, NULL) == SSIMCU_OK);
    b.on_device = true;
    cr_assert(fit_make(&to_ref, &a, &b, device, &why) == SSIMCU_OK, "%s", why.text);
    struct pair pair = {.planes = 3, .x = 8, .y = 10, .fit = {NULL, &device[1]}};
    pair.format[1] = &device[1].format;
    pair.on_device[1] = true;
    for (uint32_t p = 0; p < 3; p++) {
        pair.plane[1][p] = device[1].format.plane[p];
        pair.plane[1][p].width = p > 0 ? 20 : 40;
        pair.plane[1][p].height = p > 0 ? 15 : 30;
        pair.view[1][p] = SSIMCU_INIT(view, .width = p > 0 ? 32 : 64, .height = p > 0 ? 18 : 36,
                                      .channels = 1, .pitch = 64, .pixel_stride = p > 0 ? 2 : 1,
                                      .data = {nv12 + (p > 0 ? 64 * 36 + p - 1 : 0)});
    }
    cr_assert(device_finish(&pair, context, &why) == SSIMCU_OK, "%s", why.text);
    cr_expect(!pair.fit[1]);
    for (uint32_t p = 0; p < 3; p++) {
        const ssimcu_view *view = &pair.view[1][p];
        cr_assert(view->channels == 1 && view->width == (p > 0 ? 20u : 40u) &&
                  view->height == (p > 0 ? 15u : 30u));
        for (uint32_t y = 0; y < view->height; y++)
            for (uint32_t x = 0; x < view->width; x++) {
                const uint16_t *row =
                    (const uint16_t *)plane[p].data + (y + (p > 0 ? 5 : 10)) * plane[p].pitch / 2;
                cr_assert_eq(sample_of(view, x, y), row[x + (p > 0 ? 4 : 8)], "%u: %u,%u", p, x, y);
            }
    }
    ssimcu_close(&context);
    free(memory);
    fit_close(host), fit_close(device);
}

/* PQ and HLG become light behind all else, if no side has another curve. */
Test(fit, light)
{
    ssimcu_clip_format a = format_of("64x48", "yuv420p10"), b = format_of("64x48", "yuv420p");
    struct fit fit[2];
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
    strcpy(a.transfer, "smpte2084");
    cr_assert(fit_make(&none, &b, &a, fit, NULL) == SSIMCU_OK);
    cr_assert(fit_light(100, fit, NULL) == SSIMCU_OK);
    cr_expect(fit[0].light && fit[1].light);
    cr_expect_str_eq(fit[0].format.transfer, "smpte2084");
    cr_expect_str_eq(fit[0].format.matrix, "bt2020");
    fit_close(fit);
    strcpy(b.transfer, "bt709");
    cr_assert(fit_make(&none, &a, &b, fit, NULL) == SSIMCU_OK);
    cr_assert(fit_light(100, fit, NULL) == SSIMCU_OK);
    cr_expect(!fit[0].on && !fit[0].light && !fit[1].light);
    fit_close(fit);
    strcpy(b.transfer, "arib-std-b67");
    cr_assert(fit_make(&none, &a, &b, fit, NULL) == SSIMCU_OK);
    cr_assert(fit_light(100, fit, NULL) == SSIMCU_OK);
    cr_expect(fit[0].on && fit[0].light && fit[1].light && fit[1].shift == 2);
    uint8_t *memory = malloc(fit_bytes(&fit[1], &b));
    cr_assert(memory);
    memset(memory, 128, b.frame_bytes);
    memset(memory, 235, 64 * 48); /* white of HLG has 1000 cd/m2 */
    ssimcu_clip_planes(&b, memory, plane);
    cr_assert(fit_frame(&fit[1], &b, memory, plane, NULL) == SSIMCU_OK);
    cr_expect(plane[0].bits == SSIMCU_BITS_F32 && plane[0].channels == 3 && plane[0].linear);
    const float *const light = plane[0].data;
    for (int i = 0; i < 64 * 48 * 3; i++)
        cr_assert(light[i] > 9.99f && light[i] < 10.01f, "%d: %g", i, (double)light[i]);
    free(memory);
    fit_close(fit);
}

/* A pair of sizes, a format and what is done to its frames. */
struct spread_row {
    const char *format, *from, *to;
    bool light;
    ssimcu_siting siting;
    ssimcu_scaler_name scaler;
};

/* Changes every sample of a side of `from` that lies under a pixel of a side of `to`. */
static void change_under(const ssimcu_clip_format *format, const uint32_t to[2],
                         const uint32_t pixel[2], ssimcu_frame plane[SSIMCU_MAX_PLANES])
{
    const uint32_t from[2] = {format->plane[0].width, format->plane[0].height};
    uint32_t low[2], high[2];
    for (int a = 0; a < 2; a++) {
        low[a] = pixel[a] * from[a] / to[a];
        high[a] = ((pixel[a] + 1) * from[a] - 1) / to[a];
    }
    for (uint32_t p = 0; p < format->planes; p++) {
        const uint32_t across = p > 0 ? ssimcu_clip_across(format) : 1,
                       down = p > 0 ? ssimcu_clip_down(format) : 1;
        for (uint32_t y = low[1] / down; y <= high[1] / down; y++)
            for (uint32_t x = low[0] / across; x <= high[0] / across; x++)
                ((uint8_t *)plane[p].data)[y * plane[p].pitch + x] ^= 0xc0;
    }
}

/* Returns a fitted frame, in memory of its own, of noise that is changed under a pixel. */
static uint8_t *fitted(const struct fit *fit, const ssimcu_clip_format *format,
                       const uint32_t *pixel, ssimcu_frame plane[SSIMCU_MAX_PLANES])
{
    const uint32_t to[2] = {fit->format.plane[0].width, fit->format.plane[0].height};
    uint8_t *memory = malloc(fit_bytes(fit, format));
    cr_assert(memory);
    for (size_t i = 0; i < format->frame_bytes; i++) memory[i] = (uint8_t)(80 + i * i % 97);
    ssimcu_clip_planes(format, memory, plane);
    if (pixel) change_under(format, to, pixel, plane);
    cr_assert(fit_frame(fit, format, memory, plane, NULL) == SSIMCU_OK);
    return memory;
}

/* Checks that the samples of a plane that differ lie at most `spread` pixels from a pixel. */
static void check_near_by(const ssimcu_frame *a, const ssimcu_frame *b, const uint32_t per[2],
                          const uint32_t pixel[2], const uint32_t spread[2], size_t row)
{
    const size_t size = a->bits == SSIMCU_BITS_F32 ? 3 * sizeof(float) : 1;
    for (uint32_t y = 0; y < a->height; y++)
        for (uint32_t x = 0; x < a->width; x++) {
            const bool near_by =
                (x + 1) * per[0] + spread[0] > pixel[0] && x * per[0] <= pixel[0] + spread[0] &&
                (y + 1) * per[1] + spread[1] > pixel[1] && y * per[1] <= pixel[1] + spread[1];
            const char *const left = (const char *)a->data + y * a->pitch + x * size,
                              *const right = (const char *)b->data + y * b->pitch + x * size;
            cr_assert(near_by || memcmp(left, right, size) == 0, "row %zu, %u,%u: %u,%u", row,
                      pixel[0], pixel[1], x, y);
        }
}

/* What lies under a pixel changes no sample of the fitted frame beyond the spread. */
Test(fit, how_far_a_pixel_spreads)
{
    static const struct spread_row rows[] = {
        {"yuv420p", "96x72", "96x72", true, SSIMCU_SITING_CENTER, SSIMCU_SCALER_BICUBIC},
        {"yuv420p", "96x72", "96x72", true, SSIMCU_SITING_TOP_LEFT, SSIMCU_SCALER_BICUBIC},
        {"yuv422p", "96x72", "96x72", true, SSIMCU_SITING_CENTER, SSIMCU_SCALER_BICUBIC},
        {"yuv444p", "96x72", "96x72", true, SSIMCU_SITING_CENTER, SSIMCU_SCALER_BICUBIC},
        {"yuv420p", "48x36", "144x72", false, SSIMCU_SITING_CENTER, SSIMCU_SCALER_LANCZOS},
        {"yuv420p", "48x36", "144x36", true, SSIMCU_SITING_TOP_LEFT, SSIMCU_SCALER_SPLINE36},
        {"yuv420p", "144x108", "96x72", false, SSIMCU_SITING_CENTER, SSIMCU_SCALER_LANCZOS},
        {"yuv420p", "288x108", "60x72", true, SSIMCU_SITING_TOP_LEFT, SSIMCU_SCALER_LANCZOS},
        {"gray", "144x72", "96x108", false, SSIMCU_SITING_CENTER, SSIMCU_SCALER_LANCZOS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ssimcu_clip_format own = format_of(rows[i].from, rows[i].format),
                           as = format_of(rows[i].to, rows[i].format);
        const struct contract_scale scale = {.to = SSIMCU_SCALE_REF, .scaler = rows[i].scaler};
        struct fit fit[2];
        ssimcu_message why = {{0}};
        uint32_t spread[2];
        if (rows[i].light) strcpy(own.transfer, "smpte2084"), strcpy(as.transfer, "smpte2084");
        own.siting = as.siting = rows[i].siting;
        ssimcu_status status = fit_make(&scale, &as, &own, fit, &why);
        if (status == SSIMCU_ERROR_UNSUPPORTED) cr_skip_test("%s", why.text); /* no zimg */
        if (rows[i].light) status = fit_light(100, fit, &why);
        cr_assert(status == SSIMCU_OK, "%s", why.text);
        fit_spread(&fit[1], spread);
        cr_expect(i > 3 || spread[0] == (i == 3 ? 0u : 2u), "row %zu: %u", i, spread[0]);
        for (uint32_t at = 0; at < 30; at++) {
            const uint32_t pixel[2] = {at * 7 % as.plane[0].width, at * 5 % as.plane[0].height};
            ssimcu_frame plane[2][SSIMCU_MAX_PLANES];
            uint8_t *a = fitted(&fit[1], &own, NULL, plane[0]),
                    *b = fitted(&fit[1], &own, pixel, plane[1]);
            for (uint32_t p = 0; p < (rows[i].light ? 1 : own.planes); p++)
                check_near_by(&plane[0][p], &plane[1][p],
                              (const uint32_t[]){p > 0 ? ssimcu_clip_across(&own) : 1,
                                                 p > 0 ? ssimcu_clip_down(&own) : 1},
                              pixel, spread, i);
            free(a), free(b);
        }
        fit_close(fit);
    }
}
