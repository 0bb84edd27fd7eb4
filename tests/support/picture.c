#include "picture.h"

#include "core/samples.h"

#include <math.h>
#include <stdlib.h>

static size_t sample_bytes(ssimcu_type type) { return ssimcu_sample_bytes((uint32_t)type); }

/* Rounds to the nearest binary16; what is too large becomes infinite. */
static uint16_t to_half(double value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    int exponent = 0;
    if (isnan(value)) return 0x7e00;
    if (value == 0) return sign;
    const double mantissa = frexp(fabs(value), &exponent); /* a fraction from 0.5 to 1 */
    if (isinf(value) || exponent > 16) return (uint16_t)(sign | 0x7c00);
    if (exponent < -13) return (uint16_t)(sign | (uint16_t)rint(ldexp(fabs(value), 24)));
    return (uint16_t)(sign + ((exponent + 14) << 10) + (int)rint(ldexp(mantissa, 11)) - 1024);
}

/* Rounds to the nearest bfloat16; the even one if two are equally near. */
static uint16_t to_bfloat(double value)
{
    const float single = (float)value; /* exact: the tests' values have few digits */
    uint32_t bits;
    if (isnan(value)) return 0x7fc0;
    memcpy(&bits, &single, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static char *place(const struct picture *picture, uint32_t frame, uint32_t x, uint32_t y,
                   uint32_t channel)
{
    const ssimcu_view *v = &picture->view;
    const size_t sample = sample_bytes(v->type);
    size_t at = frame * v->frame_stride + y * v->pitch;
    const char *start = v->data[v->layout == SSIMCU_LAYOUT_PLANES ? channel : 0];
    if (v->layout == SSIMCU_LAYOUT_HWC)
        at += x * v->pixel_stride + channel * sample;
    else
        at +=
            x * v->pixel_stride + (v->layout == SSIMCU_LAYOUT_CHW ? channel * v->plane_stride : 0);
    return (char *)(uintptr_t)start + at;
}

void picture_set(struct picture *picture, uint32_t frame, uint32_t x, uint32_t y, uint32_t channel,
                 double value)
{
    char *at = place(picture, frame, x, y, channel);
    const uint16_t half = to_half(value);
    const float single = (float)value;
    const uint16_t word = picture->view.type == SSIMCU_TYPE_F16    ? half
                          : picture->view.type == SSIMCU_TYPE_BF16 ? to_bfloat(value)
                                                                   : (uint16_t)value;
    switch (picture->view.type) {
    case SSIMCU_TYPE_U8: *(uint8_t *)at = (uint8_t)value; break;
    case SSIMCU_TYPE_F32: memcpy(at, &single, sizeof single); break;
    case SSIMCU_TYPE_F64: memcpy(at, &value, sizeof value); break;
    default: memcpy(at, &word, sizeof word);
    }
}

double picture_value(const struct picture *picture, uint32_t frame, uint32_t x, uint32_t y,
                     uint32_t channel)
{
    const char *at = place(picture, frame, x, y, channel);
    uint16_t word;
    float single;
    double value;
    if (picture->view.type == SSIMCU_TYPE_F64) {
        memcpy(&value, at, sizeof value);
        return value;
    }
    if (picture->view.type == SSIMCU_TYPE_U8) return *(const uint8_t *)at;
    if (picture->view.type == SSIMCU_TYPE_F32) {
        memcpy(&single, at, sizeof single);
        return (double)single;
    }
    memcpy(&word, at, sizeof word);
    return picture->view.type == SSIMCU_TYPE_U16   ? word
           : picture->view.type == SSIMCU_TYPE_F16 ? (double)ssimcu_sample_half(word)
                                                   : (double)ssimcu_sample_bfloat(word);
}

/* Sets the strides and where each pointer stands in the memory; returns the memory's bytes. */
static size_t lay_out(ssimcu_view *view, struct picture_kind kind, uint32_t extra, size_t at[4])
{
    const size_t sample = sample_bytes(view->type), gap = kind.padding * sample;
    const bool planar = view->layout != SSIMCU_LAYOUT_HWC, turned = kind.padding % 2 == 1;
    const size_t pixel = sample * (planar ? 1 : view->channels);
    view->pixel_stride = pixel + extra * sample;
    const size_t row = (view->width - 1) * view->pixel_stride + pixel;
    view->pitch = row + gap;
    const size_t plane = view->pitch * view->height + gap;
    size_t last = view->layout == SSIMCU_LAYOUT_CHW ? gap + (view->channels - 1) * plane : gap;
    view->plane_stride = view->layout == SSIMCU_LAYOUT_CHW ? plane : 0;
    view->frame_stride = (planar ? plane * view->channels : plane) + 8 * gap;
    at[0] = gap;
    for (uint32_t i = 0; view->layout == SSIMCU_LAYOUT_PLANES && i < view->channels; i++) {
        const size_t slot = turned ? view->channels - 1 - i : i;
        at[i] = gap + slot * plane + (turned ? slot * slot * sample : 0);
        if (at[i] > last) last = at[i];
    }
    return last + (view->frames - 1) * view->frame_stride + (view->height - 1) * view->pitch + row;
}

ssimcu_view picture_view_at(const struct picture *picture, void *memory)
{
    ssimcu_view view = picture->view;
    for (int i = 0; i < 4; i++)
        if (view.data[i])
            view.data[i] = (char *)memory + ((const uint8_t *)view.data[i] - picture->memory);
    return view;
}

struct picture picture_make_apart(const ssimcu_frame *frames, uint32_t count,
                                  struct picture_kind kind, uint32_t extra)
{
    struct picture picture = {.view = {.struct_size = sizeof(ssimcu_view),
                                       .width = frames->width,
                                       .height = frames->height,
                                       .channels = frames->channels,
                                       .layout = kind.layout,
                                       .type = kind.type,
                                       .peak = kind.peak,
                                       .frames = count}};
    const uint32_t pointers = kind.layout == SSIMCU_LAYOUT_PLANES ? frames->channels : 1;
    size_t at[4];
    picture.bytes = lay_out(&picture.view, kind, extra, at);
    picture.memory = malloc(picture.bytes);
    memset(picture.memory, 0xff, picture.bytes);
    for (uint32_t i = 0; i < pointers; i++) picture.view.data[i] = picture.memory + at[i];
    for (uint32_t f = 0; f < count; f++)
        for (uint32_t y = 0; y < frames->height; y++)
            for (uint32_t x = 0; x < frames->width; x++)
                for (uint32_t c = 0; c < frames->channels; c++)
                    picture_set(&picture, f, x, y, c,
                                check_sample(&frames[f], x, y, c) * kind.peak / 255);
    return picture;
}

struct picture picture_make(const ssimcu_frame *frames, uint32_t count, struct picture_kind kind)
{
    return picture_make_apart(frames, count, kind, 0);
}

void picture_free(struct picture *picture)
{
    free(picture->memory);
    *picture = (struct picture){0};
}

ssimcu_score picture_compare(ssimcu_context *context, const struct picture *ref,
                             const struct picture *out)
{
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_compare_views(context, &ref->view, &out->view, &score, NULL, NULL, &why),
                 SSIMCU_OK, "%s", why.text);
    return score;
}
