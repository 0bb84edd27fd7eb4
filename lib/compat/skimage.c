/* structural_similarity of scikit-image with its defaults. */
#include "tools.h"

int ssimcu_compat_skimage(const struct ssimcu_compat_pair *pair, double *score, double channel[3])
{
    enum { SIDE = 7, SAMPLES = SIDE * SIDE };
    struct ssimcu_compat_window window = {
        .size = SIDE, .unit = 1, .peak = pair->peak, .unbias = (double)SAMPLES / (SAMPLES - 1)};
    for (int i = 0; i < SIDE; i++) window.tap[i] = 1.0 / SIDE;
    return ssimcu_compat_mean_planes(pair, &window, ssimcu_compat_mean_ssim, score, channel);
}
