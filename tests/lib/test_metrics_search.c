/* A search for the content on which PSNR, MS-SSIM and SSIMULACRA2 err most: two levels in a pattern
 * (search_model.h) against the definitions in double (oracle_metrics.c). SSIMCU_SEARCH is the
 * number of draws per pairing of samples and curve. */
#include "search_model.h"

#include <math.h>
#include <stdlib.h>

enum { KINDS = 3 };

/* What is searched with. */
struct scorer {
    ssimcu_context *context;
    ssimcu_metric metric;
    uint32_t side;                     /* of the frames, in pixels */
    double worst[KINDS], bound[KINDS]; /* by kind of result: see kind_of */
    const char *kind[KINDS];
    int (*kind_of)(double expected, const struct search_row *row);
    double (*error)(double got, double expected, int kind);
};

static ssimcu_score score_of(const struct scorer *scorer, const struct search_row *row,
                             const struct search_content *content)
{
    ssimcu_view view[2];
    search_draw(row, content, scorer->side, view);
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    cr_assert_eq(
        ssimcu_compare_views(scorer->context, &view[0], &view[1], &score, NULL, NULL, &why),
        SSIMCU_OK, "%s", why.text);
    for (int i = 0; i < 2; i++) free((void *)view[i].data[0]);
    return score;
}

static double expected_of(const struct scorer *scorer, const struct search_row *row,
                          const struct search_content *content, double *lowest)
{
    const uint32_t side = scorer->side;
    double *plane[2][3];
    for (uint32_t i = 0; i < 2 * row->channels; i++) {
        const uint32_t image = i / row->channels, c = i % row->channels;
        plane[image][c] = malloc((size_t)side * side * sizeof(double));
        for (uint32_t p = 0; p < side * side; p++) {
            const int second = search_is_second(content->pattern, p % side, p / side);
            plane[image][c][p] =
                (double)search_value(row, (int)image, content->level[image][second], c);
        }
    }
    return oracle_metric_of(plane[0], plane[1], (int)row->channels, (int)side, (int)side,
                            scorer->metric, lowest);
}

/* Returns the error as a part of what its kind of result promises, so that a climb serves all. */
static double error_of(void *object, const struct search_row *row,
                       const struct search_content *content)
{
    struct scorer *const scorer = object;
    double lowest;
    const double got = score_of(scorer, row, content).metric[scorer->metric],
                 expected = expected_of(scorer, row, content, &lowest);
    /* Both may be infinite. A mean that is 0 but for rounding may count as 0. */
    if (got == expected || lowest < 1e-6) return 0;
    const int kind = scorer->kind_of(expected, row);
    const double error = scorer->error(got, expected, kind) * lowest;
    search_note(&scorer->worst[kind], error);
    return error / scorer->bound[kind];
}

static const ssimcu_transfer CURVES[] = {SSIMCU_TRANSFER_NONE, SSIMCU_TRANSFER_SRGB};

/* Searches one pairing. Returns how many kinds of result exceed their bounds. */
static int search(const struct scorer *with, const char *number, const struct search_row *row,
                  ssimcu_device device, int draws)
{
    struct scorer scorer = *with;
    ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    settings.metrics = 1u << scorer.metric;
    settings.transfer = row->transfer;
    scorer.context = check_open(&settings);
    for (int k = 0; k < KINDS; k++) scorer.worst[k] = 0;
    search_climb(error_of, &scorer, row, search_draws(draws));
    ssimcu_close(&scorer.context);
    int bad = 0;
    for (int k = 0; k < KINDS; k++)
        if (scorer.kind[k])
            bad += search_report(number, scorer.kind[k], row, device, scorer.worst[k],
                                 scorer.bound[k]);
    return bad;
}

static void search_pairings(const struct scorer *scorer, const char *number, uint32_t channels,
                            ssimcu_device device, int draws)
{
    int bad = 0;
    for (size_t i = 0; i < sizeof CURVES / sizeof CURVES[0] * SEARCH_PAIRINGS; i++) {
        const struct search_row row =
            search_pairing(i % SEARCH_PAIRINGS, CURVES[i / SEARCH_PAIRINGS], channels);
        if (search_is_scored(&row, device)) bad += search(scorer, number, &row, device, draws);
    }
    cr_assert_eq(bad, 0, "%d results exceed their bounds", bad);
}

/* ---- PSNR ------------------------------------------------------------------------------------ */

enum { EXACT, OF_ITSELF, OF_WHITE };

static int psnr_kind(double expected, const struct search_row *row)
{
    (void)expected;
    const int floats = search_is_float(&row->side[0]) + search_is_float(&row->side[1]);
    if (floats == 0 && search_is_even(row)) return EXACT;
    if (floats == 2 && row->side[0].peak == row->side[1].peak &&
        row->transfer == SSIMCU_TRANSFER_NONE)
        return OF_ITSELF;
    return OF_WHITE;
}

static double psnr_error(double got, double expected, int kind)
{
    const double own = pow(10, -got / 20), root = pow(10, -expected / 20);
    return fabs(own - root) / (kind == OF_WHITE ? 1 : root);
}

BACKEND_TEST(metrics_search, psnr)
{
    const struct scorer scorer = {
        .metric = SSIMCU_METRIC_PSNR,
        .side = 16,
        .kind = {"integers of one white: root of the mean square, of itself",
                 "floats of one white, no curve: the same", "others: the same, of white"},
        .bound = {1e-10, 1e-7, 6e-8}, /* exact; the model in double is not */
        .kind_of = psnr_kind,
        .error = psnr_error};
    search_pairings(&scorer, "PSNR", 3, device, 60);
}

/* ---- MS-SSIM --------------------------------------------------------------------------------- */

static int ms_ssim_kind(double expected, const struct search_row *row)
{
    (void)expected;
    return !search_is_even(row);
}

static double difference(double got, double expected, int kind)
{
    (void)kind;
    return fabs(got - expected);
}

BACKEND_TEST(metrics_search, ms_ssim)
{
    const struct scorer scorer = {
        .metric = SSIMCU_METRIC_MS_SSIM,
        .side = 161,
        .kind = {"one white: times the lowest mean of a scale", "different whites: the same"},
        .bound = {1e-6, 3e-6},
        .kind_of = ms_ssim_kind,
        .error = difference};
    search_pairings(&scorer, "MS-SSIM", 1, device, 3);
}

/* ---- SSIMULACRA2 ----------------------------------------------------------------------------- */

enum { MIDDLE, FAR_BELOW, NEAR_BEST };

static int ssimulacra2_kind(double expected, const struct search_row *row)
{
    (void)row;
    return expected < -100 ? FAR_BELOW : expected > 99.99 ? NEAR_BEST : MIDDLE;
}

static double ssimulacra2_error(double got, double expected, int kind)
{
    return fabs(got - expected) / (kind == FAR_BELOW ? -expected : 1);
}

BACKEND_TEST(metrics_search, ssimulacra2)
{
    const struct scorer scorer = {
        .metric = SSIMCU_METRIC_SSIMULACRA2,
        .side = 64, /* four scales */
        .kind = {"from -100 to 99.99", "below -100: of itself", "above 99.99"},
        .bound = {3e-3, 1e-5, 1e-2},
        .kind_of = ssimulacra2_kind,
        .error = ssimulacra2_error};
    search_pairings(&scorer, "SSIMULACRA2", 3, device, 6);
}
