/* Partial sums of doubles -> sums, in a fixed order. Several lists are added up in one launch, a
 * block each, because a launch costs more than the work. */
#ifndef SSIMCU_SUMS_CUH
#define SSIMCU_SUMS_CUH

#include "ssim/reduce.cuh"

namespace ssimcu
{

/* Lists of `count` partials each. Sum i is `factor` times that of list i. */
struct SumList {
    const double *partial;
    size_t count;
    double factor;
    double *to;
};

template <int LISTS>
struct SumLists {
    SumList of[LISTS];
};

template <int LISTS>
__global__ void __launch_bounds__(REDUCE_THREADS)
    sums_kernel(const __grid_constant__ SumLists<LISTS> lists)
{
    let_next_kernel_start();
    wait_for_kernel_before();
    const SumList &list = lists.of[blockIdx.x];
    double sum;
    Reduction reduction = {list.partial, list.count, 1, &sum, 1, nullptr};
    reduce_plane(reduction, 0);
    if (threadIdx.x == 0) *list.to = list.factor * sum;
}

/* Adds up the first `count` lists. */
template <int LISTS>
cudaError_t add_up(const SumLists<LISTS> &lists, int count, cudaStream_t stream)
{
    return launch_behind(sums_kernel<LISTS>, (unsigned)count, stream, lists);
}

} // namespace ssimcu

#endif
