/* The SSIM stage: it chooses the path of a task, and adds up the sums of planes. */
#include "kernels.h"
#include "ssim/paths.cuh"
#include "ssim/reduce.cuh"

namespace
{

struct Path {
    size_t (*partials)(const ssimcu_ssim_task &);
    size_t (*cells)(const ssimcu_ssim_task &);
    cudaError_t (*launch)(const ssimcu_ssim_task &, cudaStream_t);
    cudaError_t (*tiles)(const ssimcu_ssim_task &, const ssimcu::Reduction &, cudaStream_t);
};

const Path U8 = {ssimcu::u8_partials, ssimcu::u8_cells, ssimcu::u8_launch, ssimcu::u8_tiles};
const Path U16 = {ssimcu::u16_partials, ssimcu::u16_cells, ssimcu::u16_launch, ssimcu::u16_tiles};
const Path F16 = {ssimcu::f16_partials, nullptr, ssimcu::f16_launch, nullptr}; /* no tiles */
const Path F32 = {ssimcu::f32_partials, ssimcu::f32_cells, ssimcu::f32_launch, ssimcu::f32_tiles};
const Path FMA = {ssimcu::fma_partials, ssimcu::fma_cells, ssimcu::fma_launch, ssimcu::fma_tiles};
const Path DOUBLE = {ssimcu::double_partials, ssimcu::double_cells, ssimcu::double_launch,
                     ssimcu::double_tiles};

const Path &path_of(const ssimcu_ssim_task &task)
{
    switch (task.samples) {
    case SSIMCU_SSIM_U8: return U8;
    case SSIMCU_SSIM_U16: return U16;
    case SSIMCU_SSIM_F16:
    case SSIMCU_SSIM_BF16: return F16;
    default: break;
    }
    if (task.tensor_cores) return F32;
    return ssimcu::double_serves(task) ? DOUBLE : FMA;
}

/* Adds up one pair of a list: pair `block` of all. */
__device__ __forceinline__ void add_up_list(const ssimcu_sums &sums, int block)
{
    int i = 0;
    while (block >= sums.list[i].pairs) block -= sums.list[i++].pairs;
    const ssimcu_sum_list &list = sums.list[i];
    ssimcu::add_up(list.partial + block * list.partial_step, list.count, list.factor,
                   list.to + block * list.to_step);
}

/* A block adds up a plane, or a list of another metric. */
__global__ void __launch_bounds__(ssimcu::REDUCE_THREADS)
    reduce_kernel(const __grid_constant__ ssimcu::Reduction reduction,
                  const __grid_constant__ ssimcu_sums also)
{
    ssimcu::wait_for_kernel_before();
    const int plane = (int)blockIdx.x;
    if (plane < reduction.planes)
        ssimcu::reduce_plane(reduction, plane);
    else
        add_up_list(also, plane - reduction.planes);
}

cudaError_t launch_reduce(const ssimcu::Reduction &reduction, const ssimcu_sums &also,
                          cudaStream_t stream)
{
    unsigned blocks = (unsigned)reduction.planes;
    for (int i = 0; i < also.count; i++) blocks += (unsigned)also.list[i].pairs;
    return blocks ? ssimcu::launch_behind(reduce_kernel, blocks, stream, reduction, also)
                  : cudaSuccess;
}

} // namespace

size_t ssimcu_ssim_partials(const ssimcu_ssim_task *task) { return path_of(*task).partials(*task); }

size_t ssimcu_ssim_cells(const ssimcu_ssim_task *task)
{
    return task->grid.width ? path_of(*task).cells(*task) : 0;
}

cudaError_t ssimcu_ssim_cuda(const ssimcu_ssim_task *task, cudaStream_t stream)
{
    const bool planes = task->samples == SSIMCU_SSIM_F32 || task->samples == SSIMCU_SSIM_FIXED;
    if (planes ? task->interleaved : !task->tensor_cores) return cudaErrorInvalidValue;
    if (task->structure &&
        (task->map || task->grid.width || task->zero_pad || &path_of(*task) == &DOUBLE))
        return cudaErrorInvalidValue;
    if (task->squares &&
        (task->samples != SSIMCU_SSIM_U8 || task->map || task->grid.width || task->structure))
        return cudaErrorInvalidValue;
    return path_of(*task).launch(*task, stream);
}

cudaError_t ssimcu_sums_cuda(const ssimcu_sums *sums, cudaStream_t stream)
{
    return launch_reduce({}, *sums, stream);
}

cudaError_t ssimcu_reduce_cuda(const ssimcu_ssim_task *task, int group, double *sums, double *means,
                               const ssimcu_sums *also, cudaStream_t stream)
{
    const int planes = task->channels * task->frames;
    const ssimcu::Reduction reduction = {
        task->partial, ssimcu_ssim_partials(task) / planes, planes, sums, group, means};
    const ssimcu_sums none = {};
    if (!task->grid.width) return launch_reduce(reduction, also ? *also : none, stream);
    const cudaError_t error = also ? ssimcu_sums_cuda(also, stream) : cudaSuccess;
    return error == cudaSuccess ? path_of(*task).tiles(*task, reduction, stream) : error;
}
