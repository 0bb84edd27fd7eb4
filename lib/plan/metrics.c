#include "plan/metrics.h"

#include "core/divide_up.h"
#include "fail.h"
#include "mean.h"
#include "metric_table.h"
#include "number/light.h"
#include "ssimulacra2_score.h"

#include <math.h>
#include <string.h>

/* With zero padding SSIM has a window for each pixel. */
int ssimcu_metrics_fits(ssimcu_metric metric, const struct ssimcu_shape *shape)
{
    const int pads = metric == SSIMCU_METRIC_SSIM && shape->zero_pad;
    const uint32_t least = pads ? 1 : ssimcu_metric_row(metric)->least;
    return shape->width >= least && shape->height >= least;
}

ssimcu_status ssimcu_metrics_check_size(ssimcu_metric metric, const struct ssimcu_shape *shape,
                                        ssimcu_message *message)
{
    char why[SSIMCU_METRIC_WHY];
    if (ssimcu_metrics_fits(metric, shape)) return SSIMCU_OK;
    ssimcu_metric_too_small(metric, shape->width, shape->height, why);
    FAIL(TOO_SMALL, "%s", why);
}

/* Returns the metric of a mask that accepts the smallest frames. */
static ssimcu_metric smallest(unsigned metrics)
{
    int least = -1;
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (metrics >> m & 1 && (least < 0 || ssimcu_metric_row((ssimcu_metric)m)->least <
                                                  ssimcu_metric_row((ssimcu_metric)least)->least))
            least = m;
    return (ssimcu_metric)least;
}

ssimcu_status ssimcu_metrics_choose(const ssimcu_settings *settings,
                                    const struct ssimcu_shape *shape, unsigned *metrics,
                                    ssimcu_message *message)
{
    const unsigned asked = settings->metrics ? settings->metrics : 1u << SSIMCU_METRIC_SSIM;
    *metrics = 0;
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (asked >> m & 1 && ssimcu_metrics_fits((ssimcu_metric)m, shape)) *metrics |= 1u << m;
    if (*metrics == 0) TRY(ssimcu_metrics_check_size(smallest(asked), shape, message));
    for (int m = 0; m < SSIMCU_METRICS && settings->transfer == SSIMCU_TRANSFER_PU21; m++) {
        const struct ssimcu_metric_row *const row = ssimcu_metric_row((ssimcu_metric)m);
        if (asked >> m & 1 && row->is_srgb)
            FAIL(UNSUPPORTED, "%s is defined for sRGB and not under PU21", row->title);
    }
    return SSIMCU_OK;
}

void ssimcu_metrics_share(struct ssimcu_plan *plan, uint32_t planes)
{
    unsigned all = ~0u;
    for (uint32_t p = 0; p < planes; p++) all &= plan[p].metrics;
    for (uint32_t p = 0; p < planes; p++) plan[p].metrics = all;
}

uint32_t ssimcu_metrics_windows(uint32_t side, uint32_t scale)
{
    for (uint32_t i = 0; i < scale; i++) side = ssimcu_half(side);
    return side - (SSIMCU_TAPS - 1);
}

/* Returns whether a side of a plane is that of Y, or its half or quarter, rounded up. */
static int is_subsampled(uint32_t luma, uint32_t chroma)
{
    return chroma == luma || chroma == ssimcu_half(luma) || chroma == (luma + 3) / 4;
}

ssimcu_status ssimcu_metrics_set_video(struct ssimcu_plan *plan, uint32_t planes,
                                       ssimcu_message *message)
{
    const unsigned own = 1u << SSIMCU_METRIC_SSIMULACRA2;
    if (!(plan->metrics & own) || planes == 1) return SSIMCU_OK;
    int good = planes == SSIMCU_MAX_CHANNELS;
    for (uint32_t p = 1; p < planes; p++) {
        good = good && is_subsampled(plan->shape.width, plan[p].shape.width) &&
               is_subsampled(plan->shape.height, plan[p].shape.height) &&
               plan[p].bits == plan->bits && plan->bits > 0;
        plan[p].metrics &= ~own;
    }
    if (!good) FAIL(UNSUPPORTED, "SSIMULACRA2: expected pictures, or planes Y, U and V");
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        if (plan->yuv[slot].red == 0)
            FAIL(UNSUPPORTED, "SSIMULACRA2 needs the matrix of %s, which is unknown",
                 slot == SSIMCU_REF ? "ref" : "out");
    plan->chroma = plan + 1;
    return SSIMCU_OK;
}

