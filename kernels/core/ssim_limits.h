/* Which SSIM kernel a frame suits, by its number of windows and by the device. Plain C: the plan
 * chooses without a GPU. */
#ifndef SSIMCU_SSIM_LIMITS_H
#define SSIMCU_SSIM_LIMITS_H

enum {
    SSIMCU_TENSOR_MAJOR = 8, /* compute capability from which the tensor cores serve */
    /* Windows from which they do: their window is the Gaussian rounded to f16, which the mean over
     * fewer does not hide. Smaller frames take no time anyway. */
    SSIMCU_TENSOR_POSITIONS = 1 << 18,
    SSIMCU_DOUBLE_POSITIONS = 1 << 14 /* windows up to which frames are computed in double */
};

#endif
