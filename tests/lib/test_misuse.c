/* Misuse of every public function, as tables: what is wrong, the status, and a word that the
 * message must hold. Every wrong frame goes through every function that takes one. The permute's
 * own table stands in test_permute_api.c, that of views and requests in test_misuse_views.c. */
#include "check.h"
#include "fail.h"
#include "ssimcu_cuda.h"
#include "ssimcu_io.h"

#include <string.h>
#include <unistd.h>

#define WIDTH 20
#define HEIGHT 16

/* Good arguments on one device; each case spoils one of them. */
struct fixture {
    ssimcu_context *context;
    ssimcu_frame ref, out, grey;
    ssimcu_view a, b; /* views of ref and out */
    ssimcu_score score;
    ssimcu_map map;
    float values[3 * HEIGHT * WIDTH];
};

static void set_up(struct fixture *f, ssimcu_device device)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    f->context = check_open(&settings);
    check_reference_pair(WIDTH, HEIGHT, &f->ref, &f->out);
    f->grey = check_channel(&f->ref, 0);
    f->score = (ssimcu_score){.struct_size = sizeof f->score, .score = 42};
    f->map = (ssimcu_map){.struct_size = sizeof f->map};
    f->a = check_view(&f->ref), f->b = check_view(&f->out);
    cr_assert_eq(ssimcu_views_layout(f->context, &f->a, &f->b, &f->map, NULL, NULL), SSIMCU_OK);
    f->map.data = f->values;
}

static void tear_down(struct fixture *f)
{
    ssimcu_close(&f->context);
    ssimcu_frame_free(&f->ref);
    ssimcu_frame_free(&f->out);
    ssimcu_frame_free(&f->grey);
}

/* ---- Frames ---- */

/* The functions that take frames. Those that take one frame take it as `out`. */
typedef ssimcu_status frame_call(struct fixture *f, const ssimcu_frame *ref,
                                 const ssimcu_frame *out, ssimcu_message *message);

static ssimcu_status compare(struct fixture *f, const ssimcu_frame *ref, const ssimcu_frame *out,
                             ssimcu_message *message)
{
    return ssimcu_compare(f->context, ref, out, &f->score, message);
}

static ssimcu_status frame_view(struct fixture *f, const ssimcu_frame *ref, const ssimcu_frame *out,
                                ssimcu_message *message)
{
    ssimcu_view view = SSIMCU_INIT(view);
    (void)f, (void)ref;
    return ssimcu_frame_view(out, &view, message);
}

static ssimcu_status pin(struct fixture *f, const ssimcu_frame *ref, const ssimcu_frame *out,
                         ssimcu_message *message)
{
    (void)ref;
    return ssimcu_frame_pin(f->context, out, message);
}

static const struct {
    frame_call *call;
    const char *name;
    const char *argument[2]; /* names of ref and out in messages; NULL: takes no ref */
} FRAME_CALLS[] = {{compare, "ssimcu_compare", {"ref", "out"}},
                   {frame_view, "ssimcu_frame_view", {NULL, "frame"}},
                   {pin, "ssimcu_frame_pin", {NULL, "frame"}}};
enum { FRAME_CALL_COUNT = sizeof FRAME_CALLS / sizeof FRAME_CALLS[0] };

static uint8_t pixels[2 * WIDTH * HEIGHT * 3 + 2];

