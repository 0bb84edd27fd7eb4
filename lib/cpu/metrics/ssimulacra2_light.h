/* The light of SSIMULACRA2: rows of samples, of video or of a smaller scale, as planes of linear R,
 * G and B. Each instruction set compiles it, with ssimulacra2_tile.h.
 *
 * ONE VALUE. Equal samples have equal light, bit for bit, in any type: all light is s2_light of a
 * sample in plane units. Interleaved bytes look it up in a table that s2_light has filled
 * (s2_fill_bytes). If both sides are bytes, white is 255, and they lie at multiples of 16 steps,
 * where the light is exact. */
#pragma once

#include "metric_rows.h"
#include "ssimulacra2.h"

enum { S2_FLOATS = READ_FLOATS };

/* The pixels of a row under a tile that lie in the frame: `count` from x on, `left` places after
 * the row's start. */
struct s2_span {
    uint32_t x, left, count;
};

static struct s2_span s2_span(const struct ssimcu_s2_task *task, uint32_t x0)
{
    const uint32_t width = task->scale.width;
    const uint32_t left = x0 < S2_MARGIN ? S2_MARGIN - x0 : 0, x = x0 + left - S2_MARGIN,
                   most = S2_READS - left;
    return (struct s2_span){x, left, width - x < most ? width - x : most};
}

/* Returns whether samples are interleaved bytes, which a table converts directly to light. */
static int s2_is_bytes(const struct ssimcu_ssim_cpu_task *read, int slot)
{
    const struct ssimcu_pixel_rule *rule = read->rule[slot];
    return is_usual(read->samples[slot], rule) && rule->bits == 8 && !rule->alpha;
}

/* Returns the light at a step of the table. Beyond its ends it is clamped. */
static inline float s2_light(const struct ssimcu_s2_light *light, float at)
{
    const float inside = at > 0 ? at < S2_STEPS ? at : S2_STEPS : 0;
    const uint32_t step = (uint32_t)inside;
    const float low = light->step[step];
    return low + (inside - (float)step) * (light->step[step + 1] - low);
}

/* Sets the light of each byte, from the plane units of read_interleaved.h. */
static void s2_fill_bytes(const struct ssimcu_s2_task *task, int slot, float bytes[S2_BYTES])
{
    const struct ssimcu_pixel_rule *rule = task->read[0]->rule[slot];
    const float factor = rule->unit * (float)rule->widen;
    for (int i = 0; i < S2_BYTES; i++)
        bytes[i] = s2_light(task->light, (float)i * factor * task->unit);
}

static void s2_read_bytes(const struct ssimcu_s2_task *task, int slot, struct s2_span span,
                          uint32_t y, const float *table, float (*light)[S2_READS])
{
    const struct ssimcu_samples *samples = task->read[0]->samples[slot];
    const uint32_t step = samples->step, planes = task->scale.planes;
    const uint8_t *byte =
        find_row(samples, span.x, y, (size_t)span.count * step, task->scale.height);
    if (planes == 3 && task->read[0]->rule[slot]->channels >= 3) {
        for (uint32_t i = 0; i < span.count; i++, byte += step)
            for (uint32_t c = 0; c < 3; c++) light[c][span.left + i] = table[byte[c]];
        return;
    }
    for (uint32_t i = 0; i < span.count; i++, byte += step)
        for (uint32_t c = 0; c < planes; c++) light[c][span.left + i] = table[*byte];
}

static void s2_read_samples(const struct ssimcu_s2_task *task, int slot, struct s2_span span,
                            uint32_t y, float (*light)[S2_READS])
{
    float code[S2_FLOATS], other[S2_FLOATS];
    const uint32_t planes = task->scale.planes, all = span.count * planes;
    const float grey = (float)task->grey;
    read_floats(task->read[0], slot, span.x, y, span.count, code);
    if (task->read[0] != task->read[1]) {
        read_floats(task->read[1], slot, span.x, y, span.count, other);
        for (uint32_t i = 0; i < all; i++) code[i] += grey * (other[i] - code[i]);
    }
    for (uint32_t i = 0; i < all; i++)
        light[i % planes][span.left + i / planes] = s2_light(task->light, code[i] * task->unit);
}

