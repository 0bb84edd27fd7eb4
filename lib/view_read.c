/* Reading a view back: samples of a device's memory as a frame of the host's. */
#include "context.h"
#include "fail.h"
#include "frame.h"
#include "sample_size.h"
#include "view.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define REFUSE(...) return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, __VA_ARGS__)

static ssimcu_status check(const ssimcu_view *view, const ssimcu_frame *frame,
                           ssimcu_message *message)
{
    const int floats = frame->bits >= SSIMCU_BITS_FLOAT;
    const int f32 = frame->bits == SSIMCU_BITS_F32;
    if (view->channels > 1 && view->layout != SSIMCU_LAYOUT_HWC)
        REFUSE("view: planes are read one by one");
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

/* Copies rows from wherever the context's views lie. */
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

/* Moves samples that are in the upper bits of 16 down. */
static void move_down(void *row, size_t count, uint32_t down)
{
    uint16_t *sample = row;
    for (size_t i = 0; i < count; i++) sample[i] = (uint16_t)(sample[i] >> down);
}

static void pick_row(char *to, const char *from, const ssimcu_view *view, size_t pixel)
{
    for (uint32_t x = 0; x < view->width; x++, from += view->pixel_stride, to += pixel)
        memcpy(to, from, pixel);
}

/* Returns memory that the context keeps for its next view; NULL if memory ran out. */
static char *scratch_of(ssimcu_context *context, size_t bytes)
{
    if (context->scratch_bytes < bytes) {
        free(context->scratch);
        context->scratch = malloc(bytes);
        context->scratch_bytes = context->scratch ? bytes : 0;
    }
    return context->scratch;
}

/* Copies rows whose pixels lie apart, by way of the scratch memory. */
static ssimcu_status copy_apart(ssimcu_context *context, const ssimcu_view *view,
                                const ssimcu_frame *frame, size_t pixel, ssimcu_message *message)
{
    const size_t row = (view->width - 1) * view->pixel_stride + pixel;
    char *apart = scratch_of(context, row * view->height);
    if (!apart) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory for a view");
    const ssimcu_status status = copy_rows(context, apart, row, view, row, message);
    for (size_t y = 0; y < view->height && status == SSIMCU_OK; y++)
        pick_row((char *)frame->data + y * ssimcu_frame_pitch(frame), apart + y * row, view, pixel);
    return status;
}

static ssimcu_status read_view(ssimcu_context *context, const ssimcu_view *view,
                               const ssimcu_frame *frame, ssimcu_message *message)
{
    const size_t pixel = ssimcu_sample_size(frame->bits) * view->channels;
    const size_t samples = (size_t)view->width * view->channels, pitch = ssimcu_frame_pitch(frame);
    const bool upper = frame->bits < 16 && view->peak >= (double)(1u << frame->bits);
    const ssimcu_status status =
        view->pixel_stride == pixel
            ? copy_rows(context, frame->data, pitch, view, view->width * pixel, message)
            : copy_apart(context, view, frame, pixel, message);
    for (size_t y = 0; y < view->height && status == SSIMCU_OK && upper; y++)
        move_down((char *)frame->data + y * pitch, samples, 16 - frame->bits);
    return status;
}

ssimcu_status ssimcu_view_read(ssimcu_context *context, const ssimcu_view *view,
                               const ssimcu_frame *frame, ssimcu_message *message)
{
    ssimcu_view own;
    if (!context) REFUSE("context is NULL");
    ssimcu_status status = ssimcu_view_check(view, "view", 1, &own, message);
    if (status == SSIMCU_OK) status = ssimcu_frame_check(frame, "frame", message);
    if (status == SSIMCU_OK) status = check(&own, frame, message);
    if (status == SSIMCU_OK) status = ssimcu_context_enter(context, message);
    if (status != SSIMCU_OK) return status;
    status = ssimcu_context_check(context, message);
    if (status == SSIMCU_OK) status = read_view(context, &own, frame, message);
    ssimcu_context_leave(context);
    return status;
}
