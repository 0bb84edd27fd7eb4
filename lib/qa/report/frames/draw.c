#include "report/frames/draw.h"
#include "report/frames/difference.h"
#include "report/frames/section.h"

#include "base/refuse.h"
#include "base/text.h"
#include "engine/excess.h"

#include "image/write_jpeg.h"
#include "pair/pair.h"
#include "start_thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Qualities to try for a file with too many bytes. */
enum { STEP = 15, ROUGHEST = 10 };

enum { SMALL_SIDE = 160 /* pixels of a thumbnail's longer side */ };

/* A pair that is being drawn. */
struct canvas {
    const struct drawing *drawing;
    struct picture *picture;
    struct shown_frame side[2]; /* REF, OUT */
    ssimcu_floats map;
    struct map_range range;
    ssimcu_frame whole[2]; /* REF and OUT as drawn; their data is NULL before that */
    ssimcu_message *message;
};

/* ---- Files ----------------------------------------------------------------------------------- */

static char *path_of(const struct canvas *canvas, const struct picture_file *file)
{
    return text_join(canvas->drawing->directory, "/", file->name, "");
}

static ssimcu_status write_once(const struct canvas *canvas, const char *kind, int quality,
                                const ssimcu_frame *frame, struct picture_file *file)
{
    const struct picture *picture = canvas->picture;
    *file = (struct picture_file){.width = frame->width, .height = frame->height};
    snprintf(file->name, sizeof file->name, "frame-%06lld-%s.%s",
             (long long)(picture->shot ? picture->number : picture->frame), kind,
             quality == LOSSLESS ? "png" : "jpg");
    char *path = path_of(canvas, file);
    if (!path) return no_memory(canvas->message);
    const ssimcu_status status =
        quality == LOSSLESS ? ssimcu_image_write_png(path, frame, canvas->message)
                            : ssimcu_image_write_jpeg(path, frame, quality, canvas->message);
    free(path);
    return status;
}

/* Returns whether a file exceeds its size limit. */
static bool is_too_large(const struct canvas *canvas, const struct picture_file *file)
{
    struct stat info;
    char *path = canvas->drawing->most_bytes > 0 ? path_of(canvas, file) : NULL;
    const bool large = path && stat(path, &info) == 0 && info.st_size > canvas->drawing->most_bytes;
    free(path);
    return large;
}

static void remove_file(const struct canvas *canvas, struct picture_file *file)
{
    char *path = file->name[0] ? path_of(canvas, file) : NULL;
    if (path) unlink(path);
    free(path);
    *file = (struct picture_file){0};
}

/* Writes a picture, with lower quality as long as the file is too large. */
static ssimcu_status write_file(const struct canvas *canvas, const char *kind, int quality,
                                const ssimcu_frame *frame, struct picture_file *file)
{
    ssimcu_status status = write_once(canvas, kind, quality, frame, file);
    while (status == SSIMCU_OK && quality != ROUGHEST && is_too_large(canvas, file)) {
        remove_file(canvas, file);
        quality = quality == LOSSLESS ? QUALITY : quality > 2 * STEP ? quality - STEP : ROUGHEST;
        status = write_once(canvas, kind, quality, frame, file);
    }
    return status;
}

static void remove_files(const struct canvas *canvas)
{
    struct picture *picture = canvas->picture;
    for (int view = 0; view < PICTURE_VIEWS; view++) {
        remove_file(canvas, &picture->whole[view]);
        remove_file(canvas, &picture->crop[view]);
    }
    remove_file(canvas, &picture->small);
}

/* ---- Heat ------------------------------------------------------------------------------------ */

/* Resamples an area of the map to the section's size. The caller frees its value. It takes means of
 * cells and interpolates linearly between them. A pixel-wise map is noisy if OUT is bad everywhere:
 * it hides which areas are worse, and its JPEG has 2.6 times the bytes. */
