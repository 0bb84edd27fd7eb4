/* A device that computes wrongly gives no score (api/prove.h). The device here is a real one behind
 * a table whose collect changes one number of the results. */
#include "api/context.h"
#include "check.h"
#include "ssimcu_cuda.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 40, TILE = 16 };

/* Which number is wrong. */
enum part { NOTHING, SUMS, TILES, FEATURES, MAP, SQUARES, LOST, NORMS, COUNTS, PARTS };

static const struct ssimcu_backend *real;
static struct ssimcu_plan last; /* the first plan of the last frame */
static float *last_map;
static uint32_t frames;
static struct {
    enum part part;
    int place; /* 0: the first number of the part; 1: one in the middle; 2: the last */
    int (*hits)(const struct ssimcu_shape *shape); /* frames that it is in; NULL: all */
} fault;

static double least_loss; /* of a block of windows of the fixed pair, which is not SIDE wide */
static double least_edge; /* of a window in the last column or row */

/* Looks at the windows of a map and at its blocks of 16 x 8. */
static void look(const float *map)
{
    const uint32_t width = last.shape.map_width, height = last.shape.map_height;
    for (uint32_t y = 0; y < height * last.shape.planes; y++)
        for (uint32_t x = y % height < height - 1 ? width - 1 : 0; x < width; x++)
            least_edge = fmin(least_edge, 1 - (double)map[y * width + x]);
    for (uint32_t y = 0; y + 8 <= height * last.shape.planes; y++)
        for (uint32_t x = 0; x + 16 <= width && y % height + 8 <= height; x++) {
            double loss = 0;
            for (size_t i = 0; i < 128; i++)
                loss += 1 - (double)map[(y + i / 16) * width + x + i % 16];
            least_loss = fmin(least_loss, loss / 128);
        }
}

static size_t at(size_t count) { return fault.place * (count - 1) / 2; }

static void change(const void *numbers, size_t count)
{
    double *number = (double *)(uintptr_t)numbers + at(count);
    *number = *number * 1.05 + 0.03;
}

static void change_float(const float *numbers, size_t count)
{
    float *number = (float *)(uintptr_t)numbers + at(count);
    *number = *number * 1.05f + 1;
}

static ssimcu_status reserve(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                             uint32_t plans, ssimcu_message *message)
{
    last = *plan;
    frames++;
    return real->reserve(state, plan, plans, message);
}

static ssimcu_status submit(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                            float *map, ssimcu_message *message)
{
    last_map = map;
    if (plan->chroma) cr_expect_eq(plan->chroma->shape.width, (plan->shape.width + 1) / 2);
    return real->submit(state, plan, map, message);
}

static ssimcu_status collect(struct ssimcu_backend_state *state, struct ssimcu_results *results,
                             ssimcu_stage_ms *ms, ssimcu_message *message)
{
    TRY(real->collect(state, results, ms, message));
    const struct ssimcu_metric_sums *metrics = results->metrics;
    const size_t tiles = ssimcu_plan_tiles(&last), planes = last.shape.planes;
    const size_t positions = (size_t)last.shape.map_width * last.shape.map_height;
    if (last_map && last.shape.width != SIDE) look(last_map);
    if (fault.hits && !fault.hits(&last.shape)) return SSIMCU_OK;
    switch (fault.part) {
    case SUMS: change(results->sums, ssimcu_plan_sums(&last)); break;
    case TILES: change(results->means, tiles * ssimcu_tile_step((uint32_t)planes)); break;
    case FEATURES:
        change_float(
            ssimcu_tile_features((double *)(uintptr_t)results->means, tiles, (uint32_t)planes),
            tiles * planes * SSIMCU_TILE_FEATURES);
        break;
    case MAP: /* of two backgrounds the map has the one that counts, in a second run */
        if (last_map) change_float(last_map, positions * planes);
        break;
    case SQUARES: change(metrics->squares, planes); break;
    case LOST: change(metrics->lost, planes * SSIMCU_MS_SCALES); break;
    case NORMS:
        change(metrics->norms,
               (size_t)ssimcu_s2_scales((int)last.shape.width, (int)last.shape.height) *
                   SSIMCU_S2_CHANNELS * SSIMCU_S2_SUMS);
        break;
    case COUNTS: ((struct ssimcu_light_counts *)(uintptr_t)results->counts)[at(2)].clamped++; break;
    default: break;
    }
    return SSIMCU_OK;
}

