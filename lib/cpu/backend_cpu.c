/* The CPU as a backend. It has no queue and no memory of its own: upload and permute note what the
 * pair is, ssim does all the work, download hands out the result. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */

#include "backend.h"
#include "cpu.h"
#include "fail.h"
#include "ssim_tiles.h"
#include "threads.h"
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct buffer {
    void *data;
    size_t bytes;
};

struct ssimcu_backend_state {
    struct ssimcu_threads *threads; /* the context's */
    const struct ssimcu_ssim_level *level;
    struct ssimcu_shape shape;
    struct ssimcu_samples source[SSIMCU_PAIR]; /* the caller's memory: nothing is uploaded */
    struct ssimcu_pixel_rule rule[SSIMCU_PAIR];
    struct buffer partials, map, means;
    double sums[SSIMCU_MAX_CHANNELS];
    uint32_t sums_count; /* since the last download */
    double ssim_ms, reduce_ms;
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

static const struct ssimcu_ssim_level *find_level(const ssimcu_settings *settings,
                                                  ssimcu_message *message)
{
    const ssimcu_cpu_level wanted = settings ? settings->cpu_level : SSIMCU_CPU_BEST;
    const struct ssimcu_ssim_level *level = ssimcu_ssim_level(wanted);
    if (!level)
        (void)ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "cpu: it lacks the level asked for, %d",
                          (int)wanted);
    return level;
}

static ssimcu_status describe(const ssimcu_settings *settings, uint32_t index,
                              ssimcu_device_info *info, ssimcu_message *message)
{
    if (index != 0)
        return ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "cpu:%u: there is one CPU device", index);
    const struct ssimcu_ssim_level *level = find_level(settings, message);
    if (!level) return SSIMCU_ERROR_DEVICE;
    const uint32_t most = ssimcu_cpu_threads();
    const uint32_t threads = !settings || settings->threads > most ? most
                             : settings->threads > 0               ? settings->threads
                                                                   : 1;
    snprintf(info->name, sizeof info->name, "CPU, %s, %u thread%s", level->name, threads,
             threads == 1 ? "" : "s");
    info->memory_bytes = 0;
    info->compute = 0;
    return SSIMCU_OK;
}

static ssimcu_status open_state(const ssimcu_settings *settings, uint32_t index,
                                struct ssimcu_threads *threads, struct ssimcu_backend_state **state,
                                ssimcu_message *message)
{
    (void)index;
    *state = NULL;
    const struct ssimcu_ssim_level *level = find_level(settings, message);
    if (!level) return SSIMCU_ERROR_DEVICE;
    struct ssimcu_backend_state *made = calloc(1, sizeof *made);
    if (!made) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "cpu: out of memory");
    made->threads = threads;
    made->level = level;
    *state = made;
    return SSIMCU_OK;
}

static void close_state(struct ssimcu_backend_state *state)
{
    if (!state) return;
    free(state->partials.data);
    free(state->map.data);
    free(state->means.data);
    free(state);
}

/* Makes room; the old contents are not kept. */
static int grow(struct buffer *buffer, size_t bytes)
{
    if (buffer->bytes >= bytes) return 1;
    free(buffer->data);
    buffer->data = malloc(bytes);
    buffer->bytes = buffer->data ? bytes : 0;
    return buffer->data != NULL;
}

/* Tiles are averaged over a map. */
static int needs_map(const struct ssimcu_shape *shape)
{
    return shape->want_map || shape->grid.width;
}

static size_t means_bytes(const struct ssimcu_shape *shape)
{
    return (size_t)shape->grid.columns * shape->grid.rows * sizeof(double);
}

static size_t map_bytes(const struct ssimcu_shape *shape)
{
    return (size_t)shape->map_width * shape->map_height * shape->planes * sizeof(float);
}

