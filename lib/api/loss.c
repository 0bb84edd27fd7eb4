/* The public functions of the loss. They check arguments once and make a task of them. */
#include "ssimcu_loss.h"

#include "api/context.h"
#include "loss/loss.h"
#include "plan/metrics.h"
#include "plan/view.h"
#include "sized.h"

#include <math.h>

#define REFUSE(...) FAIL(ARGUMENT, __VA_ARGS__)

enum { WORKSPACE_ALIGNMENT = 256 };

_Static_assert((int)SSIMCU_LOSS_MASK_ZERO == SSIMCU_LOSS_ZERO &&
                   (int)SSIMCU_LOSS_MASK_MEAN == SSIMCU_LOSS_MEAN &&
                   (int)SSIMCU_LOSS_MASK_INSIDE == SSIMCU_LOSS_INSIDE,
               "loss/loss.h counts as the public enum does");

/* ---- Views ----------------------------------------------------------------------------------- */

static ssimcu_status check_view(const ssimcu_view *theirs, const char *name, int want_data,
                                ssimcu_view *view, ssimcu_message *message)
{
    TRY(ssimcu_view_check(theirs, name, want_data, view, message));
    if (view->pitch < 0)
        FAIL(UNSUPPORTED,
             "%s: expected a positive pitch, because a loss reads rows from the top down", name);
    return SSIMCU_OK;
}

/* Describes samples by their strides. */
static ssimcu_status place(const ssimcu_view *view, const char *name,
                           struct ssimcu_loss_samples *to, ssimcu_message *message)
{
    const struct ssimcu_samples samples = ssimcu_view_samples(view);
    const uintptr_t first = (uintptr_t)samples.channel[0];
    const uintptr_t apart = view->channels > 1 ? (uintptr_t)samples.channel[1] - first : 0;
    for (uint32_t c = 2; c < view->channels; c++)
        if ((uintptr_t)samples.channel[c] - first != c * apart)
            FAIL(UNSUPPORTED, "%s: expected equal distances between channels", name);
    *to = (struct ssimcu_loss_samples){
        .data = (void *)first,
        .type = samples.type,
        .pixel = (int64_t)view->pixel_stride,
        .row = samples.pitch_bytes,
        .channel = (int64_t)apart,
        .frame = samples.frame_bytes,
        .factor = (float)(1 / view->peak),
        .white = view->peak,
    };
    return SSIMCU_OK;
}

/* Checks that a view has the size of REF. */
static ssimcu_status check_size(const struct ssimcu_loss_task *task, const ssimcu_view *view,
                                const char *name, ssimcu_message *message)
{
    if ((int)view->width != task->width || (int)view->height != task->height)
        FAIL(MISMATCH, "%s: %ux%u pixels, but ref has %dx%d", name, view->width, view->height,
             task->width, task->height);
    if ((int)view->channels != task->channels)
        FAIL(MISMATCH, "%s: %u channels, but ref has %d", name, view->channels, task->channels);
    if ((int)view->frames != task->frames)
        FAIL(MISMATCH, "%s: %u frames, but ref has %d", name, view->frames, task->frames);
    return SSIMCU_OK;
}

static void set_size(struct ssimcu_loss_task *task, const ssimcu_view *view)
{
    task->width = (int)view->width;
    task->height = (int)view->height;
    task->channels = (int)view->channels;
    task->frames = (int)view->frames;
}

static ssimcu_status set_sides(const ssimcu_view *ref, const ssimcu_view *out, int want_data,
                               struct ssimcu_loss_task *task, ssimcu_message *message)
{
    ssimcu_view view;
    TRY(check_view(ref, "ref", want_data, &view, message));
    TRY(place(&view, "ref", &task->side[SSIMCU_REF], message));
    set_size(task, &view);
    TRY(check_view(out, "out", want_data, &view, message));
    TRY(check_size(task, &view, "out", message));
    return place(&view, "out", &task->side[SSIMCU_OUT], message);
}

/* Samples are divided by white, so their gradient is, too. */
static ssimcu_status set_gradient(const ssimcu_view *theirs, const char *name, int side,
                                  struct ssimcu_loss_task *task, ssimcu_message *message)
{
    ssimcu_view view;
    struct ssimcu_loss_samples *const gradient = &task->gradient[side];
    if (!theirs) return SSIMCU_OK;
    TRY(check_view(theirs, name, 1, &view, message));
    if (!ssimcu_samples_are_float((uint32_t)view.type))
        REFUSE("%s: samples are integers, expected F16, BF16, F32 or F64", name);
    if (task->width == 0) set_size(task, &view);
    TRY(check_size(task, &view, name, message));
    TRY(place(&view, name, gradient, message));
    gradient->white = task->side[side].white;
    gradient->factor = task->side[side].factor;
    return SSIMCU_OK;
}