static ssimcu_status resample_map(const struct canvas *canvas, const struct section *section,
                                  ssimcu_floats *map)
{
    const struct shown_area *part = &section->part;
    ssimcu_floats cells, from = canvas->map;
    *map = (ssimcu_floats){0};
    from.width = part->width;
    from.height = part->height;
    from.value += part->y * from.stride + part->x;
    ssimcu_status status =
        map_alloc(map_divide_up(section->width, section->cell),
                  map_divide_up(section->height, section->cell), &cells, canvas->message);
    if (status == SSIMCU_OK) status = ssimcu_resize_floats(&from, &cells, canvas->message);
    if (status == SSIMCU_OK)
        status = map_alloc(section->width, section->height, map, canvas->message);
    if (status == SSIMCU_OK) status = ssimcu_resize_floats(&cells, map, canvas->message);
    free(cells.value);
    return status;
}

/* ---- Views ----------------------------------------------------------------------------------- */

/* Draws an area of a frame and writes it to a file of this kind. */
static ssimcu_status draw_file(const struct canvas *canvas, const struct shown_frame *frame,
                               const struct section *section, const char *kind,
                               struct picture_file *file)
{
    ssimcu_frame drawn = {0};
    ssimcu_status status =
        shown_draw(frame, &section->part, section->width, section->height, &drawn, canvas->message);
    if (status == SSIMCU_OK) status = write_file(canvas, kind, section->quality, &drawn, file);
    file->box = section->box;
    ssimcu_frame_free(&drawn);
    return status;
}

static ssimcu_status write_view(const struct canvas *canvas, const struct section *section,
                                int view, const ssimcu_frame *frame, struct picture_file *file)
{
    const int quality = view == PICTURE_HEAT ? QUALITY
                        : view == PICTURE_DIFFERENCE && section->quality != LOSSLESS
                            ? ROUGH_QUALITY
                            : section->quality;
    const ssimcu_status status =
        write_file(canvas, section->kinds[view], quality, frame, &file[view]);
    file[view].box = section->box;
    return status;
}

static ssimcu_status write_difference(const struct canvas *canvas, const struct section *section,
                                      const ssimcu_frame drawn[2], struct picture_file *file,
                                      double *times)
{
    ssimcu_frame difference = {0};
    ssimcu_status status =
        difference_draw(&drawn[0], &drawn[1], &difference, times, canvas->message);
    if (status == SSIMCU_OK)
        status = write_view(canvas, section, PICTURE_DIFFERENCE, &difference, file);
    ssimcu_frame_free(&difference);
    return status;
}

/* Writes the heat map over OUT. */
static ssimcu_status write_heat(const struct canvas *canvas, const struct section *section,
                                const ssimcu_frame *out, struct picture_file *file)
{
    ssimcu_frame heat = {0};
    ssimcu_floats map = {0};
    ssimcu_status status = resample_map(canvas, section, &map);
    if (status == SSIMCU_OK)
        status = map_draw(SSIMCU_MAP_OVERLAY, &map, &canvas->range, out, &heat, canvas->message);
    if (status == SSIMCU_OK) status = write_view(canvas, section, PICTURE_HEAT, &heat, file);
    free(map.value);
    ssimcu_frame_free(&heat);
    return status;
}

/* A view that a thread draws. REF and OUT come before the others. */
struct view_task {
    struct canvas canvas;
    ssimcu_message message;
    const struct section *section;
    struct picture_file *file;
    ssimcu_frame *drawn; /* REF and OUT */
    double *times;
    int view;
    ssimcu_status status;
};

static void *write_task(void *argument)
{
    struct view_task *task = argument;
    struct canvas *canvas = &task->canvas;
    const struct section *section = task->section;
    canvas->message = &task->message;
    if (task->view == PICTURE_DIFFERENCE) {
        task->status = write_difference(canvas, section, task->drawn, task->file, task->times);
    } else if (task->view == PICTURE_HEAT) {
        task->status = write_heat(canvas, section, &task->drawn[PICTURE_OUT], task->file);
    } else {
        ssimcu_frame *drawn = &task->drawn[task->view];
        task->status = shown_draw(&canvas->side[task->view], &section->part, section->width,
                                  section->height, drawn, canvas->message);
        if (task->status == SSIMCU_OK)
            task->status = write_view(canvas, section, task->view, drawn, task->file);
    }
    return NULL;
}

