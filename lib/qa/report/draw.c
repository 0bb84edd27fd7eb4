#include "report/draw.h"

#include "maps/maps.h"

#include "fail.h"
#include "image/write_jpeg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of libjpeg. Measured on the 4K photo of testdata, 1280 x 720 pixels: 103 KB at 85, 130 KB at 90,
 * and nobody tells the two apart. */
enum { QUALITY = 85, SMALL_QUALITY = 75 };

enum {
    SMALL_SIDE = 160, /* of a thumbnail, pixels */
    HEAT_CELL = 4,    /* pixels of a whole frame's picture, see cut_map */
    CROP_LEAST = 96,  /* pixels of the frame, of a side */
    CROP_SIDE = 384,  /* at most, of the picture */
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
    ssimcu_frame whole; /* OUT, drawn; no data before it is */
    ssimcu_message *message;
};

/* What is drawn of a frame, and how. */
struct cut {
    struct shown_part part;
    uint32_t width, height, times; /* in so many pixels, each `times` as large */
    uint32_t cell;                 /* pixels that the heat map takes together */
    const char *const *kinds;
};

/* ---- Files ----------------------------------------------------------------------------------- */

static char *path_of(const struct sheet *sheet, const struct picture_file *file)
{
    const size_t size = strlen(sheet->drawing->directory) + sizeof file->name + 2;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s/%s", sheet->drawing->directory, file->name);
    return path;
}

static ssimcu_status write_file(const struct sheet *sheet, const char *kind, int quality,
                                const ssimcu_frame *frame, struct picture_file *file)
{
    *file = (struct picture_file){.width = frame->width, .height = frame->height};
    snprintf(file->name, sizeof file->name, "frame-%06lld-%s.jpg", (long long)sheet->picture->frame,
             kind);
    char *path = path_of(sheet, file);
    if (!path) return ssimcu_fail(sheet->message, SSIMCU_ERROR_MEMORY, "out of memory");
    const ssimcu_status status = ssimcu_image_write_jpeg(path, frame, quality, sheet->message);
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

/* ---- Heat ------------------------------------------------------------------------------------ */

static ssimcu_status alloc_map(uint32_t width, uint32_t height, ssimcu_floats *map,
                               ssimcu_message *message)
{
    *map = (ssimcu_floats){width, height, width, malloc((size_t)width * height * sizeof(float))};
    return map->value ? SSIMCU_OK : ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "map: out of memory");
}

static uint32_t divide_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/* The part of the map in the size that is wanted, its value the caller's to free: first as means of
 * cells, which are then joined by straight lines. From pixel to pixel a map is restless where OUT
 * is bad all over, so that one sees neither which parts are worse nor what they show; and its JPEG
 * has 2.6 times the bytes. */
static ssimcu_status cut_map(const struct sheet *sheet, const struct cut *cut, ssimcu_floats *map)
{
    const struct shown_part *part = &cut->part;
    ssimcu_floats cells, from = sheet->map;
    *map = (ssimcu_floats){0};
    from.width = part->width;
    from.height = part->height;
    from.value += part->y * from.stride + part->x;
    ssimcu_status status = alloc_map(divide_up(cut->width, cut->cell),
                                     divide_up(cut->height, cut->cell), &cells, sheet->message);
    if (status == SSIMCU_OK) status = ssimcu_resize_floats(&from, &cells, sheet->message);
    if (status == SSIMCU_OK) status = alloc_map(cut->width, cut->height, map, sheet->message);
    if (status == SSIMCU_OK) status = ssimcu_resize_floats(&cells, map, sheet->message);
    free(cells.value);
    return status;
}

/* ---- Views ----------------------------------------------------------------------------------- */

static ssimcu_status write_view(const struct sheet *sheet, const struct cut *cut, int view,
                                const ssimcu_frame *frame, struct picture_file *file)
{
    ssimcu_frame large = {0};
    ssimcu_status status = SSIMCU_OK;
    if (cut->times > 1) status = shown_magnify(frame, cut->times, &large, sheet->message);
    if (status == SSIMCU_OK)
        status = write_file(sheet, cut->kinds[view], QUALITY, cut->times > 1 ? &large : frame,
                            &file[view]);
    ssimcu_frame_free(&large);
    return status;
}