/* Each frame has one fault; `pixels` serves as memory that is never read. */
static const struct {
    ssimcu_frame frame;
    ssimcu_status status;
    const char *word;
} WRONG_FRAMES[] = {
    {{0, HEIGHT, 3, 8, 60, pixels, 0}, SSIMCU_ERROR_ARGUMENT, "0x16 pixels"},
    {{WIDTH, 0, 3, 8, 60, pixels, 0}, SSIMCU_ERROR_ARGUMENT, "20x0 pixels"},
    {{0, 0, 0, 0, 0, NULL, 0}, SSIMCU_ERROR_ARGUMENT, "0x0 pixels"},
    {{WIDTH, HEIGHT, 0, 8, 60, pixels, 0}, SSIMCU_ERROR_ARGUMENT, "0 channels"},
    {{WIDTH, HEIGHT, 5, 8, 100, pixels, 0}, SSIMCU_ERROR_ARGUMENT, "5 channels"},
    {{WIDTH, HEIGHT, UINT32_MAX, 8, 60, pixels, 0}, SSIMCU_ERROR_ARGUMENT, "channels"},
    {{WIDTH, HEIGHT, 3, 0, 60, pixels, 0}, SSIMCU_ERROR_ARGUMENT, "0 bits"},
    {{WIDTH, HEIGHT, 3, 7, 60, pixels, 0}, SSIMCU_ERROR_ARGUMENT, "7 bits"},
    {{WIDTH, HEIGHT, 3, 17, 120, pixels, 0}, SSIMCU_ERROR_ARGUMENT, "17 bits"},
    {{WIDTH, HEIGHT, 3, 32, 240, pixels, 0}, SSIMCU_ERROR_ARGUMENT, "32 bits"},
    {{1u << 24, HEIGHT, 3, 8, SIZE_MAX / HEIGHT, pixels, 0}, SSIMCU_ERROR_LIMIT, "16777216x16"},
    {{WIDTH, UINT32_MAX, 3, 8, 60, pixels, 0}, SSIMCU_ERROR_LIMIT, "20x4294967295"},
    {{WIDTH, HEIGHT, 3, 8, 60, NULL, 0}, SSIMCU_ERROR_ARGUMENT, "data is NULL"},
    {{WIDTH, HEIGHT, 3, 16, 120, pixels + 1, 0}, SSIMCU_ERROR_ARGUMENT, "data is not aligned"},
    {{WIDTH, HEIGHT, 3, 8, 59, pixels, 0}, SSIMCU_ERROR_ARGUMENT, "pitch 59"},
    {{WIDTH, HEIGHT, 3, 16, 121, pixels, 0}, SSIMCU_ERROR_ARGUMENT, "pitch 121"},
    {{WIDTH, HEIGHT, 3, 8, SIZE_MAX / HEIGHT + 1, pixels, 0}, SSIMCU_ERROR_ARGUMENT, "pitch"},
    {{WIDTH, HEIGHT, 3, 8, SIZE_MAX, pixels, 0}, SSIMCU_ERROR_ARGUMENT, "pitch"},
};
enum { WRONG_FRAME_COUNT = sizeof WRONG_FRAMES / sizeof WRONG_FRAMES[0] };

/* A call that must fail, with a message that names the argument and what is wrong. */
static void fails(struct fixture *f, int call, const ssimcu_frame *ref, const ssimcu_frame *out,
                  ssimcu_status status, const char *argument, const char *word)
{
    ssimcu_message message = {{0}};
    const ssimcu_status got = FRAME_CALLS[call].call(f, ref, out, &message);
    cr_expect(got == status && strstr(message.text, argument) && strstr(message.text, word) &&
                  !strchr(message.text, '\n'),
              "%s, %s %s: status %d, expected %d: \"%s\"", FRAME_CALLS[call].name, argument, word,
              (int)got, (int)status, message.text);
    cr_expect(FRAME_CALLS[call].call(f, ref, out, NULL) == status, "without a message");
    cr_expect(f->score.score == 42, "%s touched the score", FRAME_CALLS[call].name);
}

BACKEND_TEST(misuse, wrong_frames)
{
    struct fixture f;
    set_up(&f, device);
    for (int call = 0; call < FRAME_CALL_COUNT; call++)
        for (int side = 0; side < 2; side++) {
            const char *argument = FRAME_CALLS[call].argument[side];
            if (!argument) continue;
            for (int i = -1; i < WRONG_FRAME_COUNT; i++) {
                const ssimcu_frame *wrong = i < 0 ? NULL : &WRONG_FRAMES[i].frame;
                fails(&f, call, side == 0 ? wrong : &f.ref, side == 1 ? wrong : &f.out,
                      i < 0 ? SSIMCU_ERROR_ARGUMENT : WRONG_FRAMES[i].status, argument,
                      i < 0 ? "NULL" : WRONG_FRAMES[i].word);
            }
        }
    cr_assert_eq(ssimcu_compare(f.context, &f.ref, &f.out, &f.score, NULL), SSIMCU_OK,
                 "the context is good after errors");
    tear_down(&f);
}

