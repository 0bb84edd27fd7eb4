/* Calls of the C API, one after the other: a byte chooses the call, those behind it its
 * arguments. */
#include "arguments.h"
#include "ssimcu_permute.h"
#include "targets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 12, CONTEXTS = 2 };

/* ---- Frames ---------------------------------------------------------------------------------- */

static void make_frame(struct fuzz_input *in, ssimcu_frame *frame)
{
    const bool deep = (fuzz_byte(in) & 3) == 0;
    *frame = (ssimcu_frame){
        fuzz_number(in, 40), fuzz_number(in, 40), fuzz_number(in, 4), deep ? 16 : 8, 0, NULL, 0};
    if (deep) frame->bits = 8 + fuzz_choice(in, 9);
    const size_t row = (size_t)frame->width * frame->channels * (frame->bits > 8 ? 2 : 1);
    frame->pitch = row + (fuzz_byte(in) & 1 ? fuzz_choice(in, 5) : 0);
    if (frame->height > 0)
        frame->data = fuzz_memory(in, (fuzz_wide)frame->pitch * (frame->height - 1) + row);
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

static void call_compare(struct fuzz_input *in, ssimcu_context *context)
{
    ssimcu_frame ref, out;
    ssimcu_message why = {{0}};
    ssimcu_score score = SSIMCU_INIT(score), swapped = SSIMCU_INIT(score);
    make_frame(in, &ref);
    const bool twin = fuzz_byte(in) & 1;
    make_frame(in, &out);
    if (twin) { /* REF's shape, mostly the sensible case */
        free(out.data);
        out = ref;
        const size_t row = (size_t)ref.width * ref.channels * (ref.bits > 8 ? 2 : 1);
        if (ref.data) out.data = fuzz_copy(ref.data, ref.pitch * (ref.height - 1) + row);
        if (ref.data && fuzz_byte(in) & 1) ((uint8_t *)out.data)[row / 2] ^= 1;
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

static void call_alloc(struct fuzz_input *in)
{
    ssimcu_frame frame = {fuzz_number(in, 40),
                          fuzz_number(in, 40),
                          fuzz_number(in, 5),
                          fuzz_number(in, 18),
                          0,
                          NULL,
                          0};
    if ((uint64_t)frame.width * frame.height > 1 << 24) frame.width = 0; /* gigabytes */
    if (ssimcu_frame_alloc(&frame, NULL) != SSIMCU_OK) return;
    memset(frame.data, 7, frame.pitch * frame.height);
    ssimcu_frame_free(&frame);
    FUZZ_CHECK(!frame.data && frame.pitch == 0);
}

/* ---- Views ----------------------------------------------------------------------------------- */

static void call_views(struct fuzz_input *in, ssimcu_context *context)
{
    ssimcu_view ref, out;
    ssimcu_message why = {{0}};
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_map map = SSIMCU_INIT(map);
    ssimcu_tiles tiles = SSIMCU_INIT(tiles);
    fuzz_pair(in, &ref, &out);
    tiles.width = 10 + fuzz_number(in, 20);
    tiles.height = 10 + fuzz_number(in, 20);
    const uint8_t flags = fuzz_byte(in);
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
    fuzz_view_free(&ref);
    fuzz_view_free(&out);
}

static void call_planes(struct fuzz_input *in, ssimcu_context *context)
{
    ssimcu_view ref[3], out[3];
    ssimcu_message why = {{0}};
    ssimcu_score score = SSIMCU_INIT(score);
    for (int p = 0; p < 3; p++) {
        fuzz_pair(in, &ref[p], &out[p]);
        if (fuzz_byte(in) < 240) ref[p].channels = out[p].channels = 1;
    }
    const uint32_t planes = fuzz_choice(in, 4);
    const ssimcu_status status =
        ssimcu_compare_planes(context, ref, out, planes, &score, NULL, &why);
    check_score(status, &score, &why);
    for (int p = 0; p < 3; p++) {
        fuzz_view_free(&ref[p]);
        fuzz_view_free(&out[p]);
    }
}

/* ---- Permute --------------------------------------------------------------------------------- */

static fuzz_wide span(const ssimcu_permute_layout *layout, bool source)
{
    const int64_t *stride = source ? layout->src_stride : layout->dst_stride;
    fuzz_wide last = 0, dense = 1;
    bool given = false;
    for (uint32_t i = 0; i < layout->rank; i++) {
        const uint32_t dim = source ? i : layout->order[i] % 8;
        if (stride[i] != 0) given = true;
        if (layout->size[dim] < 1 || stride[i] < 0) return 0;
        dense *= (fuzz_wide)layout->size[dim];
        last += (fuzz_wide)(layout->size[dim] - 1) * (fuzz_wide)stride[i];
        if (dense > FUZZ_MOST_BYTES || last > FUZZ_MOST_BYTES) return 0;
    }
    return (given ? last + 1 : dense) * layout->element;
}

static void call_permute(struct fuzz_input *in, ssimcu_context *context)
{
    ssimcu_permute_layout layout = SSIMCU_INIT(permute_layout);
    ssimcu_message why = {{0}};
    const uint8_t flags = fuzz_byte(in);
    layout.rank = flags < 250 ? flags % 5 + 1 : fuzz_byte(in) % 10;
    layout.element = 1u << fuzz_byte(in) % 5;
    if (flags > 245) layout.element = fuzz_byte(in);
    uint32_t left = 0xFF >> (8 - (layout.rank > 8 ? 8 : layout.rank));
    int64_t src = 1, dst = 1;
    for (uint32_t i = 0; i < layout.rank && i < 8; i++) {
        layout.size[i] = fuzz_byte(in) % 9 + 1;
        uint32_t k = fuzz_byte(in) % 8;
        while (!(left >> k & 1)) k = (k + 1) % 8;
        left &= ~(1u << k);
        layout.order[i] = flags == 244 ? fuzz_byte(in) : k;
    }
    for (uint32_t i = layout.rank > 8 ? 0 : layout.rank; i-- > 0;) {
        if (flags & 32) layout.src_stride[i] = src + fuzz_byte(in) % 3;
        if (flags & 64) layout.dst_stride[i] = dst + fuzz_byte(in) % 3 - (flags == 127);
        src = layout.src_stride[i] * layout.size[i];
        dst = layout.dst_stride[i] * layout.size[layout.order[i] % 8];
        if (src < 1) src = 1;
        if (dst < 1) dst = 1;
    }
    const bool sized = layout.rank >= 1 && layout.rank <= 8;
    void *from = fuzz_memory(in, sized ? span(&layout, true) : 0);
    void *to = fuzz_memory(in, sized ? span(&layout, false) : 0);
    const ssimcu_status status = ssimcu_permute(context, &layout, to, from, &why);
    FUZZ_CHECK(status != SSIMCU_ERROR_INTERNAL);
    FUZZ_CHECK(status == SSIMCU_OK ? from && to : fuzz_is_line(why.text));
    free(from);
    free(to);
}

/* ---- Contexts -------------------------------------------------------------------------------- */

static void call_open(struct fuzz_input *in, ssimcu_context **context)
{
    ssimcu_settings settings = SSIMCU_INIT(settings);
    ssimcu_message why = {{0}};
    const uint8_t flags = fuzz_byte(in);
    settings.device = SSIMCU_DEVICE_CPU;
    settings.pad = (ssimcu_pad)fuzz_choice(in, 2);
    settings.color = (ssimcu_color)fuzz_choice(in, 3);
    settings.alpha = (ssimcu_alpha)fuzz_choice(in, 4);
    settings.threads = flags & 1 ? 2 : 0;
    if (flags > 250) settings.struct_size = fuzz_byte(in);
    ssimcu_close(context);
    FUZZ_CHECK(!*context);
    const ssimcu_status status = ssimcu_open(&settings, context, &why);
    FUZZ_CHECK((status == SSIMCU_OK) == (*context != NULL));
    FUZZ_CHECK(status == SSIMCU_OK || fuzz_is_line(why.text));
}

void fuzz_calls(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, data + size};
    ssimcu_context *context[CONTEXTS] = {NULL, NULL};
    for (int i = 0; i < MOST_CALLS && in.at < in.end; i++) {
        const uint8_t call = fuzz_byte(&in);
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
