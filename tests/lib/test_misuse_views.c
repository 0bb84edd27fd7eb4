/* Misuse of views, tiles and requests, as tables: what is wrong, the status, and a word that the
 * message must hold. Every wrong view goes through every function that takes one. */
#include "check.h"
#include "device.h"
#include "ssimcu_cuda.h"

#include <math.h>
#include <string.h>

#define WIDTH 20
#define HEIGHT 16

#pragma GCC diagnostic ignored "-Woverride-init" /* each case spoils one field of a good view */

/* Good arguments on one device; each case spoils one of them. */
struct fixture {
    ssimcu_context *context;
    ssimcu_request *request; /* a request for GOOD_VIEW; NULL if there can be none */
    ssimcu_score score;
    ssimcu_map map;
    float values[3 * HEIGHT * WIDTH];
};

/* Memory that is read if a view is good, and never if it is not. */
static _Alignas(4) uint8_t pixels[4 * WIDTH * HEIGHT * 3];

/* The functions that take two views. On a CPU context the functions of requests get as far as
 * the check of the views. */
typedef ssimcu_status view_call(struct fixture *f, const ssimcu_view *ref, const ssimcu_view *out,
                                ssimcu_message *message);

static ssimcu_status compare_views(struct fixture *f, const ssimcu_view *ref,
                                   const ssimcu_view *out, ssimcu_message *message)
{
    return ssimcu_compare_views(f->context, ref, out, &f->score, NULL, NULL, message);
}

static ssimcu_status views_layout(struct fixture *f, const ssimcu_view *ref, const ssimcu_view *out,
                                  ssimcu_message *message)
{
    return ssimcu_views_layout(f->context, ref, out, &f->map, NULL, message);
}

static ssimcu_status request_memory(struct fixture *f, const ssimcu_view *ref,
                                    const ssimcu_view *out, ssimcu_message *message)
{
    ssimcu_memory memory = {.struct_size = sizeof memory};
    return ssimcu_request_memory(f->context, ref, out, NULL, &memory, message);
}

static ssimcu_status request_create(struct fixture *f, const ssimcu_view *ref,
                                    const ssimcu_view *out, ssimcu_message *message)
{
    ssimcu_request *request = (ssimcu_request *)&request;
    const ssimcu_status status =
        ssimcu_request_create(f->context, ref, out, NULL, &request, message);
    cr_assert(status == SSIMCU_OK || !request);
    ssimcu_request_destroy(&request);
    return status;
}

/* Submits f->request, which brings its own context. */
static ssimcu_status request_submit(struct fixture *f, const ssimcu_view *ref,
                                    const ssimcu_view *out, ssimcu_message *message)
{
    return ssimcu_request_submit(f->request, ref, out, NULL, message);
}

static const struct {
    view_call *call;
    const char *name;
    bool reads; /* whether it looks at data */
} VIEW_CALLS[] = {{compare_views, "ssimcu_compare_views", true},
                  {views_layout, "ssimcu_views_layout", false},
                  {request_memory, "ssimcu_request_memory", false},
                  {request_create, "ssimcu_request_create", false},
                  {request_submit, "ssimcu_request_submit", true}};
enum { VIEW_CALL_COUNT = sizeof VIEW_CALLS / sizeof VIEW_CALLS[0] };

#define SIZES .struct_size = sizeof(ssimcu_view), .width = WIDTH, .height = HEIGHT, .channels = 3
#define WHOLE SIZES, .data = {pixels, pixels, pixels}

