/* The public functions except those that compare (compare.c), permute (permute.c) or use device
 * memory (request.c). They check arguments once, and other code relies on that. */
#include "ssimcu.h"

#include "api/context.h"
#include "api/tool_numbers.h"
#include "fail.h"
#include "number/taps.h"
#include "plan/frame.h"
#include "sized.h"
#include "threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *ssimcu_version(void)
{
    return SSIMCU_TEXT(SSIMCU_VERSION_MAJOR) "." SSIMCU_TEXT(SSIMCU_VERSION_MINOR) "." SSIMCU_TEXT(
        SSIMCU_VERSION_PATCH);
}

uint32_t ssimcu_version_number(void) { return SSIMCU_VERSION_NUMBER; }

const char *ssimcu_build(void) { return ssimcu_backend_cuda.build; }

ssimcu_status ssimcu_device_count(ssimcu_device device, uint32_t *count, ssimcu_message *message)
{
    const struct ssimcu_backend *backend = ssimcu_backend_of(device);
    if (!backend || !count)
        FAIL(ARGUMENT, !count ? "count is NULL" : "device: expected CPU or CUDA");
    *count = 0;
    return backend->count(count, message);
}

ssimcu_status ssimcu_device_describe(ssimcu_device device, uint32_t index, ssimcu_device_info *info,
                                     ssimcu_message *message)
{
    const struct ssimcu_backend *backend = ssimcu_backend_of(device);
    if (!backend) FAIL(ARGUMENT, "device: expected CPU or CUDA");
    ssimcu_device_info result;
    TRY(ssimcu_sized_read(&result, sizeof result, SSIMCU_DEVICE_INFO_OLDEST, info, "info",
                          message));
    TRY(backend->describe(NULL, index, &result, message));
    ssimcu_sized_write(info, &result);
    return SSIMCU_OK;
}

static ssimcu_status check_settings(const ssimcu_settings *settings, ssimcu_message *message)
{
    const struct {
        const char *name;
        unsigned value, most;
    } field[] = {{"device", settings->device, SSIMCU_DEVICE_CUDA},
                 {"pad", settings->pad, SSIMCU_PAD_ZERO},
                 {"color", settings->color, SSIMCU_COLOR_Y601},
                 {"alpha", settings->alpha, SSIMCU_ALPHA_WHITE},
                 {"transfer", settings->transfer, SSIMCU_TRANSFER_NONE},
                 {"metrics", settings->metrics, (1u << SSIMCU_METRICS) - 1},
                 {"compat", settings->compat, SSIMCU_COMPAT_SSIMULACRA2}};
    for (size_t i = 0; i < sizeof field / sizeof field[0]; i++)
        if (field[i].value > field[i].most)
            FAIL(ARGUMENT, "settings: %s is %u, expected 0 to %u", field[i].name, field[i].value,
                 field[i].most);
    const struct {
        const char *name;
        double value;
    } number[] = {{"gain", settings->gain}, {"white", settings->white}};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++)
        if (number[i].value != 0 && !(number[i].value >= 1e-30 && number[i].value <= 1e30))
            FAIL(ARGUMENT, "settings: %s is %g, expected 1e-30 to 1e30", number[i].name,
                 number[i].value);
    return SSIMCU_OK;
}

/* Sets the context's description of its device: AUTO's reason if there is one, and the device's
 * name. */
static void describe_device(ssimcu_context *context, uint32_t index)
{
    ssimcu_device_info info = SSIMCU_INIT(device_info);
    if (context->backend == &ssimcu_backend_cpu)
        snprintf(context->device, sizeof context->device, "%s", context->backend->name);
    else
        snprintf(context->device, sizeof context->device, "%s:%u", context->backend->name, index);
    if (context->backend->describe(&context->config, index, &info, NULL) == SSIMCU_OK)
        (void)ssimcu_fail(&context->reason, SSIMCU_OK, "%s", info.name);
}

ssimcu_status ssimcu_open_level(const ssimcu_settings *settings, enum ssimcu_cpu_level level,
                                ssimcu_context **context, ssimcu_message *message)
{
    struct ssimcu_config config = {.settings = SSIMCU_INIT(settings), .cpu_level = level};
    if (!context) FAIL(ARGUMENT, "context is NULL");
    *context = NULL;
    if (settings)
        TRY(ssimcu_sized_read(&config.settings, sizeof config.settings, SSIMCU_SETTINGS_OLDEST,
                              settings, "settings", message));
    TRY(check_settings(&config.settings, message));
    TRY(ssimcu_tool_check(&config.settings, message));
    if (config.settings.compat != SSIMCU_COMPAT_NONE) config.settings.device = SSIMCU_DEVICE_CPU;
    ssimcu_context *made = calloc(1, sizeof *made);
    if (!made) return ssimcu_no_memory(message, "a context");
    const uint32_t most = ssimcu_cpu_threads(), threads = config.settings.threads;
    if (threads > 1) config.threads = ssimcu_threads_create(threads < most ? threads : most);
    made->config = config;
    made->process = getpid();
    atomic_flag_clear(&made->busy);
    uint32_t index = 0;
    const ssimcu_status status =
        ssimcu_backend_open(&config, &made->backend, &index, &made->state, &made->reason, message);
    if (status != SSIMCU_OK) {
        ssimcu_threads_destroy(config.threads);
        free(made);
        return status;
    }
    describe_device(made, index);
    *context = made;
    return SSIMCU_OK;
}

