/* The public entries that compare in host memory, and those that say what they would write. A frame
 * is checked as a frame and goes on as a view. */
#include "compare.h"

#include "frame.h"
#include "pipeline.h"
#include "sized.h"
#include "view.h"

static ssimcu_status check_context(const ssimcu_context *context, ssimcu_message *message)
{
    return context ? SSIMCU_OK : ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "context is NULL");
}

/* Two frames, as views. */
static ssimcu_status check_frames(const ssimcu_context *context, const ssimcu_frame *ref,
                                  const ssimcu_frame *out, ssimcu_view pair[SSIMCU_PAIR],
                                  ssimcu_message *message)
{
    ssimcu_status status = check_context(context, message);
    if (status == SSIMCU_OK) status = ssimcu_frame_check(ref, "ref", message);
    if (status == SSIMCU_OK) status = ssimcu_frame_check(out, "out", message);
    if (status != SSIMCU_OK) return status;
    pair[SSIMCU_REF] = ssimcu_view_of_frame(ref);
    pair[SSIMCU_OUT] = ssimcu_view_of_frame(out);
    const uint32_t shallow = ref->bits < out->bits ? ref->bits : out->bits;
    const uint32_t deep = ref->bits < out->bits ? out->bits : ref->bits;
    const int same_size = ref->width == out->width && ref->height == out->height;
    if (same_size && shallow != deep && (shallow != 8 || deep != 16))
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "the frames differ in depth: ref has %u bits, out has %u", ref->bits,
                           out->bits);
    return SSIMCU_OK;
}

static ssimcu_status check_view(const ssimcu_view *theirs, const char *name, int want_data,
                                ssimcu_view *view, ssimcu_message *message)
{
    const ssimcu_status status = ssimcu_view_check(theirs, name, want_data, view, message);
    if (status != SSIMCU_OK || view->frames == 1) return status;
    return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                       "%s: %u frames: batches are for device memory, expected 0 or 1", name,
                       view->frames);
}

static ssimcu_status check_views(const ssimcu_context *context, const ssimcu_view *ref,
                                 const ssimcu_view *out, int want_data,
                                 ssimcu_view pair[SSIMCU_PAIR], ssimcu_message *message)
{
    ssimcu_status status = check_context(context, message);
    if (status == SSIMCU_OK) status = check_view(ref, "ref", want_data, &pair[SSIMCU_REF], message);
    if (status == SSIMCU_OK) status = check_view(out, "out", want_data, &pair[SSIMCU_OUT], message);
    return status;
}

static ssimcu_status read_map(const ssimcu_map *theirs, ssimcu_map *map, ssimcu_message *message)
{
    return ssimcu_sized_read(map, sizeof *map, SSIMCU_MAP_OLDEST, theirs, "map", message);
}

static void shape_map(const struct ssimcu_shape *shape, ssimcu_map *map)
{
    map->width = shape->map_width;
    map->height = shape->map_height;
    map->channels = shape->planes;
    map->border = (shape->width - shape->map_width) / 2;
}

static ssimcu_status lay_out_map(const struct ssimcu_shape *shape, ssimcu_map *theirs,
                                 ssimcu_message *message)
{
    ssimcu_map map;
    const ssimcu_status status = read_map(theirs, &map, message);
    if (status != SSIMCU_OK) return status;
    shape_map(shape, &map);
    ssimcu_sized_write(theirs, &map);
    return SSIMCU_OK;
}

static ssimcu_status check_map(const struct ssimcu_shape *shape, const ssimcu_map *theirs,
                               float **data, ssimcu_message *message)
{
    ssimcu_map map, expected;
    const ssimcu_status status = read_map(theirs, &map, message);
    if (status != SSIMCU_OK) return status;
    shape_map(shape, &expected);
    if (!map.data || map.width != expected.width || map.height != expected.height ||
        map.channels != expected.channels)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "map: expected %ux%ux%u floats as ssimcu_map_layout says",
                           expected.channels, expected.height, expected.width);
    *data = map.data;
    return SSIMCU_OK;
}

