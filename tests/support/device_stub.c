#include "device.h"
#include "fail.h"

void device_permute(const struct ssimcu_permute_plan *plan, uint8_t *dst, size_t dst_bytes,
                    size_t dst_at, const uint8_t *src, size_t src_bytes, size_t src_at)
{
    (void)plan, (void)dst, (void)dst_bytes, (void)dst_at, (void)src, (void)src_bytes, (void)src_at;
}

ssimcu_status device_permute_async(const ssimcu_permute_layout *layout, uint8_t *dst,
                                   size_t dst_bytes, size_t dst_at, const uint8_t *src,
                                   size_t src_bytes, size_t src_at, ssimcu_message *message)
{
    (void)layout, (void)dst, (void)dst_bytes, (void)dst_at, (void)src, (void)src_bytes;
    (void)src_at;
    return ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "no CUDA");
}

ssimcu_status device_permute_huge(const ssimcu_permute_layout *layout, uint64_t *wrong,
                                  ssimcu_message *message)
{
    (void)layout, (void)wrong;
    return ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "no CUDA");
}

void device_planes(const struct device_samples *from, const struct ssimcu_pixel_rule *rule,
                   float *planes, size_t floats, size_t pitch_floats, size_t plane_floats)
{
    (void)from, (void)rule, (void)planes, (void)floats, (void)pitch_floats, (void)plane_floats;
}

void device_ssim(const struct device_frames *frames, double *sums, float *map)
{
    (void)frames, (void)sums, (void)map;
}

void *device_copy(const void *from, size_t bytes)
{
    (void)from, (void)bytes;
    return NULL;
}

void device_fetch(void *to, const void *from, size_t bytes) { (void)to, (void)from, (void)bytes; }

void device_free(void *memory) { (void)memory; }

size_t device_free_bytes(void) { return 0; }

struct CUstream_st *device_stream(void) { return NULL; }

void device_stream_free(struct CUstream_st *stream) { (void)stream; }

void device_stream_wait(struct CUstream_st *stream) { (void)stream; }

void device_hold(struct CUstream_st *stream, int *gate) { (void)stream, (void)gate; }

void device_let_go(int *gate) { (void)gate; }

int device_current(void) { return 0; }

void device_make_current(int device) { (void)device; }

int device_reads_host_memory(void) { return 0; }

void device_break(void) {}

void device_reset(void) {}
