#include "cpu/cpu.h"
#include "device.h"

void device_permute(ssimcu_device device, const struct ssimcu_permute_plan *plan, uint8_t *dst,
                    size_t dst_bytes, size_t dst_offset, const uint8_t *src, size_t src_bytes,
                    size_t src_offset)
{
    (void)device, (void)dst_bytes, (void)src_bytes;
    ssimcu_permute_cpu(plan, dst + dst_offset, src + src_offset);
}

void device_permute_pixels(const struct ssimcu_pixel_rule *rule, const ssimcu_frame *frame,
                           float *planes, size_t floats, size_t pitch_floats, size_t plane_floats)
{
    (void)rule, (void)frame, (void)planes, (void)floats, (void)pitch_floats, (void)plane_floats;
}

void device_ssim_u8(const struct device_frames *frames, double *sums, float *map)
{
    (void)frames, (void)sums, (void)map;
}
