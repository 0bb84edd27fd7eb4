/* Calls of the C API, one after the other: a byte chooses the call, those behind it its
 * arguments. Most arguments are sensible, so that most calls get past the checks. Memory is
 * exactly as large as the header says that it must be. */
#include "ssimcu.h"
#include "ssimcu_permute.h"
#include "targets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide; /* sizes that cannot wrap */

enum { MOST_CALLS = 12, MOST_BYTES = 1 << 16, CONTEXTS = 2 };

struct input {
    const uint8_t *at, *end;
};

static uint8_t byte(struct input *in) { return in->at < in->end ? *in->at++ : 0; }

/* Reads a number from 1 to `most`, sometimes anything. */
static uint32_t number(struct input *in, uint32_t most)
{
    const uint8_t first = byte(in);
    if (first < 240) return first % most + 1;
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) value = value << 8 | byte(in);
    return first < 248 ? value & 0xFFFF : value;
}

/* Reads a number from 0 to `most` - 1, sometimes one more. */
static uint32_t choice(struct input *in, uint32_t most)
{
    const uint8_t first = byte(in);
    return first < 250 ? first % most : most;
}

/* Returns memory of `bytes` bytes with something in it; NULL if they are too many. */
static void *memory(struct input *in, wide bytes)
{
    if (bytes == 0 || bytes > MOST_BYTES) return NULL;
    uint8_t *data = malloc((size_t)bytes);
    FUZZ_CHECK(data);
    uint32_t state = byte(in) | 1u, noise = byte(in);
    for (size_t i = 0; i < bytes; i++) {
        state = state * 1664525 + 1013904223;
        data[i] = (uint8_t)(noise & 1 ? state >> 24 : (state >> 24) % (noise + 1));
    }
    return data;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static void make_frame(struct input *in, ssimcu_frame *frame)
{
    const bool deep = (byte(in) & 3) == 0;
    *frame =
        (ssimcu_frame){number(in, 40), number(in, 40), number(in, 4), deep ? 16 : 8, 0, NULL, 0};
    if (deep) frame->bits = 8 + choice(in, 9);
    const size_t row = (size_t)frame->width * frame->channels * (frame->bits > 8 ? 2 : 1);
    frame->pitch = row + (byte(in) & 1 ? choice(in, 5) : 0);
    if (frame->height > 0) frame->data = memory(in, (wide)frame->pitch * (frame->height - 1) + row);
    if (!frame->data) return;
    uint16_t *sample = frame->data;
    if (frame->bits > 8 && frame->bits < 16) /* keep samples within the depth */
        for (size_t i = 0; i < frame->pitch * (frame->height - 1) / 2 + row / 2; i++)
            sample[i] = (uint16_t)(sample[i] & ((1u << frame->bits) - 1));
}

static void check_score(ssimcu_status status, const ssimcu_score *score, const ssimcu_message *why)
{
    FUZZ_CHECK(status != SSIMCU_ERROR_INTERNAL);
    if (status != SSIMCU_OK) {
        FUZZ_CHECK(fuzz_is_line(why->text));
        return;
    }
    FUZZ_CHECK(isfinite(score->score) && score->channels >= 1 && score->channels <= 3);
    for (uint32_t c = 0; c < score->channels; c++) FUZZ_CHECK(isfinite(score->channel[c]));
}

static void call_compare(struct input *in, ssimcu_context *context)
{
    ssimcu_frame ref, out;
    ssimcu_message why = {{0}};
    ssimcu_score score = SSIMCU_INIT(score), swapped = SSIMCU_INIT(score);
    make_frame(in, &ref);
    const bool twin = byte(in) & 1;
    make_frame(in, &out);
    if (twin) { /* REF's shape, mostly the sensible case */
        free(out.data);
        out = ref;
        const size_t row = (size_t)ref.width * ref.channels * (ref.bits > 8 ? 2 : 1);
        if (ref.data) out.data = fuzz_copy(ref.data, ref.pitch * (ref.height - 1) + row);
        if (ref.data && byte(in) & 1) ((uint8_t *)out.data)[row / 2] ^= 1;
    }
    const ssimcu_status status = ssimcu_compare(context, &ref, &out, &score, &why);
    check_score(status, &score, &why);
    if (status == SSIMCU_OK) {
        FUZZ_CHECK(score.score <= 1.0 && score.score >= -1.0);
        FUZZ_CHECK(ssimcu_compare(context, &out, &ref, &swapped, NULL) == SSIMCU_OK);
        FUZZ_CHECK(memcmp(&score.score, &swapped.score, sizeof score.score) == 0);
        FUZZ_CHECK(ssimcu_compare(context, &ref, &ref, &score, NULL) == SSIMCU_OK);
        FUZZ_CHECK(score.score == 1.0);
    }
    free(ref.data);
    free(out.data);
}

static void call_alloc(struct input *in)
{
    ssimcu_frame frame = {
        number(in, 40), number(in, 40), number(in, 5), number(in, 18), 0, NULL, 0};
    if ((uint64_t)frame.width * frame.height > 1 << 24) frame.width = 0; /* gigabytes */
    if (ssimcu_frame_alloc(&frame, NULL) != SSIMCU_OK) return;
    memset(frame.data, 7, frame.pitch * frame.height);
    ssimcu_frame_free(&frame);
    FUZZ_CHECK(!frame.data && frame.pitch == 0);
}

/* ---- Views ----------------------------------------------------------------------------------- */

static size_t sample_bytes(ssimcu_type type)
{
    return type == SSIMCU_TYPE_U8    ? 1
           : type == SSIMCU_TYPE_F64 ? 8
           : type == SSIMCU_TYPE_F32 ? 4
                                     : 2;
}

static void give_memory(struct input *in, ssimcu_view *view)
{
    const size_t bytes = sample_bytes(view->type);
    const bool mixed = view->layout == SSIMCU_LAYOUT_HWC;
    const size_t pixel = (mixed ? view->channels : 1) * bytes;
    const wide step = view->pixel_stride ? view->pixel_stride : pixel;
    const wide row = (wide)view->width * step - step + pixel;
    const wide pitch = view->pitch ? (wide)view->pitch : view->width * step;
    if (view->width == 0 || view->height == 0) return;
    const wide plane = pitch * (view->height - 1) + row;
    const wide stride = view->plane_stride ? view->plane_stride : pitch * view->height;
    if (pitch > MOST_BYTES || stride > MOST_BYTES || plane > MOST_BYTES) return;
    if (view->layout == SSIMCU_LAYOUT_PLANES)
        for (uint32_t c = 0; c < view->channels && c < 4; c++) view->data[c] = memory(in, plane);
    else
        view->data[0] = memory(in, mixed ? plane : stride * (view->channels - 1) + plane);
}

static void make_view(struct input *in, ssimcu_view *view)
{
    *view = SSIMCU_INIT(view);
    view->width = number(in, 48);
    view->height = number(in, 48);
    view->channels = number(in, 4);
    view->layout = (ssimcu_layout)choice(in, 3);
    view->type = (ssimcu_type)choice(in, 5);
    const size_t bytes = sample_bytes(view->type);
    const size_t row = view->width * (size_t)(view->layout ? 1 : view->channels) * bytes;
    const uint8_t flags = byte(in);
    if (flags & 16) view->pixel_stride = byte(in) % 9 * bytes + (flags > 250);
    if (flags & 1) view->pitch = row + byte(in) % 9 * bytes + (flags > 250);
    if (flags & 2 && view->layout == SSIMCU_LAYOUT_CHW)
        view->plane_stride =
            (view->pitch ? (size_t)view->pitch : row) * view->height + byte(in) % 9 * bytes;
    if (flags & 4) view->peak = number(in, 300);
    if (flags & 8) view->frames = choice(in, 3);
    if (flags > 240) view->struct_size = byte(in);
    if (flags != 200) give_memory(in, view);
}

static void free_view(ssimcu_view *view)
{
    for (int i = 0; i < 4; i++) free((void *)(uintptr_t)view->data[i]);
}

/* Makes views of the same size, so that most pairs match. */
static void make_pair(struct input *in, ssimcu_view *ref, ssimcu_view *out)
{
    make_view(in, ref);
    struct input same = *in;
    make_view(in, out);
    if (byte(in) & 1) {
        free_view(out);
        uint8_t copy[12];
        for (size_t i = 0; i < sizeof copy; i++) copy[i] = byte(&same);
        const uint32_t width = ref->width, height = ref->height;
        struct input bytes = {copy, copy + sizeof copy};
        *out = SSIMCU_INIT(view);
        out->width = width;
        out->height = height;
        out->channels = ref->channels;
        out->layout = (ssimcu_layout)choice(&bytes, 3);
        out->type = (ssimcu_type)choice(&bytes, 4);
        give_memory(&bytes, out);
    }
}

static void call_views(struct input *in, ssimcu_context *context)
{
    ssimcu_view ref, out;
    ssimcu_message why = {{0}};
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_map map = SSIMCU_INIT(map);
    ssimcu_tiles tiles = SSIMCU_INIT(tiles);
    make_pair(in, &ref, &out);
    tiles.width = 10 + number(in, 20);
    tiles.height = 10 + number(in, 20);
    const uint8_t flags = byte(in);
    ssimcu_map *want_map = flags & 1 ? &map : NULL;
    ssimcu_tiles *want_tiles = flags & 2 ? &tiles : NULL;
    ssimcu_status status = ssimcu_views_layout(context, &ref, &out, want_map, want_tiles, &why);
    FUZZ_CHECK(status == SSIMCU_OK || fuzz_is_line(why.text));
    if (status == SSIMCU_OK && ref.data[0] && out.data[0]) {
        const size_t points = (size_t)map.width * map.height * map.channels;
        if (want_map) map.data = malloc(points * sizeof *map.data);
        if (want_tiles) tiles.data = malloc((size_t)tiles.rows * tiles.columns * sizeof(double));
        if (flags & 4) map.width += flags & 1;
        if (flags & 8) tiles.rows += flags >> 1 & 1;
        status = ssimcu_compare_views(context, &ref, &out, &score, want_map, want_tiles, &why);
        check_score(status, &score, &why);
        for (size_t i = 0; status == SSIMCU_OK && want_map && i < points; i++)
            FUZZ_CHECK(isfinite(map.data[i]));
        for (size_t i = 0;
             status == SSIMCU_OK && want_tiles && i < (size_t)tiles.rows * tiles.columns; i++)
            FUZZ_CHECK(isfinite(tiles.data[i]));
        free(map.data);
        free(tiles.data);
    }
    free_view(&ref);
    free_view(&out);
}

static void call_planes(struct input *in, ssimcu_context *context)
{
    ssimcu_view ref[3], out[3];
    ssimcu_message why = {{0}};
    ssimcu_score score = SSIMCU_INIT(score);
    for (int p = 0; p < 3; p++) {
        make_pair(in, &ref[p], &out[p]);
        if (byte(in) < 240) ref[p].channels = out[p].channels = 1;
    }
    const uint32_t planes = choice(in, 4);
    const ssimcu_status status =
        ssimcu_compare_planes(context, ref, out, planes, &score, NULL, &why);
    check_score(status, &score, &why);
    for (int p = 0; p < 3; p++) {
        free_view(&ref[p]);
        free_view(&out[p]);
    }
}

/* ---- Permute --------------------------------------------------------------------------------- */

static wide span(const ssimcu_permute_layout *layout, bool source)
{
    const int64_t *stride = source ? layout->src_stride : layout->dst_stride;
    wide last = 0, dense = 1;
    bool given = false;
    for (uint32_t i = 0; i < layout->rank; i++) {
        const uint32_t dim = source ? i : layout->order[i] % 8;
        if (stride[i] != 0) given = true;
        if (layout->size[dim] < 1 || stride[i] < 0) return 0;
        dense *= (wide)layout->size[dim];
        last += (wide)(layout->size[dim] - 1) * (wide)stride[i];
        if (dense > MOST_BYTES || last > MOST_BYTES) return 0;
    }
    return (given ? last + 1 : dense) * layout->element;
}

static void call_permute(struct input *in, ssimcu_context *context)
{
    ssimcu_permute_layout layout = SSIMCU_INIT(permute_layout);
    ssimcu_message why = {{0}};
    const uint8_t flags = byte(in);
    layout.rank = flags < 250 ? flags % 5 + 1 : byte(in) % 10;
    layout.element = 1u << byte(in) % 5;
    if (flags > 245) layout.element = byte(in);
    uint32_t left = 0xFF >> (8 - (layout.rank > 8 ? 8 : layout.rank));
    int64_t src = 1, dst = 1;
    for (uint32_t i = 0; i < layout.rank && i < 8; i++) {
        layout.size[i] = byte(in) % 9 + 1;
        uint32_t k = byte(in) % 8;
        while (!(left >> k & 1)) k = (k + 1) % 8;
        left &= ~(1u << k);
        layout.order[i] = flags == 244 ? byte(in) : k;
    }
    for (uint32_t i = layout.rank > 8 ? 0 : layout.rank; i-- > 0;) {
        if (flags & 32) layout.src_stride[i] = src + byte(in) % 3;
        if (flags & 64) layout.dst_stride[i] = dst + byte(in) % 3 - (flags == 127);
        src = layout.src_stride[i] * layout.size[i];
        dst = layout.dst_stride[i] * layout.size[layout.order[i] % 8];
        if (src < 1) src = 1;
        if (dst < 1) dst = 1;
    }
    const bool sized = layout.rank >= 1 && layout.rank <= 8;
    void *from = memory(in, sized ? span(&layout, true) : 0);
    void *to = memory(in, sized ? span(&layout, false) : 0);
    const ssimcu_status status = ssimcu_permute(context, &layout, to, from, &why);
    FUZZ_CHECK(status != SSIMCU_ERROR_INTERNAL);
    FUZZ_CHECK(status == SSIMCU_OK ? from && to : fuzz_is_line(why.text));
    free(from);
    free(to);
}

/* ---- Contexts -------------------------------------------------------------------------------- */

static void call_open(struct input *in, ssimcu_context **context)
{
    ssimcu_settings settings = SSIMCU_INIT(settings);
    ssimcu_message why = {{0}};
    const uint8_t flags = byte(in);
    settings.device = SSIMCU_DEVICE_CPU;
    settings.pad = (ssimcu_pad)choice(in, 2);
    settings.color = (ssimcu_color)choice(in, 3);
    settings.alpha = (ssimcu_alpha)choice(in, 4);
    settings.threads = flags & 1 ? 2 : 0;
    if (flags > 250) settings.struct_size = byte(in);
    ssimcu_close(context);
    FUZZ_CHECK(!*context);
    const ssimcu_status status = ssimcu_open(&settings, context, &why);
    FUZZ_CHECK((status == SSIMCU_OK) == (*context != NULL));
    FUZZ_CHECK(status == SSIMCU_OK || fuzz_is_line(why.text));
}

void fuzz_calls(const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    ssimcu_context *context[CONTEXTS] = {NULL, NULL};
    for (int i = 0; i < MOST_CALLS && in.at < in.end; i++) {
        const uint8_t call = byte(&in);
        ssimcu_context **with = &context[call >> 7];
        if (!*with && call % 16 != 15) call_open(&in, with);
        switch (call % 8) {
        case 0: call_open(&in, with); break;
        case 1:
        case 2: call_compare(&in, *with); break;
        case 3:
        case 4: call_views(&in, *with); break;
        case 5: call_planes(&in, *with); break;
        case 6: call_permute(&in, *with); break;
        default: call_alloc(&in); break;
        }
    }
    for (int c = 0; c < CONTEXTS; c++) ssimcu_close(&context[c]);
}
