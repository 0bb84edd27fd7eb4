#include "cpu.h"

#include <string.h>

void ssimcu_permute_cpu(const struct ssimcu_permute_plan *plan, void *dst, const void *src)
{
    const int64_t count = ssimcu_permute_plan_count(plan);
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, from = 0, to = 0;
        for (int k = plan->rank - 1; k >= 0; k--) {
            const int64_t here = rest % plan->dim[k].size;
            rest /= plan->dim[k].size;
            from += here * plan->dim[k].src_stride;
            to += here * plan->dim[k].dst_stride;
        }
        memcpy((char *)dst + to * plan->element, (const char *)src + from * plan->element,
               plan->element);
    }
}

void ssimcu_permute_pixels_cpu(const struct ssimcu_pixel_rule *rule, const ssimcu_frame *frame,
                               float *planes)
{
    const size_t plane = (size_t)frame->width * frame->height;
    for (uint32_t y = 0; y < frame->height; y++) {
        const char *row = (const char *)frame->data + y * frame->pitch;
        float *to = planes + (size_t)y * frame->width;
        for (uint32_t x = 0; x < frame->width; x++) {
            uint32_t sample[4] = {0};
            float value[3] = {0};
            for (uint32_t c = 0; c < rule->channels; c++) {
                const size_t i = (size_t)x * rule->channels + c;
                sample[c] =
                    rule->bits == 8 ? ((const uint8_t *)row)[i] : ((const uint16_t *)row)[i];
            }
            ssimcu_pixel_convert(rule, sample, value);
            for (uint32_t c = 0; c < rule->planes; c++) to[c * plane + x] = value[c];
        }
    }
}
