/* Gathers patches of planes into consecutive bytes. A warp takes a patch. Patches are small and lie
 * apart, so memory latency bounds the kernel. */
#include "core/divide_up.h"
#include "kernels.h"

namespace
{

constexpr int THREADS = 128, WARP = 32, WARPS = THREADS / WARP;

__global__ void __launch_bounds__(THREADS)
    patches_kernel(const __grid_constant__ ssimcu_patches_task task)
{
    const uint32_t number = blockIdx.x * WARPS + threadIdx.x / WARP;
    if (number >= task.places) return;
    const ssimcu_patch_place place = task.place[number];
    for (uint32_t i = threadIdx.x % WARP; i < place.columns * place.rows; i += WARP)
        ssimcu_patch_copy(&task, &place, i);
}

} // namespace

cudaError_t ssimcu_patches_cuda(const ssimcu_patches_task *task, cudaStream_t stream)
{
    patches_kernel<<<(unsigned)ssimcu_divide_up(task->places, WARPS), THREADS, 0, stream>>>(*task);
    return cudaGetLastError();
}