/* Opens a context on the device behind the changed table. Its name is new, so that nothing is
 * proven for it. */
static ssimcu_context *open_broken(ssimcu_device device, ssimcu_settings settings)
{
    static struct ssimcu_backend broken;
    static int number;
    ssimcu_context *context = NULL;
    ssimcu_message why = {{0}};
    settings.device = device;
    cr_assert_eq(ssimcu_open(&settings, &context, &why), SSIMCU_OK, "%s", why.text);
    real = context->backend;
    broken = *real;
    broken.reserve = reserve;
    broken.submit = submit;
    broken.collect = collect;
    context->backend = &broken;
    snprintf(context->device, sizeof context->device, "broken:%d", ++number);
    frames = 0;
    return context;
}

/* Compares two frames of some kind. */
struct kind {
    const char *name;
    uint32_t channels, bits;
    ssimcu_transfer transfer;
    ssimcu_alpha alpha;
    unsigned metrics;
    int wants_map, wants_tiles;
    enum part part;
};
#define METRIC(name) (1u << SSIMCU_METRIC_##name)
static const struct kind KINDS[] = {
    {"grey", 1, 8, 0, 0, 0, 0, 0, SUMS},
    {"colour", 3, 8, 0, 0, 0, 0, 0, SUMS},
    {"alpha", 4, 16, 0, 0, 0, 0, 0, SUMS},
    {"light", 3, SSIMCU_BITS_F32, SSIMCU_TRANSFER_SRGB, 0, 0, 0, 0, SUMS},
    {"halves", 3, SSIMCU_BITS_F16, 0, 0, 0, 0, 0, SUMS},
    {"counts", 3, SSIMCU_BITS_F32, SSIMCU_TRANSFER_HABLE, 0, 0, 0, 0, COUNTS},
    {"tiles", 3, 8, 0, 0, 0, 0, 1, TILES},
    {"features", 1, 16, 0, 0, 0, 0, 1, FEATURES},
    {"map", 3, 8, 0, 0, 0, 1, 0, MAP},
    {"map of alpha", 2, 8, 0, 0, 0, 1, 0, MAP},
    {"psnr", 3, 8, 0, 0, METRIC(SSIM) | METRIC(PSNR), 0, 0, SQUARES},
    {"ssimulacra2", 3, 8, 0, 0, METRIC(SSIMULACRA2), 0, 0, NORMS},
};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

static ssimcu_status compare(ssimcu_context *context, const struct kind *kind, ssimcu_score *score,
                             ssimcu_message *why)
{
    ssimcu_frame frame[2];
    ssimcu_view view[2] = {SSIMCU_INIT(view), SSIMCU_INIT(view)};
    double feature[SSIMCU_FEATURES][64], cell[64];
    ssimcu_tiles tiles =
        SSIMCU_INIT(tiles, .width = TILE, .height = TILE, .columns = 3, .rows = 3, .data = cell);
    ssimcu_map map = SSIMCU_INIT(map);
    for (int i = 0; i < 2; i++) {
        frame[i] = check_frame(SIDE, SIDE, kind->channels, kind->bits);
        cr_assert_eq(ssimcu_frame_view(&frame[i], &view[i], why), SSIMCU_OK, "%s", why->text);
    }
    if (kind->part == FEATURES)
        for (int f = 0; f < SSIMCU_FEATURES; f++) tiles.feature[f] = feature[f];
    if (kind->wants_map) {
        cr_assert_eq(ssimcu_views_layout(context, &view[0], &view[1], &map, NULL, why), SSIMCU_OK);
        map.data = malloc(sizeof(float) * map.width * map.height * map.channels);
    }
    const ssimcu_status status =
        ssimcu_compare_views(context, &view[0], &view[1], score, kind->wants_map ? &map : NULL,
                             kind->wants_tiles ? &tiles : NULL, why);
    for (int i = 0; i < 2; i++) ssimcu_frame_free(&frame[i]);
    free(map.data);
    return status;
}

