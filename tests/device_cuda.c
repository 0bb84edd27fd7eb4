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
        ssimcu_permute_cpu(plan, NULL, dst + dst_offset, src + src_offset);
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

void device_permute_pixels(const struct ssimcu_pixel_rule *rule, const ssimcu_frame *frame,
                           float *planes, size_t floats, size_t pitch_floats, size_t plane_floats)
{
    const size_t bytes = frame->pitch * frame->height;
    struct ssimcu_permute_pixels_task task = {.rule = *rule,
                                              .width = frame->width,
                                              .height = frame->height,
                                              .frames = 1,
                                              .src_bytes = bytes,
                                              .dst_pitch_floats = (int64_t)pitch_floats,
                                              .dst_plane_floats = (int64_t)plane_floats};
    void *src;
    good(cudaMalloc(&src, bytes));
    good(cudaMalloc((void **)&task.dst, floats * sizeof(float)));
    good(cudaMemcpy(src, frame->data, bytes, cudaMemcpyHostToDevice));
    good(cudaMemcpy(task.dst, planes, floats * sizeof(float), cudaMemcpyHostToDevice));
    task.src = src;
    good(ssimcu_permute_pixels_cuda(&task, 0));
    good(cudaMemcpy(planes, task.dst, floats * sizeof(float), cudaMemcpyDeviceToHost));
    good(cudaFree(src));
    good(cudaFree(task.dst));
}