/* Each view has one fault. */
static const struct {
    ssimcu_view view;
    ssimcu_status status;
    const char *word;
} WRONG_VIEWS[] = {
    {{0}, SSIMCU_ERROR_ARGUMENT, "struct_size is 0"},
    {{WHOLE, .struct_size = sizeof(ssimcu_view) + 8}, SSIMCU_ERROR_ARGUMENT, "struct_size"},
    {{WHOLE, .struct_size = sizeof(ssimcu_view) - 1}, SSIMCU_ERROR_ARGUMENT, "struct_size"},
    {{WHOLE, .struct_size = 80}, SSIMCU_ERROR_ARGUMENT, "struct_size is 80"},
    {{WHOLE, .struct_size = SIZE_MAX}, SSIMCU_ERROR_ARGUMENT, "struct_size"},
    {{WHOLE, .width = 0}, SSIMCU_ERROR_ARGUMENT, "0x16 pixels"},
    {{WHOLE, .height = 0}, SSIMCU_ERROR_ARGUMENT, "20x0 pixels"},
    {{WHOLE, .width = UINT32_MAX}, SSIMCU_ERROR_LIMIT, "4294967295x16"},
    {{WHOLE, .height = 1u << 24}, SSIMCU_ERROR_LIMIT, "20x16777216"},
    {{WHOLE, .channels = 0}, SSIMCU_ERROR_ARGUMENT, "0 channels"},
    {{WHOLE, .channels = 5}, SSIMCU_ERROR_ARGUMENT, "5 channels"},
    {{WHOLE, .layout = (ssimcu_layout)3}, SSIMCU_ERROR_ARGUMENT, "layout is 3"},
    {{WHOLE, .layout = (ssimcu_layout)-1}, SSIMCU_ERROR_ARGUMENT, "layout"},
    {{WHOLE, .type = (ssimcu_type)6}, SSIMCU_ERROR_ARGUMENT, "type is 6"},
    {{WHOLE, .order = (ssimcu_order)2}, SSIMCU_ERROR_ARGUMENT, "order is 2"},
    {{WHOLE, .yuv = {.red = 0.5, .blue = 0.5}}, SSIMCU_ERROR_ARGUMENT, "weights 0.5 and 0.5"},
    {{WHOLE, .yuv = {.red = 0.25, .blue = 0.875}}, SSIMCU_ERROR_ARGUMENT, "weights 0.25 and 0.875"},
    {{WHOLE, .yuv = {.red = 0.875, .blue = 0.25}}, SSIMCU_ERROR_ARGUMENT, "weights 0.875 and 0.25"},
    {{WHOLE, .yuv = {.red = 1, .blue = 0}}, SSIMCU_ERROR_ARGUMENT, "weights 1 and 0"},
    {{WHOLE, .yuv = {.red = 0, .blue = 1}}, SSIMCU_ERROR_ARGUMENT, "weights 0 and 1"},
    {{WHOLE, .yuv = {.red = -0.25, .blue = 0.5}}, SSIMCU_ERROR_ARGUMENT, "weights -0.25 and 0.5"},
    {{WHOLE, .yuv = {.red = 0.5, .blue = -0.25}}, SSIMCU_ERROR_ARGUMENT, "weights 0.5 and -0.25"},
    {{WHOLE, .yuv = {.red = NAN, .blue = 0.5}}, SSIMCU_ERROR_ARGUMENT, "weights nan and 0.5"},
    {{WHOLE, .yuv = {.red = 0.5, .blue = NAN}}, SSIMCU_ERROR_ARGUMENT, "weights 0.5 and nan"},
    {{WHOLE, .type = SSIMCU_TYPE_BF16, .peak = INFINITY}, SSIMCU_ERROR_ARGUMENT, "peak is inf"},
    {{WHOLE, .pixel_stride = 2}, SSIMCU_ERROR_ARGUMENT, "pixel_stride 2"},
    {{WHOLE, .pixel_stride = 65}, SSIMCU_ERROR_ARGUMENT, "pixel_stride 65"},
    {{WHOLE, .type = SSIMCU_TYPE_U16, .pixel_stride = 7}, SSIMCU_ERROR_ARGUMENT, "pixel_stride 7"},
    {{WHOLE, .pixel_stride = SIZE_MAX}, SSIMCU_ERROR_ARGUMENT, "pixel_stride"},
    {{WHOLE, .type = (ssimcu_type)-1}, SSIMCU_ERROR_ARGUMENT, "type"},
    {{WHOLE, .peak = 256}, SSIMCU_ERROR_ARGUMENT, "peak is 256"},
    {{WHOLE, .peak = 0.5}, SSIMCU_ERROR_ARGUMENT, "peak is 0.5"},
    {{WHOLE, .peak = 254.5}, SSIMCU_ERROR_ARGUMENT, "peak is 254.5"},
    {{WHOLE, .peak = -255}, SSIMCU_ERROR_ARGUMENT, "peak is -255"},
    {{WHOLE, .peak = NAN}, SSIMCU_ERROR_ARGUMENT, "peak"},
    {{WHOLE, .type = SSIMCU_TYPE_U16, .peak = 65536}, SSIMCU_ERROR_ARGUMENT, "peak is 65536"},
    {{WHOLE, .type = SSIMCU_TYPE_F32, .peak = -1}, SSIMCU_ERROR_ARGUMENT, "peak is -1"},
    {{WHOLE, .type = SSIMCU_TYPE_F32, .peak = INFINITY}, SSIMCU_ERROR_ARGUMENT, "peak is inf"},
    {{WHOLE, .type = SSIMCU_TYPE_F16, .peak = NAN}, SSIMCU_ERROR_ARGUMENT, "peak"},
    {{WHOLE, .type = SSIMCU_TYPE_F32, .peak = 1e-40}, SSIMCU_ERROR_ARGUMENT, "peak"},
    {{WHOLE, .pitch = 59}, SSIMCU_ERROR_ARGUMENT, "pitch 59"},
    {{WHOLE, .type = SSIMCU_TYPE_F32, .pitch = 242}, SSIMCU_ERROR_ARGUMENT, "pitch 242"},
    {{WHOLE, .pitch = SIZE_MAX}, SSIMCU_ERROR_ARGUMENT, "pitch"},
    {{WHOLE, .pitch = SIZE_MAX / HEIGHT}, SSIMCU_ERROR_ARGUMENT, "pitch"},
    {{WHOLE, .layout = SSIMCU_LAYOUT_CHW, .plane_stride = 19},
     SSIMCU_ERROR_ARGUMENT,
     "plane_stride 19"},
    {{WHOLE, .layout = SSIMCU_LAYOUT_CHW, .type = SSIMCU_TYPE_U16, .plane_stride = 641},
     SSIMCU_ERROR_ARGUMENT,
     "plane_stride 641"},
    {{WHOLE, .layout = SSIMCU_LAYOUT_CHW, .plane_stride = SIZE_MAX / 2},
     SSIMCU_ERROR_ARGUMENT,
     "plane_stride"},
    {{WHOLE, .frames = 65536}, SSIMCU_ERROR_ARGUMENT, "65536 frames"},
    {{WHOLE, .frames = 2, .frame_stride = 7}, SSIMCU_ERROR_ARGUMENT, "frame"},
    {{WHOLE, .frames = 2, .frame_stride = SIZE_MAX - 7}, SSIMCU_ERROR_ARGUMENT, "frame"},
};
enum { WRONG_VIEW_COUNT = sizeof WRONG_VIEWS / sizeof WRONG_VIEWS[0] };

