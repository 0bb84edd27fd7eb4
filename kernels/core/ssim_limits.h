/* Limits that decide which SSIM kernel a frame gets, by its number of windows and by the device.
 * The file is plain C, because the plan chooses without a GPU. */
#ifndef SSIMCU_SSIM_LIMITS_H
#define SSIMCU_SSIM_LIMITS_H

enum {
    SSIMCU_TENSOR_CODE = 80, /* least architecture whose code uses the tensor cores */
    /* Least windows for the tensor cores. Their window is the Gaussian rounded to f16, which the
     * mean over fewer windows does not hide. Smaller frames take no time anyway. */
    SSIMCU_TENSOR_POSITIONS = 1 << 18,
    SSIMCU_DOUBLE_POSITIONS = 1 << 14 /* most windows that are computed in double */
};

#endif
