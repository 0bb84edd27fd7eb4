#include "api/tool_numbers.h"

#include "compat/compat.h"
#include "fail.h"
#include "metric_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_wanted(const ssimcu_settings *settings, int metric)
{
    return metric == SSIMCU_METRIC_SSIM || settings->metrics >> metric & 1;
}

ssimcu_status ssimcu_tool_check(const ssimcu_settings *settings, ssimcu_message *message)
{
    const char *tool = ssimcu_compat_name(settings->compat);
    int has_any = 0;
    if (!tool) return SSIMCU_OK;
    if (settings->device == SSIMCU_DEVICE_CUDA)
        FAIL(UNSUPPORTED, "only the CPU computes the numbers of %s", tool);
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        const int has = ssimcu_compat_has(settings->compat, (ssimcu_metric)m);
        if ((settings->metrics >> m & 1) && !has)
            FAIL(UNSUPPORTED, "%s has no %s", tool, ssimcu_metric_row((ssimcu_metric)m)->title);
        has_any |= has && is_wanted(settings, m);
    }
    if (has_any) return SSIMCU_OK;
    FAIL(UNSUPPORTED, "%s has no SSIM", tool);
}

/* ---- Code values ----------------------------------------------------------------------------- */

/* Returns a sample as stored. */
static double stored(const struct ssimcu_samples *samples, uint32_t channel, uint32_t x, uint32_t y)
{
    const char *at = (const char *)samples->channel[channel] + y * samples->pitch_bytes;
    const size_t i = (size_t)x * samples->step;
    switch (samples->type) {
    case SSIMCU_SAMPLE_U8: return ((const uint8_t *)at)[i];
    case SSIMCU_SAMPLE_U16: return ((const uint16_t *)(const void *)at)[i];
    case SSIMCU_SAMPLE_F16:
        return (double)ssimcu_sample_half(((const uint16_t *)(const void *)at)[i]);
    case SSIMCU_SAMPLE_BF16:
        return (double)ssimcu_sample_bfloat(((const uint16_t *)(const void *)at)[i]);
    default: return (double)((const float *)(const void *)at)[i];
    }
}

/* Writes a pixel's codes. White is the peak of the comparison's bits, or 1. */
static void convert(const struct ssimcu_plan *plan, int slot, uint32_t x, uint32_t y,
                    double code[SSIMCU_MAX_CHANNELS])
{
    const struct ssimcu_samples *samples = &plan->samples[slot];
    const struct ssimcu_pixel_rule *rule = &plan->rule[0][slot];
    const double peak = plan->bits > 0 ? exp2(plan->bits) - 1 : 1;
    uint32_t whole[4] = {0};
    float real[4] = {0};
    for (uint32_t c = 0; c < rule->channels; c++) {
        const double sample = stored(samples, c, x, y);
        whole[c] = ssimcu_samples_are_float(samples->type) ? 0 : (uint32_t)sample;
        real[c] = (float)sample;
    }
    if (ssimcu_samples_are_float(samples->type))
        ssimcu_sample_convert_exactly(rule, samples->scale, real, code);
    else
        ssimcu_pixel_convert_exactly(rule, whole, code);
    for (uint32_t c = 0; c < rule->planes; c++) code[c] *= peak / plan->white;
}

/* Makes the planes of one side of a plan, starting with plane `first` of the picture. */
static ssimcu_status add_planes(const struct ssimcu_plan *plan, int slot, uint32_t first,
                                struct ssimcu_compat_picture *picture, ssimcu_message *message)
{
    const struct ssimcu_shape *shape = &plan->shape;
    double *plane[SSIMCU_MAX_CHANNELS] = {NULL};
    for (uint32_t c = 0; c < shape->planes; c++) {
        plane[c] = malloc((size_t)shape->width * shape->height * sizeof(double));
        picture->plane[first + c] = plane[c];
        picture->width[first + c] = shape->width;
        picture->height[first + c] = shape->height;
        if (!plane[c]) return ssimcu_no_memory(message, "planes of doubles");
    }
    for (uint32_t y = 0; y < shape->height; y++)
        for (uint32_t x = 0; x < shape->width; x++) {
            double code[SSIMCU_MAX_CHANNELS];
            convert(plan, slot, x, y, code);
            for (uint32_t c = 0; c < shape->planes; c++)
                plane[c][(size_t)y * shape->width + x] = code[c];
        }
    return SSIMCU_OK;
}

static void free_picture(struct ssimcu_compat_picture *picture)
{
    for (int c = 0; c < SSIMCU_MAX_CHANNELS; c++) free((void *)(uintptr_t)picture->plane[c]);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* Errors: UNSUPPORTED. */
static ssimcu_status check_plain(const ssimcu_settings *settings, const struct ssimcu_plan *plan,
                                 const char *tool, ssimcu_message *message)
{
    const int is_changed = settings->nan_zero || (settings->gain != 0 && settings->gain != 1);
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_pixel_rule *rule = &plan->rule[0][slot];
        if (rule->alpha)
            FAIL(UNSUPPORTED, "alpha: %s has no alpha; expected alpha to be ignored", tool);
        if (rule->light.on && (is_changed || ssimcu_light_has_curve(&rule->light)))
            FAIL(UNSUPPORTED, "linear light: %s scores samples as they are stored", tool);
    }
    return SSIMCU_OK;
}

static ssimcu_status replace(const ssimcu_settings *settings,
                             const struct ssimcu_compat_picture picture[SSIMCU_PAIR],
                             ssimcu_score *score, ssimcu_message *message)
{
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        const ssimcu_metric metric = (ssimcu_metric)m;
        if (!is_wanted(settings, m) || !ssimcu_compat_has(settings->compat, metric)) continue;
        TRY(ssimcu_compat_score(settings->compat, metric, &picture[0], &picture[1],
                                &score->metric[m], score->metric_channel[m], message));
        if (metric == SSIMCU_METRIC_PSNR) score->mse = pow(10, -score->metric[m] / 10);
        for (int c = 0; c < SSIMCU_MAX_CHANNELS && !ssimcu_metric_row(metric)->has_channels; c++)
            score->metric_channel[m][c] = NAN;
        if (metric != SSIMCU_METRIC_SSIM) continue;
        if (settings->compat == SSIMCU_COMPAT_VMAF) score->channels = 1;
        score->score = score->metric[m];
        memcpy(score->channel, score->metric_channel[m], sizeof score->channel);
    }
    return SSIMCU_OK;
}

ssimcu_status ssimcu_tool_apply(const ssimcu_settings *settings, const struct ssimcu_plan *plan,
                                uint32_t plans, ssimcu_score *score, ssimcu_message *message)
{
    const char *tool = ssimcu_compat_name(settings->compat);
    struct ssimcu_compat_picture picture[SSIMCU_PAIR] = {{.planes = 0}, {.planes = 0}};
    ssimcu_status status = SSIMCU_OK;
    if (!tool) return SSIMCU_OK;
    for (uint32_t p = 0; p < plans && status == SSIMCU_OK; p++)
        status = check_plain(settings, &plan[p], tool, message);
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        picture[slot].bits = plan->bits;
        for (uint32_t p = 0; p < plans && status == SSIMCU_OK; p++) {
            status = add_planes(&plan[p], slot, picture[slot].planes, &picture[slot], message);
            picture[slot].planes += plan[p].shape.planes;
        }
    }
    if (status == SSIMCU_OK) status = replace(settings, picture, score, message);
    free_picture(&picture[SSIMCU_REF]);
    free_picture(&picture[SSIMCU_OUT]);
    return status;
}
