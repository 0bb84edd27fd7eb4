/* Scores and tiles. A tile's score covers only the tile's windows. As in a frame's score, the
 * planes of a video frame count by their areas. A chroma tile is smaller in proportion to its
 * plane, so that it covers the same area of the picture. */
#include "engine/score.h"

#include "base/refuse.h"
#include "pair/pair.h"
#include "record/record.h"

#include "metric_table.h"

#include <string.h>

bool score_allows_tile(int64_t side) { return side % 4 == 0 && side >= 24 && side <= 1 << 16; }

/* The planes of a pair as the library takes them. */
struct planes {
    uint32_t count;
    ssimcu_view view[2][SSIMCU_MAX_PLANES];
    ssimcu_tiles tiles[SSIMCU_MAX_PLANES];
};

static ssimcu_status make_views(const ssimcu_frame *frame, uint32_t count, ssimcu_view *view,
                                ssimcu_message *message)
{
    for (uint32_t p = 0; p < count; p++) {
        view[p] = SSIMCU_INIT(view);
        TRY(ssimcu_frame_view(&frame[p], &view[p], message));
    }
    return SSIMCU_OK;
}

static bool are_laid_out(const struct planes *planes, uint32_t tile,
                         const struct learned_tiles *all)
{
    bool same = all->planes == planes->count && all->tiles->width == tile;
    for (uint32_t p = 0; p < planes->count; p++)
        same = same && all->width[p] == planes->view[0][p].width &&
               all->height[p] == planes->view[0][p].height;
    return same;
}

/* Lays out all tiles, unless those of the previous pair fit. */
static ssimcu_status set_all(ssimcu_context *context, struct planes *planes, uint32_t tile,
                             struct learned_tiles *all, ssimcu_message *message)
{
    const bool plain = all->plain;
    ssimcu_status status = SSIMCU_OK;
    if (!are_laid_out(planes, tile, all)) {
        learned_tiles_free(all);
        status = learned_tiles_make(context, planes->view[0], planes->view[1], planes->count, tile,
                                    plain, all, message);
    }
    if (status == SSIMCU_OK)
        memcpy(planes->tiles, all->tiles, sizeof planes->tiles);
    else
        learned_tiles_free(all);
    all->plain = plain;
    return status;
}

/* Sets the tiles of each plane. U and V of 4:1:1 need larger tiles than others. */
static ssimcu_status set_tiles(struct planes *planes, uint32_t tile, ssimcu_message *message)
{
    enum { LEAST = 11 };
    const ssimcu_view *first = &planes->view[0][0];
    for (uint32_t p = 0; p < planes->count; p++) {
        const ssimcu_view *view = &planes->view[0][p];
        const uint32_t width = learned_tile_side(tile, first->width, view->width),
                       height = learned_tile_side(tile, first->height, view->height);
        if (width < LEAST || height < LEAST)
            FAIL(ARGUMENT,
                 "--tile %u: a tile has only %u x %u pixels in a plane of these frames, expected "
                 "at least 11 x 11",
                 tile, width, height);
        planes->tiles[p] = SSIMCU_INIT(tiles, .width = width, .height = height);
    }
    return SSIMCU_OK;
}

static ssimcu_status score_planes(ssimcu_context *context, struct planes *planes, bool tiled,
                                  ssimcu_score *score, ssimcu_map *map, ssimcu_message *message)
{
    ssimcu_tiles *tiles = tiled ? planes->tiles : NULL;
    if (planes->count == 1)
        return ssimcu_compare_views(context, planes->view[0], planes->view[1], score, map, tiles,
                                    message);
    return ssimcu_compare_planes(context, planes->view[0], planes->view[1], planes->count, score,
                                 tiles, message);
}

/* Scores planes whose views are ready. */
static ssimcu_status compare(ssimcu_context *context, struct planes *planes, uint32_t tile,
                             struct learned_tiles *all, ssimcu_score *score, ssimcu_map *map,
                             ssimcu_message *message)
{
    ssimcu_message why = {{0}};
    ssimcu_status status = tile > 0 ? set_tiles(planes, tile, &why) : SSIMCU_OK;
    if (status == SSIMCU_OK && all) status = set_all(context, planes, tile, all, &why);
    if (status == SSIMCU_OK) status = score_planes(context, planes, tile > 0, score, map, &why);
    /* A pair without SSIM has no tiles. It is valid only if another metric is wanted. */
    if (status == SSIMCU_ERROR_TOO_SMALL && tile > 0 && !all)
        return score_planes(context, planes, false, score, map, message);
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", why.text);
}

