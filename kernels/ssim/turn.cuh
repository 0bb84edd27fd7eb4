/* The order in which launches of the SSIM stage begin that make structure (core/launch.cuh). */
#ifndef SSIMCU_TURN_CUH
#define SSIMCU_TURN_CUH

#include "core/launch.cuh"
#include "kernels.h"

namespace ssimcu
{

/* Lets the next kernel begin. All blocks call it, and end behind the kernel before. Late blocks of
 * a relay wait for that one here, when it is long done, and early ones let the next begin as they
 * end. */
__device__ __forceinline__ void take_turn(ssimcu_beside beside)
{
    if (beside == SSIMCU_RELAY) {
        if (blockIdx.x < gridDim.x / 2) return;
        wait_for_kernel_before();
    }
    let_next_kernel_start();
}

} // namespace ssimcu

#endif
