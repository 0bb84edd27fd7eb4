/* Returns the architecture for which the device's code was compiled. A GPU may be newer than all
 * compiled code. The driver then compiles the PTX of an older architecture, which lacks newer
 * features. */
#include "kernels.h"

namespace
{

__global__ void code_kernel() {}

} // namespace

cudaError_t ssimcu_code_architecture(int *architecture)
{
    cudaFuncAttributes code = {};
    const cudaError_t error = cudaFuncGetAttributes(&code, code_kernel);
    *architecture = code.ptxVersion;
    (void)cudaGetLastError();
    return error;
}
