/* Wrong arguments of the loss, one by one: the status, and what the message must hold. */
#include "check.h"
#include "ssimcu_loss.h"

#include <math.h>

#pragma GCC diagnostic ignored "-Woverride-init" /* each case spoils one field of a good view */

enum { WIDTH = 20, HEIGHT = 16, CHANNELS = 3, BYTES = 1 << 20 };

/* Memory that is used if the arguments are good, and never if they are not. */
static _Alignas(256) uint8_t pixels[4 * WIDTH * HEIGHT * CHANNELS], workspace[BYTES];
static float gradient[WIDTH * HEIGHT * CHANNELS], loss[SSIMCU_LOSS_NUMBERS];

#define SIZES .struct_size = sizeof(ssimcu_view), .width = WIDTH, .height = HEIGHT
#define SIDE SIZES, .channels = CHANNELS, .data = {pixels}
#define BY_OUT SIZES, .channels = CHANNELS, .type = SSIMCU_TYPE_F32, .data = {gradient}
#define MASK SIZES, .channels = 1, .data = {pixels}

static const ssimcu_view side = {SIDE}, by_out = {BY_OUT}, mask = {MASK};

/* All arguments of a call, which each case spoils. */
struct call {
    ssimcu_context *context;
    ssimcu_view ref, out, by_out, by_ref;
    ssimcu_loss_options options;
    float *loss;
    void *workspace;
    size_t bytes;
    struct CUstream_st *stream;
};

static struct call good_call(ssimcu_device device)
{
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    return (struct call){.context = check_open(&settings),
                         .ref = side,
                         .out = side,
                         .by_out = by_out,
                         .by_ref = by_out,
                         .options = SSIMCU_INIT(loss_options),
                         .loss = loss,
                         .workspace = workspace,
                         .bytes = BYTES};
}

static ssimcu_status run(const struct call *c, ssimcu_message *message)
{
    return ssimcu_loss_async(c->context, &c->ref, &c->out, &c->options, c->loss, &c->by_out,
                             &c->by_ref, c->workspace, c->bytes, c->stream, message);
}

static ssimcu_status measure(const struct call *c, ssimcu_message *message)
{
    size_t bytes = 77;
    const ssimcu_status status =
        ssimcu_loss_workspace(c->context, &c->ref, &c->out, &c->options, &bytes, message);
    cr_assert(status == SSIMCU_OK || bytes == 77);
    return status;
}

/* Checks that the call, and what measures it, are refused alike. */
static void refused(const struct call *call, ssimcu_status status, const char *word)
{
    CHECK_FAILS(run(call, &message), status, word);
    CHECK_FAILS(measure(call, &message), status, word);
}

#define BAD(field, value, status, word)                                                            \
    do {                                                                                           \
        struct call bad = call;                                                                    \
        bad.field = value;                                                                         \
        refused(&bad, status, word);                                                               \
    } while (0)

/* The same for what only the call itself looks at. */
#define BAD_RUN(field, value, status, word)                                                        \
    do {                                                                                           \
        struct call bad = call;                                                                    \
        bad.field = value;                                                                         \
        CHECK_FAILS(run(&bad, &message), status, word);                                            \
        cr_assert_eq(measure(&bad, NULL), SSIMCU_OK);                                              \
    } while (0)

#define VIEW(...) ((ssimcu_view){__VA_ARGS__})