/* REF, OUT and the heat map over OUT, which is handed on for the caller to free. */
static ssimcu_status write_views(const struct sheet *sheet, const struct cut *cut,
                                 struct picture_file file[PICTURE_VIEWS], ssimcu_frame *out)
{
    ssimcu_frame heat = {0};
    ssimcu_floats map = {0};
    ssimcu_status status = SSIMCU_OK;
    for (int view = PICTURE_REF; view <= PICTURE_OUT && status == SSIMCU_OK; view++) {
        ssimcu_frame_free(out);
        status = shown_draw(&sheet->side[view], &cut->part, cut->width, cut->height, out,
                            sheet->message);
        if (status == SSIMCU_OK) status = write_view(sheet, cut, view, out, file);
    }
    if (status == SSIMCU_OK) status = cut_map(sheet, cut, &map);
    if (status == SSIMCU_OK)
        status = map_draw(MAP_OVERLAY, &map, &sheet->range, out, &heat, sheet->message);
    if (status == SSIMCU_OK) status = write_view(sheet, cut, PICTURE_HEAT, &heat, file);
    free(map.value);
    ssimcu_frame_free(&heat);
    return status;
}

/* ---- The whole frame, and its worst tile ----------------------------------------------------- */

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
                      .cell = HEAT_CELL,
                      .kinds = kinds};
    fit(sheet->drawing->most_side, &cut.width, &cut.height);
    return cut;
}

/* Along one side: the tile, and half as much of the frame around it. */
static void surround(uint32_t *at, uint32_t *size, uint32_t frame)
{
    const uint32_t centre = *at + *size / 2, half = *size / 2;
    const uint32_t wanted = *size + half > CROP_LEAST ? *size + half : CROP_LEAST;
    *size = divide_up(wanted, CROP_GRID) * CROP_GRID;
    if (*size > frame) *size = frame;
    *at = centre > *size / 2 ? centre - *size / 2 : 0;
    if (*at + *size > frame) *at = frame - *size;
    *at = *at / CROP_GRID * CROP_GRID;
}

static struct cut cut_around(const struct sheet *sheet, const struct shown_part *tile)
{
    static const char *const kinds[] = {"crop-ref", "crop-out", "crop-heat"};
    const ssimcu_frame *frame = &sheet->side[1].plane[0];
    struct cut cut = {.part = *tile, .cell = 1, .kinds = kinds};
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
static bool find_tile(const struct sheet *sheet, const struct pair *pair, struct shown_part *tile)
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

/* ---- A pair ---------------------------------------------------------------------------------- */

static ssimcu_status draw_shown(struct sheet *sheet, const struct pair *pair)
{
    struct picture *picture = sheet->picture;
    const struct cut whole = cut_whole(sheet);
    struct shown_part tile;
    ssimcu_frame around = {0};
    sheet->range = map_range(&sheet->map);
    picture->low = sheet->range.low;
    picture->high = sheet->range.high;
    ssimcu_status status = write_views(sheet, &whole, picture->whole, &sheet->whole);
    if (status != SSIMCU_OK || !find_tile(sheet, pair, &tile)) return status;
    const struct cut crop = cut_around(sheet, &tile);
    picture->box = box_in(&whole, &tile);
    picture->crop_box = box_in(&crop, &tile);
    status = write_views(sheet, &crop, picture->crop, &around);
    ssimcu_frame_free(&around);
    return status;
}

/* Of OUT as it is drawn already, where it is. */
static ssimcu_status draw_small(const struct sheet *sheet)
{
    const struct shown drawn = {&sheet->whole, 1, NULL, SSIMCU_BACKGROUND_NONE, 1};
    const struct shown *out = sheet->whole.data ? &drawn : &sheet->side[1];
    const struct shown_part all = {0, 0, out->plane[0].width, out->plane[0].height};
    uint32_t width = all.width, height = all.height;
    ssimcu_frame small = {0};
    fit(SMALL_SIDE, &width, &height);
    ssimcu_status status = shown_draw(out, &all, width, height, &small, sheet->message);
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
                        const struct pair *pair, struct picture *picture, ssimcu_score *score,
                        ssimcu_message *message)
{
    const ssimcu_frame *const frame[2] = {pair->plane[0], pair->plane[1]};
    struct sheet sheet = {.drawing = drawing, .picture = picture, .message = message};
    ssimcu_status status = SSIMCU_OK;
    if (picture->shown) status = map_score(lane, frame, pair->planes, score, &sheet.map, message);
    const ssimcu_background background =
        picture->shown ? score->background : background_of(drawing->alpha);
    for (int side = 0; side < 2; side++)
        sheet.side[side] = (struct shown){pair->plane[side], pair->planes, pair->format[side],
                                          background, drawing->gain};
    if (status == SSIMCU_OK && picture->shown) status = draw_shown(&sheet, pair);
    if (status == SSIMCU_OK && picture->thumbnail) status = draw_small(&sheet);
    picture->score = score->score;
    if (status != SSIMCU_OK) remove_files(&sheet);
    free(sheet.map.value);
    ssimcu_frame_free(&sheet.whole);
    return status;
}
