#include "cpu.h"

void ssimcu_planes_cpu(const struct ssimcu_pixel_rule *rule, const ssimcu_frame *frame,
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