ssimcu_status ssimcu_tiles_grid(const ssimcu_tiles *theirs, const struct ssimcu_shape *shape,
                                struct ssimcu_tile_grid *grid, ssimcu_message *message)
{
    ssimcu_tiles tiles;
    *grid = (struct ssimcu_tile_grid){0};
    if (!theirs) return SSIMCU_OK;
    const ssimcu_status status =
        ssimcu_sized_read(&tiles, sizeof tiles, SSIMCU_TILES_OLDEST, theirs, "tiles", message);
    if (status != SSIMCU_OK) return status;
    if (tiles.width < SSIMCU_TAPS || tiles.height < SSIMCU_TAPS || tiles.width > INT32_MAX ||
        tiles.height > INT32_MAX)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "tiles: %ux%u pixels, expected %d to %d a side", tiles.width,
                           tiles.height, SSIMCU_TAPS, INT32_MAX);
    grid->width = tiles.width;
    grid->height = tiles.height;
    grid->border = (shape->width - shape->map_width) / 2;
    grid->columns = ssimcu_tile_count(shape->map_width, grid->border, grid->width);
    grid->rows = ssimcu_tile_count(shape->map_height, grid->border, grid->height);
    return SSIMCU_OK;
}

ssimcu_status ssimcu_tiles_check(const ssimcu_tiles *theirs, const struct ssimcu_tile_grid *grid,
                                 double **data, ssimcu_message *message)
{
    ssimcu_tiles tiles;
    const ssimcu_status status =
        ssimcu_sized_read(&tiles, sizeof tiles, SSIMCU_TILES_OLDEST, theirs, "tiles", message);
    if (status != SSIMCU_OK) return status;
    if (!tiles.data || tiles.width != grid->width || tiles.height != grid->height ||
        tiles.columns != grid->columns || tiles.rows != grid->rows)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "tiles: expected %ux%u scores of %ux%u pixels, as ssimcu_views_layout "
                           "says",
                           grid->rows, grid->columns, grid->width, grid->height);
    *data = tiles.data;
    return SSIMCU_OK;
}

/* The end of every compare: results are checked, the pair is scored, the score handed out. */
static ssimcu_status compare(ssimcu_context *context, const ssimcu_view pair[SSIMCU_PAIR],
                             ssimcu_score *theirs, const ssimcu_map *map, const ssimcu_tiles *tiles,
                             ssimcu_message *message)
{
    struct ssimcu_shape shape;
    struct ssimcu_wanted wanted = {0};
    ssimcu_score score;
    ssimcu_status status = ssimcu_pipeline_shape(&context->settings, pair, &shape, message);
    if (status == SSIMCU_OK)
        status =
            ssimcu_sized_read(&score, sizeof score, SSIMCU_SCORE_OLDEST, theirs, "score", message);
    if (status == SSIMCU_OK && map) status = check_map(&shape, map, &wanted.map, message);
    if (status == SSIMCU_OK) status = ssimcu_tiles_grid(tiles, &shape, &wanted.grid, message);
    if (status == SSIMCU_OK && tiles)
        status = ssimcu_tiles_check(tiles, &wanted.grid, &wanted.means, message);
    if (status == SSIMCU_OK) status = ssimcu_pipeline_run(context, pair, &wanted, &score, message);
    if (status == SSIMCU_OK) ssimcu_sized_write(theirs, &score);
    return status;
}

ssimcu_status ssimcu_compare(ssimcu_context *context, const ssimcu_frame *ref,
                             const ssimcu_frame *out, ssimcu_score *score, ssimcu_message *message)
{
    ssimcu_view pair[SSIMCU_PAIR];
    const ssimcu_status status = check_frames(context, ref, out, pair, message);
    return status != SSIMCU_OK ? status : compare(context, pair, score, NULL, NULL, message);
}

/* One plane of both frames. */
static ssimcu_status check_plane(const ssimcu_context *context, const ssimcu_frame *ref,
                                 const ssimcu_frame *out, ssimcu_view pair[SSIMCU_PAIR],
                                 ssimcu_message *message)
{
    const ssimcu_status status = check_frames(context, ref, out, pair, message);
    if (status != SSIMCU_OK || (ref->channels == 1 && out->channels == 1)) return status;
    return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                       "planes: ref has %u channels and out %u, expected one each", ref->channels,
                       out->channels);
}

