/* Converts views of doubles to views of floats before anything else reads their samples. */
#include "api/context.h"
#include "fail.h"
#include "plan/view.h"

#include <stdlib.h>

/* Rounds one channel to a dense plane. */
static void round_plane(const ssimcu_view *view, const char *from, float *to)
{
    for (uint32_t y = 0; y < view->height; y++, from += view->pitch)
        for (uint32_t x = 0; x < view->width; x++)
            *to++ = (float)*(const double *)(from + x * view->pixel_stride);
}

static ssimcu_status round_view(ssimcu_view *view, float **memory, ssimcu_message *message)
{
    const size_t plane = (size_t)view->width * view->height;
    const struct ssimcu_samples samples = ssimcu_view_samples(view);
    if (view->data[0]) {
        *memory = calloc(plane * view->channels, sizeof **memory);
        if (!*memory)
            FAIL(MEMORY, "out of memory for %ux%u doubles as floats", view->width, view->height);
        for (uint32_t c = 0; c < view->channels; c++) {
            round_plane(view, samples.channel[c], *memory + c * plane);
            view->data[c] = *memory + c * plane;
        }
    }
    view->type = SSIMCU_TYPE_F32;
    view->layout = SSIMCU_LAYOUT_PLANES;
    view->pixel_stride = sizeof(float);
    view->pitch = (ptrdiff_t)(view->width * sizeof(float));
    view->plane_stride = 0;
    return SSIMCU_OK;
}

ssimcu_status ssimcu_doubles_round(const ssimcu_context *context, ssimcu_view pair[SSIMCU_PAIR],
                                   float *memory[SSIMCU_PAIR], ssimcu_message *message)
{
    const int reads = context->backend->traits(context->state)->reads_samples;
    ssimcu_status status = SSIMCU_OK;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        memory[slot] = NULL;
        if (status == SSIMCU_OK && reads && pair[slot].type == SSIMCU_TYPE_F64)
            status = round_view(&pair[slot], &memory[slot], message);
    }
    return status;
}
