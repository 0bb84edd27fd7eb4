/* The planes stage before it stood on the permute's deinterleave path, to set beside it. */
#ifndef SSIMCU_BENCH_OLD_PLANES_CUH
#define SSIMCU_BENCH_OLD_PLANES_CUH

#include "kernels.h"

struct old_interleaved_task {
    ssimcu_pixel_rule rule;
    int64_t width; /* pixels */
    int64_t height;
    int64_t frames;  /* that many, one after the other */
    const void *src; /* 16-byte aligned; rows follow each other without padding */
    size_t src_bytes;
    float *dst; /* 16-byte aligned; all three below are multiples of 4 */
    int64_t dst_pitch_floats, dst_plane_floats, dst_frame_floats;
};

cudaError_t old_interleaved_cuda(const old_interleaved_task *task, cudaStream_t stream);
cudaError_t old_planes_cuda(const ssimcu_planes_task *task, cudaStream_t stream);

#endif