enum { MOST_TASKS = 8 };

/* Runs each task in its own thread. If a thread cannot be started, the caller's runs the task. */
static void write_tasks(struct view_task *task, size_t count)
{
    pthread_t thread[MOST_TASKS];
    bool started[MOST_TASKS] = {false};
    for (size_t i = 1; i < count; i++)
        started[i] = ssimcu_start_thread(&thread[i], write_task, &task[i]);
    for (size_t i = 0; i < count; i++)
        if (!started[i]) (void)write_task(&task[i]);
    for (size_t i = 1; i < count; i++)
        if (started[i]) pthread_join(thread[i], NULL);
}

/* Writes all views of some sections. The caller frees the drawn frames. */
static ssimcu_status write_views(const struct canvas *canvas, struct view_task sections[],
                                 size_t count)
{
    struct view_task task[MOST_TASKS];
    for (int view = PICTURE_REF; view < PICTURE_VIEWS; view += 2) {
        for (size_t i = 0; i < 2 * count; i++) {
            task[i] = sections[i / 2];
            task[i].canvas = *canvas;
            task[i].view = view + (int)(i % 2);
        }
        write_tasks(task, 2 * count);
        for (size_t i = 0; i < 2 * count; i++)
            if (task[i].status != SSIMCU_OK)
                return ssimcu_fail(canvas->message, task[i].status, "%s", task[i].message.text);
    }
    return SSIMCU_OK;
}

/* ---- The whole frame, and its worst tile ----------------------------------------------------- */

/* Finds the tile in pixels of the frames as loaded. Returns false if it is outside them, because
 * the files have changed since they were scored. */
static bool find_tile(const struct canvas *canvas, const struct pair *pair, struct shown_area *tile)
{
    const ssimcu_tile *worst = &canvas->picture->tile;
    const ssimcu_frame *frame = &canvas->side[1].plane[0];
    if (worst->width == 0 || worst->x < pair->x || worst->y < pair->y) return false;
    *tile =
        (struct shown_area){worst->x - pair->x, worst->y - pair->y, worst->width, worst->height};
    return section_holds(frame, tile);
}

/* ---- A pair ---------------------------------------------------------------------------------- */

static ssimcu_status draw_views(struct canvas *canvas, const struct pair *pair)
{
    struct picture *picture = canvas->picture;
    struct shown_area tile;
    const bool cropped = find_tile(canvas, pair, &tile);
    const ssimcu_frame *frame = canvas->side[1].plane;
    const struct section whole =
        section_whole(frame, canvas->drawing->most_side, cropped ? &tile : NULL);
    struct section crop;
    ssimcu_frame around[2] = {{0}};
    struct view_task section[2] = {
        {.section = &whole,
         .file = picture->whole,
         .drawn = canvas->whole,
         .times = &picture->times},
        {.section = &crop, .file = picture->crop, .drawn = around, .times = &picture->crop_times}};
    picture->low = canvas->range.low;
    picture->high = canvas->range.high;
    if (cropped) crop = section_crop(frame, &tile);
    const ssimcu_status status = write_views(canvas, section, 1 + cropped);
    ssimcu_frame_free(&around[0]);
    ssimcu_frame_free(&around[1]);
    return status;
}

/* Draws only REF and OUT. */
static ssimcu_status draw_bare(const struct canvas *canvas)
{
    struct picture *const picture = canvas->picture;
    const struct section whole =
        section_whole(canvas->side[1].plane, canvas->drawing->most_side, NULL);
    ssimcu_status status = SSIMCU_OK;
    for (int view = PICTURE_REF; view <= PICTURE_OUT && status == SSIMCU_OK; view++)
        if (picture->bare[view][0])
            status = draw_file(canvas, &canvas->side[view], &whole, picture->bare[view],
                               &picture->whole[view]);
    return status;
}

