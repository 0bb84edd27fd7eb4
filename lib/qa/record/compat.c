#include "record/compat.h"

enum {
    SSIM = 1 << SSIMCU_METRIC_SSIM,
    PSNR = 1 << SSIMCU_METRIC_PSNR,
    MS_SSIM = 1 << SSIMCU_METRIC_MS_SSIM,
    SSIMULACRA2 = 1 << SSIMCU_METRIC_SSIMULACRA2
};

static const struct {
    unsigned metrics;
    const char *definition;
} TOOLS[] = {
    [SSIMCU_COMPAT_NONE] = {0, NULL},
    [SSIMCU_COMPAT_FFMPEG] = {SSIM | PSNR,
                              "filters ssim and psnr of FFmpeg: box 8x8 at every fourth sample, "
                              "mean squared error; planes weighted by area"},
    [SSIMCU_COMPAT_VMAF] = {SSIM | MS_SSIM,
                            "float_ssim and float_ms_ssim of libvmaf, of luma: gaussian 11x11 "
                            "sigma 1.5; float_ssim shrinks frames to a side of about 256"},
    [SSIMCU_COMPAT_FUSED_SSIM] = {SSIM, "fused-ssim with padding same: gaussian 11x11 sigma 1.5, "
                                        "zeros outside, mean of the channels"},
    [SSIMCU_COMPAT_SSIMULACRA2] = {SSIMULACRA2,
                                   "ssimulacra2 2.1 of its authors, with their recursive blur in "
                                   "float; SSIM beside it is that of ssimcu"}};

bool compat_has(ssimcu_compat compat, ssimcu_metric metric)
{
    return TOOLS[compat].metrics >> metric & 1;
}

const char *compat_definition(ssimcu_compat compat) { return TOOLS[compat].definition; }
