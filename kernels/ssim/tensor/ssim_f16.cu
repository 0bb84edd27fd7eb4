/* The path of binary16 and bfloat16. tensor.cuh has the kernel, and loader_f16.cuh the part for
 * these types. */
#include "ssim/paths.cuh"
#include "ssim/tensor/loader_f16.cuh"
#include "ssim/tensor/sources.cuh"

using namespace ssimcu::tensor;

template <class Source>
using LoaderHalf = LoaderF16<Source, false>;
template <class Source>
using LoaderBfloat = LoaderF16<Source, true>;

size_t ssimcu::f16_partials(const ssimcu_ssim_task &task)
{
    return partials_of<LoaderHalf, 2>(task);
}

cudaError_t ssimcu::f16_launch(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    return task.samples == SSIMCU_SSIM_BF16 ? launch_from<LoaderBfloat, 2>(task, stream)
                                            : launch_from<LoaderHalf, 2>(task, stream);
}
