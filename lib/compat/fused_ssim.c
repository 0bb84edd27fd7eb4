/* fused-ssim with its padding "same". */
#include "tools.h"

int ssimcu_compat_fused_ssim(const struct ssimcu_compat_pair *pair, double *score,
                             double channel[3])
{
    struct ssimcu_compat_window window = {.size = SSIMCU_COMPAT_GAUSSIAN,
                                          .pad = SSIMCU_COMPAT_GAUSSIAN / 2,
                                          .unit = pair->peak,
                                          .peak = 1,
                                          .unbias = 1};
    ssimcu_compat_gaussian(window.tap);
    return ssimcu_compat_mean_planes(pair, &window, ssimcu_compat_mean_ssim, score, channel);
}