/* ---- Options --------------------------------------------------------------------------------- */

static ssimcu_status set_mask(const ssimcu_loss_options *options, int want_data,
                              struct ssimcu_loss_task *task, ssimcu_message *message)
{
    ssimcu_view view;
    if ((unsigned)options->mask_rule > SSIMCU_LOSS_MASK_INSIDE)
        REFUSE("options: mask_rule is %u, expected 0 to %d", (unsigned)options->mask_rule,
               SSIMCU_LOSS_MASK_INSIDE);
    if (!options->mask) return SSIMCU_OK;
    TRY(check_view(options->mask, "mask", want_data, &view, message));
    if (view.type == SSIMCU_TYPE_U16) REFUSE("mask: type U16, expected U8, F16, F32, F64 or BF16");
    if (view.channels != 1) REFUSE("mask: %u channels, expected 1", view.channels);
    view.channels = (uint32_t)task->channels;
    if (view.frames == 1) view.frames = (uint32_t)task->frames; /* one frame serves all */
    TRY(check_size(task, &view, "mask", message));
    view.channels = 1;
    task->mask_rule = (int)options->mask_rule;
    return place(&view, "mask", &task->mask, message);
}

static ssimcu_status set_weights(const ssimcu_loss_options *options, struct ssimcu_loss_task *task,
                                 ssimcu_message *message)
{
    const struct {
        const char *name;
        double value, *to;
    } weight[] = {{"ssim", options->ssim, &task->ssim},
                  {"l1", options->l1, &task->l1},
                  {"mse", options->mse, &task->mse}};
    int any = 0;
    for (size_t i = 0; i < sizeof weight / sizeof weight[0]; i++) {
        if (!(fabs(weight[i].value) <= 1e30))
            REFUSE("options: %s is %g, expected -1e30 to 1e30", weight[i].name, weight[i].value);
        *weight[i].to = weight[i].value;
        any |= weight[i].value != 0;
    }
    if (!any) task->ssim = 1;
    return SSIMCU_OK;
}

static ssimcu_status set_options(const ssimcu_loss_options *theirs, int want_data,
                                 struct ssimcu_loss_task *task, ssimcu_message *message)
{
    ssimcu_loss_options own = SSIMCU_INIT(loss_options);
    if (theirs)
        TRY(ssimcu_sized_read(&own, sizeof own, SSIMCU_LOSS_OPTIONS_OLDEST, theirs, "options",
                              message));
    if ((unsigned)own.pad > SSIMCU_PAD_ZERO)
        REFUSE("options: pad is %u, expected 0 to %d", (unsigned)own.pad, SSIMCU_PAD_ZERO);
    task->zero_pad = own.pad == SSIMCU_PAD_ZERO;
    const struct ssimcu_shape shape = {.width = (uint32_t)task->width,
                                       .height = (uint32_t)task->height,
                                       .zero_pad = task->zero_pad};
    TRY(ssimcu_metrics_check_size(SSIMCU_METRIC_SSIM, &shape, message));
    TRY(set_weights(&own, task, message));
    return set_mask(&own, want_data, task, message);
}

/* ---- Entries --------------------------------------------------------------------------------- */

static ssimcu_status describe(const ssimcu_context *context, const ssimcu_view *ref,
                              const ssimcu_view *out, const ssimcu_loss_options *options,
                              int want_data, struct ssimcu_loss_task *task, ssimcu_message *message)
{
    *task = (struct ssimcu_loss_task){0};
    if (!context) REFUSE("context is NULL");
    TRY(set_sides(ref, out, want_data, task, message));
    return set_options(options, want_data, task, message);
}

static int has_doubles(const struct ssimcu_loss_samples *samples)
{
    return samples->type == SSIMCU_SAMPLE_F64;
}

/* Checks the memory of the loss's numbers: floats or doubles. */
static ssimcu_status check_numbers(const void *numbers, int doubles, const char *name,
                                   ssimcu_message *message)
{
    const size_t each = doubles ? sizeof(double) : sizeof(float);
    if (!numbers) REFUSE("%s is NULL", name);
    if ((uintptr_t)numbers % each != 0) REFUSE("%s is not aligned to %zu bytes", name, each);
    return SSIMCU_OK;
}