/* Each view has one fault in where its data lies. */
static const struct {
    ssimcu_view view;
    const char *word;
} WRONG_DATA[] = {
    {{SIZES}, "data[0] is NULL"},
    {{SIZES, .layout = SSIMCU_LAYOUT_CHW}, "data[0] is NULL"},
    {{SIZES, .layout = SSIMCU_LAYOUT_PLANES, .data = {pixels, pixels}}, "data[2] is NULL"},
    {{SIZES, .type = SSIMCU_TYPE_U16, .data = {pixels + 1}}, "data[0] is not aligned"},
    {{SIZES, .type = SSIMCU_TYPE_F32, .data = {pixels + 2}}, "data[0] is not aligned"},
    {{SIZES, .layout = SSIMCU_LAYOUT_PLANES, .type = SSIMCU_TYPE_F16,
      .data = {pixels, pixels + 1, pixels}},
     "data[1] is not aligned"},
};
enum { WRONG_DATA_COUNT = sizeof WRONG_DATA / sizeof WRONG_DATA[0] };

static const ssimcu_view GOOD_VIEW = {WHOLE};

static void view_fails(struct fixture *f, int call, const ssimcu_view *ref, const ssimcu_view *out,
                       ssimcu_status status, const char *argument, const char *word)
{
    ssimcu_message message = {{0}};
    const ssimcu_status got = VIEW_CALLS[call].call(f, ref, out, &message);
    cr_expect(got == status && strstr(message.text, argument) && strstr(message.text, word) &&
                  !strchr(message.text, '\n'),
              "%s, %s %s: status %d, expected %d: \"%s\"", VIEW_CALLS[call].name, argument, word,
              (int)got, (int)status, message.text);
    cr_expect(VIEW_CALLS[call].call(f, ref, out, NULL) == status, "without a message");
    cr_expect(f->score.score == 42, "%s touched the score", VIEW_CALLS[call].name);
}

