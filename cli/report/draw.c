#include "report/draw.h"

#include "maps/maps.h"

#include "fail.h"
#include "image/write_jpeg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Measured on the 4K photo of testdata in 1280 x 720: at 85 a picture has 190 KB, at 90 240, and
 * the two are not told apart at that size. */
enum { QUALITY = 85, SMALL_QUALITY = 75 };

enum {
    SMALL_SIDE = 160, /* of a thumbnail, pixels */
    CROP_LEAST = 96,  /* pixels of the frame, of a side */
    CROP_SIDE = 512,  /* at most, of the picture */
    CROP_TIMES = 8,   /* most that a pixel is magnified */
    CROP_GRID = 4     /* where no kind of video divides a sample of chroma */
};

/* A pair while it is drawn. */
struct sheet {
    const struct drawing *drawing;
    struct picture *picture;
    struct shown side[2]; /* REF, OUT */
    ssimcu_floats map;
    struct map_range range;
    ssimcu_message *message;
};

/* ---- Files ----------------------------------------------------------------------------------- */

static char *path_of(const struct sheet *sheet, const struct picture_file *file)
{
    const size_t size = strlen(sheet->drawing->directory) + sizeof file->name + 2;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s/%s", sheet->drawing->directory, file->name);
    return path;
}

/* Writes a picture, as JPEG for a `quality`, as PNG for 0. */
static ssimcu_status write_file(const struct sheet *sheet, const char *kind, int quality,
                                const ssimcu_frame *frame, struct picture_file *file)
{
    *file = (struct picture_file){.width = frame->width, .height = frame->height};
    snprintf(file->name, sizeof file->name, "%s-%06lld.%s", kind, (long long)sheet->picture->frame,
             quality > 0 ? "jpg" : "png");
    char *path = path_of(sheet, file);
    if (!path) return ssimcu_fail(sheet->message, SSIMCU_ERROR_MEMORY, "out of memory");
    const ssimcu_status status = quality > 0
                                     ? ssimcu_image_write_jpeg(path, frame, quality, sheet->message)
                                     : ssimcu_image_write_png(path, frame, sheet->message);
    free(path);
    return status;
}

static void remove_file(const struct sheet *sheet, struct picture_file *file)
{
    char *path = file->name[0] ? path_of(sheet, file) : NULL;
    if (path) unlink(path);
    free(path);
    *file = (struct picture_file){0};
}

static void remove_files(const struct sheet *sheet)
{
    struct picture *picture = sheet->picture;
    for (int view = 0; view < PICTURE_VIEWS; view++) {
        remove_file(sheet, &picture->whole[view]);
        remove_file(sheet, &picture->crop[view]);
    }
    remove_file(sheet, &picture->small);
}

/* ---- Views ----------------------------------------------------------------------------------- */

/* The size of a picture with no side above `most`. */
static void fit(uint32_t most, uint32_t *width, uint32_t *height)
{
    const uint32_t longer = *width > *height ? *width : *height;
    if (longer <= most) return;
    const double scale = (double)most / longer;
    *width = (uint32_t)(*width * scale + 0.5);
    *height = (uint32_t)(*height * scale + 0.5);
    if (*width == 0) *width = 1;
    if (*height == 0) *height = 1;
}

/* What is drawn of a frame, and how. */
struct cut {
    struct shown_part part;
    uint32_t width, height, times; /* in pixels of this size; each `times` as large */
    int quality;
    const char *const *kinds;
};

/* The part of the map in the size that is wanted. Its value is the caller's to free. */
static ssimcu_status cut_map(const struct sheet *sheet, const struct cut *cut, ssimcu_floats *map)
{
    const struct shown_part *part = &cut->part;
    ssimcu_floats from = {part->width, part->height, NULL};
    *map = (ssimcu_floats){cut->width, cut->height, NULL};
    from.value = malloc((size_t)part->width * part->height * sizeof(float));
    map->value = malloc((size_t)cut->width * cut->height * sizeof(float));
    ssimcu_status status = SSIMCU_OK;
    if (!from.value || !map->value)
        status = ssimcu_fail(sheet->message, SSIMCU_ERROR_MEMORY, "map: out of memory");
    for (uint32_t y = 0; y < part->height && status == SSIMCU_OK; y++)
        memcpy(from.value + (size_t)y * part->width,
               sheet->map.value + (size_t)(part->y + y) * sheet->map.width + part->x,
               part->width * sizeof(float));
    if (status == SSIMCU_OK) status = ssimcu_resize_floats(&from, map, sheet->message);
    free(from.value);
    return status;
}

