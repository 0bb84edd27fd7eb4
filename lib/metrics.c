#include "metrics.h"

#include "fail.h"

#include <math.h>

/* A side of MS-SSIM's last scale must hold a window: 16 * 10 + 1 pixels of the first. */
enum { MS_LEAST = (SSIMCU_TAPS - 1) * (1 << (SSIMCU_MS_SCALES - 1)) + 1 };

ssimcu_status ssimcu_metrics_check(const ssimcu_settings *settings,
                                   const struct ssimcu_shape *shape, ssimcu_message *message)
{
    const struct {
        const char *name;
        uint32_t least;
    } size[SSIMCU_METRICS] = {[SSIMCU_METRIC_MS_SSIM] = {"MS-SSIM", MS_LEAST},
                              [SSIMCU_METRIC_SSIMULACRA2] = {"SSIMULACRA2", SSIMCU_S2_LEAST}};
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if ((settings->metrics >> m & 1) &&
            (shape->width < size[m].least || shape->height < size[m].least))
            return ssimcu_fail(message, SSIMCU_ERROR_TOO_SMALL,
                               "%ux%u pixels: %s takes %u or more a side", shape->width,
                               shape->height, size[m].name, size[m].least);
    if ((settings->metrics >> SSIMCU_METRIC_SSIMULACRA2 & 1) &&
        settings->transfer == SSIMCU_TRANSFER_PU21)
        return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                           "SSIMULACRA2 is defined for sRGB: there is none under PU21");
    return SSIMCU_OK;
}

uint32_t ssimcu_metrics_windows(uint32_t side, uint32_t scale)
{
    for (uint32_t i = 0; i < scale; i++) side = side / 2 + side % 2;
    return side - (SSIMCU_TAPS - 1);
}

/* Whether a side of a plane is that of Y, its half or its quarter, rounded up. */
static int is_subsampled(uint32_t luma, uint32_t chroma)
{
    return chroma == luma || chroma == luma / 2 + luma % 2 || chroma == (luma + 3) / 4;
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
    if (!good)
        return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                           "SSIMULACRA2 is of pictures and of Y, U and V, and these planes are "
                           "neither");
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        if (plan->yuv[slot].red == 0)
            return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                               "SSIMULACRA2 needs the matrix of %s, which is unknown",
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

/* Sets how U and V lie below Y along one side. */
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
    const double step = yuv->limited ? eighth : 1; /* a 219th or 224th of the range; else all */
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