/* Refuses features that this device does not support. */
static ssimcu_status check_device(const ssimcu_context *context,
                                  const struct ssimcu_loss_task *task,
                                  const struct CUstream_st *stream, ssimcu_message *message)
{
    const struct {
        const char *name;
        const struct ssimcu_loss_samples *samples;
    } given[] = {{"ref", &task->side[SSIMCU_REF]},
                 {"out", &task->side[SSIMCU_OUT]},
                 {"mask", &task->mask},
                 {"gradient", &task->gradient[SSIMCU_REF]},
                 {"gradient", &task->gradient[SSIMCU_OUT]}};
    const int cpu = context->backend == &ssimcu_backend_cpu;
    if (stream && cpu) REFUSE("stream: expected NULL, because the context's device is the CPU");
    for (size_t i = 0; i < sizeof given / sizeof given[0] && !cpu; i++)
        if (has_doubles(given[i].samples))
            FAIL(UNSUPPORTED, "%s: type F64, whose loss only the CPU computes", given[i].name);
    return SSIMCU_OK;
}

ssimcu_status ssimcu_loss_workspace(ssimcu_context *context, const ssimcu_view *ref,
                                    const ssimcu_view *out, const ssimcu_loss_options *options,
                                    size_t *bytes, ssimcu_message *message)
{
    struct ssimcu_loss_task task;
    if (!bytes) REFUSE("bytes is NULL");
    TRY(describe(context, ref, out, options, 0, &task, message));
    TRY(check_device(context, &task, NULL, message));
    *bytes = context->backend->loss_bytes(context->state, &task);
    return SSIMCU_OK;
}

static ssimcu_status set_memory(const ssimcu_context *context, void *loss, void *workspace,
                                size_t bytes, struct ssimcu_loss_task *task,
                                ssimcu_message *message)
{
    const int doubles =
        has_doubles(&task->side[SSIMCU_REF]) || has_doubles(&task->side[SSIMCU_OUT]);
    TRY(check_numbers(loss, doubles, "loss", message));
    const size_t least = context->backend->loss_bytes(context->state, task);
    if (!workspace) REFUSE("workspace is NULL");
    if ((uintptr_t)workspace % WORKSPACE_ALIGNMENT != 0)
        REFUSE("workspace is not aligned to %d bytes", WORKSPACE_ALIGNMENT);
    if (bytes < least) REFUSE("workspace: %zu bytes, expected %zu or more", bytes, least);
    task->loss = doubles ? NULL : loss;
    task->doubles = doubles ? loss : NULL;
    task->workspace = workspace;
    return SSIMCU_OK;
}

ssimcu_status ssimcu_loss_async(ssimcu_context *context, const ssimcu_view *ref,
                                const ssimcu_view *out, const ssimcu_loss_options *options,
                                void *loss, const ssimcu_view *gradient_out,
                                const ssimcu_view *gradient_ref, void *workspace, size_t bytes,
                                struct CUstream_st *stream, ssimcu_message *message)
{
    struct ssimcu_loss_task task;
    TRY(describe(context, ref, out, options, 1, &task, message));
    TRY(set_gradient(gradient_out, "gradient_out", SSIMCU_OUT, &task, message));
    TRY(set_gradient(gradient_ref, "gradient_ref", SSIMCU_REF, &task, message));
    TRY(check_device(context, &task, stream, message));
    TRY(set_memory(context, loss, workspace, bytes, &task, message));
    TRY(ssimcu_context_use(context, message));
    const ssimcu_status status = context->backend->loss(context->state, &task, stream, message);
    ssimcu_context_leave(context);
    return status;
}

ssimcu_status ssimcu_loss_scale_async(ssimcu_context *context, const ssimcu_view *gradient,
                                      const void *factor, struct CUstream_st *stream,
                                      ssimcu_message *message)
{
    struct ssimcu_loss_task task = {0};
    if (!context) REFUSE("context is NULL");
    if (!gradient) REFUSE("gradient is NULL");
    TRY(set_gradient(gradient, "gradient", 0, &task, message));
    TRY(check_numbers(factor, has_doubles(&task.gradient[0]), "factor", message));
    TRY(check_device(context, &task, stream, message));
    TRY(ssimcu_context_use(context, message));
    const ssimcu_status status =
        context->backend->loss_scale(context->state, &task, factor, stream, message);
    ssimcu_context_leave(context);
    return status;
}