/* ---- What backends run ----------------------------------------------------------------------- */

uint32_t ssimcu_metrics_s2_planes(const struct ssimcu_plan *plan)
{
    const struct ssimcu_pixel_rule *rule = plan->rule[0];
    if (plan->chroma) return SSIMCU_S2_CHANNELS;
    return rule[SSIMCU_REF].channels >= 3 || rule[SSIMCU_OUT].channels >= 3 ? 3 : 1;
}

struct ssimcu_pixel_rule ssimcu_metrics_s2_rule(const struct ssimcu_plan *plan, uint32_t pass,
                                                uint32_t grey_pass, int slot)
{
    struct ssimcu_pixel_rule rule = plan->rule[pass][slot];
    rule.planes = ssimcu_metrics_s2_planes(plan);
    memset(rule.luma, 0, sizeof rule.luma);
    if (!ssimcu_metrics_s2_is_grey(plan) || !ssimcu_light_has_curve(&rule.light)) return rule;
    const double light = ssimcu_curve_light(&rule.light, ssimcu_metrics_s2_grey(grey_pass));
    rule.back_light = light / ssimcu_curve_gain(&rule.light);
    return rule;
}

/* Sets the position of U and V relative to Y along one axis. */
static void set_place(struct ssimcu_video_rule *video, int axis, uint32_t luma, uint32_t chroma,
                      int between)
{
    const uint32_t ratio = (luma + chroma / 2) / chroma;
    video->step[axis] = 1.0f / (float)ratio;
    video->shift[axis] = between ? 0.5f / (float)ratio - 0.5f : 0;
}

/* A peak of N bits is 2^N - 1. */
struct ssimcu_video_rule ssimcu_metrics_video(const struct ssimcu_plan *plan, int slot)
{
    const ssimcu_yuv *yuv = &plan->yuv[slot];
    const double white = plan->white, chroma_white = plan->chroma->white;
    const double eighth = (double)(1u << (plan->bits - 8)) / ((1u << plan->bits) - 1);
    const double step = yuv->limited ? eighth : 1; /* a 219th or 224th of the range, otherwise all
                                                      of it */
    struct ssimcu_video_rule video = {
        .zero = {yuv->limited ? (float)(16 * eighth * white) : 0,
                 (float)(128 * eighth * chroma_white)},
        .scale = {(float)(1 / (step * (yuv->limited ? 219 : 1) * white)),
                  (float)(1 / (step * (yuv->limited ? 224 : 1) * chroma_white))},
        .red = (float)yuv->red,
        .blue = (float)yuv->blue,
    };
    const struct ssimcu_shape *chroma = &plan->chroma->shape;
    set_place(&video, 0, plan->shape.width, chroma->width, yuv->siting == SSIMCU_SITING_CENTER);
    set_place(&video, 1, plan->shape.height, chroma->height, yuv->siting != SSIMCU_SITING_TOP_LEFT);
    return video;
}

/* ---- PSNR ------------------------------------------------------------------------------------ */

static double decibels(double mse) { return mse > 0 ? -10 * log10(mse) : INFINITY; }

static double mean_of(const double *value, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += value[i];
    return sum / count;
}

/* Returns the square of white, summed over all pixels. */
static double white_area(const struct ssimcu_plan *plan)
{
    return (double)plan->shape.width * plan->shape.height * plan->white * plan->white;
}

