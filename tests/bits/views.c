/* Views of any shape, and what is refused. */
#include "bits.h"

#include <stdio.h>

/* A GPU takes the tensor cores, mostly for bytes, from 512 x 512 windows on. The last shapes are
 * about as large, and large ones mostly have kinds that it takes. */
enum { SHAPES = 200, LARGE_SHAPES = 40, LARGE_PIXELS = 510 * 510 };

/* ---- Views of any shape ---------------------------------------------------------------------- */

static struct shape draw_shape(uint32_t i, uint32_t *state)
{
    static const uint32_t fixed[][2] = {{1, 1},   {10, 10}, {11, 11},    {37, 53},
                                        {10, 11}, {11, 10}, {3841, 2161}};
    static const uint32_t most[][2] = {{900, 700}, {400, 300}, {100, 100}, {30, 60}};
    struct shape shape = {.seed = i};
    if (i < COUNT(fixed)) {
        shape.width = fixed[i][0];
        shape.height = fixed[i][1];
    } else if (i < SHAPES - LARGE_SHAPES) {
        shape.width = draw(state, 1, most[i / 4 % COUNT(most)][0]);
        shape.height = draw(state, 1, most[i / 4 % COUNT(most)][1]);
    } else {
        shape.width = draw(state, 510, 514) + i % 2 * 10;
        shape.height = draw(state, 510, 514) + i % 2 * 10;
    }
    return shape;
}

static struct kind draw_kind(uint32_t *state, bool large)
{
    static const double peak[][3] = {{0, 255, 219}, {0, 1023, 65535}, {0, 255, 0.5}, {0, 1, 65535}};
    static const uint32_t gap[] = {0, 0, 1, 3, 16};
    struct kind kind = {0}; /* one draw after the other: the compiler orders initialisers */
    kind.layout = (ssimcu_layout)draw(state, 0, 2);
    kind.type = (ssimcu_type)draw(state, 0, 3);
    kind.channels = draw(state, 1, 4);
    kind.gap = gap[draw(state, 0, COUNT(gap) - 1)];
    kind.aligned = draw(state, 0, 1);
    if (large && draw(state, 0, 3)) {
        kind.type = SSIMCU_TYPE_U8;
        kind.channels = kind.channels < 3 ? 1 : 3;
    } else {
        kind.peak = peak[kind.type][draw(state, 0, 2)];
    }
    return kind;
}

static const char *const WITH[] = {"views", "views, map", "views, tiles", "views, map, tiles"};

/* Compares a huge pair only in the cheapest and the dearest way. */
static void compare_ways(const struct setup *setup, const ssimcu_view *ref, const ssimcu_view *out,
                         uint32_t tile, const char *label)
{
    struct answer none = {.status = SSIMCU_ERROR_DEVICE};
    ssimcu_context *context = open_context(setup, &none.why);
    if (!context) print(none, "views: %s %s", label, name_of(setup));
    for (int with = 0; with < 4 && context; with++)
        if (ref->width * ref->height < HUGE_PIXELS || with % 3 == 0)
            print(compare_views(context, ref, out, with, tile), "%s: %s tile %u %s", WITH[with],
                  label, tile, name_of(setup));
    ssimcu_close(&context);
}

static void compare_shape(ssimcu_device device, uint32_t i)
{
    static const struct {
        uint32_t threads;
        int level;
    } variant[] = {{1, 0}, {2, 0}, {1, 1}, {1, 2}, {1, 3}};
    const size_t variants = device == SSIMCU_DEVICE_CUDA ? 1 : i % 4 == 1 ? COUNT(variant) : 2;
    uint32_t state = i * 7919;
    const struct shape shape = draw_shape(i, &state);
    const bool large = shape.width * shape.height >= LARGE_PIXELS;
    const struct kind ref = draw_kind(&state, large);
    const struct kind out = large || i % 2 ? ref : draw_kind(&state, large);
    struct picture a = make_picture(ref, shape, 0), b = make_picture(out, shape, 1);
    char label[256];
    snprintf(label, sizeof label, "%u: %ux%u %s; %s", i, shape.width, shape.height,
             name_of_kind(ref), name_of_kind(out));
    for (int pad = 0; pad < 2; pad++) {
        struct setup setup = {.device = device, .pad = (ssimcu_pad)pad};
        setup.color = (ssimcu_color)(large || i % 3 ? 0 : draw(&state, 1, 2));
        setup.alpha = (ssimcu_alpha)draw(&state, 0, 3);
        const uint32_t tile = draw(&state, 11, 80);
        for (size_t v = 0; v < variants; v++) {
            setup.threads = variant[v].threads;
            setup.level = variant[v].level;
            compare_ways(&setup, &a.view, &b.view, tile, label);
        }
    }
    ssimcu_frame_free(&a.memory), ssimcu_frame_free(&b.memory);
}

void shapes(ssimcu_device device)
{
    for (uint32_t i = 0; i < SHAPES; i++)
        if (due()) compare_shape(device, i);
}

/* ---- What is refused, and how that is said ----------------------------------------------------
 */

static const char *const SPOILT[] = {
    "nothing",   "width - 1", "height - 1",   "width 10",   "pitch 4",  "pitch + 1",
    "peak -1",   "peak 0.5",  "0 channels",   "5 channels", "layout 7", "type 9",
    "data NULL", "data + 1",  "data 1 early", "2 frames",   "size + 8", "plane stride 4"};

