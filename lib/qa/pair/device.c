#include "pair/device.h"

#include "pair/fit.h"

#include "fail.h"

static size_t sample_of(const ssimcu_view *view) { return view->type == SSIMCU_TYPE_U8 ? 1 : 2; }

bool device_are_paired(const ssimcu_view *u, const ssimcu_view *v)
{
    return u->pixel_stride == 2 * sample_of(u) &&
           (const char *)v->data[0] == (const char *)u->data[0] + sample_of(u);
}

/* Describes a fitted plane as a GPU decoder writes it: samples of more than 8 bits are in the upper
 * bits. Both sides then have the same layout, which is scored fastest. */
static ssimcu_view view_of(const ssimcu_frame *plane, uint32_t channels)
{
    const bool deep = plane->bits > 8;
    const uint32_t up = deep ? 16 - plane->bits : 0;
    return SSIMCU_INIT(view, .width = plane->width, .height = plane->height, .channels = channels,
                       .type = deep ? SSIMCU_TYPE_U16 : SSIMCU_TYPE_U8,
                       .peak = (double)(((1u << plane->bits) - 1) << up));
}

/* Fits the views of a side. Interleaved U and V are fitted at once and stay interleaved. */
static ssimcu_status fit_side(struct pair *pair, int side, ssimcu_context *context,
                              ssimcu_message *message)
{
    enum { PLACES = SSIMCU_SCALE_PLACES / 2 };
    static const double none[2] = {0, 0};
    const struct fit *const fit = pair->fit[side];
    for (uint32_t p = 0; p < pair->planes; p++) {
        ssimcu_view *const view = &pair->view[side][p], from = *view;
        const bool paired = p + 2 == pair->planes && device_are_paired(view, view + 1);
        from.channels = paired ? 2 : 1;
        *view = view_of(&fit->format.plane[p], from.channels);
        TRY(ssimcu_view_scale(context, &from, fit->name, p > 0 ? fit->beside : none,
                              (uint32_t)side * PLACES + p, view, message));
        view->channels = 1;
        if (!paired) continue;
        view[1] = view[0];
        view[1].data[0] = (const char *)view->data[0] + sample_of(view);
        p++;
    }
    return SSIMCU_OK;
}

/* Cuts the views of a side to the region, as the planes' shapes already are. */
static void cut_side(struct pair *pair, int side)
{
    const ssimcu_clip_format *const format = pair->format[side];
    for (uint32_t p = 0; p < pair->planes; p++) {
        ssimcu_view *const view = &pair->view[side][p];
        const uint32_t x = pair->x / (p > 0 ? ssimcu_clip_across(format) : 1),
                       y = pair->y / (p > 0 ? ssimcu_clip_down(format) : 1);
        view->data[0] = (const char *)view->data[0] + y * view->pitch + x * view->pixel_stride;
        view->width = pair->plane[side][p].width;
        view->height = pair->plane[side][p].height;
    }
}

ssimcu_status device_finish(struct pair *pair, ssimcu_context *context, ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    for (int side = 0; side < 2 && status == SSIMCU_OK; side++) {
        if (!pair->fit[side]) continue;
        status = fit_side(pair, side, context, message);
        if (status == SSIMCU_OK) cut_side(pair, side);
        pair->fit[side] = NULL;
    }
    return status;
}
