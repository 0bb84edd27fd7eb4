#include "arguments.h"

#include "targets.h"

#include <stdlib.h>

uint8_t fuzz_byte(struct fuzz_input *in) { return in->at < in->end ? *in->at++ : 0; }

uint32_t fuzz_number(struct fuzz_input *in, uint32_t most)
{
    const uint8_t first = fuzz_byte(in);
    if (first < 240) return first % most + 1;
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) value = value << 8 | fuzz_byte(in);
    return first < 248 ? value & 0xFFFF : value;
}

uint32_t fuzz_choice(struct fuzz_input *in, uint32_t most)
{
    const uint8_t first = fuzz_byte(in);
    return first < 250 ? first % most : most;
}

void *fuzz_memory(struct fuzz_input *in, fuzz_wide bytes)
{
    if (bytes == 0 || bytes > FUZZ_MOST_BYTES) return NULL;
    uint8_t *data = malloc((size_t)bytes);
    FUZZ_CHECK(data);
    uint32_t state = fuzz_byte(in) | 1u, noise = fuzz_byte(in);
    for (size_t i = 0; i < bytes; i++) {
        state = state * 1664525 + 1013904223;
        data[i] = (uint8_t)(noise & 1 ? state >> 24 : (state >> 24) % (noise + 1));
    }
    return data;
}

static size_t sample_bytes(ssimcu_type type)
{
    return type == SSIMCU_TYPE_U8    ? 1
           : type == SSIMCU_TYPE_F64 ? 8
           : type == SSIMCU_TYPE_F32 ? 4
                                     : 2;
}

static void give_memory(struct fuzz_input *in, ssimcu_view *view)
{
    const size_t bytes = sample_bytes(view->type);
    const bool mixed = view->layout == SSIMCU_LAYOUT_HWC;
    const size_t pixel = (mixed ? view->channels : 1) * bytes;
    const fuzz_wide step = view->pixel_stride ? view->pixel_stride : pixel;
    const fuzz_wide row = (fuzz_wide)view->width * step - step + pixel;
    const fuzz_wide pitch = view->pitch ? (fuzz_wide)view->pitch : view->width * step;
    if (view->width == 0 || view->height == 0) return;
    const fuzz_wide plane = pitch * (view->height - 1) + row;
    const fuzz_wide stride = view->plane_stride ? view->plane_stride : pitch * view->height;
    const fuzz_wide block = view->layout == SSIMCU_LAYOUT_CHW ? stride * view->channels : 0;
    const fuzz_wide dense = block > pitch * view->height ? block : pitch * view->height;
    const fuzz_wide frame = view->frame_stride ? view->frame_stride : dense;
    const fuzz_wide frames = view->frames > 1 ? (view->frames - 1) * frame : 0;
    if (frames > FUZZ_MOST_BYTES || pitch > FUZZ_MOST_BYTES || stride > FUZZ_MOST_BYTES ||
        plane > FUZZ_MOST_BYTES)
        return;
    if (view->layout == SSIMCU_LAYOUT_PLANES)
        for (uint32_t c = 0; c < view->channels && c < 4; c++)
            view->data[c] = fuzz_memory(in, frames + plane);
    else
        view->data[0] =
            fuzz_memory(in, frames + (mixed ? plane : stride * (view->channels - 1) + plane));
}

void fuzz_view(struct fuzz_input *in, ssimcu_view *view)
{
    *view = SSIMCU_INIT(view);
    view->width = fuzz_number(in, 48);
    view->height = fuzz_number(in, 48);
    view->channels = fuzz_number(in, 4);
    view->layout = (ssimcu_layout)fuzz_choice(in, 3);
    view->type = (ssimcu_type)fuzz_choice(in, 5);
    const size_t bytes = sample_bytes(view->type);
    const size_t row = view->width * (size_t)(view->layout ? 1 : view->channels) * bytes;
    const uint8_t flags = fuzz_byte(in);
    if (flags & 16) view->pixel_stride = fuzz_byte(in) % 9 * bytes + (flags > 250);
    if (flags & 1) view->pitch = row + fuzz_byte(in) % 9 * bytes + (flags > 250);
    if (flags & 2 && view->layout == SSIMCU_LAYOUT_CHW)
        view->plane_stride =
            (view->pitch ? (size_t)view->pitch : row) * view->height + fuzz_byte(in) % 9 * bytes;
    if (flags & 4) view->peak = fuzz_number(in, 300);
    if (flags & 8) view->frames = fuzz_choice(in, 3);
    if (flags > 240) view->struct_size = fuzz_byte(in);
    if (flags != 200) give_memory(in, view);
}

void fuzz_view_free(ssimcu_view *view)
{
    for (int i = 0; i < 4; i++) free((void *)(uintptr_t)view->data[i]);
}

static void make_alike(struct fuzz_input *in, const ssimcu_view *like, uint32_t types,
                       ssimcu_view *view)
{
    *view = SSIMCU_INIT(view);
    view->width = like->width;
    view->height = like->height;
    view->channels = like->channels;
    view->frames = like->frames;
    view->layout = (ssimcu_layout)fuzz_choice(in, 3);
    view->type = (ssimcu_type)fuzz_choice(in, types);
}

void fuzz_view_like(struct fuzz_input *in, const ssimcu_view *like, uint32_t types,
                    ssimcu_view *view)
{
    make_alike(in, like, types, view);
    give_memory(in, view);
}

void fuzz_view_apart(struct fuzz_input *in, const ssimcu_view *like, uint32_t types,
                     ssimcu_view *view)
{
    make_alike(in, like, types, view);
    const uint8_t flags = fuzz_byte(in);
    const bool mixed = view->layout == SSIMCU_LAYOUT_HWC,
               planes = view->layout == SSIMCU_LAYOUT_CHW;
    const size_t bytes = sample_bytes(view->type), pixel = (mixed ? view->channels : 1) * bytes;
    const size_t step = pixel + (flags & 1 ? fuzz_byte(in) % 5 * bytes : 0);
    const size_t row = view->width * step + (flags & 2 ? fuzz_byte(in) % 9 * bytes : 0);
    const size_t plane = row * view->height + (flags & 4 ? fuzz_byte(in) % 9 * bytes : 0);
    const size_t frame = plane * (planes ? view->channels : 1);
    view->pixel_stride = flags & 1 ? step : 0;
    view->pitch = flags & 3 ? (ptrdiff_t)row : 0;
    view->plane_stride = planes && flags & 7 ? plane : 0;
    view->frame_stride = flags & 8 ? frame + fuzz_byte(in) % 9 * bytes : 0;
    view->peak = flags & 16 ? fuzz_number(in, 255) : 0;
    give_memory(in, view);
}

void fuzz_pair(struct fuzz_input *in, ssimcu_view *ref, ssimcu_view *out)
{
    fuzz_view(in, ref);
    struct fuzz_input same = *in;
    fuzz_view(in, out);
    if (fuzz_byte(in) & 1) {
        fuzz_view_free(out);
        uint8_t copy[12];
        for (size_t i = 0; i < sizeof copy; i++) copy[i] = fuzz_byte(&same);
        struct fuzz_input bytes = {copy, copy + sizeof copy};
        fuzz_view_like(&bytes, ref, 4, out);
    }
}
