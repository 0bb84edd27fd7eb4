#include "check.h"
#include "cpu/cpu.h"
#include "device.h"
#include "kernels.h"

static void good(cudaError_t error)
{
    cr_assert_eq(error, cudaSuccess, "%s", cudaGetErrorString(error));
}

void device_permute(ssimcu_device device, const struct ssimcu_permute_plan *plan, uint8_t *dst,
                    size_t dst_bytes, size_t dst_offset, const uint8_t *src, size_t src_bytes,
                    size_t src_offset)
{
    if (device == SSIMCU_DEVICE_CPU) {
        ssimcu_permute_cpu(plan, dst + dst_offset, src + src_offset);
        return;
    }
    uint8_t *to, *from;
    good(cudaMalloc((void **)&to, dst_bytes));
    good(cudaMalloc((void **)&from, src_bytes));
    good(cudaMemcpy(to, dst, dst_bytes, cudaMemcpyHostToDevice));
    good(cudaMemcpy(from, src, src_bytes, cudaMemcpyHostToDevice));
    good(ssimcu_permute_cuda(plan, to + dst_offset, from + src_offset, 0));
    good(cudaMemcpy(dst, to, dst_bytes, cudaMemcpyDeviceToHost));
    good(cudaFree(to));
    good(cudaFree(from));
}
