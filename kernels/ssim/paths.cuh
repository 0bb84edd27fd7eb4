/* The paths of the SSIM stage, each in one file. ssim.cu chooses one. */
#pragma once

#include "kernels.h"

namespace ssimcu
{

struct Reduction;

inline double white_of(const ssimcu_ssim_task &task)
{
    return task.peak > 0 ? task.peak : SSIMCU_PEAK;
}

/* ssim_double.cu: float planes of few windows, any device. */
bool double_serves(const ssimcu_ssim_task &task);
size_t double_partials(const ssimcu_ssim_task &task);
size_t double_cells(const ssimcu_ssim_task &task);
cudaError_t double_launch(const ssimcu_ssim_task &task, cudaStream_t stream);
cudaError_t double_tiles(const ssimcu_ssim_task &task, const Reduction &reduction,
                         cudaStream_t stream);

/* ssim_fma.cu: float planes, ordinary multiply-adds, any device. */
size_t fma_partials(const ssimcu_ssim_task &task);
size_t fma_cells(const ssimcu_ssim_task &task);
cudaError_t fma_launch(const ssimcu_ssim_task &task, cudaStream_t stream);
cudaError_t fma_tiles(const ssimcu_ssim_task &task, const Reduction &reduction,
                      cudaStream_t stream);

/* ssim_f32.cu: float planes on the tensor cores. */
size_t f32_partials(const ssimcu_ssim_task &task);
size_t f32_cells(const ssimcu_ssim_task &task);
cudaError_t f32_launch(const ssimcu_ssim_task &task, cudaStream_t stream);
cudaError_t f32_tiles(const ssimcu_ssim_task &task, const Reduction &reduction,
                      cudaStream_t stream);

/* ssim_u8.cu: 8-bit samples on the tensor cores. */
size_t u8_partials(const ssimcu_ssim_task &task);
size_t u8_cells(const ssimcu_ssim_task &task);
cudaError_t u8_launch(const ssimcu_ssim_task &task, cudaStream_t stream);
cudaError_t u8_tiles(const ssimcu_ssim_task &task, const Reduction &reduction, cudaStream_t stream);

/* ssim_u16.cu: 16-bit samples on the tensor cores. */
size_t u16_partials(const ssimcu_ssim_task &task);
size_t u16_cells(const ssimcu_ssim_task &task);
cudaError_t u16_launch(const ssimcu_ssim_task &task, cudaStream_t stream);
cudaError_t u16_tiles(const ssimcu_ssim_task &task, const Reduction &reduction,
                      cudaStream_t stream);

/* ssim_f16.cu: binary16 and bfloat16 on the tensor cores. */
size_t f16_partials(const ssimcu_ssim_task &task);
cudaError_t f16_launch(const ssimcu_ssim_task &task, cudaStream_t stream);

} // namespace ssimcu