/* Each frame is good, but does not match the other. */
BACKEND_TEST(misuse, frames_that_do_not_fit)
{
    struct fixture f;
    set_up(&f, device);
    const ssimcu_frame narrow = {WIDTH - 1, HEIGHT, 3, 8, 60, pixels, 0};
    const ssimcu_frame low = {WIDTH, HEIGHT - 1, 3, 8, 60, pixels, 0};
    const ssimcu_frame ten = {WIDTH, HEIGHT, 3, 10, 120, pixels, 0};
    const ssimcu_frame thin = {10, HEIGHT, 3, 8, 60, pixels, 0},
                       flat = {WIDTH, 10, 3, 8, 60, pixels, 0};
    for (int call = 0; call < FRAME_CALL_COUNT; call++) {
        if (FRAME_CALLS[call].call != compare) continue;
        fails(&f, call, &f.ref, &narrow, SSIMCU_ERROR_MISMATCH, "20x16", "19x16");
        fails(&f, call, &low, &f.out, SSIMCU_ERROR_MISMATCH, "20x15", "20x16");
        fails(&f, call, &ten, &f.out, SSIMCU_ERROR_MISMATCH, "ref has 10", "out has 8");
        fails(&f, call, &thin, &thin, SSIMCU_ERROR_TOO_SMALL, "10x16", "11");
        fails(&f, call, &flat, &flat, SSIMCU_ERROR_TOO_SMALL, "20x10", "11");
    }
    tear_down(&f);
}

