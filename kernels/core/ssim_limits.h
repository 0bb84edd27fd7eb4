/* Limits that choose the SSIM kernel for a frame, by its number of windows and the device. The file
 * is plain C, because the plan makes the choice without a GPU. */
#pragma once

enum {
    SSIMCU_TENSOR_CODE = 80, /* lowest architecture whose code uses the tensor cores */
    /* Fewest windows for the tensor cores. Their window is the Gaussian rounded to f16. A mean over
     * fewer windows does not hide that. The time of smaller frames is negligible anyway. */
    SSIMCU_TENSOR_POSITIONS = 1 << 18,
    SSIMCU_DOUBLE_POSITIONS = 1 << 14 /* most windows computed in double */
};
