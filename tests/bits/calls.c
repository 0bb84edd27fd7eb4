/* Every call that bits makes of the library. */
#include "api/context.h"
#include "bits.h"
#include "ssimcu_cuda.h"
#include "ssimcu_io.h"

#include <stdio.h>
#include <stdlib.h>

ssimcu_context *open_context(const struct setup *setup, ssimcu_message *why)
{
    static const enum ssimcu_cpu_level level[] = {SSIMCU_CPU_BEST, SSIMCU_CPU_PLAIN,
                                                  SSIMCU_CPU_AVX2, SSIMCU_CPU_AVX512};
    const ssimcu_settings settings = {.struct_size = sizeof settings,
                                      .device = setup->device,
                                      .pad = setup->pad,
                                      .color = setup->color,
                                      .alpha = setup->alpha,
                                      .threads = setup->threads};
    ssimcu_context *context = NULL;
    const ssimcu_status status = ssimcu_open_level(&settings, level[setup->level], &context, why);
    return status == SSIMCU_OK ? context : NULL;
}

static struct answer no_answer(uint32_t tile)
{
    return (struct answer){
        .score = {.struct_size = sizeof(ssimcu_score)},
        .map = {.struct_size = sizeof(ssimcu_map)},
        .tiles = {.struct_size = sizeof(ssimcu_tiles), .width = tile, .height = tile}};
}

/* Zeroed memory shows an element that no code writes, and is the same in every run. */
static void make_room(struct answer *answer, int want)
{
    static const ssimcu_message why = {"out of memory"};
    ssimcu_map *map = &answer->map;
    ssimcu_tiles *tiles = &answer->tiles;
    if (want & MAP)
        map->data = calloc((size_t)map->width * map->height, map->channels * sizeof *map->data);
    if (want & TILES) tiles->data = calloc((size_t)tiles->columns * tiles->rows, sizeof(double));
    if ((want & MAP && !map->data) || (want & TILES && !tiles->data)) quit("results", &why);
}

struct answer compare_frames(ssimcu_context *context, const ssimcu_frame *ref,
                             const ssimcu_frame *out)
{
    struct answer a = no_answer(0);
    a.status = ssimcu_compare(context, ref, out, &a.score, &a.why);
    return a;
}

struct answer compare_views(ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out,
                            int want, uint32_t tile)
{
    struct answer a = no_answer(tile);
    ssimcu_map *map = want & MAP ? &a.map : NULL;
    ssimcu_tiles *tiles = want & TILES ? &a.tiles : NULL;
    if (want) a.status = ssimcu_views_layout(context, ref, out, map, tiles, &a.why);
    if (a.status != SSIMCU_OK) return a;
    make_room(&a, want);
    a.status = ssimcu_compare_views(context, ref, out, &a.score, map, tiles, &a.why);
    return a;
}

struct answer compare_frames_with_map(ssimcu_context *context, const ssimcu_frame *ref,
                                      const ssimcu_frame *out)
{
    ssimcu_view view[2] = {{.struct_size = sizeof *view}, {.struct_size = sizeof *view}};
    struct answer a = no_answer(0);
    a.status = ssimcu_frame_view(ref, &view[0], &a.why);
    if (a.status == SSIMCU_OK) a.status = ssimcu_frame_view(out, &view[1], &a.why);
    return a.status == SSIMCU_OK ? compare_views(context, &view[0], &view[1], MAP, 0) : a;
}

ssimcu_frame frame_of(const ssimcu_view *view, uint32_t bits)
{
    const size_t row = (size_t)view->width * view->channels * (bits > 8 ? sizeof(uint16_t) : 1);
    return (ssimcu_frame){.width = view->width,
                          .height = view->height,
                          .channels = view->channels,
                          .bits = bits,
                          .pitch = view->pitch ? (size_t)view->pitch : row,
                          .data = (void *)(uintptr_t)view->data[0]};
}

struct answer compare_planes(ssimcu_context *context, const ssimcu_view ref[3],
                             const ssimcu_view out[3], uint32_t planes, uint32_t bits)
{
    struct answer a = no_answer(0);
    (void)bits; /* the views say it */
    a.status = ssimcu_compare_planes(context, ref, out, planes, &a.score, NULL, &a.why);
    return a;
}

uint32_t request(ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out,
                 uint32_t tile, struct answer answer[MOST_FRAMES])
{
    const uint32_t frames = ref->frames ? ref->frames : 1;
    struct answer all = no_answer(tile);
    ssimcu_view one[2] = {*ref, *out}; /* a batch of views has no layout on the host */
    one[0].frames = one[1].frames = 0;
    ssimcu_tiles *tiles = tile ? &all.tiles : NULL;
    ssimcu_request *made = NULL;
    if (tile) all.status = ssimcu_views_layout(context, &one[0], &one[1], NULL, tiles, &all.why);
    if (all.status == SSIMCU_OK)
        all.status = ssimcu_request_create(context, ref, out, tiles, &made, &all.why);
    if (all.status == SSIMCU_OK) all.status = ssimcu_request_submit(made, ref, out, NULL, &all.why);
    for (uint32_t i = 0; i < frames && i < MOST_FRAMES; i++) {
        struct answer *a = &answer[i];
        *a = all;
        if (all.status != SSIMCU_OK) continue;
        make_room(a, tile ? TILES : 0);
        a->status = ssimcu_request_score(made, i, &a->score, tile ? &a->tiles : NULL, &a->why);
    }
    ssimcu_request_destroy(&made);
    return all.status == SSIMCU_OK ? frames : 1;
}

void pin(ssimcu_context *context, const struct picture *picture)
{
    ssimcu_message why = {{0}};
    if (ssimcu_frame_pin(context, &picture->memory, &why) != SSIMCU_OK) quit("pin", &why);
}

void unpin_and_free(ssimcu_context *context, struct picture *picture)
{
    ssimcu_frame_unpin(context, &picture->memory);
    ssimcu_frame_free(&picture->memory);
}

ssimcu_view view_of(const ssimcu_frame *frame)
{
    ssimcu_view view = {.struct_size = sizeof view};
    ssimcu_message why = {{0}};
    if (ssimcu_frame_view(frame, &view, &why) != SSIMCU_OK) quit("view", &why);
    return view;
}

ssimcu_frame load(const char *folder, const char *name)
{
    char path[4096];
    ssimcu_image *image = NULL;
    ssimcu_message why = {{0}};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ssimcu_status status = ssimcu_image_open(path, NULL, &image, &why);
    ssimcu_frame frame = ssimcu_image_shape(image);
    if (status == SSIMCU_OK) status = ssimcu_frame_alloc(&frame, &why);
    if (status == SSIMCU_OK) status = ssimcu_image_decode(image, &frame, &why);
    if (status != SSIMCU_OK) quit(name, &why);
    ssimcu_image_close(&image);
    return frame;
}
