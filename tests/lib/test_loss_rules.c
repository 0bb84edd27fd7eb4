/* What the loss promises beside its numbers. They are equal frames, the same bits, other tools'
 * numbers, masks of nothing, samples that are no numbers, and gradients times a factor. */
#include "cpu/cpu.h"
#include "device.h"
#include "loss/loss.h"
#include "loss_model.h"
#include "threads.h"

#include <math.h>
#include <stdlib.h>

static const struct picture_kind FLOATS = {
    .layout = SSIMCU_LAYOUT_CHW, .type = SSIMCU_TYPE_F32, .peak = 1};

/* A pair of pictures of floats, a gradient for each, and a call with them. */
struct pair {
    struct loss_model model;
    struct picture side[2], gradient[2], mask;
    struct loss_call call;
};

static double unit(check_random *random) { return check_draw(random) / 4294967296.0; }

static void make_pair(struct pair *pair, ssimcu_device device, int width, int height, int channels)
{
    ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    check_random random = {7};
    *pair = (struct pair){.model = loss_model_make(width, height, channels, 1)};
    for (size_t i = 0; i < loss_model_samples(&pair->model); i++) {
        pair->model.side[0][i] = unit(&random);
        pair->model.side[1][i] = 0.8 * pair->model.side[0][i] + 0.2 * unit(&random);
    }
    for (int i = 0; i < 2; i++) {
        pair->side[i] = loss_picture(&pair->model, channels, 1, FLOATS, 0);
        pair->gradient[i] = loss_picture(&pair->model, channels, 1, FLOATS, 0);
        loss_picture_set(&pair->side[i], pair->model.side[i]);
    }
    pair->call = (struct loss_call){.device = device,
                                    .context = check_open(&settings),
                                    .ref = &pair->side[0],
                                    .out = &pair->side[1],
                                    .gradient = {&pair->gradient[0], &pair->gradient[1]},
                                    .options = SSIMCU_INIT(loss_options)};
}

static void add_mask(struct pair *pair, ssimcu_loss_mask rule)
{
    pair->model.mask =
        calloc((size_t)pair->model.width * pair->model.height, sizeof *pair->model.mask);
    pair->mask = loss_picture(&pair->model, 1, 1, FLOATS, 0);
    pair->call.mask = &pair->mask;
    pair->call.options.mask_rule = pair->model.rule = rule;
}

static void free_pair(struct pair *pair)
{
    ssimcu_close(&pair->call.context);
    for (int i = 0; i < 2; i++) {
        picture_free(&pair->side[i]);
        picture_free(&pair->gradient[i]);
    }
    picture_free(&pair->mask);
    loss_model_free(&pair->model);
}

static const float *gradient_of(const struct pair *pair, int side)
{
    return (const float *)(const void *)pair->gradient[side].memory;
}

static double largest_of(const struct pair *pair, int side)
{
    double largest = 0;
    for (size_t i = 0; i < loss_model_samples(&pair->model); i++) {
        const double size = fabs((double)gradient_of(pair, side)[i]);
        if (!(size <= largest)) largest = size;
    }
    return largest;
}

/* ---- Frames that are the same ---------------------------------------------------------------- */

BACKEND_TEST(loss_rules, frames_that_are_the_same)
{
    for (int pad = 0; pad < 2; pad++)
        for (int rule = 0; rule < 4; rule++) {
            struct pair pair;
            make_pair(&pair, device, 75, 83, 3);
            pair.call.out = &pair.side[0];
            pair.call.options.pad = (ssimcu_pad)pad;
            pair.call.options.ssim = 0.3, pair.call.options.l1 = 0.3, pair.call.options.mse = 0.4;
            if (rule < 3) add_mask(&pair, (ssimcu_loss_mask)rule);
            for (int i = 0; rule < 3 && i < 75 * 83; i++) pair.model.mask[i] = i % 75 < 60;
            if (rule < 3) loss_picture_set(&pair.mask, pair.model.mask);
            loss_call(&pair.call);
            cr_assert_eq(pair.call.loss[SSIMCU_LOSS_SSIM], 1.0f);
            cr_assert(pair.call.loss[SSIMCU_LOSS_TOTAL] == 0 &&
                      pair.call.loss[SSIMCU_LOSS_L1] == 0);
            cr_assert_eq(pair.call.loss[SSIMCU_LOSS_MSE], 0.0f);
            cr_assert(largest_of(&pair, 0) == 0 && largest_of(&pair, 1) == 0, "pad %d", pad);
            free_pair(&pair);
        }
}

