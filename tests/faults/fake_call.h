/* How each call of the fake CUDA begins. */
#ifndef SSIMCU_TESTS_FAKE_CALL_H
#define SSIMCU_TESTS_FAKE_CALL_H

#include <cuda_runtime_api.h>

/* Counts a call and returns its answer. */
cudaError_t fake_cuda_call(void);

#define ANSWER                                                                                     \
    do {                                                                                           \
        const cudaError_t error_ = fake_cuda_call();                                               \
        if (error_ != cudaSuccess) return error_;                                                  \
    } while (0)

#endif
