/* A search for the content on which the loss and its gradient err most, against the plain model in
 * double (loss_model.h): two levels in a pattern (search_model.h) under noise of any strength. GPUs
 * store samples as floats; what that may add is in ssimcu_loss.h. SSIMCU_SEARCH is the number of
 * draws per pairing of samples. */
#include "loss_model.h"
#include "search_model.h"

#include <math.h>
#include <string.h>

enum { SIDE = 24, SAMPLES = SIDE * SIDE };
enum { LOSS, LOSS_IN_DOUBLE, GRADIENT, KINDS };

static const char *const KIND[KINDS] = {"SSIM, L1, MSE and their sum",
                                        "the same, a side of doubles",
                                        "an element of the gradient, of the largest"};
static const double BOUND[KINDS] = {1e-6, 1e-13, 1e-5};

struct scorer {
    ssimcu_device device;
    ssimcu_context *context;
    double worst[KINDS];
};

/* Returns how much the noise is: a part of white that follows from the levels, so that a climb
 * keeps it. */
static double noise_of(const struct search_content *content)
{
    return pow(10, -5 * fmod(1e4 * content->level[0][0][3], 1));
}

static void fill(struct loss_model *model, struct picture side[2],
                 const struct search_content *content)
{
    check_random random = {77};
    const double noise = noise_of(content);
    for (int image = 0; image < 2; image++) {
        for (uint32_t i = 0; i < SAMPLES; i++) {
            const int second = search_is_second(content->pattern, i % SIDE, i / SIDE);
            const double v =
                content->level[image][second][0] + noise * (search_unit(&random) - 0.5);
            model->side[image][i] = fmin(fmax(v, 0), 1);
        }
        loss_picture_set(&side[image], model->side[image]);
    }
}

/* Returns how far a gradient is off, of its largest element. */
static double gradient_error(const struct picture *got, const double *expected, double floats)
{
    double largest = 0, worst = 0, own[SAMPLES];
    loss_picture_get(got, own);
    for (int i = 0; i < SAMPLES; i++) largest = fmax(largest, fabs(expected[i]));
    for (int i = 0; i < SAMPLES; i++) search_note(&worst, fabs(own[i] - expected[i]));
    if (largest > 0) worst = worst / largest - floats;
    return worst < 0 ? 0 : worst; /* or not a number */
}

static double error_of(void *object, const struct search_row *row,
                       const struct search_content *content)
{
    struct scorer *const scorer = object;
    struct loss_model model = loss_model_make(SIDE, SIDE, 1, 1);
    struct loss_call call = {.device = scorer->device, .context = scorer->context};
    double number[SSIMCU_LOSS_NUMBERS], by[2][SAMPLES], *expected[2] = {by[0], by[1]};
    struct picture side[2], gradient;
    for (int i = 0; i < 2; i++)
        side[i] = loss_picture(
            &model, 1, 1,
            (struct picture_kind){.type = row->side[i].type, .peak = row->side[i].peak}, 0);
    gradient =
        loss_picture(&model, 1, 1, (struct picture_kind){.type = SSIMCU_TYPE_F32, .peak = 1}, 0);
    fill(&model, side, content);
    call.ref = &side[0], call.out = &side[1], call.gradient[1] = &gradient;
    call.options = (ssimcu_loss_options){
        .struct_size = sizeof call.options, .ssim = 0.5, .l1 = 0.3, .mse = 0.2};
    model.ssim = 0.5, model.l1 = 0.3, model.mse = 0.2;
    loss_call(&call);
    loss_model_run(&model, number, expected);
    const int wide = row->side[0].type == SSIMCU_TYPE_F64 || row->side[1].type == SSIMCU_TYPE_F64;
    /* Identical frames have no gradient; the model has its own rounding there. */
    const int is_same = memcmp(model.side[0], model.side[1], SAMPLES * sizeof(double)) == 0;
    double most = 0;
    for (int i = 0; i < SSIMCU_LOSS_NUMBERS; i++) {
        const double error = fabs(call.loss[i] - number[i]);
        search_note(&scorer->worst[wide ? LOSS_IN_DOUBLE : LOSS], error);
        search_note(&most, error / BOUND[wide ? LOSS_IN_DOUBLE : LOSS]);
    }
    for (int i = 0; i < SAMPLES; i++) by[1][i] *= is_same ? 0 : 1 / row->side[1].peak;
    const double floats = scorer->device == SSIMCU_DEVICE_CPU ? 0 : 1e-7 / noise_of(content),
                 error = gradient_error(&gradient, by[1], floats);
    search_note(&scorer->worst[GRADIENT], error);
    for (int i = 0; i < 2; i++) picture_free(&side[i]);
    picture_free(&gradient);
    loss_model_free(&model);
    search_note(&most, error / BOUND[GRADIENT]);
    return most;
}

BACKEND_TEST(loss_search, worst_pairing)
{
    int bad = 0;
    for (size_t i = 0; i < SEARCH_PAIRINGS; i++) {
        const struct search_row row = search_pairing(i, SSIMCU_TRANSFER_NONE, 4);
        if (!search_is_scored(&row, device)) continue;
        const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
        struct scorer scorer = {device, check_open(&settings), {-1, -1, -1}};
        search_climb(error_of, &scorer, &row, search_draws(10));
        ssimcu_close(&scorer.context);
        for (int k = 0; k < KINDS; k++)
            if (!(scorer.worst[k] < 0))
                bad += search_report("loss", KIND[k], &row, device, scorer.worst[k], BOUND[k]);
    }
    cr_assert_eq(bad, 0, "%d results exceed their bounds", bad);
}