static ssimcu_status reserve(struct ssimcu_backend_state *state, const struct ssimcu_shape *shape,
                             ssimcu_message *message)
{
    const size_t partials = ssimcu_ssim_cpu_partials(shape) * sizeof(double[SSIMCU_MAX_CHANNELS]);
    state->shape = *shape;
    if (grow(&state->partials, partials) &&
        (!needs_map(shape) || grow(&state->map, map_bytes(shape))) &&
        grow(&state->means, means_bytes(shape)))
        return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "cpu: out of memory for %ux%u pixels",
                       shape->width, shape->height);
}

static ssimcu_status upload(struct ssimcu_backend_state *state, int slot, const ssimcu_view *view,
                            ssimcu_message *message)
{
    (void)message;
    state->source[slot] = ssimcu_view_samples(view);
    return SSIMCU_OK;
}

static ssimcu_status permute(struct ssimcu_backend_state *state, int slot,
                             const struct ssimcu_pixel_rule *rule, ssimcu_message *message)
{
    (void)message;
    state->rule[slot] = *rule;
    return SSIMCU_OK;
}

/* Whether every plane is a channel of planar pictures as it stands. */
static int is_planar(const struct ssimcu_backend_state *state)
{
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_pixel_rule *rule = &state->rule[slot];
        if (state->source[slot].step != 1 || rule->channels != state->shape.planes) return 0;
        if (rule->alpha || rule->luma[1]) return 0;
    }
    return 1;
}

/* Planes [first, first + shape->planes) of the pair. */
static void score_planes(struct ssimcu_backend_state *state, const struct ssimcu_shape *shape,
                         uint32_t first)
{
    struct ssimcu_samples source[SSIMCU_PAIR];
    struct ssimcu_pixel_rule rule[SSIMCU_PAIR];
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        source[slot] = state->source[slot];
        rule[slot] = state->rule[slot];
        if (shape->planes == state->shape.planes) continue;
        source[slot].channel[0] = source[slot].channel[first];
        rule[slot].channels = rule[slot].planes = shape->planes;
    }
    float *map = needs_map(shape) ? state->map.data : NULL;
    const struct ssimcu_ssim_cpu_task task = {
        .shape = shape,
        .source = {&source[SSIMCU_REF], &source[SSIMCU_OUT]},
        .rule = {&rule[SSIMCU_REF], &rule[SSIMCU_OUT]},
        .map = map ? map + (size_t)first * shape->map_width * shape->map_height : NULL,
    };
    ssimcu_ssim_tiles(&task, state->level, state->threads, state->partials.data,
                      state->sums + state->sums_count + first);
}

/* Planar pictures plane by plane: rows of one plane are read along, where rows of three would be
 * read in snatches (4K RGB bytes: 30 ms against 65). */
static ssimcu_status run_ssim(struct ssimcu_backend_state *state, ssimcu_message *message)
{
    (void)message;
    struct ssimcu_shape shape = state->shape;
    const double start = now_ms();
    if (is_planar(state)) shape.planes = 1;
    for (uint32_t p = 0; p < state->shape.planes; p += shape.planes) score_planes(state, &shape, p);
    state->ssim_ms += now_ms() - start;
    return SSIMCU_OK;
}

/* The sums are added up as they come in, and now stand. */
static ssimcu_status reduce(struct ssimcu_backend_state *state, ssimcu_message *message)
{
    (void)message;
    const double start = now_ms();
    state->sums_count += state->shape.planes;
    if (state->shape.grid.width)
        ssimcu_tile_means_cpu(&state->shape, state->map.data, state->threads, state->means.data);
    state->reduce_ms += now_ms() - start;
    return SSIMCU_OK;
}

static ssimcu_status download(struct ssimcu_backend_state *state, double *sums, float *map,
                              double *means, ssimcu_stage_ms *ms, ssimcu_message *message)
{
    (void)message;
    memcpy(sums, state->sums, state->sums_count * sizeof *sums);
    state->sums_count = 0;
    if (map) memcpy(map, state->map.data, map_bytes(&state->shape));
    if (means) memcpy(means, state->means.data, means_bytes(&state->shape));
    ms->ssim += state->ssim_ms;
    ms->reduce += state->reduce_ms;
    state->ssim_ms = state->reduce_ms = 0;
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
