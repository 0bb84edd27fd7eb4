/* Samples of any type and layout -> floats in plane units, interleaved, one per plane: what
 * samples.h does for the usual pictures, here for all others. A header, because each instruction
 * set compiles it for itself, and because a call into another file, which might write to any tile,
 * costs the usual pictures a tenth of their time.
 */
#ifndef SSIMCU_SOURCE_SAMPLES_H
#define SSIMCU_SOURCE_SAMPLES_H

#include "core/source.h"

#include <stddef.h>

enum { SOURCE_PIECE = 64 }; /* pixels at a time */
/* One channel of a piece, as it is stored. */
static inline void source_fetch(const struct ssimcu_source *source, uint32_t channel, uint32_t x,
                                uint32_t y, uint32_t count, float *to)
{
    const size_t step = source->step,
                 start = (size_t)x * step * ssimcu_source_sample_bytes(source->type);
    const char *from = (const char *)source->channel[channel] + y * source->pitch_bytes + start;
    switch (source->type) {
    case SSIMCU_SAMPLE_U8:
        for (uint32_t i = 0; i < count; i++) to[i] = ((const uint8_t *)from)[i * step];
        break;
    case SSIMCU_SAMPLE_U16:
        for (uint32_t i = 0; i < count; i++)
            to[i] = ((const uint16_t *)(const void *)from)[i * step];
        break;
    case SSIMCU_SAMPLE_F16:
        for (uint32_t i = 0; i < count; i++)
            to[i] = ssimcu_source_unit(
                ssimcu_source_half(((const uint16_t *)(const void *)from)[i * step]),
                source->scale);
        break;
    default:
        for (uint32_t i = 0; i < count; i++)
            to[i] =
                ssimcu_source_unit(((const float *)(const void *)from)[i * step], source->scale);
    }
}

static inline void source_convert(const struct ssimcu_source *source,
                                  const struct ssimcu_pixel_rule *rule,
                                  float value[4][SOURCE_PIECE], uint32_t count, float *to)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t whole[4] = {0};
        float sample[4] = {0}, plane[3] = {0};
        for (uint32_t c = 0; c < rule->channels; c++) sample[c] = value[c][i];
        if (ssimcu_source_is_float(source->type)) {
            ssimcu_source_convert(rule, sample, plane);
        } else {
            for (uint32_t c = 0; c < rule->channels; c++) whole[c] = (uint32_t)sample[c];
            ssimcu_pixel_convert(rule, whole, plane);
        }
        for (uint32_t c = 0; c < rule->planes; c++) to[i * rule->planes + c] = plane[c];
    }
}

/* The same where every plane is one channel. */
static inline void source_spread(const struct ssimcu_source *source,
                                 const struct ssimcu_pixel_rule *rule, float value[4][SOURCE_PIECE],
                                 uint32_t count, float *to)
{
    const int scaled = !ssimcu_source_is_float(source->type) && rule->peak != 255;
    const float peak = (float)(rule->peak / rule->widen);
    for (uint32_t c = 0; c < rule->planes; c++) {
        float *from = value[rule->channels >= 3 ? c : 0];
        for (uint32_t i = 0; i < count; i++)
            to[i * rule->planes + c] = scaled ? from[i] * 255.0f / peak : from[i];
    }
}

/* `count` pixels of row y, from x on. */
__attribute__((noinline)) static void read_source(const struct ssimcu_source *source,
                                                  const struct ssimcu_pixel_rule *rule, uint32_t x,
                                                  uint32_t y, uint32_t count, float *to)
{
    const int plain = !rule->alpha && !(rule->luma[1] && rule->channels >= 3);
    float value[4][SOURCE_PIECE];
    for (uint32_t done = 0; done < count; done += SOURCE_PIECE) {
        const uint32_t n = count - done < SOURCE_PIECE ? count - done : SOURCE_PIECE;
        for (uint32_t c = 0; c < rule->channels; c++)
            if (!plain || c < rule->planes) source_fetch(source, c, x + done, y, n, value[c]);
        if (plain)
            source_spread(source, rule, value, n, to + (size_t)done * rule->planes);
        else
            source_convert(source, rule, value, n, to + (size_t)done * rule->planes);
    }
}

#endif
