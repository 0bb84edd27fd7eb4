#include "maps/maps.h"

#include "fail.h"

#include <stdlib.h>

static ssimcu_status make_views(const ssimcu_frame *ref, const ssimcu_frame *out,
                                ssimcu_view view[2], ssimcu_message *message)
{
    view[0] = view[1] = SSIMCU_INIT(view);
    TRY(ssimcu_frame_view(ref, &view[0], message));
    return ssimcu_frame_view(out, &view[1], message);
}

ssimcu_status map_prepare(ssimcu_context *context, const ssimcu_frame *ref, const ssimcu_frame *out,
                          ssimcu_map *raw, ssimcu_message *message)
{
    ssimcu_view view[2];
    *raw = SSIMCU_INIT(map);
    TRY(make_views(ref, out, view, message));
    TRY(ssimcu_views_layout(context, &view[0], &view[1], raw, NULL, message));
    raw->data = calloc((size_t)raw->width * raw->height, raw->channels * sizeof *raw->data);
    return raw->data ? SSIMCU_OK : ssimcu_no_memory(message, "the map");
}

ssimcu_status map_alloc(uint32_t width, uint32_t height, ssimcu_floats *map,
                        ssimcu_message *message)
{
    *map =
        (ssimcu_floats){width, height, width, calloc((size_t)width * height, sizeof *map->value)};
    return map->value ? SSIMCU_OK : ssimcu_no_memory(message, "the map");
}

/* Returns the window nearest to frame coordinate `at`. */
static uint32_t nearest(uint32_t at, uint32_t border, uint32_t positions)
{
    const uint32_t inner = at < border ? 0 : at - border;
    return inner < positions ? inner : positions - 1;
}

static float mean_at(const ssimcu_map *raw, uint32_t x, uint32_t y)
{
    const size_t plane = (size_t)raw->width * raw->height, at = (size_t)y * raw->width + x;
    float sum = 0;
    for (uint32_t c = 0; c < raw->channels; c++) sum += raw->data[c * plane + at];
    return sum / (float)raw->channels;
}

/* Adds the map of a plane with one sample for every `across` x `down` pixels. */
static void add_plane(const ssimcu_map *raw, uint32_t across, uint32_t down, float weight,
                      ssimcu_floats *map)
{
    for (uint32_t y = 0; y < map->height; y++) {
        float *row = map->value + y * map->stride;
        const uint32_t from = nearest(y / down, raw->border, raw->height);
        for (uint32_t x = 0; x < map->width; x++)
            row[x] += weight * mean_at(raw, nearest(x / across, raw->border, raw->width), from);
    }
}

ssimcu_status map_of_picture(const ssimcu_map *raw, ssimcu_floats *map, ssimcu_message *message)
{
    const ssimcu_status status =
        map_alloc(raw->width + 2 * raw->border, raw->height + 2 * raw->border, map, message);
    if (status == SSIMCU_OK) add_plane(raw, 1, 1, 1, map);
    return status;
}

/* Scores one plane and adds its map with a weight. */
static ssimcu_status score_plane(ssimcu_context *context, const ssimcu_frame *ref,
                                 const ssimcu_frame *out, double weight, ssimcu_score *score,
                                 ssimcu_floats *map, ssimcu_message *message)
{
    ssimcu_map raw;
    ssimcu_view view[2];
    ssimcu_status status = map_prepare(context, ref, out, &raw, message);
    if (status == SSIMCU_OK) status = make_views(ref, out, view, message);
    if (status == SSIMCU_OK)
        status = ssimcu_compare_views(context, &view[0], &view[1], score, &raw, NULL, message);
    if (status == SSIMCU_OK)
        add_plane(&raw, map_divide_up(map->width, ref->width),
                  map_divide_up(map->height, ref->height), (float)weight, map);
    free(raw.data);
    return status;
}

/* Combines the planes' scores as ssimcu_compare_planes does. */
static void join_score(const ssimcu_score *plane, const double *area, uint32_t planes,
                       ssimcu_score *score)
{
    double sum = 0, total = 0;
    *score = plane[0];
    if (planes == 1) return;
    score->channels = planes;
    for (uint32_t p = 0; p < planes; p++) {
        score->channel[p] = plane[p].score;
        sum += plane[p].score * area[p];
        total += area[p];
    }
    score->score = sum / total;
}

ssimcu_status map_score(ssimcu_context *context, const ssimcu_frame *const frame[2],
                        uint32_t planes, ssimcu_score *score, ssimcu_floats *map,
                        ssimcu_message *message)
{
    ssimcu_score scores[SSIMCU_MAX_PLANES] = {{0}};
    double area[SSIMCU_MAX_PLANES], total = 0;
    for (uint32_t p = 0; p < planes; p++)
        total += area[p] = (double)frame[0][p].width * frame[0][p].height;
    ssimcu_status status = map_alloc(frame[0]->width, frame[0]->height, map, message);
    for (uint32_t p = 0; p < planes && status == SSIMCU_OK; p++) {
        scores[p] = SSIMCU_INIT(score);
        status = score_plane(context, &frame[0][p], &frame[1][p], area[p] / total, &scores[p], map,
                             message);
    }
    if (status == SSIMCU_OK) {
        join_score(scores, area, planes, score);
        return SSIMCU_OK;
    }
    free(map->value);
    map->value = NULL;
    return status;
}