BACKEND_TEST(loss_misuse, sides)
{
    struct call call = good_call(device);
    const ssimcu_status argument = SSIMCU_ERROR_ARGUMENT, mismatch = SSIMCU_ERROR_MISMATCH;
    BAD(context, NULL, argument, "context is NULL");
    BAD(ref.struct_size, 3, argument, "ref: struct_size is 3");
    BAD(out.struct_size, 0, argument, "out: struct_size is 0");
    BAD(ref.width, 0, argument, "ref: 0x16");
    BAD(ref.type, (ssimcu_type)9, argument, "ref: type is 9");
    BAD(out.peak, 0.5, argument, "out: peak is 0.5");
    BAD(out.width, WIDTH - 1, mismatch, "out: 19x16 pixels, but ref has 20x16");
    BAD(out.height, HEIGHT + 1, mismatch, "out: 20x17 pixels");
    BAD(out.channels, 1, mismatch, "out: 1 channels, but ref has 3");
    BAD(out.frames, 2, mismatch, "out: 2 frames, but ref has 1");
    BAD(ref.width, 1 << 24, SSIMCU_ERROR_LIMIT, "16777216x16");
    if (device == SSIMCU_DEVICE_CUDA)
        BAD(ref.type, SSIMCU_TYPE_F64, SSIMCU_ERROR_UNSUPPORTED,
            "ref: type F64, whose loss only the CPU");
    BAD(out.pitch, -3 * WIDTH, SSIMCU_ERROR_UNSUPPORTED, "out: expected a positive pitch");
    BAD_RUN(out.data[0], NULL, argument, "out: data[0] is NULL");
    BAD_RUN(
        ref,
        VIEW(SIDE, .layout = SSIMCU_LAYOUT_PLANES, .data = {pixels, pixels + 400, pixels + 801}),
        SSIMCU_ERROR_UNSUPPORTED, "ref: expected equal distances between channels");
    for (int i = 0; i < 2; i++) {
        struct call small = call;
        *(i ? &small.ref.width : &small.ref.height) = 10;
        *(i ? &small.out.width : &small.out.height) = 10;
        refused(&small, SSIMCU_ERROR_TOO_SMALL, i ? "10x16 pixels" : "20x10 pixels");
    }
    CHECK_FAILS(ssimcu_loss_workspace(call.context, NULL, &side, NULL, &(size_t){0}, &message),
                argument, "ref is NULL");
    CHECK_FAILS(ssimcu_loss_workspace(call.context, &side, NULL, NULL, &(size_t){0}, &message),
                argument, "out is NULL");
    CHECK_FAILS(ssimcu_loss_workspace(call.context, &side, &side, NULL, NULL, &message), argument,
                "bytes is NULL");
    cr_assert_eq(measure(&call, NULL), SSIMCU_OK);
    ssimcu_close(&call.context);
}

BACKEND_TEST(loss_misuse, options)
{
    struct call call = good_call(device);
    const ssimcu_status argument = SSIMCU_ERROR_ARGUMENT, mismatch = SSIMCU_ERROR_MISMATCH;
    ssimcu_view view;
    WRONG_SIZES(run(&call, &message), call.options, "options: struct_size");
    BAD(options.pad, (ssimcu_pad)2, argument, "options: pad is 2, expected 0 to 1");
    BAD(options.pad, (ssimcu_pad)-1, argument, "options: pad is");
    BAD(options.mask_rule, (ssimcu_loss_mask)3, argument, "mask_rule is 3, expected 0 to 2");
    BAD(options.ssim, NAN, argument, "options: ssim is nan");
    BAD(options.l1, INFINITY, argument, "options: l1 is inf");
    BAD(options.mse, -2e30, argument, "options: mse is -2e+30, expected -1e30 to 1e30");
    call.options.mask = &view;
    static const struct {
        ssimcu_view view;
        ssimcu_status status;
        const char *word;
    } masks[] = {
        {{0}, SSIMCU_ERROR_ARGUMENT, "mask: struct_size is 0"},
        {{MASK, .type = SSIMCU_TYPE_U16}, SSIMCU_ERROR_ARGUMENT, "mask: type U16"},
        {{MASK, .channels = 3}, SSIMCU_ERROR_ARGUMENT, "mask: 3 channels, expected 1"},
        {{MASK, .width = 21}, SSIMCU_ERROR_MISMATCH, "mask: 21x16 pixels"},
        {{MASK, .frames = 2}, SSIMCU_ERROR_MISMATCH, "mask: 2 frames, but ref has 1"},
        {{MASK, .pitch = -WIDTH}, SSIMCU_ERROR_UNSUPPORTED, "mask: expected a positive pitch"}};
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        view = masks[i].view;
        refused(&call, masks[i].status, masks[i].word);
    }
    view = mask;
    view.data[0] = NULL;
    CHECK_FAILS(run(&call, &message), argument, "mask: data[0] is NULL");
    cr_assert_eq(measure(&call, NULL), SSIMCU_OK);
    view = mask;
    view.frames = 2;
    call.ref.frames = call.out.frames = 3;
    refused(&call, mismatch, "mask: 2 frames, but ref has 3");
    ssimcu_close(&call.context);
}