static ssimcu_settings settings_of(const struct kind *kind)
{
    return SSIMCU_INIT(settings, .metrics = kind->metrics, .alpha = kind->alpha,
                       .transfer = kind->transfer);
}

BACKEND_TEST(prove, a_wrong_number_is_refused)
{
    for (size_t k = 0; k < KIND_COUNT; k++)
        for (int place = 0; place < 3; place++) {
            const struct kind *kind = &KINDS[k];
            ssimcu_context *context = open_broken(device, settings_of(kind));
            ssimcu_score score = SSIMCU_INIT(score);
            ssimcu_message why = {{0}};
            fault.part = kind->part, fault.place = place;
            const ssimcu_status status = compare(context, kind, &score, &why);
            cr_expect_eq(status, SSIMCU_ERROR_DEVICE, "%s, place %d", kind->name, place);
            cr_expect(strstr(why.text, "computes wrongly: the "), "%s, place %d: %s", kind->name,
                      place, why.text);
            cr_expect_eq(compare(context, kind, &score, &why), SSIMCU_ERROR_DEVICE, "%s, again",
                         kind->name);
            ssimcu_close(&context);
        }
}

BACKEND_TEST(prove, each_kind_is_proven_once)
{
    fault.part = NOTHING;
    for (size_t k = 0; k < KIND_COUNT; k++) {
        const struct kind *kind = &KINDS[k];
        ssimcu_context *context = open_broken(device, settings_of(kind));
        ssimcu_score score = SSIMCU_INIT(score);
        ssimcu_message why = {{0}};
        cr_expect_eq(compare(context, kind, &score, &why), SSIMCU_OK, "%s: %s", kind->name,
                     why.text);
        const uint32_t first = frames;
        cr_expect_eq(compare(context, kind, &score, &why), SSIMCU_OK, "%s: %s", kind->name,
                     why.text);
        cr_expect(first >= 2 && frames - first == first / 2, "%s: %u frames, then %u", kind->name,
                  first, frames - first);
        ssimcu_close(&context);
    }
}

/* A part of the frame that a device leaves out shows, because the pair differs everywhere. */
BACKEND_TEST(prove, each_part_of_the_pair_differs)
{
    static const struct kind OF[] = {
        {"grey", 1, 8, 0, 0, 0, 1, 0, MAP},
        {"colour", 3, 16, 0, 0, 0, 1, 0, MAP},
        {"alpha", 4, 8, 0, 0, 0, 1, 0, MAP},
        {"light", 3, SSIMCU_BITS_F32, SSIMCU_TRANSFER_PU21, 0, 0, 1, 0, MAP},
        {"halves", 4, SSIMCU_BITS_F16, SSIMCU_TRANSFER_HABLE, 0, 0, 1, 0, MAP},
    };
    for (size_t k = 0; k < sizeof OF / sizeof *OF; k++) {
        ssimcu_context *context = open_broken(device, settings_of(&OF[k]));
        ssimcu_score score = SSIMCU_INIT(score);
        ssimcu_message why = {{0}};
        fault.part = NOTHING, least_loss = least_edge = 1;
        cr_expect_eq(compare(context, &OF[k], &score, &why), SSIMCU_OK, "%s", why.text);
        cr_expect(least_loss > 0.004 && least_loss < 1, "%s: %g", OF[k].name, least_loss);
        cr_expect(least_edge > 0.24 && least_edge < 1, "%s: %g", OF[k].name, least_edge);
        ssimcu_close(&context);
    }
}

