/* SSIMULACRA2 on a CUDA device: where its pictures come from, and its kernels for one pair. */
#ifndef SSIMCU_CUDA_SSIMULACRA2_H
#define SSIMCU_CUDA_SSIMULACRA2_H

#include "cuda/metrics.h"

/* Returns the bytes that its kernels work in. */
size_t ssimcu_cuda_s2_bytes(const struct ssimcu_plan *plan);

/* Adds its planes to the layout, and with `end_dense` those of samples that lie anywhere. */
void ssimcu_cuda_s2_lay_out(const struct ssimcu_plan *plan,
                            struct ssimcu_cuda_metrics_layout *layout);

/* Queues one pair in one pass. */
cudaError_t ssimcu_cuda_s2(const struct ssimcu_cuda_metrics_run *run);

#endif