ssimcu_status score_frames(ssimcu_context *context, const ssimcu_frame *const frame[2],
                           uint32_t count, uint32_t tile, struct learned_tiles *all,
                           ssimcu_score *score, ssimcu_map *map, ssimcu_message *message)
{
    struct planes planes = {.count = count};
    if (count == 1 && tile == 0 && !map)
        return ssimcu_compare(context, frame[0], frame[1], score, message);
    for (int side = 0; side < 2; side++)
        TRY(make_views(frame[side], count, planes.view[side], message));
    return compare(context, &planes, tile, all, score, map, message);
}

ssimcu_status score_pair(ssimcu_context *context, const struct pair *pair, uint32_t tile,
                         struct learned_tiles *all, ssimcu_score *score, ssimcu_message *message)
{
    struct planes planes = {.count = pair->planes};
    if (pair->planes == 1 && !pair->on_device[0] && !pair->on_device[1])
        return score_frames(context, (const ssimcu_frame *const[2]){pair->plane[0], pair->plane[1]},
                            pair->planes, tile, all, score, NULL, message);
    for (int side = 0; side < 2; side++)
        if (pair->on_device[side])
            memcpy(planes.view[side], pair->view[side], sizeof planes.view[side]);
        else
            TRY(make_views(pair->plane[side], planes.count, planes.view[side], message));
    for (int side = 0; side < 2 && pair->planes == 3; side++) {
        ssimcu_yuv *yuv = &planes.view[side][0].yuv;
        if (!pair->format[side] || !ssimcu_clip_yuv(pair->format[side], yuv))
            *yuv = (ssimcu_yuv){0}; /* an unknown format fails only the metrics that need it */
    }
    return compare(context, &planes, tile, all, score, NULL, message);
}

ssimcu_status score_need(uint32_t needed, const struct pair *pair, const ssimcu_score *score,
                         ssimcu_message *message)
{
    const ssimcu_frame *const last = &pair->plane[0][pair->planes - 1]; /* no plane is smaller */
    char why[SSIMCU_METRIC_WHY];
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        if (!(needed >> m & 1) || !isnan(score->metric[m])) continue;
        ssimcu_metric_too_small((ssimcu_metric)m, last->width, last->height, why);
        FAIL(TOO_SMALL, "%s", why);
    }
    return SSIMCU_OK;
}

static void note_tiles(struct pair *pair, const ssimcu_score *score)
{
    const ssimcu_tile *worst = &score->worst;
    if (worst->width == 0) return;
    pair->record->scored.tile = *worst;
    pair->record->scored.tile.x += pair->x;
    pair->record->scored.tile.y += pair->y;
    pair->record->scored.level_shift = score->level_shift;
    pair->record->scored.level_shift.x += pair->x;
    pair->record->scored.level_shift.y += pair->y;
}

static void note(struct pair *pair, const ssimcu_context *context, const ssimcu_score *score)
{
    struct record *record = pair->record;
    note_tiles(pair, score);
    record->scored.score = score->score;
    record->scored.bits = score->bits;
    record->scored.background = score->background;
    record->scored.layout =
        isnan(score->score) ? CONTRACT_NO_LAYOUT
                            : contract_layout(pair->plane[0], pair->plane[1], pair->planes, score);
    /* The tiles of a picture have the mean of its channels, not a score per channel. */
    const bool mean = record->scored.ignored.tiles > 0 && pair->planes == 1 && score->channels > 1;
    record->scored.channels = isnan(score->score) || mean ? 0 : score->channels;
    memcpy(record->scored.channel, score->channel, sizeof record->scored.channel);
    record_metrics(record, score);
    record_light(record->scored.light,
                 (const ssimcu_frame *const[2]){pair->plane[0], pair->plane[1]}, score);
    memcpy(record->by_nvdec, pair->on_device, sizeof record->by_nvdec);
    record->scored.backend =
        strncmp(ssimcu_context_device(context), "cuda", 4) == 0 ? "cuda" : "cpu";
}

ssimcu_status score_note(struct pair *pair, const ssimcu_context *context,
                         const struct judge *judge, const struct learned_tiles *tiles,
                         struct ignored_tiles *ignored, ssimcu_score *score,
                         ssimcu_message *message)
{
    *ignored = (struct ignored_tiles){0};
    if (judge) TRY(judge_ignore(judge, tiles, pair, score, ignored, message));
    note(pair, context, score);
    return judge ? judge_learned(judge, tiles, ignored, score->channels, pair, message) : SSIMCU_OK;
}