/* A second kind on a proven device is proven, too: other channels, or another type. */
BACKEND_TEST(prove, every_kind_is_proven)
{
    static const struct kind DEEP = {"deep", 1, 16, 0, 0, 0, 0, 0, SUMS};
    for (int i = 0; i < 2; i++) {
        ssimcu_context *context = open_broken(device, settings_of(&KINDS[0]));
        ssimcu_score score = SSIMCU_INIT(score);
        ssimcu_message why = {{0}};
        fault.part = NOTHING;
        cr_assert_eq(compare(context, &KINDS[0], &score, &why), SSIMCU_OK, "%s", why.text);
        fault.part = SUMS, fault.place = 2;
        cr_expect_eq(compare(context, i ? &DEEP : &KINDS[1], &score, &why), SSIMCU_ERROR_DEVICE);
        ssimcu_close(&context);
    }
}

BACKEND_TEST(prove, auto_continues_on_the_cpu)
{
    for (size_t k = 0; k < KIND_COUNT; k++) {
        const struct kind *kind = &KINDS[k];
        ssimcu_settings settings = settings_of(kind);
        ssimcu_context *context = open_broken(device, settings), *cpu = NULL;
        ssimcu_score score = SSIMCU_INIT(score), expected = SSIMCU_INIT(score);
        ssimcu_message why = {{0}};
        context->config.settings.device = SSIMCU_DEVICE_AUTO;
        settings.device = SSIMCU_DEVICE_CPU;
        cr_assert_eq(ssimcu_open(&settings, &cpu, &why), SSIMCU_OK, "%s", why.text);
        fault.part = kind->part, fault.place = (int)k % 3;
        cr_expect_eq(compare(context, kind, &score, &why), SSIMCU_OK, "%s: %s", kind->name,
                     why.text);
        cr_expect_eq(compare(cpu, kind, &expected, &why), SSIMCU_OK, "%s: %s", kind->name,
                     why.text);
        cr_expect_eq(score.score, expected.score, "%s", kind->name);
        cr_expect_str_eq(ssimcu_context_device(context), "cpu");
        cr_expect(strstr(ssimcu_context_reason(context), "computes wrongly"), "%s",
                  ssimcu_context_reason(context));
        cr_expect_eq(compare(context, kind, &score, &why), SSIMCU_OK, "%s: %s", kind->name,
                     why.text);
        ssimcu_close(&cpu);
        ssimcu_close(&context);
    }
}

/* Faults of kernels that only some sizes choose, or of a rest that only some sizes have. */
static int64_t windows_of(const struct ssimcu_shape *shape)
{
    return (int64_t)shape->map_width * shape->map_height;
}
static int is_in_double(const struct ssimcu_shape *s) { return windows_of(s) <= 1 << 14; }
static int is_in_float(const struct ssimcu_shape *s) { return windows_of(s) > 1 << 14; }
static int is_aligned(const struct ssimcu_shape *s) { return s->width % 16 == 0; }
static int has_rest(const struct ssimcu_shape *s) { return s->width % 16 == 13; }
static int has_block_rest(const struct ssimcu_shape *s) { return s->width % 64 == 5; }
static int is_even(const struct ssimcu_shape *s) { return s->height % 2 == 0; }
static int is_odd(const struct ssimcu_shape *s) { return s->height % 2; }
static int has_strip_rest(const struct ssimcu_shape *s) { return s->width % 120 == 119; }
static int has_few_scales(const struct ssimcu_shape *s) { return s->height < 113; }
static int has_many_scales(const struct ssimcu_shape *s) { return s->height >= 113; }

static ssimcu_status compare_size(ssimcu_context *context, uint32_t width, uint32_t height)
{
    ssimcu_frame frame[2] = {check_frame(width, height, 3, 8), check_frame(width, height, 3, 8)};
    ssimcu_score score = SSIMCU_INIT(score);
    const ssimcu_status status = ssimcu_compare(context, &frame[0], &frame[1], &score, NULL);
    for (int i = 0; i < 2; i++) ssimcu_frame_free(&frame[i]);
    return status;
}

