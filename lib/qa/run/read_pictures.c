/* Reading without scoring: the functions of ssimcu_pictures.h. */
#include "ssimcu_pictures.h"

#include "base/refuse.h"
#include "engine/score.h"
#include "options/options.h"
#include "pair/pair.h"
#include "source/side.h"

#include <stdlib.h>
#include <string.h>

struct ssimcu_pictures {
    struct options options;
    struct side *side;
};

/* A picture and the memory that it holds. */
struct held {
    ssimcu_picture picture; /* the first field, so that both have the same address */
    ssimcu_view view[SSIMCU_MAX_PLANES];
    struct side_frame frame;
};

ssimcu_status ssimcu_pictures_open(const char *path, const ssimcu_run_options *options,
                                   ssimcu_pictures **pictures, ssimcu_message *message)
{
    ssimcu_run_options given;
    if (!pictures) FAIL(ARGUMENT, "pictures is NULL");
    *pictures = NULL;
    TRY(options_read_for(path, &path, options, &given, message));
    ssimcu_pictures *made = calloc(1, sizeof *made);
    if (!made) return no_memory(message);
    struct options *opened = &made->options;
    given.offset = 0;
    ssimcu_status status = options_make(opened, &given, message);
    opened->image.threads = opened->settings.threads;
    opened->input.out = NULL; /* it is valid only during this call */
    if (status == SSIMCU_OK) status = side_open(&opened->input, &made->side, message);
    if (status == SSIMCU_OK)
        *pictures = made;
    else
        ssimcu_pictures_close(&made);
    return status;
}

/* Describes the frame as views. */
static ssimcu_status make_views(struct held *held, ssimcu_message *message)
{
    const struct side_frame *frame = &held->frame;
    const struct pair *pair = &frame->pair;
    held->picture = (ssimcu_picture){.frame = frame->number,
                                     .path = frame->path,
                                     .shot = frame->shot,
                                     .planes = pair->planes,
                                     .on_device = pair->on_device[0],
                                     .view = held->view};
    for (uint32_t p = 0; p < pair->planes; p++) {
        held->view[p] = SSIMCU_INIT(view);
        if (pair->on_device[0])
            held->view[p] = pair->view[0][p];
        else
            TRY(ssimcu_frame_view(&pair->plane[0][p], &held->view[p], message));
    }
    return SSIMCU_OK;
}

ssimcu_status ssimcu_pictures_next(ssimcu_pictures *pictures, ssimcu_picture **picture,
                                   ssimcu_message *message)
{
    bool end = false;
    if (!picture) FAIL(ARGUMENT, "picture is NULL");
    *picture = NULL;
    if (!pictures) FAIL(ARGUMENT, "pictures is NULL");
    struct held *held = malloc(sizeof *held);
    if (!held) return ssimcu_no_memory(message, "a frame");
    ssimcu_status status = side_next(pictures->side, &held->frame, &end, message);
    if (status == SSIMCU_OK && !end) status = make_views(held, message);
    ssimcu_picture *made = &held->picture;
    if (status == SSIMCU_OK && !end)
        *picture = made;
    else
        ssimcu_picture_release(&made);
    return status;
}

ssimcu_status ssimcu_picture_match(const ssimcu_picture *ref, const ssimcu_picture *out,
                                   ssimcu_message *message)
{
    if (!ref || !out) FAIL(ARGUMENT, "a picture is NULL");
    return side_match(&((const struct held *)ref)->frame, &((const struct held *)out)->frame,
                      message);
}

ssimcu_status ssimcu_compare_pictures(ssimcu_context *context, const ssimcu_picture *ref,
                                      const ssimcu_picture *out, uint32_t tile, ssimcu_score *score,
                                      ssimcu_message *message)
{
    TRY(ssimcu_picture_match(ref, out, message));
    const struct pair *other = &((const struct held *)out)->frame.pair;
    struct pair pair = ((const struct held *)ref)->frame.pair;
    memcpy(pair.plane[1], other->plane[0], sizeof pair.plane[1]);
    memcpy(pair.view[1], other->view[0], sizeof pair.view[1]);
    pair.on_device[1] = other->on_device[0];
    return score_pair(context, &pair, tile, NULL, score, message);
}

void ssimcu_picture_release(ssimcu_picture **picture)
{
    struct held *held = picture ? (struct held *)*picture : NULL;
    if (!held) return;
    *picture = NULL;
    side_release(&held->frame);
    free(held);
}

void ssimcu_pictures_close(ssimcu_pictures **pictures)
{
    ssimcu_pictures *own = pictures ? *pictures : NULL;
    if (!own) return;
    *pictures = NULL;
    side_close(own->side);
    options_free(&own->options);
    free(own);
}