static void score_psnr(const struct ssimcu_plan *plan, const struct ssimcu_metric_sums *sums,
                       ssimcu_score *score)
{
    const struct ssimcu_shape *shape = &plan->shape;
    const double area = white_area(plan);
    for (uint32_t pass = 0; pass < plan->passes; pass++) {
        const double mse = mean_of(sums->squares[pass], shape->planes) / area;
        if (pass > 0 && mse <= score->mse) continue;
        score->mse = mse;
        score->metric[SSIMCU_METRIC_PSNR] = decibels(mse);
        for (uint32_t c = 0; c < shape->planes; c++)
            score->metric_channel[SSIMCU_METRIC_PSNR][c] = decibels(sums->squares[pass][c] / area);
    }
}

/* ---- MS-SSIM --------------------------------------------------------------------------------- */

/* Sets a metric that is the mean of its channels, from the pass with the lower value. */
static void score_channels(const struct ssimcu_plan *plan, const struct ssimcu_metric_sums *sums,
                           ssimcu_metric metric,
                           double (*value)(const struct ssimcu_plan *,
                                           const struct ssimcu_metric_sums *, uint32_t, uint32_t),
                           ssimcu_score *score)
{
    for (uint32_t pass = 0; pass < plan->passes; pass++) {
        double channel[SSIMCU_MAX_CHANNELS];
        for (uint32_t c = 0; c < plan->shape.planes; c++) channel[c] = value(plan, sums, pass, c);
        const double mean = mean_of(channel, plan->shape.planes);
        if (pass > 0 && mean >= score->metric[metric]) continue;
        score->metric[metric] = mean;
        memcpy(score->metric_channel[metric], channel, plan->shape.planes * sizeof *channel);
    }
}

static double ms_ssim(const struct ssimcu_plan *plan, const struct ssimcu_metric_sums *sums,
                      uint32_t pass, uint32_t channel)
{
    static const double exponent[SSIMCU_MS_SCALES] = {0.0448, 0.2856, 0.3001, 0.2363, 0.1333};
    const double *const lost = sums->lost[pass][channel];
    double product = 1;
    for (uint32_t scale = 0; scale < SSIMCU_MS_SCALES; scale++) {
        const double windows = (double)ssimcu_metrics_windows(plan->shape.width, scale) *
                               ssimcu_metrics_windows(plan->shape.height, scale);
        product *= pow(fmax(1 - lost[scale] / windows, 0), exponent[scale]);
    }
    return product;
}

static void score_ms_ssim(const struct ssimcu_plan *plan, const struct ssimcu_metric_sums *sums,
                          ssimcu_score *score)
{
    score_channels(plan, sums, SSIMCU_METRIC_MS_SSIM, ms_ssim, score);
}

/* ---- The metric of a test build -------------------------------------------------------------- */

#ifdef SSIMCU_TEST_ROWS
/* Returns 1 minus the root mean square of the differences, where white is 1. */
static double closeness(const struct ssimcu_plan *plan, const struct ssimcu_metric_sums *sums,
                        uint32_t pass, uint32_t channel)
{
    return 1 - sqrt(sums->squares[pass][channel] / white_area(plan));
}

static void score_test(const struct ssimcu_plan *plan, const struct ssimcu_metric_sums *sums,
                       ssimcu_score *score)
{
    score_channels(plan, sums, SSIMCU_METRIC_TEST, closeness, score);
}
#endif

/* ---- SSIMULACRA2 ----------------------------------------------------------------------------- */

static double ssimulacra2(const struct ssimcu_shape *shape,
                          const double norms[SSIMCU_S2_SCALES][SSIMCU_S2_CHANNELS][SSIMCU_S2_SUMS])
{
    const int scales = ssimcu_s2_scales((int)shape->width, (int)shape->height);
    double norm[SSIMCU_S2_NORMS], *next = norm;
    for (int c = 0; c < SSIMCU_S2_CHANNELS; c++) {
        uint32_t width = shape->width, height = shape->height;
        for (int scale = 0; scale < scales; scale++) {
            const double area = (double)width * height;
            for (int map = 0; map < 3; map++) *next++ = norms[scale][c][2 * map] / area;
            for (int map = 0; map < 3; map++)
                *next++ = sqrt(sqrt(norms[scale][c][2 * map + 1] / area));
            width = ssimcu_half(width);
            height = ssimcu_half(height);
        }
    }
    return ssimcu_s2_score(norm, (int)(next - norm));
}