BACKEND_TEST(prove, a_fault_of_some_sizes_is_refused)
{
    static const struct {
        uint32_t width, height;
        int (*hits)(const struct ssimcu_shape *shape);
        unsigned metrics;
    } CASES[] = {
        {131, 97, is_in_double, 0},
        {141, 143, is_in_float, 0},
        {320, 90, is_aligned, 0},
        {301, 90, has_rest, 0},
        {709, 90, has_block_rest, 0},
        {301, 90, is_even, 0},
        {301, 91, is_odd, 0},
        {479, 300, has_strip_rest, METRIC(SSIMULACRA2)},
        {400, 112, has_few_scales, METRIC(SSIMULACRA2)},
        {400, 113, has_many_scales, METRIC(SSIMULACRA2)},
        {112, 112, has_few_scales, METRIC(SSIMULACRA2)},
        {113, 113, has_many_scales, METRIC(SSIMULACRA2)},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        ssimcu_context *context =
            open_broken(device, SSIMCU_INIT(settings, .metrics = CASES[i].metrics));
        fault.part = NOTHING;
        cr_expect_eq(compare_size(context, 78, 75), SSIMCU_OK, "case %zu", i);
        fault.part = CASES[i].metrics ? NORMS : SUMS;
        fault.hits = CASES[i].hits;
        cr_expect_eq(compare_size(context, CASES[i].width, CASES[i].height), SSIMCU_ERROR_DEVICE,
                     "case %zu", i);
        ssimcu_close(&context);
    }
    fault.hits = NULL;
}

/* Planes of video: Y, U and V of their own sizes. */
static ssimcu_status compare_video(ssimcu_context *context, ssimcu_message *why)
{
    ssimcu_frame frame[2][3];
    ssimcu_view view[2][3];
    ssimcu_score score = SSIMCU_INIT(score);
    for (int i = 0; i < 6; i++) {
        const uint32_t side = i % 3 ? SIDE / 2 : SIDE;
        frame[i / 3][i % 3] = check_frame(side, side, 1, 8);
        view[i / 3][i % 3] = SSIMCU_INIT(view);
        cr_assert_eq(ssimcu_frame_view(&frame[i / 3][i % 3], &view[i / 3][i % 3], why), SSIMCU_OK);
        view[i / 3][i % 3].yuv = (ssimcu_yuv){.red = 0.2126, .blue = 0.0722, .limited = 1};
    }
    const ssimcu_status status =
        ssimcu_compare_planes(context, view[0], view[1], 3, &score, NULL, why);
    for (int i = 0; i < 6; i++) ssimcu_frame_free(&frame[i / 3][i % 3]);
    return status;
}

BACKEND_TEST(prove, planes_of_video)
{
    const unsigned metrics[] = {METRIC(SSIM), METRIC(SSIM) | METRIC(PSNR), METRIC(SSIMULACRA2)};
    const enum part part[] = {SUMS, SQUARES, NORMS};
    for (int m = 0; m < 3; m++) {
        ssimcu_message why = {{0}};
        const ssimcu_settings settings = SSIMCU_INIT(settings, .metrics = metrics[m]);
        fault.part = NOTHING;
        ssimcu_context *context = open_broken(device, settings);
        cr_expect_eq(compare_video(context, &why), SSIMCU_OK, "%d: %s", m, why.text);
        ssimcu_close(&context);
        fault.part = part[m], fault.place = 0;
        context = open_broken(device, settings);
        cr_expect_eq(compare_video(context, &why), SSIMCU_ERROR_DEVICE, "%d", m);
        ssimcu_close(&context);
    }
}

/* A request, whose samples lie in device memory, is not even made. */
Test(prove, requests_cuda)
{
    if (!check_has_cuda()) return;
    for (int wrong = 0; wrong < 2; wrong++) {
        ssimcu_context *context = open_broken(SSIMCU_DEVICE_CUDA, SSIMCU_INIT(settings));
        ssimcu_view view =
            SSIMCU_INIT(view, .width = SIDE, .height = SIDE, .channels = 3, .frames = 5);
        ssimcu_request *request = NULL;
        ssimcu_message why = {{0}};
        fault.part = wrong ? SUMS : NOTHING, fault.place = 2;
        cr_expect_eq(ssimcu_request_create(context, &view, &view, NULL, &request, &why),
                     wrong ? SSIMCU_ERROR_DEVICE : SSIMCU_OK, "%d: %s", wrong, why.text);
        ssimcu_request_destroy(&request);
        ssimcu_close(&context);
    }
}
