#include "check/page/crop.h"

#include "base/refuse.h"
#include "base/text.h"

#include "image/write_jpeg.h"
#include "report/frames/section.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    LEAST = 48, /* pixels of the frame on a side, at least */
    MOST = 384, /* pixels of the picture on a side, at most */
    ACROSS = 4, /* a side is at most so many times as long as the other */
    MARGIN = 4  /* pixels between a place and its box */
};

static uint32_t around(uint32_t size) { return 2 * size > LEAST ? 2 * size : LEAST; }

/* Returns the part of a frame that shows the place. Of rows that go all across, it is the middle,
 * because they would be thin lines if the whole frame was made smaller. */
static struct shown_part part_of(const struct shown_part *place, const ssimcu_frame *frame)
{
    uint32_t width = around(place->width), height = around(place->height);
    struct shown_part part = *place;
    if (width > ACROSS * height) width = ACROSS * height;
    if (height > ACROSS * width) height = ACROSS * width;
    section_around(&part.x, &part.width, width, frame->width);
    section_around(&part.y, &part.height, height, frame->height);
    return part;
}

static bool lies_in(const struct shown_part *place, const ssimcu_frame *frame)
{
    return place->width > 0 && place->height > 0 && place->x < frame->width &&
           place->width <= frame->width - place->x && place->y < frame->height &&
           place->height <= frame->height - place->y;
}

/* Places a side of the box around that of a place, inside a part, in pixels of the picture. */
static void box_side(uint32_t place, uint32_t size, uint32_t part, uint32_t shown, double scale,
                     double *at, double *length)
{
    const double from = (double)place - part - MARGIN, to = (double)place + size - part + MARGIN;
    *at = scale * (from > 0 ? from : 0);
    *length = scale * (to < shown ? to : shown) - *at;
}

/* Returns the box around a place. What is as large as the part needs none. */
static struct picture_box box_of(const struct shown_part *place, const struct shown_part *part,
                                 double scale)
{
    struct picture_box box = {0};
    if (place->width >= part->width && place->height >= part->height) return box;
    box_side(place->x, place->width, part->x, part->width, scale, &box.x, &box.width);
    box_side(place->y, place->height, part->y, part->height, scale, &box.y, &box.height);
    return box;
}

static uint32_t scaled(uint32_t side, double scale)
{
    const uint32_t size = (uint32_t)(side * scale + 0.5);
    return size > 0 ? size : 1;
}

static ssimcu_status write_file(const struct crop *crop, bool exact, const ssimcu_frame *frame,
                                struct picture_file *file, ssimcu_message *message)
{
    static const char *const names[] = {"before", "here", "behind"};
    struct picture_file made = {.width = frame->width, .height = frame->height};
    snprintf(made.name, sizeof made.name, "frame-%06zu-%s.%s", crop->number, names[crop->which],
             exact ? "png" : "jpg");
    char *path = text_join(crop->directory, "/", made.name, "");
    if (!path) return no_memory(message);
    const ssimcu_status status = exact ? ssimcu_image_write_png(path, frame, message)
                                       : ssimcu_image_write_jpeg(path, frame, QUALITY, message);
    free(path);
    if (status == SSIMCU_OK) *file = made;
    return status;
}

ssimcu_status crop_draw(const struct crop *crop, const struct pair *pair, struct picture_file *file,
                        struct picture_box *box, ssimcu_message *message)
{
    const ssimcu_frame *frame = &pair->plane[0][0];
    const struct shown_frame shown = {pair->plane[0], pair->planes, pair->format[0],
                                      SSIMCU_BACKGROUND_BLACK, 1};
    const bool placed = lies_in(&crop->place, frame);
    const struct shown_part whole = {0, 0, frame->width, frame->height},
                            part = placed ? part_of(&crop->place, frame) : whole;
    const uint32_t longer = part.width > part.height ? part.width : part.height;
    const double scale = longer > MOST ? (double)MOST / longer : 1;
    ssimcu_frame drawn = {0};
    ssimcu_status status = shown_draw(&shown, &part, scaled(part.width, scale),
                                      scaled(part.height, scale), &drawn, message);
    if (status == SSIMCU_OK) status = write_file(crop, scale == 1, &drawn, file, message);
    if (status == SSIMCU_OK && placed) *box = box_of(&crop->place, &part, scale);
    ssimcu_frame_free(&drawn);
    return status;
}