BACKEND_TEST(loss_misuse, what_is_written)
{
    struct call call = good_call(device);
    const ssimcu_status argument = SSIMCU_ERROR_ARGUMENT, mismatch = SSIMCU_ERROR_MISMATCH;
    BAD_RUN(by_out.type, SSIMCU_TYPE_U8, argument, "gradient_out: samples are integers");
    BAD_RUN(by_ref.type, SSIMCU_TYPE_U16, argument, "gradient_ref: samples are integers");
    if (device == SSIMCU_DEVICE_CUDA)
        BAD_RUN(by_out.type, SSIMCU_TYPE_F64, SSIMCU_ERROR_UNSUPPORTED, "gradient: type F64");
    BAD_RUN(by_out.struct_size, 1, argument, "gradient_out: struct_size is 1");
    BAD_RUN(by_out.data[0], NULL, argument, "gradient_out: data[0] is NULL");
    BAD_RUN(by_ref.width, WIDTH + 1, mismatch, "gradient_ref: 21x16 pixels, but ref has 20x16");
    BAD_RUN(by_ref.channels, 4, mismatch, "gradient_ref: 4 channels, but ref has 3");
    BAD_RUN(by_ref.frames, 4, mismatch, "gradient_ref: 4 frames, but ref has 1");
    BAD_RUN(by_ref.pitch, -12 * WIDTH, SSIMCU_ERROR_UNSUPPORTED,
            "gradient_ref: expected a positive pitch");
    BAD_RUN(loss, NULL, argument, "loss is NULL");
    BAD_RUN(loss, (float *)(void *)(pixels + 1), argument, "loss is not aligned to 4 bytes");
    BAD_RUN(workspace, NULL, argument, "workspace is NULL");
    BAD_RUN(workspace, workspace + 128, argument, "workspace is not aligned to 256 bytes");
    size_t bytes = 0;
    cr_assert_eq(ssimcu_loss_workspace(call.context, &side, &side, NULL, &bytes, NULL), SSIMCU_OK);
    cr_assert(bytes > 0 && bytes < BYTES);
    BAD_RUN(bytes, bytes - 1, argument, "expected");
    if (device == SSIMCU_DEVICE_CPU)
        BAD_RUN(stream, (struct CUstream_st *)(void *)pixels, argument, "stream");
    ssimcu_close(&call.context);
}

BACKEND_TEST(loss_misuse, factors)
{
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    const ssimcu_status argument = SSIMCU_ERROR_ARGUMENT;
    const ssimcu_view whole = {BY_OUT, .type = SSIMCU_TYPE_U16}, none = {BY_OUT, .data = {NULL}};
    const float one = 1, *const odd = (const float *)(const void *)(pixels + 1);
    CHECK_FAILS(ssimcu_loss_scale_async(NULL, &by_out, &one, NULL, &message), argument, "context");
    CHECK_FAILS(ssimcu_loss_scale_async(context, NULL, &one, NULL, &message), argument,
                "gradient is NULL");
    CHECK_FAILS(ssimcu_loss_scale_async(context, &whole, &one, NULL, &message), argument,
                "gradient: samples are integers");
    CHECK_FAILS(ssimcu_loss_scale_async(context, &none, &one, NULL, &message), argument,
                "gradient: data[0] is NULL");
    CHECK_FAILS(ssimcu_loss_scale_async(context, &by_out, NULL, NULL, &message), argument,
                "factor is NULL");
    CHECK_FAILS(ssimcu_loss_scale_async(context, &by_out, odd, NULL, &message), argument,
                "factor is not aligned");
    if (device == SSIMCU_DEVICE_CPU)
        CHECK_FAILS(ssimcu_loss_scale_async(context, &by_out, &one,
                                            (struct CUstream_st *)(void *)pixels, &message),
                    argument, "stream");
    ssimcu_close(&context);
}

/* Doubles stand at multiples of 8 bytes, and what takes none of them says so. */
Test(loss_misuse, places_of_doubles)
{
    enum { SAMPLES = WIDTH * HEIGHT * CHANNELS };
    static double wide[SAMPLES], by_wide[SAMPLES], numbers[SSIMCU_LOSS_NUMBERS];
    struct call call = good_call(SSIMCU_DEVICE_CPU);
    float *const odd = (float *)(void *)numbers + 1;
    call.out = VIEW(SIDE, .type = SSIMCU_TYPE_F64, .data = {wide});
    call.by_out = VIEW(SIDE, .type = SSIMCU_TYPE_F64, .data = {by_wide});
    call.by_ref = call.by_out, call.by_ref.data[0] = gradient, call.by_ref.type = SSIMCU_TYPE_F32;
    BAD_RUN(loss, odd, SSIMCU_ERROR_ARGUMENT, "loss is not aligned to 8 bytes");
    CHECK_FAILS(ssimcu_loss_scale_async(call.context, &call.out, odd, NULL, &message),
                SSIMCU_ERROR_ARGUMENT, "factor is not aligned to 8 bytes");
    call.loss = (float *)(void *)numbers;
    cr_assert_eq(run(&call, NULL), SSIMCU_OK);
    ssimcu_close(&call.context);
}

/* Good arguments are taken, also without options, gradients and message. */
Test(loss_misuse, what_may_be_null)
{
    struct call call = good_call(SSIMCU_DEVICE_CPU);
    cr_assert_eq(run(&call, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_loss_async(call.context, &side, &side, NULL, loss, NULL, NULL, workspace,
                                   BYTES, NULL, NULL),
                 SSIMCU_OK);
    cr_assert_eq(loss[SSIMCU_LOSS_SSIM], 1.0f);
    ssimcu_close(&call.context);
}
