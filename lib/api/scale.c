/* The public function that scales views. */
#include "api/context.h"
#include "fail.h"
#include "number/taps.h"
#include "plan/view.h"
#include "sized.h"

#include <math.h>

#define REFUSE(...) FAIL(ARGUMENT, __VA_ARGS__)

enum {
    ROW_BYTES = 256, /* rows of scaled samples start at multiples of this many bytes */
    MOST_SHIFT = 1 << 24
};

static ssimcu_status check(const ssimcu_view *from, ssimcu_scaler_name scaler,
                           const double shift[2], uint32_t place, const ssimcu_view *to,
                           ssimcu_message *message)
{
    const uint32_t bits = ssimcu_view_bits(from), to_bits = ssimcu_view_bits(to);
    if ((unsigned)scaler > SSIMCU_SCALER_SPLINE36) REFUSE("scaler: unknown filter");
    if (!shift || !(fabs(shift[0]) <= MOST_SHIFT && fabs(shift[1]) <= MOST_SHIFT))
        REFUSE("shift: expected two numbers of %d at most", MOST_SHIFT);
    if (place >= SSIMCU_SCALE_PLACES)
        REFUSE("place is %u, expected 0 to %d", place, SSIMCU_SCALE_PLACES - 1);
    if (from->channels > 2 || (from->channels == 2 && from->layout != SSIMCU_LAYOUT_HWC))
        REFUSE("view: expected one channel, or two side by side");
    if (from->channels != to->channels) REFUSE("scaled: expected as many channels as the view");
    if (from->pitch < 0 || from->frames > 1) REFUSE("view: expected one frame from the top down");
    if (bits == 0 || (bits == 8) != (from->type == SSIMCU_TYPE_U8))
        REFUSE("view: expected bytes of 8 bits, or words of 9 to 16");
    if (to_bits < bits || (to_bits == 8) != (to->type == SSIMCU_TYPE_U8))
        REFUSE("scaled: expected samples of %u bits or more", bits);
    return SSIMCU_OK;
}

static struct ssimcu_scale_task task_of(const struct ssimcu_scale_tables *tables,
                                        const ssimcu_view *from, const ssimcu_view *to)
{
    const uint32_t bits = ssimcu_view_bits(from), to_bits = ssimcu_view_bits(to);
    const uint32_t sample = to->type == SSIMCU_TYPE_U8 ? 1 : 2;
    const int64_t row = (int64_t)to->width * to->channels * sample;
    return (struct ssimcu_scale_task){
        .across = tables->across,
        .down = tables->down,
        .across_first = ssimcu_taps_across_first(&tables->across, &tables->down),
        .channels = from->channels,
        .bits = bits,
        .to_bits = to_bits,
        .src_down = ssimcu_view_low_bits(from),
        .dst_up = ssimcu_view_low_bits(to),
        .src_step = (uint32_t)(from->pixel_stride / (bits > 8 ? 2 : 1)),
        .src = from->data[0],
        .src_pitch = from->pitch,
        .dst_pitch = (row + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES,
    };
}

static ssimcu_status scale(ssimcu_context *context, const ssimcu_view *from,
                           ssimcu_scaler_name scaler, const double shift[2], uint32_t place,
                           ssimcu_view *to, ssimcu_message *message)
{
    const struct ssimcu_scale_tables *tables;
    TRY(ssimcu_scale_tables_find(&context->scales, from, scaler, shift, to, &tables, message));
    struct ssimcu_scale_task task = task_of(tables, from, to);
    const ssimcu_status status = context->backend->scale(context->state, &task, place, message);
    to->data[0] = task.dst;
    to->pitch = (ptrdiff_t)task.dst_pitch;
    to->pixel_stride = (size_t)task.channels * (task.to_bits > 8 ? 2 : 1);
    return status;
}

ssimcu_status ssimcu_view_scale(ssimcu_context *context, const ssimcu_view *view,
                                ssimcu_scaler_name scaler, const double shift[2], uint32_t place,
                                ssimcu_view *scaled, ssimcu_message *message)
{
    ssimcu_view from, to;
    if (!context) REFUSE("context is NULL");
    TRY(ssimcu_view_check(view, "view", 1, &from, message));
    TRY(ssimcu_view_check(scaled, "scaled", 0, &to, message));
    TRY(check(&from, scaler, shift, place, &to, message));
    TRY(ssimcu_context_use(context, message));
    const ssimcu_status status = scale(context, &from, scaler, shift, place, &to, message);
    ssimcu_context_leave(context);
    if (status == SSIMCU_OK) ssimcu_sized_write(scaled, &to);
    return status;
}