static ssimcu_status write_view(const struct sheet *sheet, const struct cut *cut, int view,
                                const ssimcu_frame *frame, struct picture_file *file)
{
    ssimcu_frame large = {0};
    ssimcu_status status = SSIMCU_OK;
    if (cut->times > 1) status = shown_magnify(frame, cut->times, &large, sheet->message);
    if (status == SSIMCU_OK)
        status = write_file(sheet, cut->kinds[view], cut->quality, cut->times > 1 ? &large : frame,
                            &file[view]);
    ssimcu_frame_free(&large);
    return status;
}

/* REF, OUT and the heat map over OUT. */
static ssimcu_status write_views(const struct sheet *sheet, const struct cut *cut,
                                 struct picture_file file[PICTURE_VIEWS])
{
    ssimcu_frame frame = {0}, heat = {0};
    ssimcu_floats map = {0};
    ssimcu_status status = SSIMCU_OK;
    for (int view = PICTURE_REF; view <= PICTURE_OUT && status == SSIMCU_OK; view++) {
        ssimcu_frame_free(&frame);
        status = shown_draw(&sheet->side[view], &cut->part, cut->width, cut->height, &frame,
                            sheet->message);
        if (status == SSIMCU_OK) status = write_view(sheet, cut, view, &frame, file);
    }
    if (status == SSIMCU_OK) status = cut_map(sheet, cut, &map);
    if (status == SSIMCU_OK)
        status = map_draw(MAP_OVERLAY, &map, &sheet->range, &frame, &heat, sheet->message);
    if (status == SSIMCU_OK) status = write_view(sheet, cut, PICTURE_HEAT, &heat, file);
    free(map.value);
    ssimcu_frame_free(&heat);
    ssimcu_frame_free(&frame);
    return status;
}

/* ---- The whole frame, and its worst tile ----------------------------------------------------- */

static struct picture_box box_in(const struct cut *cut, const struct shown_part *tile)
{
    const double across = (double)cut->width * cut->times / cut->part.width;
    const double down = (double)cut->height * cut->times / cut->part.height;
    return (struct picture_box){((double)tile->x - cut->part.x) * across,
                                ((double)tile->y - cut->part.y) * down, tile->width * across,
                                tile->height * down};
}

static struct cut cut_whole(const struct sheet *sheet)
{
    static const char *const kinds[] = {"ref", "out", "heat"};
    const ssimcu_frame *frame = &sheet->side[1].plane[0];
    struct cut cut = {.part = {0, 0, frame->width, frame->height},
                      .width = frame->width,
                      .height = frame->height,
                      .times = 1,
                      .quality = QUALITY,
                      .kinds = kinds};
    fit(sheet->drawing->most_side, &cut.width, &cut.height);
    return cut;
}

/* Along one side: as much of the frame around the tile as the tile is large. */
static void surround(uint32_t *at, uint32_t *size, uint32_t frame)
{
    const uint32_t centre = *at + *size / 2;
    uint32_t wanted = 2 * *size > CROP_LEAST ? 2 * *size : CROP_LEAST;
    wanted = (wanted + CROP_GRID - 1) / CROP_GRID * CROP_GRID;
    *size = wanted < frame ? wanted : frame;
    *at = centre > *size / 2 ? (centre - *size / 2) / CROP_GRID * CROP_GRID : 0;
    if (*at + *size > frame) *at = (frame - *size + CROP_GRID - 1) / CROP_GRID * CROP_GRID;
    if (*at + *size > frame) *size = frame - *at;
}