/* Returns the columns of U and V that a span needs: `count` from x on. */
static struct s2_span s2_chroma_span(const struct ssimcu_s2_video *video, struct s2_span span)
{
    const struct ssimcu_video_rule *rule = &video->rule;
    const uint32_t width = video->plane[1]->shape->width;
    const float first = (float)span.x * rule->step[0] + rule->shift[0];
    const uint32_t x = first > 0 ? (uint32_t)first : 0, left = width - x;
    const uint32_t most = (uint32_t)((float)span.count * rule->step[0]) + 3;
    return (struct s2_span){x, 0, left < most ? left : most};
}

/* Reads a row of U or V, interpolated at the position of row y of Y. */
static void s2_read_chroma(const struct ssimcu_s2_video *video, int slot, int plane,
                           struct s2_span span, uint32_t y, float *to)
{
    float below[READ_FLOATS];
    const struct ssimcu_ssim_cpu_task *task = video->plane[plane];
    const struct ssimcu_video_rule *rule = &video->rule;
    const float last = (float)(task->shape->height - 1),
                wanted = (float)y * rule->step[1] + rule->shift[1],
                at = wanted > 0 ? wanted < last ? wanted : last : 0;
    const uint32_t row = (uint32_t)at;
    const float part = at - (float)row;
    read_floats(task, slot, span.x, row, span.count, to);
    if (part > 0) {
        read_floats(task, slot, span.x, row + 1, span.count, below);
        for (uint32_t i = 0; i < span.count; i++) to[i] += part * (below[i] - to[i]);
    }
    for (uint32_t i = 0; i < span.count; i++) to[i] = (to[i] - rule->zero[1]) * rule->scale[1];
}

static void s2_read_video(const struct ssimcu_s2_task *task, int slot, struct s2_span span,
                          uint32_t y, float (*light)[S2_READS])
{
    const struct ssimcu_s2_video *video = &task->video[slot];
    const struct ssimcu_video_rule *rule = &video->rule;
    const struct s2_span half = s2_chroma_span(video, span);
    const float green = 1 - rule->red - rule->blue, last = (float)(half.count - 1);
    float luma[READ_FLOATS], u[READ_FLOATS], v[READ_FLOATS];
    read_floats(video->plane[0], slot, span.x, y, span.count, luma);
    s2_read_chroma(video, slot, 1, half, y, u);
    s2_read_chroma(video, slot, 2, half, y, v);
    for (uint32_t i = 0; i < span.count; i++) {
        const float wanted = (float)(span.x + i) * rule->step[0] + rule->shift[0] - (float)half.x,
                    at = wanted > 0 ? wanted < last ? wanted : last : 0;
        const uint32_t k = (uint32_t)at, next = k + (at > (float)k);
        const float part = at - (float)k, code = (luma[i] - rule->zero[0]) * rule->scale[0];
        const float r = code + 2 * (1 - rule->red) * (v[k] + part * (v[next] - v[k])),
                    b = code + 2 * (1 - rule->blue) * (u[k] + part * (u[next] - u[k])),
                    g = (code - rule->red * r - rule->blue * b) / green;
        light[0][span.left + i] = s2_light(task->light, r * S2_STEPS);
        light[1][span.left + i] = s2_light(task->light, g * S2_STEPS);
        light[2][span.left + i] = s2_light(task->light, b * S2_STEPS);
    }
}

/* Gets the light of a row of the frame. Grey has one channel. `bytes` is the light of bytes. */
static void s2_read_row(const struct ssimcu_s2_task *task, uint32_t x0, uint32_t y,
                        float bytes[SSIMCU_PAIR][S2_BYTES],
                        float light[SSIMCU_PAIR][SSIMCU_S2_CHANNELS][S2_READS])
{
    const struct ssimcu_pyramid_scale *scale = &task->scale;
    const struct s2_span span = s2_span(task, x0);
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        if (task->video)
            s2_read_video(task, slot, span, y, light[slot]);
        else if (!task->read[0])
            for (uint32_t c = 0; c < scale->planes; c++)
                memcpy(&light[slot][c][span.left],
                       scale->plane[slot][c] + (size_t)y * scale->width + span.x,
                       span.count * sizeof(float));
        else if (s2_is_bytes(task->read[0], slot))
            s2_read_bytes(task, slot, span, y, bytes[slot], light[slot]);
        else
            s2_read_samples(task, slot, span, y, light[slot]);
    }
}