/* 257 v of 65535 is v of 255, so |d| is 0 there. */
Test(loss_rules, values_that_are_the_same_in_two_types)
{
    struct pair pair;
    make_pair(&pair, SSIMCU_DEVICE_CPU, 40, 30, 1);
    picture_free(&pair.side[0]);
    picture_free(&pair.side[1]);
    pair.side[0] = loss_picture(&pair.model, 1, 1,
                                (struct picture_kind){.type = SSIMCU_TYPE_U8, .peak = 255}, 0);
    pair.side[1] = loss_picture(&pair.model, 1, 1,
                                (struct picture_kind){.type = SSIMCU_TYPE_U16, .peak = 65535}, 0);
    for (uint32_t i = 0; i < 40 * 30; i++) {
        picture_set(&pair.side[0], 0, i % 40, i / 40, 0, i % 256);
        picture_set(&pair.side[1], 0, i % 40, i / 40, 0, i % 256 * 257);
    }
    pair.call.options.ssim = pair.call.options.l1 = 1;
    loss_call(&pair.call);
    cr_assert(pair.call.loss[SSIMCU_LOSS_TOTAL] == 0 && largest_of(&pair, 1) == 0);
    free_pair(&pair);
}

/* ---- Accuracy -------------------------------------------------------------------------------- */

enum { FLAT_WIDTH = 60, FLAT_HEIGHT = 70, FLAT_PIXELS = FLAT_WIDTH * FLAT_HEIGHT };

/* Checks a pair of two flat levels. The second begins at this row or column. The sides have noise
 * of opposite signs, so variances are differences of almost equal numbers. */
static void check_flats(ssimcu_device device, const double level[2], double noise, int begin,
                        int by_rows)
{
    struct pair pair;
    check_random random = {3};
    double number[SSIMCU_LOSS_NUMBERS], *expected[2];
    make_pair(&pair, device, FLAT_WIDTH, FLAT_HEIGHT, 1);
    for (int i = 0; i < FLAT_PIXELS; i++) {
        const double own = noise * (unit(&random) - 0.5),
                     flat = level[(by_rows ? i / FLAT_WIDTH : i % FLAT_WIDTH) >= begin];
        pair.model.side[0][i] = flat + own;
        pair.model.side[1][i] = flat - own;
    }
    for (int i = 0; i < 2; i++) {
        loss_picture_set(&pair.side[i], pair.model.side[i]);
        expected[i] = calloc(FLAT_PIXELS, sizeof *expected[i]);
    }
    loss_call(&pair.call);
    loss_model_run(&pair.model, number, expected);
    check_near(pair.call.loss[SSIMCU_LOSS_SSIM], number[SSIMCU_LOSS_SSIM], 1e-6,
               "%g, then %g at %d, noise of %g", level[0], level[1], begin, noise);
    for (int side = 0; side < 2; side++) {
        double largest = 0;
        for (int i = 0; i < FLAT_PIXELS; i++) largest = fmax(largest, fabs(expected[side][i]));
        for (int i = 0; i < FLAT_PIXELS; i++)
            check_near((double)gradient_of(&pair, side)[i], expected[side][i], 1e-5 * largest,
                       "%g, then %g at %d, noise of %g, side %d, element %d", level[0], level[1],
                       begin, noise, side, i);
        free(expected[side]);
    }
    free_pair(&pair);
}

BACKEND_TEST(loss_rules, opposite_noise_on_bright_frames)
{
    static const double bright[2] = {0.97, 0.97}, noises[] = {0.05, 0.01, 0.002, 0.0004, 0.00001};
    for (size_t n = 0; n < sizeof noises / sizeof noises[0]; n++)
        check_flats(device, bright, noises[n], 0, 0);
}

/* A GPU measures samples from an origin that follows the picture, so it moves from level to level.
 * If it did not, the loss would be off by 1.6e-5 and the gradient by 8e-5 of its largest element.
 */
