/* A sticky error, made on purpose. */
#include "device.h"

#include <cuda_runtime_api.h>

static __global__ void write_nowhere(int *nowhere) { *nowhere = 1; }

void device_break(void)
{
    write_nowhere<<<1, 1>>>(reinterpret_cast<int *>(64));
    (void)cudaDeviceSynchronize();
    (void)cudaGetLastError();
}