ssimcu_status ssimcu_open(const ssimcu_settings *settings, ssimcu_context **context,
                          ssimcu_message *message)
{
    return ssimcu_open_level(settings, SSIMCU_CPU_BEST, context, message);
}

ssimcu_status ssimcu_context_plan(const ssimcu_context *context,
                                  const ssimcu_view pair[SSIMCU_PAIR], const ssimcu_map *map,
                                  const ssimcu_tiles *tiles, struct ssimcu_plan *plan,
                                  ssimcu_message *message)
{
    ssimcu_settings settings = context->config.settings;
    if (map && settings.metrics != 0) settings.metrics |= 1u << SSIMCU_METRIC_SSIM;
    return ssimcu_plan_make(plan, &settings, context->backend->traits(context->state), pair, tiles,
                            message);
}

ssimcu_status ssimcu_context_run(ssimcu_context *context, const struct ssimcu_plan *plan,
                                 uint32_t plans, float *map, struct ssimcu_results *results,
                                 ssimcu_stage_ms *ms, ssimcu_message *message)
{
    const struct ssimcu_backend *const backend = context->backend;
    ssimcu_status status = backend->reserve(context->state, plan, plans, message);
    for (uint32_t i = 0; i < plans && status == SSIMCU_OK; i++)
        status = backend->submit(context->state, &plan[i], map, message);
    const ssimcu_status collected = backend->collect(context->state, results, ms, message);
    return status == SSIMCU_OK ? collected : status;
}

/* A forked child cannot use its parent's GPU state, not even to close it. */
static int has_device(const ssimcu_context *context)
{
    return context->backend == &ssimcu_backend_cpu || context->process == getpid();
}

ssimcu_status ssimcu_context_enter(ssimcu_context *context, ssimcu_message *message)
{
    if (!atomic_flag_test_and_set_explicit(&context->busy, memory_order_acquire)) return SSIMCU_OK;
    FAIL(ARGUMENT, "context is in use by another thread: open one for each");
}

void ssimcu_context_leave(ssimcu_context *context)
{
    atomic_flag_clear_explicit(&context->busy, memory_order_release);
}

ssimcu_status ssimcu_context_use(ssimcu_context *context, ssimcu_message *message)
{
    TRY(ssimcu_context_enter(context, message));
    const char *failed = context->failed.text;
    if (!failed[0] && !has_device(context)) failed = "it was opened before a fork";
    if (!failed[0]) return SSIMCU_OK;
    ssimcu_context_leave(context);
    FAIL(DEVICE, "the context's device has failed: %.400s", failed);
}

int ssimcu_context_fall_back(ssimcu_context *context)
{
    struct ssimcu_config config = context->config;
    struct ssimcu_backend_state *state = NULL;
    const int may = context->distrusted && config.settings.device == SSIMCU_DEVICE_AUTO &&
                    context->backend != &ssimcu_backend_cpu;
    if (!may || ssimcu_backend_cpu.open(&config, 0, &state, NULL) != SSIMCU_OK) return 0;
    context->left = context->backend;
    context->left_state = context->state;
    context->backend = &ssimcu_backend_cpu;
    context->state = state;
    context->reason.text[0] = '\0';
    (void)ssimcu_fail(&context->reason, SSIMCU_OK, "auto: %.400s", context->failed.text);
    context->failed.text[0] = '\0';
    describe_device(context, 0);
    return 1;
}

void ssimcu_close(ssimcu_context **context)
{
    if (!context || !*context) return;
    if (has_device(*context)) (*context)->backend->close((*context)->state);
    if ((*context)->left && (*context)->process == getpid())
        (*context)->left->close((*context)->left_state);
    ssimcu_threads_destroy((*context)->config.threads);
    free((*context)->scratch);
    ssimcu_scale_tables_free((*context)->scales);
    free(*context);
    *context = NULL;
}

const char *ssimcu_context_device(const ssimcu_context *context)
{
    return context ? context->device : "";
}

const char *ssimcu_context_reason(const ssimcu_context *context)
{
    return context ? context->reason.text : "";
}

ssimcu_status ssimcu_frame_pin(const ssimcu_context *context, const ssimcu_frame *frame,
                               ssimcu_message *message)
{
    if (!context) FAIL(ARGUMENT, "context is NULL");
    TRY(ssimcu_frame_check(frame, "frame", message));
    if (!context->backend->pin) return SSIMCU_OK;
    return context->backend->pin(context->state, frame->data,
                                 ssimcu_frame_pitch(frame) * frame->height, message);
}

void ssimcu_frame_unpin(const ssimcu_context *context, const ssimcu_frame *frame)
{
    if (!context || !frame || !frame->data) return;
    const struct ssimcu_backend *backend = context->left ? context->left : context->backend;
    if (backend->unpin)
        backend->unpin(context->left ? context->left_state : context->state, frame->data);
}