BACKEND_TEST(loss_rules, opposite_noise_on_two_levels)
{
    static const double levels[][2] = {{0.45, 0.55}, {0.7, 0.3}, {0.02, 0.98}},
                        noises[] = {0.05, 0.002};
    for (int i = 0; i < 3 * 2 * 3 * 2; i++) {
        const int by_rows = i % 2, side = by_rows ? FLAT_HEIGHT : FLAT_WIDTH,
                  begin[] = {SSIMCU_TAPS, side / 2, side - SSIMCU_TAPS};
        check_flats(device, levels[i / 2 % 3], noises[i / 18], begin[i / 6 % 3], by_rows);
    }
}

/* S is also what others call SSIM: fused-ssim's with zeros outside, and the library's score. */
BACKEND_TEST(loss_rules, s_is_the_score)
{
    for (int pad = 0; pad < 2; pad++) {
        struct pair pair;
        make_pair(&pair, device, 131, 77, 3);
        pair.call.options.pad = (ssimcu_pad)pad;
        loss_call(&pair.call);
        ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, (ssimcu_pad)pad);
        if (pad == SSIMCU_PAD_ZERO) settings.compat = SSIMCU_COMPAT_FUSED_SSIM;
        ssimcu_context *context = check_open(&settings);
        const double score = picture_compare(context, &pair.side[0], &pair.side[1]).score;
        check_near(pair.call.loss[SSIMCU_LOSS_SSIM], score, pad ? 1e-6 : 2e-6, "pad %d", pad);
        check_near(pair.call.loss[SSIMCU_LOSS_TOTAL], 1 - score, pad ? 1e-6 : 2e-6, "pad %d", pad);
        ssimcu_close(&context);
        free_pair(&pair);
    }
}

/* ---- Bits ------------------------------------------------------------------------------------ */

BACKEND_TEST(loss_rules, a_call_gives_the_same_bits_again)
{
    struct pair pair;
    make_pair(&pair, device, 200, 150, 3);
    double loss[SSIMCU_LOSS_NUMBERS];
    float *const first = malloc(pair.gradient[1].bytes);
    add_mask(&pair, SSIMCU_LOSS_MASK_MEAN);
    for (int i = 0; i < 200 * 150; i++) pair.model.mask[i] = i % 7 / 7.0;
    loss_picture_set(&pair.mask, pair.model.mask);
    pair.call.options.ssim = 0.8, pair.call.options.l1 = 0.2;
    loss_call(&pair.call);
    memcpy(loss, pair.call.loss, sizeof loss);
    memcpy(first, pair.gradient[1].memory, pair.gradient[1].bytes);
    for (int again = 0; again < 5; again++) {
        loss_call(&pair.call);
        cr_assert_eq(memcmp(loss, pair.call.loss, sizeof loss), 0);
        cr_assert_eq(memcmp(first, pair.gradient[1].memory, pair.gradient[1].bytes), 0);
    }
    free(first);
    free_pair(&pair);
}

/* Runs the CPU's loss of a pair and a mask on so many threads. */
static void run_on_threads(const struct pair *pair, uint32_t count, ssimcu_loss_mask rule,
                           float loss[SSIMCU_LOSS_NUMBERS], float *gradient)
{
    const int width = pair->model.width, height = pair->model.height;
    struct ssimcu_threads *const threads = ssimcu_threads_create(count);
    struct ssimcu_loss_samples plane = {.type = SSIMCU_SAMPLE_F32,
                                        .pixel = 4,
                                        .row = width * 4,
                                        .channel = (int64_t)width * height * 4,
                                        .white = 1};
    struct ssimcu_loss_task task = {.side = {plane, plane},
                                    .gradient = {plane, plane},
                                    .mask = plane,
                                    .mask_rule = (int)rule,
                                    .width = width,
                                    .height = height,
                                    .channels = 3,
                                    .frames = 1,
                                    .ssim = 1,
                                    .l1 = 0.5f,
                                    .loss = loss};
    task.side[0].data = pair->side[0].memory, task.side[1].data = pair->side[1].memory;
    task.gradient[0].data = NULL, task.gradient[1].data = gradient;
    task.mask.data = pair->mask.memory;
    task.workspace = aligned_alloc(256, (ssimcu_loss_cpu_bytes(&task, threads) + 255) / 256 * 256);
    ssimcu_loss_cpu(&task, threads);
    free(task.workspace);
    ssimcu_threads_destroy(threads);
}

