/* Reads views back: samples in device memory, all or in patches, to frames in host memory. */
#include "api/context.h"
#include "fail.h"
#include "plan/frame.h"
#include "plan/view.h"
#include "sample_size.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define REFUSE(...) FAIL(ARGUMENT, __VA_ARGS__)

static ssimcu_status check(const ssimcu_view *view, const ssimcu_frame *frame,
                           ssimcu_message *message)
{
    const int floats = frame->bits >= SSIMCU_BITS_FLOAT;
    const int f32 = frame->bits == SSIMCU_BITS_F32;
    if (view->channels > 1 && view->layout != SSIMCU_LAYOUT_HWC)
        REFUSE("view: expected one plane at a time");
    if (view->pitch < 0 || view->frames > 1) REFUSE("view: expected one frame from the top down");
    if (view->width != frame->width || view->height != frame->height ||
        view->channels != frame->channels)
        REFUSE("frame is %ux%u with %u channels, the view %ux%u with %u", frame->width,
               frame->height, frame->channels, view->width, view->height, view->channels);
    if (floats ? view->type != (f32 ? SSIMCU_TYPE_F32 : SSIMCU_TYPE_F16)
               : ssimcu_view_bits(view) != frame->bits)
        REFUSE("frame: expected samples of the view's bits");
    return SSIMCU_OK;
}

/* Copies rows from the memory of the context's views. */
static ssimcu_status copy_rows(const ssimcu_context *context, void *to, size_t to_pitch,
                               const ssimcu_view *view, size_t row, ssimcu_message *message)
{
    const struct ssimcu_rows rows = {to,  to_pitch,    view->data[0], (size_t)view->pitch,
                                     row, view->height};
    if (context->backend->read) return context->backend->read(context->state, &rows, message);
    for (size_t y = 0; y < rows.count; y++)
        memcpy((char *)to + y * to_pitch, (const char *)rows.from + y * rows.from_pitch, row);
    return SSIMCU_OK;
}

/* Shifts samples in the upper bits of 16 down. */
static void move_down(void *row, size_t count, uint32_t down)
{
    uint16_t *sample = row;
    for (size_t i = 0; i < count; i++) sample[i] = (uint16_t)(sample[i] >> down);
}

/* Returns memory that the context keeps for its next view; NULL if memory runs out. */
static char *scratch_of(ssimcu_context *context, size_t bytes)
{
    if (context->scratch_bytes < bytes) {
        free(context->scratch);
        context->scratch = malloc(bytes);
        context->scratch_bytes = context->scratch ? bytes : 0;
    }
    return context->scratch;
}

/* Copies rows whose pixels are not adjacent, through the scratch memory. */
static ssimcu_status copy_apart(ssimcu_context *context, const ssimcu_view *view,
                                const ssimcu_frame *frame, size_t pixel, ssimcu_message *message)
{
    const size_t row = (view->width - 1) * view->pixel_stride + pixel;
    char *apart = scratch_of(context, row * view->height);
    if (!apart) return ssimcu_no_memory(message, "a view");
    TRY(copy_rows(context, apart, row, view, row, message));
    for (size_t y = 0; y < view->height; y++) {
        char *to = (char *)frame->data + y * ssimcu_frame_pitch(frame);
        const char *from = apart + y * row;
        for (uint32_t x = 0; x < view->width; x++, from += view->pixel_stride, to += pixel)
            memcpy(to, from, pixel);
    }
    return SSIMCU_OK;
}

static ssimcu_status read_view(ssimcu_context *context, const ssimcu_view *view,
                               const ssimcu_frame *frame, ssimcu_message *message)
{
    const size_t pixel = ssimcu_sample_size(frame->bits) * view->channels;
    const size_t samples = (size_t)view->width * view->channels, pitch = ssimcu_frame_pitch(frame);
    const uint32_t down = ssimcu_view_low_bits(view);
    if (view->pixel_stride == pixel)
        TRY(copy_rows(context, frame->data, pitch, view, view->width * pixel, message));
    else
        TRY(copy_apart(context, view, frame, pixel, message));
    for (size_t y = 0; y < view->height && down > 0; y++)
        move_down((char *)frame->data + y * pitch, samples, down);
    return SSIMCU_OK;
}

ssimcu_status ssimcu_view_read(ssimcu_context *context, const ssimcu_view *view,
                               const ssimcu_frame *frame, ssimcu_message *message)
{
    ssimcu_view own;
    if (!context) REFUSE("context is NULL");
    TRY(ssimcu_view_check(view, "view", 1, &own, message));
    TRY(ssimcu_frame_check(frame, "frame", message));
    TRY(check(&own, frame, message));
    TRY(ssimcu_context_use(context, message));
    const ssimcu_status status = read_view(context, &own, frame, message);
    ssimcu_context_leave(context);
    return status;
}

/* ---- Patches --------------------------------------------------------------------------------- */

enum { MOST_PIXELS = 1 << 16 /* maximum of a patch */ };

/* Checked views and frames, and the pixels gathered from the views. */
struct patches {
    ssimcu_view view[SSIMCU_PATCH_PLANES];
    const ssimcu_frame *frame;
    uint32_t views;
    struct ssimcu_patches_task task;
};

static bool is_whole(const struct patches *patches, const ssimcu_patch *patch)
{
    const ssimcu_view *const view = &patches->view[patch->view];
    return patch->columns == view->width && patch->rows == view->height;
}

static bool is_inside(uint32_t start, uint32_t count, uint32_t step, uint32_t size)
{
    return start < size && count > 0 && step > 0 && (uint64_t)(count - 1) * step < size - start;
}

