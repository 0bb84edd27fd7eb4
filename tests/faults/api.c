/* api REF OUT: uses the C API as a program does: pictures, a score, a map, tiles, planes, a
 * permute. Prints every result. Exits with 0, or with 70 if a call failed as it should when
 * memory runs out; anything else is a bug. */
#include "ssimcu.h"
#include "ssimcu_io.h"
#include "ssimcu_permute.h"

#include <stdio.h>
#include <stdlib.h>

enum { TILE = 16, OUT_OF_MEMORY = 70 };

static ssimcu_message why;

static void sum_up(const char *what, const float *value, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)value[i] * (double)(i % 7 + 1);
    printf("%s %.17g\n", what, sum);
}

static ssimcu_status views(ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out)
{
    static float map_data[1 << 16];
    static double tile_data[1 << 10];
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_map map = SSIMCU_INIT(map);
    ssimcu_tiles tiles = SSIMCU_INIT(tiles);
    tiles.width = tiles.height = TILE;
    ssimcu_status status = ssimcu_views_layout(context, ref, out, &map, &tiles, &why);
    if (status != SSIMCU_OK) return status;
    map.data = map_data;
    tiles.data = tile_data;
    status = ssimcu_compare_views(context, ref, out, &score, &map, &tiles, &why);
    if (status != SSIMCU_OK) return status;
    printf("views %.17g, first tile %.17g\n", score.score, tile_data[0]);
    sum_up("map", map_data, (size_t)map.width * map.height * map.channels);
    return SSIMCU_OK;
}

static ssimcu_status permute(ssimcu_context *context, const ssimcu_frame *frame)
{
    static unsigned char to[1 << 16];
    ssimcu_permute_layout layout = SSIMCU_INIT(permute_layout);
    unsigned sum = 0;
    layout.rank = 3;
    layout.element = 1;
    layout.size[0] = frame->height;
    layout.size[1] = frame->width;
    layout.size[2] = frame->channels;
    layout.order[0] = 2;
    layout.order[2] = 1;
    layout.src_stride[0] = (int64_t)frame->pitch;
    layout.src_stride[1] = frame->channels;
    layout.src_stride[2] = 1;
    const ssimcu_status status = ssimcu_permute(context, &layout, to, frame->data, &why);
    if (status != SSIMCU_OK) return status;
    const size_t bytes = (size_t)frame->height * frame->width * frame->channels;
    for (size_t i = 0; i < bytes; i++) sum = sum * 31 + to[i];
    printf("permute %u\n", sum);
    return SSIMCU_OK;
}

static ssimcu_status compare(ssimcu_context *context, const ssimcu_frame *ref,
                             const ssimcu_frame *out)
{
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_view view[2] = {SSIMCU_INIT(view), SSIMCU_INIT(view)};
    ssimcu_status status = ssimcu_compare(context, ref, out, &score, &why);
    if (status != SSIMCU_OK) return status;
    printf("compare %.17g\n", score.score);
    status = ssimcu_frame_view(ref, &view[0], &why);
    if (status == SSIMCU_OK) status = ssimcu_frame_view(out, &view[1], &why);
    if (status == SSIMCU_OK) status = views(context, &view[0], &view[1]);
    if (status == SSIMCU_OK) status = permute(context, ref);
    return status;
}

int main(int argc, char **argv)
{
    ssimcu_settings settings = SSIMCU_INIT(settings);
    ssimcu_context *context = NULL;
    ssimcu_frame ref = {0}, out = {0};
    if (argc != 3) return 2;
    settings.device = SSIMCU_DEVICE_CPU;
    settings.threads = 3;
    ssimcu_status status = ssimcu_image_read(argv[1], NULL, &ref, &why);
    if (status == SSIMCU_OK) status = ssimcu_image_read(argv[2], NULL, &out, &why);
    if (status == SSIMCU_OK) status = ssimcu_open(&settings, &context, &why);
    if (status == SSIMCU_OK) status = compare(context, &ref, &out);
    ssimcu_close(&context);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
    if (status != SSIMCU_OK) fprintf(stderr, "ssimcu: %s\n", why.text);
    if (fflush(stdout) != 0) return 74;
    return status == SSIMCU_OK ? 0 : status == SSIMCU_ERROR_MEMORY ? OUT_OF_MEMORY : 1;
}
