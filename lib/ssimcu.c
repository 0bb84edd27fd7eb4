/* The public entries: arguments are checked here, once; what lies behind may rely on them. */
#include "ssimcu.h"

#include "context.h"
#include "cpu/threads.h"
#include "frame.h"
#include "pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *ssimcu_version(void)
{
    return TEXT(SSIMCU_VERSION_MAJOR) "." TEXT(SSIMCU_VERSION_MINOR) "." TEXT(SSIMCU_VERSION_PATCH);
}

const char *ssimcu_build(void) { return ssimcu_backend_cuda.build; }

ssimcu_status ssimcu_device_count(ssimcu_device device, uint32_t *count, ssimcu_message *message)
{
    const struct ssimcu_backend *backend = ssimcu_backend_of(device);
    if (!backend || !count)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           !count ? "count is NULL" : "device: expected CPU or CUDA");
    *count = 0;
    return backend->count(count, message);
}

ssimcu_status ssimcu_device_describe(ssimcu_device device, uint32_t index, ssimcu_device_info *info,
                                     ssimcu_message *message)
{
    const struct ssimcu_backend *backend = ssimcu_backend_of(device);
    if (!backend)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "device: expected CPU or CUDA");
    if (!info || info->struct_size != sizeof *info)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "info: NULL or struct_size not set");
    return backend->describe(NULL, index, info, message);
}

static ssimcu_status check_settings(const ssimcu_settings *settings, ssimcu_message *message)
{
    if (settings->struct_size != sizeof *settings)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "settings: struct_size is %zu, expected %zu", settings->struct_size,
                           sizeof *settings);
    const struct {
        const char *name;
        unsigned value, most;
    } field[] = {{"device", settings->device, SSIMCU_DEVICE_CUDA},
                 {"pad", settings->pad, SSIMCU_PAD_ZERO},
                 {"color", settings->color, SSIMCU_COLOR_Y601},
                 {"alpha", settings->alpha, SSIMCU_ALPHA_WHITE},
                 {"cpu_level", settings->cpu_level, SSIMCU_CPU_NEON}};
    for (size_t i = 0; i < sizeof field / sizeof field[0]; i++)
        if (field[i].value > field[i].most)
            return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                               "settings: %s is %u, expected 0 to %u", field[i].name,
                               field[i].value, field[i].most);
    return SSIMCU_OK;
}

/* The context's words about its device: AUTO's reason if there is one, and the device's name. */
static void describe_device(ssimcu_context *context, uint32_t index)
{
    ssimcu_device_info info = {.struct_size = sizeof info};
    if (context->backend == &ssimcu_backend_cpu)
        snprintf(context->device, sizeof context->device, "%s", context->backend->name);
    else
        snprintf(context->device, sizeof context->device, "%s:%u", context->backend->name, index);
    if (context->backend->describe(&context->settings, index, &info, NULL) == SSIMCU_OK)
        (void)ssimcu_fail(&context->reason, SSIMCU_OK, "%s", info.name);
}

ssimcu_status ssimcu_open(const ssimcu_settings *settings, ssimcu_context **context,
                          ssimcu_message *message)
{
    static const ssimcu_settings defaults = {.struct_size = sizeof defaults};
    if (!context) return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "context is NULL");
    *context = NULL;
    if (!settings) settings = &defaults;
    ssimcu_status status = check_settings(settings, message);
    if (status != SSIMCU_OK) return status;
    ssimcu_context *made = calloc(1, sizeof *made);
    if (!made) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "context: out of memory");
    made->settings = *settings;
    if (settings->threads > 1) {
        const uint32_t most = ssimcu_cpu_threads();
        made->threads = ssimcu_threads_create(settings->threads < most ? settings->threads : most);
    }
    uint32_t index = 0;
    status = ssimcu_backend_open(settings, made->threads, &made->backend, &index, &made->state,
                                 &made->reason, message);
    if (status != SSIMCU_OK) {
        ssimcu_threads_destroy(made->threads);
        free(made);
        return status;
    }
    if (settings->wait_asleep && made->backend->wait_asleep)
        made->backend->wait_asleep(made->state);
    describe_device(made, index);
    *context = made;
    return SSIMCU_OK;
}

void ssimcu_close(ssimcu_context **context)
{
    if (!context || !*context) return;
    (*context)->backend->close((*context)->state);
    ssimcu_threads_destroy((*context)->threads);
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
    if (!context) return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "context is NULL");
    const ssimcu_status status = ssimcu_frame_check(frame, "frame", message);
    if (status != SSIMCU_OK || !context->backend->pin) return status;
    return context->backend->pin(context->state, frame->data, frame->pitch * frame->height,
                                 message);
}

void ssimcu_frame_unpin(const ssimcu_context *context, const ssimcu_frame *frame)
{
    if (context && frame && frame->data && context->backend->unpin)
        context->backend->unpin(context->state, frame->data);
}

static ssimcu_status check_pair(const ssimcu_context *context, const ssimcu_frame *ref,
                                const ssimcu_frame *out, ssimcu_message *message)
{
    if (!context) return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "context is NULL");
    const ssimcu_status status = ssimcu_frame_check(ref, "ref", message);
    return status != SSIMCU_OK ? status : ssimcu_frame_check(out, "out", message);
}

static ssimcu_status check_score(const ssimcu_score *score, ssimcu_message *message)
{
    if (score && score->struct_size == sizeof *score) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "score: NULL or struct_size not set");
}

ssimcu_status ssimcu_compare(ssimcu_context *context, const ssimcu_frame *ref,
                             const ssimcu_frame *out, ssimcu_score *score, ssimcu_message *message)
{
    ssimcu_status status = check_pair(context, ref, out, message);
    if (status == SSIMCU_OK) status = check_score(score, message);
    return status != SSIMCU_OK ? status
                               : ssimcu_pipeline_run(context, ref, out, score, NULL, message);
}

ssimcu_status ssimcu_map_layout(ssimcu_context *context, const ssimcu_frame *ref,
                                const ssimcu_frame *out, ssimcu_map *map, ssimcu_message *message)
{
    ssimcu_status status = check_pair(context, ref, out, message);
    if (status != SSIMCU_OK) return status;
    if (!map || map->struct_size != sizeof *map)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "map: NULL or struct_size not set");
    struct ssimcu_shape shape;
    status = ssimcu_pipeline_shape(context, ref, out, &shape, message);
    if (status != SSIMCU_OK) return status;
    map->width = shape.map_width;
    map->height = shape.map_height;
    map->channels = shape.planes;
    map->border = (shape.width - shape.map_width) / 2;
    return SSIMCU_OK;
}

ssimcu_status ssimcu_compare_map(ssimcu_context *context, const ssimcu_frame *ref,
                                 const ssimcu_frame *out, ssimcu_score *score, ssimcu_map *map,
                                 ssimcu_message *message)
{
    ssimcu_map expected = {.struct_size = sizeof expected};
    ssimcu_status status = ssimcu_map_layout(context, ref, out, &expected, message);
    if (status == SSIMCU_OK) status = check_score(score, message);
    if (status != SSIMCU_OK) return status;
    if (!map || map->struct_size != sizeof *map || !map->data || map->width != expected.width ||
        map->height != expected.height || map->channels != expected.channels)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "map: expected %ux%ux%u floats as ssimcu_map_layout says",
                           expected.channels, expected.height, expected.width);
    return ssimcu_pipeline_run(context, ref, out, score, map->data, message);
}
