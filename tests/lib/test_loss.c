/* The loss and its gradients against the plain model in double, for every type, layout, padding,
 * mask and choice of gradients. */
#include "core/samples.h"
#include "loss_model.h"

#include <math.h>
#include <stdlib.h>

enum { NO_MASK = -1, RULES = 3, MOST_FRAMES = 3 };

static const ssimcu_type SIDE_TYPES[] = {SSIMCU_TYPE_U8,  SSIMCU_TYPE_U16,  SSIMCU_TYPE_F16,
                                         SSIMCU_TYPE_F32, SSIMCU_TYPE_BF16, SSIMCU_TYPE_F64};
/* Two whites of each type, because both sides may have one type. */
static const double SIDE_PEAKS[][6] = {{255, 1023, 1, 1, 2, 3}, {250, 65535, 2, 3, 1, 1}};
enum { SIDE_F64 = 5 };
static const ssimcu_type MASK_TYPES[] = {SSIMCU_TYPE_U8, SSIMCU_TYPE_F16, SSIMCU_TYPE_F32,
                                         SSIMCU_TYPE_BF16};
static const ssimcu_type GRADIENT_TYPES[] = {SSIMCU_TYPE_F32, SSIMCU_TYPE_F16, SSIMCU_TYPE_BF16};

/* One call. Numbers that are not chosen follow from the seed. */
struct trial {
    int width, height, channels, frames;
    int type[2]; /* REF, OUT: indices of SIDE_TYPES */
    int rule;    /* NO_MASK, or the rule of the mask */
    ssimcu_pad pad;
    int gradients; /* bit 0: by REF, bit 1: by OUT */
    uint32_t seed;
    int wide; /* gradients and the mask are doubles */
};

static double unit(check_random *random) { return check_draw(random) / 4294967296.0; }

/* Makes a textured picture and one that differs, more in some places than in others. */
static void fill_sides(struct loss_model *model, check_random *random)
{
    const size_t count = loss_model_samples(model);
    for (size_t i = 0; i < count; i++) {
        const double x = (double)(i % (size_t)model->width), y = (double)(i / (size_t)model->width);
        const double texture = 0.5 + 0.3 * sin(0.4 * x) * cos(0.23 * y);
        const double noise = unit(random) - 0.5, more = i % 97 < 20 ? 0.5 : 0.1;
        model->side[0][i] = texture + 0.2 * noise;
        model->side[1][i] = texture + more * (unit(random) - 0.5);
        if (model->side[1][i] < 0) model->side[1][i] = 0;
        if (model->side[1][i] > 1) model->side[1][i] = 1;
    }
}

/* Makes a mask with soft edges and a hole that leaves windows inside, in larger frames. */
static void fill_mask(struct loss_model *model, int frames, check_random *random)
{
    const int width = model->width, height = model->height;
    model->mask = calloc((size_t)width * height * MOST_FRAMES, sizeof *model->mask);
    for (int i = 0; i < width * height * frames; i++) {
        const int x = i % width, y = i / width % height;
        const int hole = x > width / 2 && y > height / 2 && x + y < (width + height) * 3 / 4;
        model->mask[i] = hole ? 0 : unit(random) < 0.2 ? 1 : 0.25 + 0.75 * unit(random);
    }
}

static struct picture_kind kind_of(const ssimcu_type *types, const double *peaks, int index,
                                   uint32_t seed)
{
    const struct picture_kind kind = {.layout = (ssimcu_layout)(seed % 3),
                                      .type = types[index],
                                      .peak = peaks ? peaks[index] : 1,
                                      .padding = seed % 3 == SSIMCU_LAYOUT_PLANES ? seed / 3 % 2 * 2
                                                                                  : seed / 3 % 4};
    return kind;
}

/* Returns half a unit in the last place of a gradient's type. */
static double rounding_of(ssimcu_type type, double value)
{
    switch (type) {
    case SSIMCU_TYPE_F16: return fmax(fabs(value) * 0x1p-11, 0x1p-25);
    case SSIMCU_TYPE_BF16: return fabs(value) * 0x1p-8;
    case SSIMCU_TYPE_F64: return fabs(value) * 0x1p-52;
    default: return fabs(value) * 0x1p-23;
    }
}

