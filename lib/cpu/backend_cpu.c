#define _POSIX_C_SOURCE 199309L /* clock_gettime */

#include "backend.h"
#include "cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct floats {
    float *data;
    size_t count;
};

struct ssimcu_backend_state {
    struct ssimcu_threads *threads; /* the context's */
    struct ssimcu_shape shape;
    ssimcu_frame frame[SSIMCU_PAIR]; /* the caller's: nothing is uploaded */
    struct floats planes[SSIMCU_PAIR];
    struct floats map;
    double sums[SSIMCU_MAX_CHANNELS];
    ssimcu_stage_ms ms;
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static ssimcu_status count(uint32_t *devices, ssimcu_message *message)
{
    (void)message;
    *devices = 1;
    return SSIMCU_OK;
}

static ssimcu_status describe(uint32_t index, ssimcu_device_info *info, ssimcu_message *message)
{
    if (index != 0)
        return ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "cpu:%u: there is one CPU device", index);
    snprintf(info->name, sizeof info->name, "CPU, double-precision reference");
    info->memory_bytes = 0;
    info->compute = 0;
    return SSIMCU_OK;
}

static ssimcu_status open_state(uint32_t index, struct ssimcu_threads *threads,
                                struct ssimcu_backend_state **state, ssimcu_message *message)
{
    (void)index;
    *state = calloc(1, sizeof **state);
    if (!*state) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "cpu: out of memory");
    (*state)->threads = threads;
    return SSIMCU_OK;
}

static void close_state(struct ssimcu_backend_state *state)
{
    if (!state) return;
    free(state->planes[SSIMCU_REF].data);
    free(state->planes[SSIMCU_OUT].data);
    free(state->map.data);
    free(state);
}

/* Makes room for `need` floats; the old contents are not kept. */
static int grow(struct floats *floats, size_t need)
{
    if (floats->count >= need) return 1;
    free(floats->data);
    floats->data = malloc(need * sizeof *floats->data);
    floats->count = floats->data ? need : 0;
    return floats->data != NULL;
}

static ssimcu_status reserve(struct ssimcu_backend_state *state, const struct ssimcu_shape *shape,
                             ssimcu_message *message)
{
    const size_t plane = (size_t)shape->width * shape->height * shape->planes;
    const size_t map = (size_t)shape->map_width * shape->map_height * shape->planes;
    state->shape = *shape;
    if (grow(&state->planes[SSIMCU_REF], plane) && grow(&state->planes[SSIMCU_OUT], plane) &&
        (!shape->want_map || grow(&state->map, map)))
        return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "cpu: out of memory for %ux%u pixels",
                       shape->width, shape->height);
}

static ssimcu_status upload(struct ssimcu_backend_state *state, int slot, const ssimcu_frame *frame,
                            ssimcu_message *message)
{
    (void)message;
    state->frame[slot] = *frame;
    return SSIMCU_OK;
}

static ssimcu_status permute(struct ssimcu_backend_state *state, int slot,
                             const struct ssimcu_pixel_rule *rule, ssimcu_message *message)
{
    (void)message;
    const double start = now_ms();
    ssimcu_permute_pixels_cpu(rule, &state->frame[slot], state->planes[slot].data);
    state->ms.permute += now_ms() - start;
    return SSIMCU_OK;
}

static ssimcu_status run_ssim(struct ssimcu_backend_state *state, ssimcu_message *message)
{
    const struct ssimcu_shape *shape = &state->shape;
    const size_t plane = (size_t)shape->width * shape->height;
    const size_t map_plane = (size_t)shape->map_width * shape->map_height;
    const double start = now_ms();
    for (uint32_t c = 0; c < shape->planes; c++) {
        state->sums[c] = 0;
        if (ssimcu_ssim_cpu(state->planes[SSIMCU_REF].data + c * plane,
                            state->planes[SSIMCU_OUT].data + c * plane, shape->width, shape->height,
                            shape->zero_pad, &state->sums[c],
                            shape->want_map ? state->map.data + c * map_plane : NULL) != 0)
            return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "cpu: out of memory for %u columns",
                               shape->width);
    }
    state->ms.ssim += now_ms() - start;
    return SSIMCU_OK;
}

/* The reference adds up as it goes. */
static ssimcu_status reduce(struct ssimcu_backend_state *state, ssimcu_message *message)
{
    (void)state, (void)message;
    return SSIMCU_OK;
}

static ssimcu_status download(struct ssimcu_backend_state *state, double *sums, float *map,
                              ssimcu_stage_ms *ms, ssimcu_message *message)
{
    (void)message;
    const struct ssimcu_shape *shape = &state->shape;
    for (uint32_t c = 0; c < shape->planes; c++) sums[c] = state->sums[c];
    const size_t floats = (size_t)shape->map_width * shape->map_height * shape->planes;
    for (size_t i = 0; map && i < floats; i++) map[i] = state->map.data[i];
    ms->permute += state->ms.permute;
    ms->ssim += state->ms.ssim;
    state->ms = (ssimcu_stage_ms){0};
    return SSIMCU_OK;
}

static ssimcu_status permute_plan(const struct ssimcu_permute_plan *plan, void *dst,
                                  const void *src, void *runner, ssimcu_message *message)
{
    (void)message;
    ssimcu_permute_cpu(plan, runner, dst, src);
    return SSIMCU_OK;
}

const struct ssimcu_backend ssimcu_backend_cpu = {
    .name = "cpu",
    .build = "cpu",
    .count = count,
    .describe = describe,
    .open = open_state,
    .close = close_state,
    .reserve = reserve,
    .upload = upload,
    .permute = permute,
    .ssim = run_ssim,
    .reduce = reduce,
    .download = download,
    .permute_plan = permute_plan,
};