static bool has_request(struct fixture *f, int call)
{
    return VIEW_CALLS[call].call != request_submit || f->request;
}

static void set_up(struct fixture *f, ssimcu_device device)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    *f = (struct fixture){.score = {.struct_size = sizeof f->score, .score = 42},
                          .map = {.struct_size = sizeof f->map}};
    f->context = check_open(&settings);
    cr_assert_eq(ssimcu_views_layout(f->context, &GOOD_VIEW, &GOOD_VIEW, &f->map, NULL, NULL),
                 SSIMCU_OK);
    f->map.data = f->values;
    if (device == SSIMCU_DEVICE_CUDA)
        cr_assert_eq(
            ssimcu_request_create(f->context, &GOOD_VIEW, &GOOD_VIEW, NULL, &f->request, NULL),
            SSIMCU_OK);
}

static void tear_down(struct fixture *f)
{
    ssimcu_request_destroy(&f->request);
    ssimcu_close(&f->context);
}

BACKEND_TEST(misuse_views, wrong_views)
{
    struct fixture f;
    set_up(&f, device);
    for (int call = 0; call < VIEW_CALL_COUNT; call++)
        for (int side = 0; side < 2 && has_request(&f, call); side++) {
            const char *name = side ? "out" : "ref";
            const ssimcu_view *const good = &GOOD_VIEW;
            view_fails(&f, call, side ? good : NULL, side ? NULL : good, SSIMCU_ERROR_ARGUMENT,
                       name, "NULL");
            for (int i = 0; i < WRONG_VIEW_COUNT; i++) {
                const ssimcu_view *wrong = &WRONG_VIEWS[i].view;
                view_fails(&f, call, side ? good : wrong, side ? wrong : good,
                           WRONG_VIEWS[i].status, name, WRONG_VIEWS[i].word);
            }
            for (int i = 0; i < WRONG_DATA_COUNT && VIEW_CALLS[call].reads; i++) {
                const ssimcu_view *wrong = &WRONG_DATA[i].view;
                view_fails(&f, call, side ? good : wrong, side ? wrong : good,
                           SSIMCU_ERROR_ARGUMENT, name, WRONG_DATA[i].word);
            }
        }
    cr_assert_eq(compare_views(&f, &GOOD_VIEW, &GOOD_VIEW, NULL), SSIMCU_OK,
                 "the context is good after errors");
    tear_down(&f);
}

BACKEND_TEST(misuse_views, views_that_do_not_fit)
{
    struct fixture f;
    set_up(&f, device);
    const ssimcu_view narrow = {WHOLE, .width = WIDTH - 1}, thin = {WHOLE, .width = 10},
                      two = {WHOLE, .frames = 2};
    for (int call = 0; call < VIEW_CALL_COUNT; call++) {
        if (VIEW_CALLS[call].call == request_submit) continue;
        view_fails(&f, call, &GOOD_VIEW, &narrow, SSIMCU_ERROR_MISMATCH, "20x16", "19x16");
        view_fails(&f, call, &thin, &thin, SSIMCU_ERROR_TOO_SMALL, "10x16", "11");
        if (call < 2) /* batches need device memory */
            view_fails(&f, call, &two, &two, SSIMCU_ERROR_ARGUMENT, "ref", "2 frames");
        else
            view_fails(&f, call, &two, &GOOD_VIEW, SSIMCU_ERROR_MISMATCH, "ref has 2", "out has 1");
    }
    ssimcu_request_destroy(&f.request);
    ssimcu_close(&f.context);
    for (int call = 0; call < VIEW_CALL_COUNT; call++)
        view_fails(&f, call, &GOOD_VIEW, &GOOD_VIEW, SSIMCU_ERROR_ARGUMENT,
                   VIEW_CALLS[call].call == request_submit ? "request" : "context", "NULL");
    tear_down(&f);
}

