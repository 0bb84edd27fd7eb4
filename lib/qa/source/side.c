#include "source/side.h"

#include "base/refuse.h"
#include "pair/match.h"
#include "source/kind.h"

#include <stdlib.h>

struct side {
    const struct source_input *input;
    ssimcu_sequence files;
    ssimcu_pairs pairs; /* the files, each paired with itself */
    struct ssimcu_file_memory memory;
    ssimcu_clip *clip; /* NULL: pictures */
    size_t position;   /* index of the next file, or of the next requested number */
    int64_t frame;     /* number of the video's next frame */
};

/* ---- Opening --------------------------------------------------------------------------------- */

/* Makes the only frame of a single picture. */
static ssimcu_status open_picture(struct side *side, ssimcu_message *message)
{
    const char *path = side->input->path[0];
    if (side->input->frames) FAIL(ARGUMENT, "--frames: one picture has no frame numbers");
    side->pairs.pair = malloc(sizeof *side->pairs.pair);
    if (!side->pairs.pair) return no_memory(message);
    side->pairs.pair[side->pairs.count++] = (struct ssimcu_pair){.ref = path, .out = path};
    return SSIMCU_OK;
}

/* Lists files. Paired with themselves, they get the numbers that a source gives them. */
static ssimcu_status open_files(struct side *side, const enum form *form, ssimcu_message *message)
{
    TRY(kind_list_files(side->input, form, 0, &side->files, message));
    return ssimcu_pairs_match(&side->files, &side->files, side->input->frames, false, &side->pairs,
                              message);
}

static ssimcu_status open_video(struct side *side, enum form form, ssimcu_message *message)
{
    const struct source_input *input = side->input;
    const ssimcu_clip_format *raw = form == FORM_RAW ? input->raw : NULL;
    const bool on_gpu = input->decode == SSIMCU_DECODE_CUDA;
    int gpu = -1;
    if (on_gpu) TRY(kind_choose_gpu(input, &gpu, message));
    const ssimcu_clip_gpu device = {.index = (uint32_t)gpu};
    const ssimcu_clip_how how = {.gpu = on_gpu ? &device : NULL, .stream = input->stream[0]};
    TRY(ssimcu_clip_open_how(input->path[0], raw, input->limits, input->stop, &how, &side->clip,
                             message));
    if (!on_gpu || ssimcu_clip_shape(side->clip)->on_device) return SSIMCU_OK;
    const char *why = ssimcu_clip_why_not_gpu(side->clip);
    FAIL(UNSUPPORTED, "%.200s: --decode cuda: %.200s", input->path[0],
         why[0] ? why : "it is not compressed video");
}

static ssimcu_status open_form(struct side *side, const enum form *form, ssimcu_message *message)
{
    if (form[0] & (FORM_VIDEO | FORM_RAW)) return open_video(side, form[0], message);
    if (side->input->decode == SSIMCU_DECODE_CUDA)
        FAIL(ARGUMENT, "--decode cuda is for video files");
    return form[0] == FORM_PICTURE ? open_picture(side, message) : open_files(side, form, message);
}

ssimcu_status side_open(const struct source_input *input, struct side **side,
                        ssimcu_message *message)
{
    enum form form[2];
    struct side *made = *side = calloc(1, sizeof *made);
    if (!made) return no_memory(message);
    made->input = input;
    ssimcu_file_memory_start(&made->memory);
    ssimcu_status status = kind_forms(input, form, message);
    if (status == SSIMCU_OK) status = open_form(made, form, message);
    if (status == SSIMCU_OK) return status;
    side_close(made);
    *side = NULL;
    return status;
}

void side_close(struct side *side)
{
    if (!side) return;
    ssimcu_clip_close(&side->clip);
    ssimcu_pairs_free(&side->pairs);
    ssimcu_sequence_free(&side->files);
    ssimcu_file_memory_end(&side->memory);
    free(side);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static ssimcu_status next_file(struct side *side, struct side_frame *frame, bool *end,
                               ssimcu_message *message)
{
    *end = side->position == side->pairs.count;
    if (*end) return SSIMCU_OK;
    const struct ssimcu_pair *file = &side->pairs.pair[side->position++];
    struct pair *pair = &frame->pair;
    frame->number = file->frame;
    frame->path = file->ref;
    frame->shot = file->shot;
    if (!file->ref)
        FAIL(FILE, "%.300s: has no frame %lld", side->input->path[0], (long long)file->frame);
    const ssimcu_status status =
        kind_read_picture(&side->memory, file->ref, side->input->limits, &frame->still,
                          &frame->windows, NULL, NULL, message);
    pair->planes = 1;
    pair->plane[0][0] = frame->still;
    return status;
}

/* Passes over the frames before this one. */
static ssimcu_status pass_to(struct side *side, int64_t wanted, bool *end, ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    if (wanted > side->frame) ssimcu_clip_pass(side->clip, (uint64_t)(wanted - side->frame));
    for (; side->frame < wanted && !*end && status == SSIMCU_OK; side->frame++) {
        ssimcu_clip_place place = {0};
        status = ssimcu_clip_next(side->clip, NULL, &place, end, message);
        ssimcu_clip_release(side->clip, place);
    }
    return status;
}

static ssimcu_status read_video(struct side *side, struct side_frame *frame, bool *end,
                                ssimcu_message *message)
{
    const ssimcu_clip_format *format = ssimcu_clip_shape(side->clip);
    struct pair *pair = &frame->pair;
    ssimcu_clip_place place = {0};
    if (!format->on_device && !(frame->memory = malloc(format->frame_bytes)))
        return ssimcu_no_memory(message, "a frame");
    ssimcu_status status = ssimcu_clip_next(side->clip, frame->memory, &place, end, message);
    frame->number = side->frame++;
    frame->path = side->input->path[0];
    frame->clip = side->clip;
    frame->place = place;
    pair->planes = format->planes;
    pair->memory[0] = frame->memory;
    return status != SSIMCU_OK || *end ? status
                                       : kind_load_frame(side->clip, 0, place, pair, message);
}

static ssimcu_status next_of_video(struct side *side, struct side_frame *frame, bool *end,
                                   ssimcu_message *message)
{
    const ssimcu_ranges *frames = side->input->frames;
    *end = frames && side->position == frames->count;
    if (*end) return SSIMCU_OK;
    const int64_t wanted = frames ? frames->number[side->position++] : side->frame;
    TRY(pass_to(side, wanted, end, message));
    return *end ? SSIMCU_OK : read_video(side, frame, end, message);
}

ssimcu_status side_next(struct side *side, struct side_frame *frame, bool *end,
                        ssimcu_message *message)
{
    *frame = (struct side_frame){0};
    return (side->clip ? next_of_video : next_file)(side, frame, end, message);
}

void side_release(struct side_frame *frame)
{
    if (frame->clip) ssimcu_clip_release(frame->clip, frame->place);
    ssimcu_frame_free(&frame->still);
    free(frame->memory);
}

ssimcu_status side_match(const struct side_frame *ref, const struct side_frame *out,
                         ssimcu_message *message)
{
    if (ref->clip && out->clip)
        return match_formats(
            (const ssimcu_clip_format *const[2]){ref->pair.format[0], out->pair.format[0]},
            ref->pair.format[0], out->pair.format[0], message);
    if (ref->clip || out->clip)
        FAIL(MISMATCH, "%.200s, %.200s: one is a picture, the other a frame of video", ref->path,
             out->path);
    TRY(match_sizes(ref->path, ref->pair.plane[0], out->path, out->pair.plane[0], message));
    return match_windows(ref->path, &ref->windows, out->path, &out->windows, message);
}
