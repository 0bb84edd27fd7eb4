#include "check.h"
#include "device.h"
#include "kernels.h"
#include "ssimcu_cuda.h"

static void good(cudaError_t error)
{
    cr_assert_eq(error, cudaSuccess, "%s", cudaGetErrorString(error));
}

/* Kept from call to call: twenty thousand small cases are mostly allocation otherwise. */
static struct buffer {
    uint8_t *data;
    size_t bytes;
} kept[2];

static uint8_t *send(struct buffer *buffer, const uint8_t *data, size_t bytes)
{
    if (buffer->bytes < bytes) {
        good(cudaFree(buffer->data));
        good(cudaMalloc((void **)&buffer->data, 2 * bytes));
        buffer->bytes = 2 * bytes;
    }
    good(cudaMemcpy(buffer->data, data, bytes, cudaMemcpyHostToDevice));
    return buffer->data;
}

void device_permute(const struct ssimcu_permute_plan *plan, uint8_t *dst, size_t dst_bytes,
                    size_t dst_at, const uint8_t *src, size_t src_bytes, size_t src_at)
{
    uint8_t *to = send(&kept[0], dst, dst_bytes), *from = send(&kept[1], src, src_bytes);
    good(ssimcu_permute_cuda(plan, to + dst_at, from + src_at, 0));
    good(cudaMemcpy(dst, to, dst_bytes, cudaMemcpyDeviceToHost));
}

ssimcu_status device_permute_async(const ssimcu_permute_layout *layout, uint8_t *dst,
                                   size_t dst_bytes, size_t dst_at, const uint8_t *src,
                                   size_t src_bytes, size_t src_at, ssimcu_message *message)
{
    uint8_t *to = send(&kept[0], dst, dst_bytes), *from = send(&kept[1], src, src_bytes);
    const ssimcu_status status =
        ssimcu_permute_async(layout, to + dst_at, from + src_at, NULL, message);
    good(cudaMemcpy(dst, to, dst_bytes, cudaMemcpyDeviceToHost));
    return status;
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