BACKEND_TEST(misuse_views, wrong_tiles_are_refused)
{
    struct fixture f;
    set_up(&f, device);
    double data[4];
    const ssimcu_view *v = &GOOD_VIEW;
    ssimcu_tiles tiles = {.struct_size = sizeof tiles, .width = 11, .height = 11};
    ssimcu_memory memory = {.struct_size = sizeof memory};
    ssimcu_request *request = NULL;
    static const uint32_t sides[] = {0, 10, UINT32_MAX};
    for (size_t i = 0; i < 2 * sizeof sides / sizeof sides[0]; i++) {
        ssimcu_tiles wrong = tiles;
        *(i % 2 ? &wrong.width : &wrong.height) = sides[i / 2];
        CHECK_FAILS(ssimcu_views_layout(f.context, v, v, NULL, &wrong, &message),
                    SSIMCU_ERROR_ARGUMENT, "tiles");
        CHECK_FAILS(ssimcu_compare_views(f.context, v, v, &f.score, NULL, &wrong, &message),
                    SSIMCU_ERROR_ARGUMENT, "tiles");
        CHECK_FAILS(ssimcu_request_memory(f.context, v, v, &wrong, &memory, &message),
                    SSIMCU_ERROR_ARGUMENT, "tiles");
        CHECK_FAILS(ssimcu_request_create(f.context, v, v, &wrong, &request, &message),
                    SSIMCU_ERROR_ARGUMENT, "tiles");
    }
    cr_assert_eq(ssimcu_views_layout(f.context, v, v, NULL, &tiles, NULL), SSIMCU_OK);
    cr_assert(tiles.columns == 2 && tiles.rows == 1);
    tiles.data = data;
    ssimcu_tiles wrong[] = {tiles, tiles};
    wrong[0].columns++, wrong[1].rows = UINT32_MAX;
    for (int i = 0; i < 2; i++)
        CHECK_FAILS(ssimcu_compare_views(f.context, v, v, &f.score, NULL, &wrong[i], &message),
                    SSIMCU_ERROR_ARGUMENT, "tiles: expected 1x2");
    cr_assert_eq(f.score.score, 42);
    tear_down(&f);
}

/* A request needs more than views; on a CPU context it is refused. */
BACKEND_TEST(misuse_views, wrong_requests_are_refused)
{
    struct fixture f;
    set_up(&f, device);
    const ssimcu_view *v = &GOOD_VIEW;
    ssimcu_memory memory = {.struct_size = sizeof memory};
    ssimcu_request *request = NULL;
    uint32_t done = 7;
    CHECK_FAILS(ssimcu_request_create(f.context, v, v, NULL, NULL, &message), SSIMCU_ERROR_ARGUMENT,
                "request");
    CHECK_FAILS(ssimcu_request_memory(f.context, v, v, NULL, NULL, &message), SSIMCU_ERROR_ARGUMENT,
                "memory");
    CHECK_FAILS(ssimcu_request_poll(NULL, &done, &message), SSIMCU_ERROR_ARGUMENT, "request");
    CHECK_FAILS(ssimcu_request_poll(f.request, NULL, &message), SSIMCU_ERROR_ARGUMENT, "done");
    CHECK_FAILS(ssimcu_request_score(NULL, 0, &f.score, NULL, &message), SSIMCU_ERROR_ARGUMENT,
                "request");
    ssimcu_request_destroy(NULL);
    ssimcu_request_destroy(&request);
    if (device == SSIMCU_DEVICE_CPU) {
        CHECK_FAILS(ssimcu_request_create(f.context, v, v, NULL, &request, &message),
                    SSIMCU_ERROR_DEVICE, "context: its device is cpu");
        CHECK_FAILS(ssimcu_request_memory(f.context, v, v, NULL, &memory, &message),
                    SSIMCU_ERROR_DEVICE, "context: its device is cpu");
    } else {
        const ssimcu_view other[] = {{WHOLE, .pitch = 61},
                                     {WHOLE, .layout = SSIMCU_LAYOUT_CHW},
                                     {WHOLE, .type = SSIMCU_TYPE_F32},
                                     {WHOLE, .peak = 254},
                                     {WHOLE, .width = WIDTH + 1},
                                     {WHOLE, .frames = 2}};
        CHECK_FAILS(ssimcu_request_score(f.request, 0, &f.score, NULL, &message),
                    SSIMCU_ERROR_ARGUMENT, "nothing was submitted");
        for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
            CHECK_FAILS(ssimcu_request_submit(f.request, &other[i], v, NULL, &message),
                        SSIMCU_ERROR_ARGUMENT, "ref: expected the description");
            CHECK_FAILS(ssimcu_request_submit(f.request, v, &other[i], NULL, &message),
                        SSIMCU_ERROR_ARGUMENT, "out: expected the description");
        }
        const ssimcu_view many = {WHOLE, .width = 20000, .height = 20000, .frames = 65535};
        CHECK_FAILS(ssimcu_request_create(f.context, &many, &many, NULL, &request, &message),
                    SSIMCU_ERROR_LIMIT, "65535");
        CHECK_FAILS(ssimcu_request_memory(f.context, &many, &many, NULL, &memory, &message),
                    SSIMCU_ERROR_LIMIT, "65535");
    }
    cr_assert_null(request);
    cr_assert_eq(f.score.score, 42);
    tear_down(&f);
}