/* Draws the thumbnail, from the drawn OUT if there is one. */
static ssimcu_status draw_small(const struct canvas *canvas)
{
    const struct shown_frame whole = {&canvas->whole[PICTURE_OUT], 1, NULL, SSIMCU_BACKGROUND_NONE,
                                      1};
    const struct shown_frame *out = canvas->whole[PICTURE_OUT].data ? &whole : &canvas->side[1];
    struct section small = section_whole(&out->plane[0], SMALL_SIDE, NULL);
    small.quality = SMALL_QUALITY;
    return draw_file(canvas, out, &small, "small", &canvas->picture->small);
}

/* Returns the background for a frame that is not scored here: black if the score would choose. */
static ssimcu_background background_of(ssimcu_alpha alpha)
{
    if (alpha == SSIMCU_ALPHA_IGNORE) return SSIMCU_BACKGROUND_NONE;
    return alpha == SSIMCU_ALPHA_WHITE ? SSIMCU_BACKGROUND_WHITE : SSIMCU_BACKGROUND_BLACK;
}

/* Scores the pair and makes its map: the excess of its tiles over their learned limits, or else its
 * SSIM.
 */
static ssimcu_status make_map(struct canvas *canvas, ssimcu_context *lane, const struct pair *pair,
                              ssimcu_score *score)
{
    const ssimcu_frame *const frame[2] = {pair->plane[0], pair->plane[1]};
    struct picture *picture = canvas->picture;
    const bool known = !picture->variant || picture->reference > 0;
    ssimcu_status status = excess_score(known ? canvas->drawing->judge : NULL, lane, pair, score,
                                        &canvas->map, canvas->message);
    picture->excess = canvas->map.value != NULL;
    if (status == SSIMCU_OK && !picture->excess)
        status = map_score(lane, frame, pair->planes, score, &canvas->map, canvas->message);
    if (status == SSIMCU_OK)
        canvas->range = picture->excess ? map_of_excess(&canvas->map) : map_range(&canvas->map);
    return status;
}

ssimcu_status draw_pair(const struct drawing *drawing, ssimcu_context *lane,
                        const struct pair *pair, struct picture *picture, ssimcu_score *score,
                        ssimcu_message *message)
{
    struct canvas canvas = {.drawing = drawing, .picture = picture, .message = message};
    ssimcu_status status = SSIMCU_OK;
    if (picture->views) status = make_map(&canvas, lane, pair, score);
    const ssimcu_background background =
        picture->views ? score->background : background_of(drawing->alpha);
    for (int side = 0; side < 2; side++)
        canvas.side[side] = (struct shown_frame){pair->plane[side], pair->planes,
                                                 pair->format[side], background, drawing->gain};
    if (status == SSIMCU_OK && picture->views) status = draw_views(&canvas, pair);
    if (status == SSIMCU_OK && picture->thumbnail) status = draw_small(&canvas);
    if (status == SSIMCU_OK) status = draw_bare(&canvas);
    picture->score = score->score;
    if (status != SSIMCU_OK) remove_files(&canvas);
    free(canvas.map.value);
    ssimcu_frame_free(&canvas.whole[0]);
    ssimcu_frame_free(&canvas.whole[1]);
    return status;
}

ssimcu_status draw_beside(const struct drawing *drawing, const struct pair *pair,
                          struct picture *picture, int which, ssimcu_message *message)
{
    const struct canvas canvas = {.drawing = drawing, .picture = picture, .message = message};
    const struct shown_frame frame = {pair->plane[0], pair->planes, pair->format[0],
                                      SSIMCU_BACKGROUND_BLACK, 1};
    const ssimcu_tile *tile = &picture->tile;
    const struct shown_area place = {tile->x, tile->y, tile->width, tile->height};
    const struct section section = section_place(pair->plane[0], &place);
    struct picture_file made;
    const ssimcu_status status = draw_file(&canvas, &frame, &section, section.kinds[which], &made);
    if (status == SSIMCU_OK) picture->whole[which] = made;
    return status;
}
