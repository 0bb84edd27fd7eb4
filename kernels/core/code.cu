/* What the device's code was compiled for. A GPU may be newer than all code that there is for it:
 * the driver then compiles the PTX of an older architecture, which lacks what that one lacked. */
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