/* Some faults are only possible after pairs were submitted. */
Test(misuse_views, results_of_requests_cuda)
{
    struct fixture f;
    if (!check_has_cuda()) return;
    set_up(&f, SSIMCU_DEVICE_CUDA);
    void *memory = device_copy(pixels, sizeof pixels);
    ssimcu_view view = GOOD_VIEW;
    ssimcu_tiles tiles = {.struct_size = sizeof tiles, .width = 11, .height = 11};
    double data[2];
    view.data[0] = memory;
    cr_assert_eq(ssimcu_request_submit(f.request, &view, &view, NULL, NULL), SSIMCU_OK);
    CHECK_FAILS(ssimcu_request_score(f.request, 1, &f.score, NULL, &message), SSIMCU_ERROR_ARGUMENT,
                "frame is 1");
    CHECK_FAILS(ssimcu_request_score(f.request, 0, NULL, NULL, &message), SSIMCU_ERROR_ARGUMENT,
                "score");
    cr_assert_eq(ssimcu_views_layout(f.context, &view, &view, NULL, &tiles, NULL), SSIMCU_OK);
    tiles.data = data;
    CHECK_FAILS(ssimcu_request_score(f.request, 0, &f.score, &tiles, &message),
                SSIMCU_ERROR_ARGUMENT, "tiles"); /* the request was made without tiles */
    cr_assert_eq(ssimcu_request_score(f.request, 0, &f.score, NULL, NULL), SSIMCU_OK);
    cr_assert_eq(f.score.score, 1.0);
    ssimcu_request_destroy(&f.request);
    cr_assert_null(f.request);
    device_free(memory);
    tear_down(&f);
}

/* NULL is refused, and every size that no header ever had. */
BACKEND_TEST(misuse_views, wrong_struct_sizes)
{
    struct fixture f;
    set_up(&f, device);
    ssimcu_frame ref = check_frame(WIDTH, HEIGHT, 3, 8);
    ssimcu_view view = {.struct_size = sizeof view};
    ssimcu_tiles tiles = {.struct_size = sizeof tiles, .width = 11, .height = 11};
    ssimcu_request *request = NULL;
    ssimcu_memory memory = {.struct_size = sizeof memory};
    const ssimcu_view *v = &GOOD_VIEW;
    WRONG_SIZES(ssimcu_views_layout(f.context, v, v, &f.map, NULL, &message), f.map, "map");
    WRONG_SIZES(ssimcu_views_layout(f.context, v, v, NULL, &tiles, &message), tiles, "tiles");
    WRONG_SIZES(ssimcu_compare_views(f.context, v, v, &f.score, NULL, NULL, &message), f.score,
                "score");
    WRONG_SIZES(ssimcu_compare_views(f.context, v, v, &f.score, &f.map, NULL, &message), f.map,
                "map");
    WRONG_SIZES(ssimcu_compare_views(f.context, v, v, &f.score, NULL, &tiles, &message), tiles,
                "tiles");
    WRONG_SIZES(ssimcu_request_memory(f.context, v, v, NULL, &memory, &message), memory, "memory");
    WRONG_SIZES(ssimcu_request_create(f.context, v, v, &tiles, &request, &message), tiles, "tiles");
    WRONG_SIZES(ssimcu_frame_view(&ref, &view, &message), view, "view");
    CHECK_FAILS(ssimcu_frame_view(&ref, NULL, &message), SSIMCU_ERROR_ARGUMENT, "view");
    CHECK_FAILS(ssimcu_frame_view(NULL, &view, &message), SSIMCU_ERROR_ARGUMENT, "frame");
    CHECK_FAILS(ssimcu_compare_views(f.context, v, v, NULL, NULL, NULL, &message),
                SSIMCU_ERROR_ARGUMENT, "score");
    ssimcu_frame_free(&ref);
    tear_down(&f);
}