static void score_ssimulacra2(const struct ssimcu_plan *plan, const struct ssimcu_metric_sums *sums,
                              ssimcu_score *score)
{
    double *const lowest = &score->metric[SSIMCU_METRIC_SSIMULACRA2];
    for (uint32_t pass = 0; pass < plan->passes; pass++) {
        const double own = ssimulacra2(&plan->shape, sums->norms[pass]);
        if (pass == 0 || own < *lowest) *lowest = own;
    }
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Keeps values below the best unless the frames are identical, which SSIM decides: it is 1 for no
 * others. */
static void keep_below_best(ssimcu_score *score)
{
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        const double best = ssimcu_metric_row((ssimcu_metric)m)->best;
        score->metric[m] = ssimcu_below(score->metric[m], best, !(score->score < 1));
        for (uint32_t c = 0; c < score->channels; c++)
            score->metric_channel[m][c] =
                ssimcu_below(score->metric_channel[m][c], best, !(score->channel[c] < 1));
    }
}

/* Sets metrics that are not requested. */
static void clear(ssimcu_score *score)
{
    score->mse = NAN;
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        score->metric[m] = m == SSIMCU_METRIC_SSIM ? score->score : NAN;
        for (uint32_t c = 0; c < SSIMCU_MAX_CHANNELS; c++)
            score->metric_channel[m][c] =
                m == SSIMCU_METRIC_SSIM && c < score->channels ? score->channel[c] : NAN;
    }
}

static void (*const SCORE[SSIMCU_METRICS])(const struct ssimcu_plan *plan,
                                           const struct ssimcu_metric_sums *sums,
                                           ssimcu_score *score) = {
    [SSIMCU_METRIC_PSNR] = score_psnr,
    [SSIMCU_METRIC_MS_SSIM] = score_ms_ssim,
    [SSIMCU_METRIC_SSIMULACRA2] = score_ssimulacra2,
#ifdef SSIMCU_TEST_ROWS
    [SSIMCU_METRIC_TEST] = score_test,
#endif
};

void ssimcu_metrics_score(const struct ssimcu_plan *plan, const struct ssimcu_metric_sums *sums,
                          ssimcu_score *score)
{
    clear(score);
    if (!sums) return;
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        if (ssimcu_metrics_has(plan, (ssimcu_metric)m)) SCORE[m](plan, sums, score);
    keep_below_best(score);
}

/* Joins a metric other than SSIM. A metric without channels comes from the first plane, which
 * covers all. */
static void join(ssimcu_metric metric, const struct ssimcu_plan *plan, uint32_t planes,
                 const ssimcu_score *plane, ssimcu_score *score)
{
    double area = 0, sum = 0;
    score->metric[metric] = plane->metric[metric];
    if (!ssimcu_metric_row(metric)->has_channels) return;
    for (uint32_t p = 0; p < planes; p++) {
        const double own = (double)plan[p].shape.width * plan[p].shape.height;
        area += own;
        sum += own * plane[p].metric[metric];
        score->metric_channel[metric][p] = plane[p].metric[metric];
    }
    score->metric[metric] = sum / area;
}

void ssimcu_metrics_join(const struct ssimcu_plan *plan, uint32_t planes, const ssimcu_score *plane,
                         ssimcu_score *score)
{
    double area = 0, mse = 0;
    clear(score);
    for (uint32_t p = 0; p < planes; p++) {
        const double own = (double)plan[p].shape.width * plan[p].shape.height;
        area += own;
        mse += own * plane[p].mse;
    }
    score->mse = mse / area;
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        join((ssimcu_metric)m, plan, planes, plane, score);
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_PSNR))
        score->metric[SSIMCU_METRIC_PSNR] = decibels(score->mse);
    keep_below_best(score);
}