Test(loss_rules, any_number_of_threads_gives_the_same_bits)
{
    struct pair pair;
    make_pair(&pair, SSIMCU_DEVICE_CPU, 90, 333, 3);
    add_mask(&pair, SSIMCU_LOSS_MASK_ZERO);
    for (int i = 0; i < 90 * 333; i++) pair.model.mask[i] = i % 90 < 70 ? 1 - i % 5 / 9.0 : 0;
    loss_picture_set(&pair.mask, pair.model.mask);
    const size_t bytes = pair.side[0].bytes;
    float loss[2][SSIMCU_LOSS_NUMBERS], *const gradient[] = {malloc(bytes), malloc(bytes)};
    for (int rule = 0; rule < 3; rule++)
        for (uint32_t count = 1; count <= 9; count++) {
            const int at = count > 1;
            run_on_threads(&pair, count, (ssimcu_loss_mask)rule, loss[at], gradient[at]);
            cr_assert_eq(memcmp(loss[0], loss[at], sizeof loss[0]), 0, "%u threads", count);
            cr_assert_eq(memcmp(gradient[0], gradient[at], bytes), 0, "%u threads", count);
        }
    free(gradient[0]);
    free(gradient[1]);
    free_pair(&pair);
}

/* ---- Masks, and samples that are no numbers -------------------------------------------------- */

/* A mask of 0 leaves nothing to take a mean of, and one of less than a window only pixels. */
BACKEND_TEST(loss_rules, masks_of_nothing)
{
    for (int rule = SSIMCU_LOSS_MASK_MEAN; rule <= SSIMCU_LOSS_MASK_INSIDE; rule++)
        for (int some = 0; some < 2; some++) {
            struct pair pair;
            make_pair(&pair, device, 50, 40, 3);
            add_mask(&pair, (ssimcu_loss_mask)rule);
            if (some) pair.model.mask[2 * 50 + 2] = 1; /* no window of VALID is centred there */
            loss_picture_set(&pair.mask, pair.model.mask);
            pair.call.options.ssim = 0.5, pair.call.options.l1 = 0.5;
            loss_call(&pair.call);
            cr_assert_eq(pair.call.loss[SSIMCU_LOSS_SSIM], 1.0f);
            cr_assert_eq(pair.call.loss[SSIMCU_LOSS_L1] > 0, some);
            check_near(pair.call.loss[SSIMCU_LOSS_TOTAL], 0.5 * pair.call.loss[SSIMCU_LOSS_L1],
                       1e-7, "rule %d", rule);
            int set = 0;
            for (size_t i = 0; i < loss_model_samples(&pair.model); i++)
                set += gradient_of(&pair, 1)[i] != 0;
            cr_assert_eq(set, some ? 3 : 0, "rule %d: %d elements", rule, set);
            free_pair(&pair);
        }
}