static ssimcu_status check_patch(const struct patches *patches, const ssimcu_patch *patch,
                                 ssimcu_message *message)
{
    if (patch->view >= patches->views)
        REFUSE("patch: view is %u of %u", patch->view, patches->views);
    const ssimcu_view *const view = &patches->view[patch->view];
    if (!is_inside(patch->x, patch->columns, patch->step, view->width) ||
        !is_inside(patch->y, patch->rows, patch->step, view->height))
        REFUSE("patch: %ux%u+%u+%u in steps of %u is not inside %ux%u", patch->columns, patch->rows,
               patch->x, patch->y, patch->step, view->width, view->height);
    if (!is_whole(patches, patch) && (uint64_t)patch->columns * patch->rows > MOST_PIXELS)
        REFUSE("patch: %ux%u pixels, expected %d at most, or all", patch->columns, patch->rows,
               MOST_PIXELS);
    return SSIMCU_OK;
}

static ssimcu_status check_views(struct patches *patches, const ssimcu_view *views,
                                 const ssimcu_frame *frames, uint32_t count,
                                 ssimcu_message *message)
{
    if (!views || !frames) REFUSE("views: NULL, or frames");
    if (count < 1 || count > SSIMCU_PATCH_PLANES)
        REFUSE("views: %u, expected 1 to %d", count, SSIMCU_PATCH_PLANES);
    patches->frame = frames;
    patches->views = count;
    for (uint32_t i = 0; i < count; i++) {
        const char *const theirs = (const char *)views + i * views->struct_size;
        TRY(ssimcu_view_check((const ssimcu_view *)(const void *)theirs, "view", 1,
                              &patches->view[i], message));
        TRY(ssimcu_frame_check(&frames[i], "frame", message));
        TRY(check(&patches->view[i], &frames[i], message));
    }
    return SSIMCU_OK;
}

/* Stores the addresses of the patches' pixels in memory of the context. */
static ssimcu_status note_places(ssimcu_context *context, struct patches *patches,
                                 const ssimcu_patch *patch, size_t count, ssimcu_message *message)
{
    struct ssimcu_patches_task *const task = &patches->task;
    struct ssimcu_patch_place *const place =
        (void *)scratch_of(context, count * sizeof *task->place);
    if (!place) return ssimcu_no_memory(message, "patches");
    *task = (struct ssimcu_patches_task){.place = place};
    for (uint32_t i = 0; i < patches->views; i++) {
        const ssimcu_view *const view = &patches->view[i];
        const size_t sample = ssimcu_sample_size(patches->frame[i].bits);
        task->plane[i] =
            (struct ssimcu_patch_plane){view->data[0], view->pitch, (uint32_t)view->pixel_stride,
                                        (uint32_t)(sample * view->channels)};
    }
    for (; count > 0; count--, patch++) {
        if (is_whole(patches, patch)) continue;
        place[task->places++] = (struct ssimcu_patch_place){
            patch->view, patch->x, patch->y, patch->columns, patch->rows, patch->step, task->bytes};
        task->bytes += (uint64_t)patch->columns * patch->rows * task->plane[patch->view].pixel;
    }
    return SSIMCU_OK;
}

/* Writes gathered pixels to their places. Pixels without a step are adjacent in a row. */
static void put(const struct patches *patches, const struct ssimcu_patch_place *place)
{
    const ssimcu_frame *const frame = &patches->frame[place->plane];
    const ssimcu_view *const view = &patches->view[place->plane];
    const uint32_t down = ssimcu_view_low_bits(view), run = place->step == 1 ? place->columns : 1;
    const size_t pixel = patches->task.plane[place->plane].pixel;
    const char *from = (const char *)patches->task.to + place->to;
    for (uint32_t j = 0; j < place->rows; j++) {
        const size_t y = place->y + (size_t)j * place->step;
        char *to = (char *)frame->data + y * ssimcu_frame_pitch(frame) + place->x * pixel;
        for (uint32_t i = 0; i < place->columns; i += run) {
            memcpy(to, from, run * pixel);
            if (down > 0) move_down(to, (size_t)run * view->channels, down);
            from += run * pixel;
            to += place->step * pixel;
        }
    }
}

static ssimcu_status read_patches(ssimcu_context *context, struct patches *patches,
                                  const ssimcu_patch *patch, size_t count, ssimcu_message *message)
{
    for (size_t i = 0; i < count; i++)
        if (is_whole(patches, &patch[i]))
            TRY(read_view(context, &patches->view[patch[i].view], &patches->frame[patch[i].view],
                          message));
    TRY(note_places(context, patches, patch, count, message));
    if (patches->task.places == 0) return SSIMCU_OK;
    const struct ssimcu_patch_place *const place = patches->task.place;
    TRY(context->backend->patches(context->state, &patches->task, message));
    for (uint32_t i = 0; i < patches->task.places; i++) put(patches, &place[i]);
    return SSIMCU_OK;
}

ssimcu_status ssimcu_view_patches(ssimcu_context *context, const ssimcu_view *views,
                                  const ssimcu_frame *frames, uint32_t count,
                                  const ssimcu_patch *patches, uint32_t patch_count,
                                  ssimcu_message *message)
{
    struct patches own;
    if (!context) REFUSE("context is NULL");
    if (!patches && patch_count > 0) REFUSE("patches are NULL");
    TRY(check_views(&own, views, frames, count, message));
    for (uint32_t i = 0; i < patch_count; i++) TRY(check_patch(&own, &patches[i], message));
    TRY(ssimcu_context_use(context, message));
    ssimcu_status status = SSIMCU_OK;
    if (patch_count > 0) status = read_patches(context, &own, patches, patch_count, message);
    ssimcu_context_leave(context);
    return status;
}