/* Checks a gradient by samples whose white is `peak`, and that nothing else was written. */
static void check_gradient(struct picture *got, const double *expected, double peak,
                           const struct trial *trial)
{
    const size_t count = (size_t)trial->width * trial->height * trial->channels * trial->frames;
    double *const values = calloc(count, sizeof *values);
    double largest = 0;
    loss_picture_get(got, values);
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(expected[i] / peak));
    for (size_t i = 0; i < count; i++) {
        const double want = expected[i] / peak;
        check_near(values[i], want,
                   (trial->wide ? 1e-12 : 1e-5) * largest + rounding_of(got->view.type, want),
                   "%dx%dx%d, types %d %d, rule %d, pad %d, seed %u: element %zu", trial->width,
                   trial->height, trial->channels, trial->type[0], trial->type[1], trial->rule,
                   (int)trial->pad, trial->seed, i);
        values[i] = -1;
    }
    loss_picture_set(got, values);
    size_t written = 0;
    for (size_t i = 0; i < got->bytes; i++) written += got->memory[i] != 0xff;
    free(values);
    cr_assert_leq(written, count * ssimcu_sample_bytes((uint32_t)got->view.type));
}

static void check_numbers(const double *loss, const double *number, const struct loss_model *model,
                          const struct trial *trial)
{
    const double weights = fabs(model->ssim) + fabs(model->l1) + fabs(model->mse);
    const int doubles = trial->type[0] == SIDE_F64 || trial->type[1] == SIDE_F64;
    const double least = doubles ? 1e-13 : 1e-6;
    for (int i = 0; i < SSIMCU_LOSS_NUMBERS; i++) {
        const double tolerance = i == SSIMCU_LOSS_TOTAL ? fmax(1, weights) * least : least;
        check_near(loss[i], number[i], tolerance,
                   "%dx%dx%d, types %d %d, rule %d, pad %d, seed %u: number %d", trial->width,
                   trial->height, trial->channels, trial->type[0], trial->type[1], trial->rule,
                   (int)trial->pad, trial->seed, i);
    }
}

/* Masks of one frame serve all. */
static struct picture make_mask(struct loss_model *model, const struct trial *trial, uint32_t seed,
                                check_random *random)
{
    const int frames = seed % 2 ? 1 : trial->frames;
    const size_t pixels = (size_t)trial->width * trial->height;
    fill_mask(model, frames, random);
    struct picture mask = loss_picture(
        model, 1, frames,
        kind_of(trial->wide ? &SIDE_TYPES[SIDE_F64] : &MASK_TYPES[seed % 4], NULL, 0, seed / 4 % 6),
        seed / 24 % 2);
    if (mask.view.type == SSIMCU_TYPE_U8) mask.view.peak = 255;
    loss_picture_set(&mask, model->mask);
    for (int f = frames; f < trial->frames; f++)
        memcpy(model->mask + f * pixels, model->mask, pixels * sizeof *model->mask);
    return mask;
}

/* Weights are large enough for gradients of 16 bits. */
static void set_weights(struct loss_model *model, struct loss_call *call, uint32_t seed)
{
    static const double weight[][3] = {{200, 800, 0}, {0, 0, 0}, {0, 300, -200}, {-500, 100, 900}};
    const double *const own = weight[seed % 4];
    call->options.ssim = model->ssim = own[0];
    call->options.l1 = model->l1 = own[1];
    call->options.mse = model->mse = own[2];
}