static void score_psnr(const struct ssimcu_plan *plan, const struct ssimcu_metric_sums *sums,
                       ssimcu_score *score)
{
    const struct ssimcu_shape *shape = &plan->shape;
    const double area = (double)shape->width * shape->height * plan->white * plan->white;
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

static double ms_ssim(const struct ssimcu_shape *shape, const double lost[SSIMCU_MS_SCALES])
{
    static const double exponent[SSIMCU_MS_SCALES] = {0.0448, 0.2856, 0.3001, 0.2363, 0.1333};
    double product = 1;
    for (uint32_t scale = 0; scale < SSIMCU_MS_SCALES; scale++) {
        const double windows = (double)ssimcu_metrics_windows(shape->width, scale) *
                               ssimcu_metrics_windows(shape->height, scale);
        product *= pow(fmax(1 - lost[scale] / windows, 0), exponent[scale]);
    }
    return product;
}

static void score_ms_ssim(const struct ssimcu_plan *plan, const struct ssimcu_metric_sums *sums,
                          ssimcu_score *score)
{
    double *const lowest = &score->metric[SSIMCU_METRIC_MS_SSIM];
    for (uint32_t pass = 0; pass < plan->passes; pass++) {
        double channel[SSIMCU_MAX_CHANNELS];
        for (uint32_t c = 0; c < plan->shape.planes; c++)
            channel[c] = ms_ssim(&plan->shape, sums->lost[pass][c]);
        const double mean = mean_of(channel, plan->shape.planes);
        if (pass > 0 && mean >= *lowest) continue;
        *lowest = mean;
        for (uint32_t c = 0; c < plan->shape.planes; c++)
            score->metric_channel[SSIMCU_METRIC_MS_SSIM][c] = channel[c];
    }
}

/* ---- SSIMULACRA2 ----------------------------------------------------------------------------- */

/* Weights of a channel, a scale, the mean or the 4-norm, and a map: ssim, artefact, lost detail. */
static const double weight[SSIMCU_S2_CHANNELS * SSIMCU_S2_SCALES * SSIMCU_S2_SUMS] = {
    0.0,
    0.0007376606707406586,
    0.0,
    0.0,
    0.0007793481682867309,
    0.0,
    0.0,
    0.0004371155730107379,
    0.0,
    1.1041726426657346,
    0.00066284834129271,
    0.00015231632783718752,
    0.0,
    0.0016406437456599754,
    0.0,
    1.8422455520539298,
    11.441172603757666,
    0.0,
    0.0007989109436015163,
    0.000176816438078653,
    0.0,
    1.8787594979546387,
    10.94906990605142,
    0.0,
    0.0007289346991508072,
    0.9677937080626833,
    0.0,
    0.00014003424285435884,
    0.9981766977854967,
    0.00031949755934435053,
    0.0004550992113792063,
    0.0,
    0.0,
    0.0013648766163243398,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    7.466890328078848,
    0.0,
    17.445833984131262,
    0.0006235601634041466,
    0.0,
    0.0,
    6.683678146179332,
    0.00037724407979611296,
    1.027889937768264,
    225.20515300849274,
    0.0,
    0.0,
    19.213238186143016,
    0.0011401524586618361,
    0.001237755635509985,
    176.39317598450694,
    0.0,
    0.0,
    24.43300999870476,
    0.28520802612117757,
    0.0004485436923833408,
    0.0,
    0.0,
    0.0,
    34.77906344483772,
    44.835625328877896,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0008680556573291698,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0005313191874358747,
    0.0,
    0.00016533814161379112,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0,
    0.0004179171803251336,
    0.0017290828234722833,
    0.0,
    0.0020827005846636437,
    0.0,
    0.0,
    8.826982764996862,
    23.19243343998926,
    0.0,
    95.1080498811086,
    0.9863978034400682,
    0.9834382792465353,
    0.0012286405048278493,
    171.2667255897307,
    0.9807858872435379,
    0.0,
    0.0,
    0.0,
    0.0005130064588990679,
    0.0,
    0.00010854057858411537,
};

/* If scales are missing, the weights are taken from the front, as the reference program does. */
static double ssimulacra2(const struct ssimcu_shape *shape,
                          double norms[SSIMCU_S2_SCALES][SSIMCU_S2_CHANNELS][SSIMCU_S2_SUMS])
{
    const double *next = weight;
    double sum = 0;
    const int scales = ssimcu_s2_scales((int)shape->width, (int)shape->height);
    for (int c = 0; c < SSIMCU_S2_CHANNELS; c++) {
        uint32_t width = shape->width, height = shape->height;
        for (int scale = 0; scale < scales; scale++) {
            const double area = (double)width * height;
            for (int norm = 0; norm < 2; norm++)
                for (int map = 0; map < 3; map++) {
                    const double mean = norms[scale][c][2 * map + norm] / area;
                    sum += *next++ * (norm ? sqrt(sqrt(mean)) : mean);
                }
            width = width / 2 + width % 2;
            height = height / 2 + height % 2;
        }
    }
    sum *= 0.9562382616834844;
    sum = 2.326765642916932 * sum - 0.020884521182843837 * sum * sum +
          6.248496625763138e-05 * sum * sum * sum;
    return sum > 0 ? 100 - 10 * pow(sum, 0.6276336467831387) : 100;
}

static void score_ssimulacra2(const struct ssimcu_plan *plan, struct ssimcu_metric_sums sums,
                              ssimcu_score *score)
{
    double *const lowest = &score->metric[SSIMCU_METRIC_SSIMULACRA2];
    for (uint32_t pass = 0; pass < plan->passes; pass++) {
        const double own = ssimulacra2(&plan->shape, sums.norms[pass]);
        if (pass == 0 || own < *lowest) *lowest = own;
    }
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Sets what is not wanted. */
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

void ssimcu_metrics_score(const struct ssimcu_plan *plan, const struct ssimcu_metric_sums *sums,
                          ssimcu_score *score)
{
    clear(score);
    if (!sums) return;
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_PSNR)) score_psnr(plan, sums, score);
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_MS_SSIM)) score_ms_ssim(plan, sums, score);
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_SSIMULACRA2)) score_ssimulacra2(plan, *sums, score);
}

void ssimcu_metrics_join(const struct ssimcu_plan *plan, uint32_t planes, const ssimcu_score *plane,
                         ssimcu_score *score)
{
    double area = 0, mse = 0, ms = 0;
    clear(score);
    for (uint32_t p = 0; p < planes; p++) {
        const double own = (double)plan[p].shape.width * plan[p].shape.height;
        area += own;
        mse += own * plane[p].mse;
        ms += own * plane[p].metric[SSIMCU_METRIC_MS_SSIM];
        for (int m = SSIMCU_METRIC_PSNR; m <= SSIMCU_METRIC_MS_SSIM; m++)
            score->metric_channel[m][p] = plane[p].metric[m];
    }
    score->mse = mse / area;
    score->metric[SSIMCU_METRIC_MS_SSIM] = ms / area;
    score->metric[SSIMCU_METRIC_SSIMULACRA2] = plane->metric[SSIMCU_METRIC_SSIMULACRA2];
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_PSNR))
        score->metric[SSIMCU_METRIC_PSNR] = decibels(score->mse);
}