ssimcu_status ssimcu_compare_planes(ssimcu_context *context, const ssimcu_frame *ref,
                                    const ssimcu_frame *out, uint32_t planes, ssimcu_score *score,
                                    ssimcu_message *message)
{
    ssimcu_view pair[SSIMCU_MAX_CHANNELS][SSIMCU_PAIR];
    ssimcu_score own;
    ssimcu_status status = check_context(context, message);
    if (status == SSIMCU_OK && (planes < 1 || planes > SSIMCU_MAX_CHANNELS))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "planes is %u, expected 1 to %d", planes,
                           SSIMCU_MAX_CHANNELS);
    if (status == SSIMCU_OK)
        status = ssimcu_sized_read(&own, sizeof own, SSIMCU_SCORE_OLDEST, score, "score", message);
    for (uint32_t p = 0; p < planes && status == SSIMCU_OK; p++)
        status = check_plane(context, ref ? &ref[p] : NULL, out ? &out[p] : NULL, pair[p], message);
    if (status == SSIMCU_OK) status = ssimcu_pipeline_planes(context, planes, pair, &own, message);
    if (status == SSIMCU_OK) ssimcu_sized_write(score, &own);
    return status;
}

ssimcu_status ssimcu_map_layout(ssimcu_context *context, const ssimcu_frame *ref,
                                const ssimcu_frame *out, ssimcu_map *map, ssimcu_message *message)
{
    ssimcu_view pair[SSIMCU_PAIR];
    struct ssimcu_shape shape;
    ssimcu_status status = check_frames(context, ref, out, pair, message);
    if (status == SSIMCU_OK)
        status = ssimcu_pipeline_shape(&context->settings, pair, &shape, message);
    return status != SSIMCU_OK ? status : lay_out_map(&shape, map, message);
}

ssimcu_status ssimcu_compare_map(ssimcu_context *context, const ssimcu_frame *ref,
                                 const ssimcu_frame *out, ssimcu_score *score, ssimcu_map *map,
                                 ssimcu_message *message)
{
    ssimcu_view pair[SSIMCU_PAIR];
    const ssimcu_status status = check_frames(context, ref, out, pair, message);
    if (status != SSIMCU_OK) return status;
    if (!map) return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "map is NULL");
    return compare(context, pair, score, map, NULL, message);
}

ssimcu_status ssimcu_frame_view(const ssimcu_frame *frame, ssimcu_view *view,
                                ssimcu_message *message)
{
    ssimcu_view own;
    ssimcu_status status = ssimcu_frame_check(frame, "frame", message);
    if (status == SSIMCU_OK)
        status = ssimcu_sized_read(&own, sizeof own, SSIMCU_VIEW_OLDEST, view, "view", message);
    if (status != SSIMCU_OK) return status;
    own = ssimcu_view_of_frame(frame);
    ssimcu_sized_write(view, &own);
    return SSIMCU_OK;
}

ssimcu_status ssimcu_views_layout(ssimcu_context *context, const ssimcu_view *ref,
                                  const ssimcu_view *out, ssimcu_map *map, ssimcu_tiles *tiles,
                                  ssimcu_message *message)
{
    ssimcu_view pair[SSIMCU_PAIR];
    struct ssimcu_shape shape;
    struct ssimcu_tile_grid grid;
    ssimcu_status status = check_views(context, ref, out, 0, pair, message);
    if (status == SSIMCU_OK)
        status = ssimcu_pipeline_shape(&context->settings, pair, &shape, message);
    if (status == SSIMCU_OK) status = ssimcu_tiles_grid(tiles, &shape, &grid, message);
    if (status == SSIMCU_OK && map) status = lay_out_map(&shape, map, message);
    if (status != SSIMCU_OK || !tiles) return status;
    tiles->columns = grid.columns;
    tiles->rows = grid.rows;
    return SSIMCU_OK;
}

ssimcu_status ssimcu_compare_views(ssimcu_context *context, const ssimcu_view *ref,
                                   const ssimcu_view *out, ssimcu_score *score, ssimcu_map *map,
                                   ssimcu_tiles *tiles, ssimcu_message *message)
{
    ssimcu_view pair[SSIMCU_PAIR];
    const ssimcu_status status = check_views(context, ref, out, 1, pair, message);
    return status != SSIMCU_OK ? status : compare(context, pair, score, map, tiles, message);
}