enum { SIZES = 3 }; /* the first three change the size */

static ssimcu_view spoil(ssimcu_view v, size_t how, size_t sample)
{
    const uint8_t *data = v.data[0];
    switch (how) {
    case 1: v.width--; break;
    case 2: v.height--; break;
    case 3: v.width = 10; break;
    case 4: v.pitch = 4; break;
    case 5: v.pitch++; break;
    case 6: v.peak = -1; break;
    case 7: v.peak = 0.5; break;
    case 8: v.channels = 0; break;
    case 9: v.channels = 5; break;
    case 10: v.layout = (ssimcu_layout)7; break;
    case 11: v.type = (ssimcu_type)9; break;
    case 12: v.data[0] = NULL; break;
    case 13: v.data[0] = data + 1; break;
    case 14: v.data[0] = data - sample; break; /* no number for floats */
    case 15: v.frames = 2; break;
    case 16: v.struct_size += 8; break;
    case 17: v.plane_stride = 4; break;
    default: break;
    }
    return v;
}

/* Refuses by views, frames, planes and a request, which a CPU refuses in any case. Frames and
 * views word everything except their sizes differently. So faults that are not of the size go
 * without a map and without planes, which may be of either. */
static void refuse(ssimcu_context *context, const ssimcu_view view[2], bool of_size,
                   const char *label)
{
    struct answer answer[MOST_FRAMES];
    const ssimcu_view ref[3] = {view[0], view[0], view[0]}, out[3] = {view[1], view[1], view[1]};
    const uint32_t bits = view[0].type == SSIMCU_TYPE_U8 ? 8 : view[0].peak > 0 ? 10 : 16;
    const ssimcu_frame a = frame_of(&ref[0], bits), b = frame_of(&out[0], bits);
    for (int with = 0; with < 4; with++)
        print(compare_views(context, &ref[0], &out[0], with, 11), "%s: %s", WITH[with], label);
    print(compare_views(context, &ref[0], &out[0], TILES, 10), "views, tile 10: %s", label);
    const uint32_t count = request(context, &ref[0], &out[0], 0, answer);
    for (uint32_t i = 0; i < count; i++) print(answer[i], "request, pair %u: %s", i, label);
    if (view[0].layout != SSIMCU_LAYOUT_HWC || view[0].type > SSIMCU_TYPE_U16) return;
    print(compare_frames(context, &a, &b), "frames: %s", label);
    if (!of_size) return;
    print(compare_frames_with_map(context, &a, &b), "frames, map: %s", label);
    for (uint32_t planes = 0; planes < 5; planes++)
        print(compare_planes(context, ref, out, planes, bits), "%u planes: %s", planes, label);
}

/* Refuses different depths, some of which do not exist, of samples that fit into 8 bits. */
static void refuse_depths(ssimcu_context *context)
{
    static const uint32_t bits[] = {0, 7, 8, 9, 10, 16, 17};
    const struct kind kind = {.type = SSIMCU_TYPE_U16, .channels = 1, .peak = 255};
    struct picture p = make_picture(kind, (struct shape){30, 20, 0, 1}, 0);
    for (size_t i = 0; i < COUNT(bits) * COUNT(bits); i++) {
        const uint32_t a = bits[i / COUNT(bits)], b = bits[i % COUNT(bits)];
        const ssimcu_frame ref = frame_of(&p.view, a), out = frame_of(&p.view, b);
        if (due()) print(compare_frames(context, &ref, &out), "frames: %u bits, %u bits", a, b);
    }
    ssimcu_frame_free(&p.memory);
}

void refused(ssimcu_device device)
{
    static const struct kind kind[] = {{SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_F32, 3, 0, 1, false},
                                       {SSIMCU_LAYOUT_PLANES, SSIMCU_TYPE_U16, 4, 0, 1, false},
                                       {SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_F16, 2, 1, 2, false},
                                       {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 3, 255, 1, false},
                                       {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U16, 1, 1023, 1, true}};
    const struct shape shape = {40, 30, 2, 1};
    ssimcu_context *context = must_open(&(struct setup){.device = device});
    for (size_t k = 0; k < COUNT(kind); k++) {
        struct picture p = make_picture(kind[k], shape, 0), q = make_picture(kind[k], shape, 1);
        static const size_t bytes[] = {1, 2, 2, 4};
        const size_t sample = bytes[kind[k].type];
        pin(context, &p), pin(context, &q);
        p.view.frames = q.view.frames = 0;
        for (size_t i = 0; i < 3 * COUNT(SPOILT); i++) {
            const size_t how = i / 3, side = i % 3; /* the first, the second, both */
            const ssimcu_view view[] = {side == 1 ? p.view : spoil(p.view, how, sample),
                                        side == 0 ? q.view : spoil(q.view, how, sample)};
            char label[128];
            snprintf(label, sizeof label, "%s spoilt: %s of %zu", name_of_kind(kind[k]),
                     SPOILT[how], side);
            if (due()) refuse(context, view, how <= SIZES, label);
        }
        unpin_and_free(context, &p), unpin_and_free(context, &q);
    }
    refuse_depths(context);
    ssimcu_close(&context);
}