static struct cut cut_around(const struct sheet *sheet, const struct shown_part *tile)
{
    static const char *const kinds[] = {"crop-ref", "crop-out", "crop-heat"};
    const ssimcu_frame *frame = &sheet->side[1].plane[0];
    struct cut cut = {.part = *tile, .kinds = kinds};
    surround(&cut.part.x, &cut.part.width, frame->width);
    surround(&cut.part.y, &cut.part.height, frame->height);
    cut.width = cut.part.width;
    cut.height = cut.part.height;
    fit(CROP_SIDE, &cut.width, &cut.height);
    cut.times = CROP_SIDE / (cut.width > cut.height ? cut.width : cut.height);
    if (cut.times > CROP_TIMES) cut.times = CROP_TIMES;
    return cut;
}

/* The tile in pixels of the frames that are there. False where it is not in them: the files are
 * others than those that were scored. */
static bool find_tile(const struct sheet *sheet, const struct batch_pair *pair,
                      struct shown_part *tile)
{
    const struct record_tile *worst = &sheet->picture->tile;
    const ssimcu_frame *frame = &sheet->side[1].plane[0];
    if (!worst->known || worst->x < pair->x || worst->y < pair->y) return false;
    *tile =
        (struct shown_part){worst->x - pair->x, worst->y - pair->y, worst->width, worst->height};
    return tile->width > 0 && tile->height > 0 && tile->x < frame->width &&
           tile->width <= frame->width - tile->x && tile->y < frame->height &&
           tile->height <= frame->height - tile->y;
}

static ssimcu_status draw_shown(struct sheet *sheet, const struct batch_pair *pair)
{
    struct picture *picture = sheet->picture;
    const struct cut whole = cut_whole(sheet);
    struct shown_part tile;
    sheet->range = map_range(&sheet->map);
    picture->low = sheet->range.low;
    picture->high = sheet->range.high;
    ssimcu_status status = write_views(sheet, &whole, picture->whole);
    if (status != SSIMCU_OK || !find_tile(sheet, pair, &tile)) return status;
    const struct cut crop = cut_around(sheet, &tile);
    picture->box = box_in(&whole, &tile);
    picture->crop_box = box_in(&crop, &tile);
    return write_views(sheet, &crop, picture->crop);
}

static ssimcu_status draw_small(const struct sheet *sheet)
{
    const ssimcu_frame *frame = &sheet->side[1].plane[0];
    const struct shown_part all = {0, 0, frame->width, frame->height};
    uint32_t width = frame->width, height = frame->height;
    ssimcu_frame small = {0};
    fit(SMALL_SIDE, &width, &height);
    ssimcu_status status = shown_draw(&sheet->side[1], &all, width, height, &small, sheet->message);
    if (status == SSIMCU_OK)
        status = write_file(sheet, "small", SMALL_QUALITY, &small, &sheet->picture->small);
    ssimcu_frame_free(&small);
    return status;
}

/* Of a frame that is not scored: over black where the score would tell. */
static ssimcu_background background_of(ssimcu_alpha alpha)
{
    if (alpha == SSIMCU_ALPHA_IGNORE) return SSIMCU_BACKGROUND_NONE;
    return alpha == SSIMCU_ALPHA_WHITE ? SSIMCU_BACKGROUND_WHITE : SSIMCU_BACKGROUND_BLACK;
}

ssimcu_status draw_pair(const struct drawing *drawing, ssimcu_context *lane,
                        const struct batch_pair *pair, struct picture *picture, ssimcu_score *score,
                        ssimcu_message *message)
{
    const ssimcu_frame *const frame[2] = {pair->plane[0], pair->plane[1]};
    struct sheet sheet = {.drawing = drawing, .picture = picture, .message = message};
    ssimcu_status status = SSIMCU_OK;
    if (picture->shown) status = map_score(lane, frame, pair->planes, score, &sheet.map, message);
    const ssimcu_background background =
        picture->shown ? score->background : background_of(drawing->alpha);
    for (int side = 0; side < 2; side++)
        sheet.side[side] =
            (struct shown){pair->plane[side], pair->planes, pair->format[side], background};
    if (status == SSIMCU_OK && picture->shown) status = draw_shown(&sheet, pair);
    if (status == SSIMCU_OK && picture->thumbnail) status = draw_small(&sheet);
    picture->score = score->score;
    if (status != SSIMCU_OK) remove_files(&sheet);
    free(sheet.map.value);
    return status;
}
