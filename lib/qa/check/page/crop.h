/* A picture of a part of a frame, as a file of the report. */
#ifndef SSIMCU_QA_CHECK_PAGE_CROP_H
#define SSIMCU_QA_CHECK_PAGE_CROP_H

#include "maps/maps.h"
#include "pair/pair.h"
#include "report/frames/pictures.h"

struct crop {
    const char *directory;
    size_t number;           /* number of the finding, for the file's name */
    int which;               /* place beside the finding: BEFORE, HERE or BEHIND */
    struct shown_part place; /* no width: the whole frame */
};

/* Draws side 0 of a pair: the place with what is around it, pixel by pixel as long as it is small.
 * Without a place, or if that does not lie in the frame, it is the whole frame, made smaller. *box
 * becomes the place in the picture. Errors: LIMIT, MEMORY, WRITE. */
ssimcu_status crop_draw(const struct crop *crop, const struct pair *pair, struct picture_file *file,
                        struct picture_box *box, ssimcu_message *message);

#endif
