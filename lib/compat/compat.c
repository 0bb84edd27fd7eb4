/* The modes and the metrics that they score. */
#include "compat.h"
#include "fail.h"
#include "tools.h"

#include <string.h>

struct score {
    ssimcu_compat mode;
    ssimcu_metric metric;
    ssimcu_compat_tool *tool;
    uint32_t least; /* minimum side of a scored plane, in samples */
    int luma;       /* non-zero: only the first plane is scored */
    int whole;      /* non-zero: samples must be integers */
};

static const struct score scores[] = {
    {SSIMCU_COMPAT_FFMPEG, SSIMCU_METRIC_SSIM, ssimcu_compat_ffmpeg_ssim, 8, 0, 1},
    {SSIMCU_COMPAT_FFMPEG, SSIMCU_METRIC_PSNR, ssimcu_compat_ffmpeg_psnr, 1, 0, 1},
    {SSIMCU_COMPAT_VMAF, SSIMCU_METRIC_SSIM, ssimcu_compat_vmaf_ssim, 11, 1, 1},
    {SSIMCU_COMPAT_VMAF, SSIMCU_METRIC_MS_SSIM, ssimcu_compat_vmaf_ms_ssim, 176, 1, 1},
    {SSIMCU_COMPAT_FUSED_SSIM, SSIMCU_METRIC_SSIM, ssimcu_compat_fused_ssim, 1, 0, 0},
    {SSIMCU_COMPAT_SSIMULACRA2, SSIMCU_METRIC_SSIMULACRA2, ssimcu_compat_ssimulacra2, 8, 0, 0},
};

static const char *const names[SSIMCU_COMPAT_MODES] = {NULL, "ffmpeg", "vmaf", "fused-ssim",
                                                       "ssimulacra2"};

static const struct score *find(ssimcu_compat mode, ssimcu_metric metric)
{
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++)
        if (scores[i].mode == mode && scores[i].metric == metric) return &scores[i];
    return NULL;
}

const char *ssimcu_compat_name(ssimcu_compat mode)
{
    return (uint32_t)mode < SSIMCU_COMPAT_MODES ? names[mode] : NULL;
}

ssimcu_compat ssimcu_compat_find(const char *name)
{
    for (int mode = SSIMCU_COMPAT_NONE + 1; name && mode < SSIMCU_COMPAT_MODES; mode++)
        if (strcmp(name, names[mode]) == 0) return (ssimcu_compat)mode;
    return SSIMCU_COMPAT_NONE;
}

int ssimcu_compat_has(ssimcu_compat mode, ssimcu_metric metric)
{
    return find(mode, metric) != NULL;
}

/* Errors: ARGUMENT. */
static ssimcu_status check_picture(const struct ssimcu_compat_picture *picture,
                                   ssimcu_message *message)
{
    if (picture->planes != 1 && picture->planes != 3)
        FAIL(ARGUMENT, "planes is %u, expected 1 or 3", picture->planes);
    if (picture->bits != 0 && (picture->bits < 8 || picture->bits > 16))
        FAIL(ARGUMENT, "bits is %u, expected 0 or 8 to 16", picture->bits);
    return SSIMCU_OK;
}

/* Checks that the pictures suit the tool. Errors: UNSUPPORTED, TOO_SMALL. */
static ssimcu_status check_tool(const struct score *row, const struct ssimcu_compat_picture *ref,
                                ssimcu_message *message)
{
    const char *name = names[row->mode];
    if (row->whole && ref->bits == 0) FAIL(UNSUPPORTED, "%s does not score floats", name);
    for (uint32_t i = 0; i < (row->luma ? 1 : ref->planes); i++) {
        if (ref->width[i] < row->least || ref->height[i] < row->least)
            FAIL(TOO_SMALL, "plane %u is %ux%u, and %s needs %ux%u or more", i, ref->width[i],
                 ref->height[i], name, row->least, row->least);
        if (row->mode == SSIMCU_COMPAT_SSIMULACRA2 &&
            (ref->width[i] != ref->width[0] || ref->height[i] != ref->height[0]))
            FAIL(UNSUPPORTED, "%s needs planes of one size", name);
    }
    return SSIMCU_OK;
}

ssimcu_status ssimcu_compat_score(ssimcu_compat mode, ssimcu_metric metric,
                                  const struct ssimcu_compat_picture *ref,
                                  const struct ssimcu_compat_picture *out, double *score,
                                  double channel[3], ssimcu_message *message)
{
    const struct score *row = find(mode, metric);
    if (!row)
        FAIL(UNSUPPORTED, "%s has no such metric",
             ssimcu_compat_name(mode) ? names[mode] : "an unknown mode");
    TRY(check_picture(ref, message));
    TRY(check_tool(row, ref, message));
    const double peak = ref->bits ? (double)((1u << ref->bits) - 1) : 1;
    const struct ssimcu_compat_pair pair = {ref, out, peak};
    channel[0] = channel[1] = channel[2] = 0;
    if (row->tool(&pair, score, channel))
        FAIL(MEMORY, "out of memory for the score of %s", names[mode]);
    return SSIMCU_OK;
}
