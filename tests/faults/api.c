/* api REF OUT: uses the C API as a program does: pictures, a score, a map, tiles, planes, a
 * permute. api pictures REF OUT: reads both with ssimcu_pictures.h and scores each pair. Prints
 * every result. Exits with 0, or with 70 if a call failed as it should when memory runs out;
 * anything else is a bug. */
#include "ssimcu.h"
#include "ssimcu_io.h"
#include "ssimcu_permute.h"
#include "ssimcu_pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Reads the next pair and scores it. */
static ssimcu_status score_next(ssimcu_context *context, ssimcu_pictures *const side[2], int *end)
{
    ssimcu_picture *picture[2] = {NULL, NULL};
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_status status = SSIMCU_OK;
    for (int s = 0; s < 2 && status == SSIMCU_OK; s++)
        status = ssimcu_pictures_next(side[s], &picture[s], &why);
    *end = !picture[0] || !picture[1];
    if (!*end) status = ssimcu_compare_pictures(context, picture[0], picture[1], 64, &score, &why);
    if (!*end && status == SSIMCU_OK)
        printf("frame %d %.17g %.17g\n", (int)picture[0]->frame, score.score, score.worst.score);
    for (int s = 0; s < 2; s++) ssimcu_picture_release(&picture[s]);
    return status;
}

static ssimcu_status read_pictures(ssimcu_context *context, char **path)
{
    const ssimcu_run_options options = SSIMCU_INIT(run_options, .threads = 1);
    ssimcu_pictures *side[2] = {NULL, NULL};
    ssimcu_status status = SSIMCU_OK;
    for (int s = 0; s < 2 && status == SSIMCU_OK; s++)
        status = ssimcu_pictures_open(path[s], &options, &side[s], &why);
    for (int end = 0; status == SSIMCU_OK && !end;) status = score_next(context, side, &end);
    for (int s = 0; s < 2; s++) ssimcu_pictures_close(&side[s]);
    return status;
}

static ssimcu_status read_files(ssimcu_context *context, char **path)
{
    ssimcu_frame ref = {0}, out = {0};
    ssimcu_status status = ssimcu_image_read(path[0], NULL, &ref, &why);
    if (status == SSIMCU_OK) status = ssimcu_image_read(path[1], NULL, &out, &why);
    if (status == SSIMCU_OK) status = compare(context, &ref, &out);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
    return status;
}

int main(int argc, char **argv)
{
    const ssimcu_settings settings =
        SSIMCU_INIT(settings, .device = SSIMCU_DEVICE_CPU, .threads = 3);
    ssimcu_context *context = NULL;
    const int pictures = argc == 4 && strcmp(argv[1], "pictures") == 0;
    if (argc != 3 && !pictures) return 2;
    ssimcu_status status = ssimcu_open(&settings, &context, &why);
    if (status == SSIMCU_OK)
        status = (pictures ? read_pictures : read_files)(context, argv + argc - 2);
    ssimcu_close(&context);
    if (status != SSIMCU_OK) fprintf(stderr, "ssimcu: %s\n", why.text);
    if (fflush(stdout) != 0) return 74;
    return status == SSIMCU_OK ? 0 : status == SSIMCU_ERROR_MEMORY ? OUT_OF_MEMORY : 1;
}