static void run_trial(ssimcu_context *context, ssimcu_device device, const struct trial *trial)
{
    struct loss_model model =
        loss_model_make(trial->width, trial->height, trial->channels, trial->frames);
    check_random random = {trial->seed * 2654435761u + 1};
    struct picture side[2], gradient[2], mask = {.bytes = 0};
    double number[SSIMCU_LOSS_NUMBERS], *expected[2];
    struct loss_call call = {.device = device, .context = context};
    fill_sides(&model, &random);
    for (int i = 0; i < 2; i++) {
        const uint32_t seed = check_draw(&random) >> 8;
        side[i] = loss_picture(
            &model, trial->channels, trial->frames,
            kind_of(SIDE_TYPES, SIDE_PEAKS[seed >> 20 & 1], trial->type[i], seed), seed / 12 % 2);
        if (seed / 24 % 3 == 0 && trial->channels == 3) side[i].view.order = SSIMCU_ORDER_BGR;
        loss_picture_set(&side[i], model.side[i]);
        gradient[i] = loss_picture(
            &model, trial->channels, trial->frames,
            kind_of(trial->wide ? &SIDE_TYPES[SIDE_F64] : &GRADIENT_TYPES[seed / 72 % 3], NULL, 0,
                    seed / 216),
            seed / 2592 % 2);
        expected[i] = calloc(loss_model_samples(&model), sizeof *expected[i]);
        call.gradient[i] = trial->gradients >> i & 1 ? &gradient[i] : NULL;
    }
    if (trial->rule != NO_MASK) mask = make_mask(&model, trial, check_draw(&random) >> 8, &random);
    call.ref = &side[0], call.out = &side[1], call.mask = mask.memory ? &mask : NULL;
    set_weights(&model, &call, check_draw(&random) >> 8);
    model.rule = call.options.mask_rule = (ssimcu_loss_mask)(trial->rule < 0 ? 0 : trial->rule);
    model.pad = call.options.pad = trial->pad;
    call.options.struct_size = sizeof call.options;
    loss_call(&call);
    loss_model_run(&model, number, trial->gradients ? expected : NULL);
    check_numbers(call.loss, number, &model, trial);
    for (int i = 0; i < 2; i++)
        if (call.gradient[i]) check_gradient(&gradient[i], expected[i], side[i].view.peak, trial);
    for (int i = 0; i < 2; i++) {
        picture_free(&side[i]);
        picture_free(&gradient[i]);
        free(expected[i]);
    }
    picture_free(&mask);
    loss_model_free(&model);
}

static ssimcu_context *open_on(ssimcu_device device)
{
    ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    settings.threads = 2;
    return check_open(&settings);
}

/* ---- The model ------------------------------------------------------------------------------- */

/* Holds the model's gradients against differences of its loss. */
static void check_model(ssimcu_pad pad, int rule)
{
    enum { WIDTH = 14, HEIGHT = 12, COUNT = WIDTH * HEIGHT * 2 };
    static const double step = 1e-5;
    static double memory[2][COUNT];
    double *gradient[2] = {memory[0], memory[1]}, number[SSIMCU_LOSS_NUMBERS], largest = 0;
    struct loss_model model = loss_model_make(WIDTH, HEIGHT, 2, 1);
    check_random random = {(uint32_t)(rule + 10 * pad + 5)};
    fill_sides(&model, &random);
    if (rule != NO_MASK) fill_mask(&model, 1, &random);
    if (rule == SSIMCU_LOSS_MASK_INSIDE)
        for (int i = 0; i < WIDTH * HEIGHT; i++) model.mask[i] = i % WIDTH < 13;
    model.pad = pad, model.rule = (ssimcu_loss_mask)(rule < 0 ? 0 : rule);
    model.ssim = 0.7, model.l1 = 0.2, model.mse = 0.4;
    loss_model_run(&model, number, gradient);
    for (int i = 0; i < COUNT; i++) largest = fmax(largest, fabs(gradient[1][i]));
    for (int i = 0; i < 2 * COUNT; i++) {
        double *const sample = &model.side[i / COUNT][i % COUNT], kept = *sample, loss[2];
        if (fabs(model.side[0][i % COUNT] - model.side[1][i % COUNT]) < 2 * step) continue;
        for (int k = 0; k < 2; k++) {
            *sample = kept + (k ? step : -step);
            loss_model_run(&model, number, NULL);
            loss[k] = number[SSIMCU_LOSS_TOTAL];
        }
        *sample = kept;
        check_near((loss[1] - loss[0]) / (2 * step), gradient[i / COUNT][i % COUNT], 1e-6 * largest,
                   "pad %d, rule %d, sample %d", (int)pad, rule, i);
    }
    loss_model_free(&model);
}

Test(loss, the_model_has_the_gradient_of_finite_differences)
{
    for (int rule = NO_MASK; rule < RULES; rule++) {
        check_model(SSIMCU_PAD_VALID, rule);
        check_model(SSIMCU_PAD_ZERO, rule);
    }
}

/* ---- The library ----------------------------------------------------------------------------- */