/* The view under test is the last of three planes. */
BACKEND_TEST(misuse, planes_that_do_not_fit)
{
    struct fixture f;
    set_up(&f, device);
    const ssimcu_view good = check_view(&f.grey), none = {0};
    ssimcu_view narrow = good, thin = good, blank = good;
    narrow.width--, thin.width = 10, blank.data[0] = NULL;
    const struct {
        ssimcu_view ref, out;
        ssimcu_status status;
        const char *word;
    } wrong[] = {{good, narrow, SSIMCU_ERROR_MISMATCH, "19x16"},
                 {thin, thin, SSIMCU_ERROR_TOO_SMALL, "10x16"},
                 {f.a, good, SSIMCU_ERROR_ARGUMENT, "ref has 3 channels"},
                 {good, f.b, SSIMCU_ERROR_ARGUMENT, "out 3, expected one each"},
                 {blank, good, SSIMCU_ERROR_ARGUMENT, "ref: data[0] is NULL"},
                 {good, none, SSIMCU_ERROR_ARGUMENT, "out: struct_size is 0"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const ssimcu_view ref[] = {good, good, wrong[i].ref}, out[] = {good, good, wrong[i].out};
        CHECK_FAILS(ssimcu_compare_planes(f.context, ref, out, 3, &f.score, NULL, &message),
                    wrong[i].status, wrong[i].word);
    }
    const uint32_t counts[] = {0, 4, UINT32_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        CHECK_FAILS(
            ssimcu_compare_planes(f.context, &good, &good, counts[i], &f.score, NULL, &message),
            SSIMCU_ERROR_ARGUMENT, "expected 1 to 3");
    ssimcu_tiles tiles = {.struct_size = sizeof tiles, .width = 11, .height = 11};
    double wrong_place[1];
    tiles.data = wrong_place; /* without a layout */
    CHECK_FAILS(ssimcu_compare_planes(f.context, &good, &good, 1, &f.score, &tiles, &message),
                SSIMCU_ERROR_ARGUMENT, "tiles: expected");
    CHECK_FAILS(ssimcu_compare_planes(f.context, NULL, &good, 1, &f.score, NULL, &message),
                SSIMCU_ERROR_ARGUMENT, "ref is NULL");
    CHECK_FAILS(ssimcu_compare_planes(NULL, &good, &good, 500, &f.score, NULL, &message),
                SSIMCU_ERROR_ARGUMENT, "context");
    CHECK_FAILS(ssimcu_compare_planes(NULL, &good, &good, 1, &f.score, NULL, &message),
                SSIMCU_ERROR_ARGUMENT, "context is NULL");
    CHECK_FAILS(ssimcu_compare_planes(f.context, &good, &good, 1, NULL, NULL, &message),
                SSIMCU_ERROR_ARGUMENT, "score");
    WRONG_SIZES(ssimcu_compare_planes(f.context, &good, &good, 1, &f.score, NULL, &message),
                f.score, "score");
    tear_down(&f);
}

/* A closed context is NULL: ssimcu_close says so. */
BACKEND_TEST(misuse, closed_context)
{
    struct fixture f;
    set_up(&f, device);
    ssimcu_close(&f.context);
    cr_assert_null(f.context);
    for (int call = 0; call < FRAME_CALL_COUNT; call++)
        if (FRAME_CALLS[call].call != frame_view)
            fails(&f, call, &f.ref, &f.out, SSIMCU_ERROR_ARGUMENT, "context", "NULL");
    ssimcu_frame_unpin(f.context, &f.ref);
    ssimcu_close(&f.context);
    cr_assert_str_eq(ssimcu_context_device(f.context), "");
    cr_assert_str_eq(ssimcu_context_reason(f.context), "");
    tear_down(&f);
}

/* Lending memory looks at the shape alone. */
Test(misuse, frames_that_cannot_be_lent)
{
    for (int i = 0; i < WRONG_FRAME_COUNT; i++) {
        ssimcu_frame frame = WRONG_FRAMES[i].frame;
        const char *word = WRONG_FRAMES[i].word;
        if (strncmp(word, "data", 4) == 0 || strncmp(word, "pitch", 5) == 0) continue;
        CHECK_FAILS(ssimcu_frame_alloc(&frame, &message), WRONG_FRAMES[i].status, word);
    }
}

/* ---- Structs that say their size ---- */

BACKEND_TEST(misuse, wrong_struct_sizes)
{
    struct fixture f;
    set_up(&f, device);
    ssimcu_settings settings = {.struct_size = sizeof settings};
    ssimcu_device_info info = {.struct_size = sizeof info};
    ssimcu_image_options options = {.struct_size = sizeof options};
    ssimcu_context *context = NULL;
    ssimcu_image *image = NULL;
    ssimcu_frame picture;
    WRONG_SIZES(ssimcu_open(&settings, &context, &message), settings, "settings: struct_size");
    cr_assert_null(context);
    WRONG_SIZES(ssimcu_device_describe(device, 0, &info, &message), info, "info");
    CHECK_FAILS(ssimcu_device_describe(device, 0, NULL, &message), SSIMCU_ERROR_ARGUMENT, "info");
    WRONG_SIZES(ssimcu_compare(f.context, &f.ref, &f.out, &f.score, &message), f.score, "score");
    WRONG_SIZES(ssimcu_views_layout(f.context, &f.a, &f.b, &f.map, NULL, &message), f.map, "map");
    WRONG_SIZES(ssimcu_compare_views(f.context, &f.a, &f.b, &f.score, &f.map, NULL, &message),
                f.score, "score");
    WRONG_SIZES(ssimcu_compare_views(f.context, &f.a, &f.b, &f.score, &f.map, NULL, &message),
                f.map, "map");
    CHECK_FAILS(ssimcu_compare(f.context, &f.ref, &f.out, NULL, &message), SSIMCU_ERROR_ARGUMENT,
                "score");
    CHECK_FAILS(ssimcu_compare_views(f.context, &f.a, &f.b, NULL, &f.map, NULL, &message),
                SSIMCU_ERROR_ARGUMENT, "score");
    WRONG_SIZES(ssimcu_image_open("a.png", &options, &image, &message), options,
                "options: struct_size");
    WRONG_SIZES(ssimcu_image_read("a.png", &options, &picture, &message), options,
                "options: struct_size");
    cr_assert_null(image);
    cr_assert_eq(f.score.score, 42);
    tear_down(&f);
}

/* Maps of another shape than ssimcu_views_layout's: nothing is written beyond the caller's floats.
 */
BACKEND_TEST(misuse, maps_that_do_not_fit)
{
    struct fixture f;
    set_up(&f, device);
    const ssimcu_map good = f.map;
    cr_assert(good.width == 10 && good.height == 6 && good.channels == 3 && good.border == 5);
    ssimcu_map wrong[] = {good, good, good, good, good};
    wrong[0].width++, wrong[1].height = 0, wrong[2].channels = 1, wrong[3].height = UINT32_MAX;
    wrong[4].data = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_FAILS(
            ssimcu_compare_views(f.context, &f.a, &f.b, &f.score, &wrong[i], NULL, &message),
            SSIMCU_ERROR_ARGUMENT, "map: expected 3x6x10");
    tear_down(&f);
}

/* ---- What takes no frame ---- */

Test(misuse, numbers_out_of_range)
{
    ssimcu_device_info info = {.struct_size = sizeof info};
    uint32_t count = 7;
    const int devices[] = {-1, SSIMCU_DEVICE_AUTO, 3, INT32_MAX};
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        const ssimcu_device device = (ssimcu_device)devices[i];
        CHECK_FAILS(ssimcu_device_count(device, &count, &message), SSIMCU_ERROR_ARGUMENT, "device");
        CHECK_FAILS(ssimcu_device_describe(device, 0, &info, &message), SSIMCU_ERROR_ARGUMENT,
                    "device");
    }
    CHECK_FAILS(ssimcu_device_count(SSIMCU_DEVICE_CUDA, NULL, &message), SSIMCU_ERROR_ARGUMENT,
                "count");
    CHECK_FAILS(ssimcu_device_describe(SSIMCU_DEVICE_CPU, UINT32_MAX, &info, &message),
                SSIMCU_ERROR_DEVICE, "cpu");
    CHECK_FAILS(ssimcu_device_describe(SSIMCU_DEVICE_CUDA, UINT32_MAX, &info, &message),
                SSIMCU_ERROR_DEVICE, "cuda");
    cr_assert_str_eq(ssimcu_status_name((ssimcu_status)-1), "unknown");
    cr_assert_str_eq(ssimcu_status_name((ssimcu_status)INT32_MAX), "unknown");
}

/* Enums are refused below zero and beyond the last one. */
Test(misuse, settings_out_of_range)
{
    const int wrong[] = {-1, 99, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ssimcu_context *context = NULL;
        ssimcu_settings s[4] = {0};
        const char *name[] = {"device", "pad", "color", "alpha"};
        s[0].device = (ssimcu_device)wrong[i], s[1].pad = (ssimcu_pad)wrong[i];
        s[2].color = (ssimcu_color)wrong[i], s[3].alpha = (ssimcu_alpha)wrong[i];
        for (int k = 0; k < 4; k++) {
            s[k].struct_size = sizeof s[k];
            CHECK_FAILS(ssimcu_open(&s[k], &context, &message), SSIMCU_ERROR_ARGUMENT, name[k]);
            cr_assert_null(context);
        }
    }
}

/* ---- Picture files ---- */

Test(misuse, wrong_arguments_of_pictures_are_refused)
{
    ssimcu_image *image = NULL;
    ssimcu_frame frame = {2, 2, 3, 8, 6, pixels, 0};
    CHECK_FAILS(ssimcu_image_open(NULL, NULL, &image, &message), SSIMCU_ERROR_ARGUMENT, "path");
    CHECK_FAILS(ssimcu_image_open("a.png", NULL, NULL, &message), SSIMCU_ERROR_ARGUMENT, "image");
    CHECK_FAILS(ssimcu_image_decode(NULL, &frame, &message), SSIMCU_ERROR_ARGUMENT, "image");
    CHECK_FAILS(ssimcu_image_read("a.png", NULL, NULL, &message), SSIMCU_ERROR_ARGUMENT, "frame");
    ssimcu_frame none = frame;
    CHECK_FAILS(ssimcu_image_read(NULL, NULL, &none, &message), SSIMCU_ERROR_ARGUMENT, "path");
    cr_assert(none.width == 0 && none.pitch == 0 && !none.data);
    cr_assert_eq(ssimcu_image_shape(NULL).width, 0u);
    cr_assert_str_eq(ssimcu_image_format(NULL), "");
    ssimcu_image_close(NULL);
    ssimcu_image_close(&image);

    const char *path = SSIMCU_TESTDATA "/rgb8_a.png";
    cr_assert_eq(ssimcu_image_open(path, NULL, &image, NULL), SSIMCU_OK);
    CHECK_FAILS(ssimcu_image_decode(image, NULL, &message), SSIMCU_ERROR_ARGUMENT, "frame");
    CHECK_FAILS(ssimcu_image_decode(image, &frame, &message), SSIMCU_ERROR_ARGUMENT, "rgb8_a.png");
    frame.data = NULL;
    CHECK_FAILS(ssimcu_image_decode(image, &frame, &message), SSIMCU_ERROR_ARGUMENT, "data");
    ssimcu_image_close(&image);
    cr_assert_null(image);
}

Test(misuse, pictures_that_cannot_be_written)
{
    ssimcu_frame good = {2, 2, 3, 8, 6, pixels, 0};
    CHECK_FAILS(ssimcu_image_write_png(NULL, &good, &message), SSIMCU_ERROR_ARGUMENT, "path");
    CHECK_FAILS(ssimcu_image_write_png("a.png", NULL, &message), SSIMCU_ERROR_ARGUMENT, "frame");
    for (int i = 0; i < WRONG_FRAME_COUNT; i++) {
        const ssimcu_frame *frame = &WRONG_FRAMES[i].frame;
        CHECK_FAILS(ssimcu_image_write_png("misuse.png", frame, &message), SSIMCU_ERROR_ARGUMENT,
                    "misuse.png");
    }
    cr_assert_neq(access("misuse.png", F_OK), 0, "a file was left");
}