BACKEND_TEST(loss_rules, what_is_not_finite_makes_the_loss_nan)
{
    static const double weights[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const double values[] = {NAN, INFINITY, -INFINITY};
    for (int w = 0; w < 3; w++)
        for (int v = 0; v < 3; v++)
            for (int side = 0; side < 2; side++) {
                struct pair pair;
                make_pair(&pair, device, 33, 29, 3);
                picture_set(&pair.side[side], 0, 12, 13, 1, values[v]);
                pair.call.options.ssim = weights[w][0];
                pair.call.options.l1 = weights[w][1];
                pair.call.options.mse = weights[w][2];
                loss_call(&pair.call);
                cr_assert(isnan(pair.call.loss[SSIMCU_LOSS_TOTAL]), "weight %d, %g", w, values[v]);
                free_pair(&pair);
            }
}

/* ---- Factors --------------------------------------------------------------------------------- */

static void scale(ssimcu_context *context, ssimcu_device device, struct picture *gradient,
                  float factor)
{
    ssimcu_message why = {{0}};
    const int cuda = device == SSIMCU_DEVICE_CUDA;
    void *const memory = cuda ? device_copy(gradient->memory, gradient->bytes) : gradient->memory;
    float *const by = cuda ? device_copy(&factor, sizeof factor) : &factor;
    const ssimcu_view view = picture_view_at(gradient, memory);
    cr_assert_eq(ssimcu_loss_scale_async(context, &view, by, NULL, &why), SSIMCU_OK, "%s",
                 why.text);
    if (!cuda) return;
    device_fetch(gradient->memory, memory, gradient->bytes);
    device_free(memory);
    device_free(by);
}

BACKEND_TEST(loss_rules, gradients_times_a_factor)
{
    static const ssimcu_type types[] = {SSIMCU_TYPE_F16, SSIMCU_TYPE_F32, SSIMCU_TYPE_BF16};
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    for (int i = 0; i < 9; i++) {
        struct loss_model model = loss_model_make(23, 9, 3, 2);
        struct picture gradient = loss_picture(
            &model, 3, 2,
            (struct picture_kind){
                .layout = (ssimcu_layout)(i / 3), .type = types[i % 3], .peak = 1, .padding = 2},
            (uint32_t)i % 2);
        check_random random = {(uint32_t)i + 1};
        double *const after = calloc(loss_model_samples(&model), sizeof *after);
        for (size_t k = 0; k < loss_model_samples(&model); k++)
            model.side[0][k] = unit(&random) - 0.5;
        loss_picture_set(&gradient, model.side[0]);
        uint8_t *const before = malloc(gradient.bytes);
        memcpy(before, gradient.memory, gradient.bytes);
        scale(context, device, &gradient, 1);
        cr_assert_eq(memcmp(before, gradient.memory, gradient.bytes), 0);
        scale(context, device, &gradient, -2);
        loss_picture_get(&gradient, after);
        for (size_t k = 0; k < loss_model_samples(&model); k++)
            cr_assert_eq(after[k], -2 * model.side[0][k], "kind %d, element %zu", i, k);
        scale(context, device, &gradient, -0.5f);
        cr_assert_eq(memcmp(before, gradient.memory, gradient.bytes), 0, "what lies between");
        free(before);
        free(after);
        picture_free(&gradient);
        loss_model_free(&model);
    }
    ssimcu_close(&context);
}

/* A factor of doubles is a double, so that nothing is rounded to a float. */
Test(loss_rules, doubles_times_a_factor)
{
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    double samples[] = {1, -3, 1e-300, 0.1, 1e300, 0}, third = 1 / 3.0;
    const ssimcu_view view = SSIMCU_INIT(view, .width = 2, .height = 3, .channels = 1,
                                         .type = SSIMCU_TYPE_F64, .data = {samples});
    cr_assert_eq(ssimcu_loss_scale_async(context, &view, &third, NULL, NULL), SSIMCU_OK);
    const double expected[] = {third, -3 * third, 1e-300 * third, 0.1 * third, 1e300 * third, 0};
    cr_assert_eq(memcmp(samples, expected, sizeof samples), 0);
    ssimcu_close(&context);
}

/* Rows and planes of these floats lie in fours. Only the frames of a batch, the first sample, the
 * planes or the rows do not: each is once the only one that is uneven. */
BACKEND_TEST(loss_rules, batches_whose_frames_lie_unevenly)
{
    enum { WIDTH = 24, HEIGHT = 3, CHANNELS = 2, FRAMES = 3, ROOM = 700 };
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    for (size_t i = 0; i < 5; i++) {
        const size_t row = WIDTH + (i == 1), plane = row * HEIGHT + (i == 1) + (i == 2),
                     frame = plane * CHANNELS + (i == 3), first = 4 + (i == 4);
        float samples[ROOM], expected[ROOM];
        for (size_t k = 0; k < ROOM; k++) expected[k] = samples[k] = (float)k;
        for (size_t k = 0; k < (size_t)WIDTH * HEIGHT * CHANNELS * FRAMES; k++)
            expected[first + k / (WIDTH * HEIGHT * CHANNELS) * frame +
                     k / (WIDTH * HEIGHT) % CHANNELS * plane + k / WIDTH % HEIGHT * row +
                     k % WIDTH] *= 3;
        struct picture gradient = {.memory = (uint8_t *)samples, .bytes = sizeof samples};
        gradient.view = (ssimcu_view)SSIMCU_INIT(
            view, .width = WIDTH, .height = HEIGHT, .channels = CHANNELS,
            .layout = SSIMCU_LAYOUT_CHW, .type = SSIMCU_TYPE_F32,
            .pitch = (ptrdiff_t)(row * sizeof(float)), .plane_stride = plane * sizeof(float),
            .frames = FRAMES, .frame_stride = frame * sizeof(float), .data = {samples + first});
        scale(context, device, &gradient, 3);
        for (size_t k = 0; k < ROOM; k++)
            cr_assert_eq(samples[k], expected[k], "kind %zu, sample %zu: %g", i, k,
                         (double)samples[k]);
    }
    ssimcu_close(&context);
}

/* Rows end within four floats or not, and a frame has more columns and rows than a block scales.
 * The first sample lies in fours, then not. */
BACKEND_TEST(loss_rules, rows_of_every_length_times_a_factor)
{
    static const uint32_t widths[] = {1, 2, 3, 4, 5, 255, 257, 1023, 1025},
                          heights[] = {1, 64, 65, 130};
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    for (size_t i = 0; i < 9 * 4 * 2; i++) {
        const uint32_t width = widths[i % 9], height = heights[i / 9 % 4],
                       row = (width + 3) / 4 * 4, first = (uint32_t)i / 36,
                       count = first + row * height;
        float *const samples = malloc(count * sizeof *samples);
        for (uint32_t k = 0; k < count; k++) samples[k] = (float)(k + 1);
        struct picture gradient = {.memory = (uint8_t *)samples, .bytes = count * sizeof *samples};
        gradient.view = (ssimcu_view)SSIMCU_INIT(
            view, .width = width, .height = height, .channels = 1, .type = SSIMCU_TYPE_F32,
            .pitch = (ptrdiff_t)(row * sizeof *samples), .data = {samples + first});
        scale(context, device, &gradient, 3);
        for (uint32_t k = 0; k < count; k++) {
            const bool is_inside = k >= first && (k - first) % row < width;
            cr_assert_eq(samples[k], (float)((k + 1) * (is_inside ? 3 : 1)),
                         "%ux%u from %u on, sample %u: %g", width, height, first, k,
                         (double)samples[k]);
        }
        free(samples);
    }
    ssimcu_close(&context);
}

/* Halves are rounded as the model of the pictures rounds them. */
BACKEND_TEST(loss_rules, products_are_rounded_to_their_type)
{
    static const ssimcu_type types[] = {SSIMCU_TYPE_F16, SSIMCU_TYPE_BF16};
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    for (int t = 0; t < 2; t++) {
        struct loss_model model = loss_model_make(256, 256, 1, 1);
        const struct picture_kind kind = {.type = types[t], .peak = 1};
        struct picture gradient = loss_picture(&model, 1, 1, kind, 0), expected = gradient;
        expected.memory = malloc(gradient.bytes);
        expected.view.data[0] = expected.memory;
        for (uint32_t i = 0; i < 65536; i++) ((uint16_t *)(void *)gradient.memory)[i] = (uint16_t)i;
        const float factor = 0x1.1p-3f; /* an exact product in a float */
        for (uint32_t i = 0; i < 65536; i++)
            picture_set(&expected, 0, i % 256, i / 256, 0,
                        picture_value(&gradient, 0, i % 256, i / 256, 0) * (double)factor);
        scale(context, device, &gradient, factor);
        for (uint32_t i = 0; i < 65536; i++) {
            const double value = picture_value(&expected, 0, i % 256, i / 256, 0);
            const double got = picture_value(&gradient, 0, i % 256, i / 256, 0);
            cr_assert(isnan(value) ? isnan(got) : got == value, "type %d, %#x: %g, expected %g", t,
                      i, got, value);
        }
        picture_free(&gradient);
        picture_free(&expected);
        loss_model_free(&model);
    }
    ssimcu_close(&context);
}
