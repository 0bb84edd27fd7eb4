/* The starting order of SSIM launches that make structure (core/launch.cuh). */
#pragma once

#include "core/launch.cuh"
#include "kernels.h"

namespace ssimcu
{

/* Lets the next kernel begin. All blocks call this, and end after the previous kernel. Late blocks
 * of a relay wait for that kernel here, when it is long done. Early ones let the next kernel begin
 * as they end. */
__device__ __forceinline__ void take_turn(ssimcu_beside beside)
{
    if (beside == SSIMCU_RELAY) {
        if (blockIdx.x < gridDim.x / 2) return;
        wait_for_kernel_before();
    }
    let_next_kernel_start();
}

} // namespace ssimcu
