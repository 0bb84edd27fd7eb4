/* Y, U and V -> R, G and B. lib/cpu/metrics/ssimulacra2_light.h does the same on the CPU. */
#include "core/divide_up.h"
#include "kernels.h"

namespace
{

constexpr int COLS = 32, ROWS = 8; /* threads of a block */

/* Returns a sample of plane p in plane units. */
__device__ __forceinline__ float sample(const ssimcu_video_task &task, int p, int x, int y)
{
    const ssimcu_samples &plane = task.plane[p];
    const char *const row = static_cast<const char *>(plane.channel[0]) + y * plane.pitch_bytes;
    const int64_t at = (int64_t)x * plane.step;
    const uint32_t v = plane.type == SSIMCU_SAMPLE_U8 ? reinterpret_cast<const uint8_t *>(row)[at]
                                                      : reinterpret_cast<const uint16_t *>(row)[at];
    return (float)v * task.unit[p];
}

/* A position of Y along one axis of U and V: the neighbour before, and the distance from it. */
struct Place {
    int at, next;
    float part;
};

__device__ __forceinline__ Place place_of(const ssimcu_video_task &task, int axis, int i, int side)
{
    const float wanted = (float)i * task.rule.step[axis] + task.rule.shift[axis];
    const float at = fminf(fmaxf(wanted, 0.0f), (float)(side - 1));
    Place place;
    place.at = (int)at;
    place.part = at - (float)place.at;
    place.next = min(place.at + 1, side - 1);
    return place;
}

/* Returns the code of U or V at a position of Y. */
__device__ __forceinline__ float chroma(const ssimcu_video_task &task, int p, const Place &x,
                                        const Place &y)
{
    const float a = sample(task, p, x.at, y.at), b = sample(task, p, x.next, y.at);
    const float c = sample(task, p, x.at, y.next), d = sample(task, p, x.next, y.next);
    const float left = (a + y.part * (c - a) - task.rule.zero[1]) * task.rule.scale[1];
    const float right = (b + y.part * (d - b) - task.rule.zero[1]) * task.rule.scale[1];
    return left + x.part * (right - left);
}

__global__ void __launch_bounds__(COLS *ROWS)
    video_kernel(const __grid_constant__ ssimcu_video_task task)
{
    const int x = blockIdx.x * COLS + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
    if (x >= task.width[0] || y >= task.height[0]) return;
    const Place across = place_of(task, 0, x, task.width[1]);
    const Place down = place_of(task, 1, y, task.height[1]);
    const float u = chroma(task, 1, across, down), v = chroma(task, 2, across, down);
    const float luma = (sample(task, 0, x, y) - task.rule.zero[0]) * task.rule.scale[0];
    const float r = luma + 2 * (1 - task.rule.red) * v, b = luma + 2 * (1 - task.rule.blue) * u;
    const float g =
        (luma - task.rule.red * r - task.rule.blue * b) / (1 - task.rule.red - task.rule.blue);
    float *const to = task.dst + y * task.dst_pitch_floats + x;
    to[0] = r;
    to[task.dst_plane_floats] = g;
    to[2 * task.dst_plane_floats] = b;
}

} // namespace

cudaError_t ssimcu_video_cuda(const ssimcu_video_task *task, cudaStream_t stream)
{
    const dim3 blocks((unsigned)ssimcu_divide_up(task->width[0], COLS),
                      (unsigned)ssimcu_divide_up(task->height[0], ROWS));
    video_kernel<<<blocks, dim3(COLS, ROWS), 0, stream>>>(*task);
    return cudaGetLastError();
}