BACKEND_TEST(loss, every_kind_is_as_the_model)
{
    ssimcu_context *context = open_on(device);
    uint32_t seed = 0;
    for (int ref = 0; ref < 5; ref++)
        for (int out = 0; out < 5; out++)
            for (int rule = NO_MASK; rule < RULES; rule++)
                for (int pad = 0; pad < 2; pad++)
                    for (int gradients = 0; gradients < 4; gradients++) {
                        if (++seed % CHECK_LESS != 0) continue;
                        const struct trial trial = {.width = 11 + (int)(seed * 7 % 13),
                                                    .height = 11 + (int)(seed * 5 % 17),
                                                    .channels = 1 + (int)(seed % 4),
                                                    .frames = 1 + (int)(seed / 4 % MOST_FRAMES),
                                                    .type = {ref, out},
                                                    .rule = rule,
                                                    .pad = (ssimcu_pad)pad,
                                                    .gradients = gradients,
                                                    .seed = seed};
                        run_trial(context, device, &trial);
                    }
    ssimcu_close(&context);
}

/* Sizes around those of tiles, bands and vectors. With zeros outside, a side may be 1. */
BACKEND_TEST(loss, ragged_sizes_are_as_the_model)
{
    static const int size[][2] = {{11, 11}, {12, 65},  {65, 12},  {33, 64},  {64, 63},
                                  {70, 74}, {127, 21}, {21, 140}, {129, 67}, {300, 11},
                                  {1, 1},   {3, 20},   {20, 2},   {9, 9},    {255, 1}};
    ssimcu_context *context = open_on(device);
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
        for (int rule = NO_MASK; rule < RULES; rule++) {
            const int small = size[i][0] < 11 || size[i][1] < 11;
            const struct trial trial = {.width = size[i][0],
                                        .height = size[i][1],
                                        .channels = 1 + 2 * (rule % 2 != 0),
                                        .frames = 1,
                                        .type = {(int)i % 5, 3},
                                        .rule = rule,
                                        .pad = small || (i + (size_t)rule) % 2 ? SSIMCU_PAD_ZERO
                                                                               : SSIMCU_PAD_VALID,
                                        .gradients = 3,
                                        .seed = 5000 + (uint32_t)(i * 4) + (uint32_t)rule};
            run_trial(context, device, &trial);
        }
    ssimcu_close(&context);
}

/* A block of a GPU walks down a strip of 492 columns. These widths end just before, at and behind
 * the places where the first two and the last two of up to four strips meet. */
BACKEND_TEST(loss, windows_count_once_where_strips_meet)
{
    enum { STRIP = 492 };
    ssimcu_context *context = open_on(device);
    for (int strips = 1; strips <= 3; strips += 2)
        for (int more = -4; more <= 12; more += device == SSIMCU_DEVICE_CPU ? 4 : 1)
            for (int rule = NO_MASK; rule < RULES; rule++) {
                const uint32_t seed = 7000 + (uint32_t)(4 * (17 * strips + more) + rule);
                const struct trial trial = {.width = strips * STRIP + more,
                                            .height = 11 + (int)(seed % 3),
                                            .channels = 1,
                                            .frames = 1,
                                            .type = {(int)seed % 5, (int)seed / 5 % 5},
                                            .rule = rule,
                                            .pad = (ssimcu_pad)(seed / 4 % 2),
                                            .gradients = 3,
                                            .seed = seed};
                run_trial(context, device, &trial);
            }
    ssimcu_close(&context);
}

/* Doubles on one side or both. Gradients are doubles, too, in every second trial. */
Test(loss, doubles_are_as_the_model)
{
    ssimcu_context *context = open_on(SSIMCU_DEVICE_CPU);
    uint32_t seed = 9000;
    for (int other = 0; other <= SIDE_F64; other++)
        for (int rule = NO_MASK; rule < RULES; rule++)
            for (int pad = 0; pad < 2; pad++)
                for (int gradients = 0; gradients < 4; gradients++, seed++) {
                    const struct trial trial = {
                        .width = 11 + (int)(seed * 7 % 31),
                        .height = 11 + (int)(seed * 5 % 71),
                        .channels = 1 + (int)(seed % 4),
                        .frames = 1 + (int)(seed / 4 % MOST_FRAMES),
                        .type = {seed % 2 ? other : SIDE_F64, seed % 2 ? SIDE_F64 : other},
                        .rule = rule,
                        .pad = (ssimcu_pad)pad,
                        .gradients = gradients,
                        .wide = seed / 2 % 2,
                        .seed = seed};
                    run_trial(context, SSIMCU_DEVICE_CPU, &trial);
                }
    ssimcu_close(&context);
}
