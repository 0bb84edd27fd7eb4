/* The CPU as a backend. It reads samples in place, in the caller's memory. It has no queue: submit
 * does all the work and collect returns the results. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */

#include "clock.h"
#include "cpu.h"
#include "cpu/metrics/metrics.h"
#include "cpu/ssim/task.h"
#include "fail.h"
#include "number/light.h"
#include "threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    void *data;
    size_t bytes;
};

struct ssimcu_backend_state {
    struct ssimcu_threads *threads; /* owned by the context */
    const struct ssimcu_ssim_level *level;
    struct buffer partial, map, results, metrics;
    struct buffer scaled[SSIMCU_SCALE_PLACES], scale_work, patches;
    struct ssimcu_cpu_tables tables;
    struct ssimcu_s2_light *light;                        /* NULL: not needed yet */
    struct ssimcu_results submitted[SSIMCU_MAX_CHANNELS]; /* results since the last reserve */
    uint32_t count;
    double *next; /* place of the next plan's results */
    ssimcu_stage_ms ms;
};

static ssimcu_status count(uint32_t *devices, ssimcu_message *message)
{
    (void)message;
    *devices = 1;
    return SSIMCU_OK;
}

static const struct ssimcu_ssim_level *find_level(const struct ssimcu_config *config,
                                                  ssimcu_message *message)
{
    const enum ssimcu_cpu_level wanted = config ? config->cpu_level : SSIMCU_CPU_BEST;
    const struct ssimcu_ssim_level *level = ssimcu_ssim_level(wanted);
    if (!level)
        (void)ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "cpu: level %d is not available",
                          (int)wanted);
    return level;
}

static ssimcu_status describe(const struct ssimcu_config *config, uint32_t index,
                              ssimcu_device_info *info, ssimcu_message *message)
{
    if (index != 0) FAIL(DEVICE, "cpu:%u: expected cpu:0, the only CPU device", index);
    const struct ssimcu_ssim_level *level = find_level(config, message);
    if (!level) return SSIMCU_ERROR_DEVICE;
    const uint32_t most = ssimcu_cpu_threads(), asked = config ? config->settings.threads : most;
    const uint32_t threads = asked > most ? most : asked > 0 ? asked : 1;
    snprintf(info->name, sizeof info->name, "CPU, %s, %u thread%s", level->name, threads,
             threads == 1 ? "" : "s");
    info->memory_bytes = 0;
    info->compute = 0;
    return SSIMCU_OK;
}

static ssimcu_status open_state(const struct ssimcu_config *config, uint32_t index,
                                struct ssimcu_backend_state **state, ssimcu_message *message)
{
    (void)index;
    *state = NULL;
    const struct ssimcu_ssim_level *level = find_level(config, message);
    if (!level) return SSIMCU_ERROR_DEVICE;
    struct ssimcu_backend_state *made = calloc(1, sizeof *made);
    if (!made) return ssimcu_no_memory(message, "a context");
    made->threads = config->threads;
    made->level = level;
    *state = made;
    return SSIMCU_OK;
}

static void close_state(struct ssimcu_backend_state *state)
{
    if (!state) return;
    free(state->partial.data);
    free(state->map.data);
    free(state->results.data);
    free(state->metrics.data);
    for (int i = 0; i < SSIMCU_SCALE_PLACES; i++) free(state->scaled[i].data);
    free(state->scale_work.data);
    free(state->patches.data);
    free(state->light);
    ssimcu_halves_free(&state->tables.halves);
    free(state);
}

/* Returns the shape that is scored at once. */
static struct ssimcu_shape scored_shape(const struct ssimcu_plan *plan)
{
    struct ssimcu_shape shape = plan->shape;
    shape.planes = ssimcu_cpu_planes(plan);
    return shape;
}

static size_t partials(const struct ssimcu_plan *plan)
{
    const struct ssimcu_shape shape = scored_shape(plan);
    return ssimcu_ssim_cpu_partials(&shape, &plan->grid);
}

static const struct ssimcu_traits *traits(const struct ssimcu_backend_state *state)
{
    static const struct ssimcu_traits own = {
        .reads_samples = 1, .row_floats = 1, .partials = partials};
    (void)state;
    return &own;
}

/* Makes room and drops the old contents. */
static int grow(struct buffer *buffer, size_t bytes)
{
    if (buffer->bytes >= bytes) return 1;
    free(buffer->data);
    buffer->data = malloc(bytes);
    buffer->bytes = buffer->data ? bytes : 0;
    return buffer->data != NULL;
}

static ssimcu_status reserve(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                             uint32_t plans, ssimcu_message *message)
{
    size_t results = 0;
    state->count = 0;
    for (uint32_t i = 0; i < plans; i++) {
        results += plan[i].bytes.results;
        if (!grow(&state->partial, plan[i].bytes.partial) ||
            !grow(&state->map, plan[i].bytes.map) || !grow(&state->results, results) ||
            !grow(&state->metrics, ssimcu_metrics_cpu_bytes(&plan[i])) ||
            !ssimcu_metrics_cpu_light(&plan[i], &state->light) ||
            !ssimcu_halves_reserve(&state->tables.halves, plan[i].samples))
            FAIL(MEMORY, "out of memory for %ux%u pixels", plan[i].shape.width,
                 plan[i].shape.height);
    }
    state->next = state->results.data;
    return SSIMCU_OK;
}

/* Returns the bits of a float in plane units slightly above white, which does not count as unusual
 * yet.
 */
static uint32_t top_of(const struct ssimcu_pixel_rule *rule)
{
    const float top = rule->unit / rule->light.gain * (1.0f + SSIMCU_LIGHT_ROUNDING / 2);
    uint32_t bits;
    memcpy(&bits, &top, sizeof bits);
    return rule->light.on ? 0 : bits;
}

/* Makes the task count unusual float samples. */
static void count_with(struct ssimcu_cpu_task *task, const struct ssimcu_plan *plan,
                       struct ssimcu_light_counts *counts)
{
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_light_bounds *bounds = &plan->bounds[slot];
        if (!task->rule[slot].light.counted) continue;
        task->task.light[slot] = (struct ssimcu_light_frame){
            &task->samples[slot], &task->rule[slot], bounds, plan->shape.width, plan->shape.height};
        task->task.counts[slot] = &counts[slot];
        task->task.top[slot] = top_of(&task->rule[slot]);
        task->task.shown[slot] =
            (uint16_t)(bounds->top < bounds->finite ? bounds->top : bounds->finite);
    }
}

/* Scores `planes` planes of the pair from `first` on. `structure` may be NULL. */
static void score_planes(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                         uint32_t pass, uint32_t planes, uint32_t first, double *sums,
                         double *structure, double *grid_sums, struct ssimcu_light_counts *counts)
{
    const size_t map_plane = (size_t)plan->shape.map_width * plan->shape.map_height;
    struct ssimcu_cpu_task task;
    ssimcu_cpu_task_make(&state->tables, state->level, plan, plan->rule[pass], first, planes,
                         &task);
    if (plan->want_map) task.task.map = (float *)state->map.data + first * map_plane;
    if (structure) task.task.what = SSIM_AND_STRUCTURE;
    if (counts) count_with(&task, plan, counts);
    const struct ssimcu_ssim_numbers numbers = {
        .score = grid_sums,
        .feature = ssimcu_tile_features(grid_sums, ssimcu_plan_tiles(plan), plan->shape.planes),
        .planes = plan->shape.planes,
        .first = first,
    };
    ssimcu_ssim_tiles(&task.task, state->level, state->threads, state->partial.data, sums + first,
                      structure ? structure + first : NULL, &numbers);
}

/* Computes the metrics of a pass that need more than SSIM's results. */
static void run_metrics(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                        uint32_t pass, struct ssimcu_metric_sums *sums)
{
    const struct ssimcu_metrics_run run = {.plan = plan,
                                           .level = state->level,
                                           .threads = state->threads,
                                           .tables = &state->tables,
                                           .light = state->light,
                                           .partial = state->partial.data,
                                           .memory = state->metrics.data};
    ssimcu_metrics_cpu(&run, pass, sums);
}

/* `metrics` may be NULL. `counts` is filled in with the score; NULL: nothing is counted.
 */
static void run_pass(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                     uint32_t pass, double *sums, double *means, struct ssimcu_metric_sums *metrics,
                     struct ssimcu_light_counts *counts)
{
    const uint32_t planes = ssimcu_cpu_planes(plan);
    const int first_scale =
        ssimcu_metrics_has(plan, SSIMCU_METRIC_MS_SSIM) && !plan->shape.zero_pad;
    double structure[SSIMCU_MAX_CHANNELS];
    const double start = ssimcu_clock_ms();
    memset(means, 0, ssimcu_plan_means_of_pair(plan) * sizeof *means);
    for (uint32_t p = 0; p < plan->shape.planes && ssimcu_plan_has_ssim(plan); p += planes)
        score_planes(state, plan, pass, planes, p, sums, first_scale ? structure : NULL, means,
                     counts);
    for (uint32_t p = 0; first_scale && p < plan->shape.planes; p++)
        metrics->lost[pass][p][0] = structure[p];
    if (metrics) run_metrics(state, plan, pass, metrics);
    const double scored = ssimcu_clock_ms();
    state->ms.ssim += scored - start;
    if (!plan->grid.width) return;
    ssimcu_means_cpu(plan, means);
    state->ms.reduce += ssimcu_clock_ms() - scored;
}

/* Counts unusual float samples if they are not counted with the score. */
static void count_light(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                        struct ssimcu_light_counts counts[SSIMCU_PAIR])
{
    const double start = ssimcu_clock_ms();
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_light_frame frame = {&plan->samples[slot], &plan->rule[0][slot],
                                                 &plan->bounds[slot], plan->shape.width,
                                                 plan->shape.height};
        if (frame.rule->light.counted) counts[slot] = ssimcu_light_scan(&frame, state->threads);
    }
    state->ms.planes += ssimcu_clock_ms() - start;
}

/* Returns whether planes that were counted one by one have unusual samples. */
static int found_any(const struct ssimcu_light_counts counts[SSIMCU_PAIR])
{
    uint64_t all = 0;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        all |= counts[slot].clamped | counts[slot].not_finite;
    return all != 0;
}

static ssimcu_status submit(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                            float *map, ssimcu_message *message)
{
    const struct ssimcu_results results = ssimcu_plan_results(plan, state->next);
    const size_t pair_means = ssimcu_plan_means_of_pair(plan);
    double *sums = (double *)(uintptr_t)results.sums;
    double *means = (double *)(uintptr_t)results.means;
    struct ssimcu_metric_sums *metrics = (struct ssimcu_metric_sums *)(uintptr_t)results.metrics;
    struct ssimcu_light_counts *counts = (struct ssimcu_light_counts *)(uintptr_t)results.counts;
    const int light = plan->rule[0][SSIMCU_REF].light.on || plan->rule[0][SSIMCU_OUT].light.on,
              whole = ssimcu_plan_has_ssim(plan) && /* every tile has complete pixels */
                      scored_shape(plan).planes == plan->shape.planes,
              tiled = whole || !light; /* samples are counted while they are in a cache */
    (void)message;
    if (ssimcu_plan_counts(plan))
        memset(counts, 0, SSIMCU_PAIR * sizeof *counts);
    else
        counts = NULL;
    if (counts && !tiled) count_light(state, plan, counts);
    for (uint32_t pass = 0; pass < plan->passes; pass++)
        run_pass(state, plan, pass, sums + (size_t)pass * plan->shape.planes,
                 means + pass * pair_means, metrics, tiled && pass == 0 ? counts : NULL);
    if (counts && tiled && !whole && found_any(counts)) count_light(state, plan, counts);
    if (map) memcpy(map, state->map.data, plan->bytes.map);
    state->submitted[state->count++] = results;
    state->next += plan->bytes.results / sizeof *state->next;
    return SSIMCU_OK;
}

static ssimcu_status collect(struct ssimcu_backend_state *state, struct ssimcu_results *results,
                             ssimcu_stage_ms *ms, ssimcu_message *message)
{
    (void)message;
    memcpy(results, state->submitted, state->count * sizeof *results);
    ms->planes += state->ms.planes;
    ms->ssim += state->ms.ssim;
    ms->reduce += state->ms.reduce;
    state->ms = (ssimcu_stage_ms){0};
    return SSIMCU_OK;
}

static ssimcu_status scale(struct ssimcu_backend_state *state, struct ssimcu_scale_task *task,
                           uint32_t place, ssimcu_message *message)
{
    struct buffer *const scaled = &state->scaled[place], *const work = &state->scale_work;
    if (!grow(scaled, (size_t)task->dst_pitch * task->down.to) ||
        !grow(work, ssimcu_scale_cpu_bytes(task)))
        return ssimcu_no_memory(message, "a scaled plane");
    task->dst = scaled->data;
    ssimcu_scale_cpu(task, work->data);
    return SSIMCU_OK;
}

static ssimcu_status patches(struct ssimcu_backend_state *state, struct ssimcu_patches_task *task,
                             ssimcu_message *message)
{
    if (!grow(&state->patches, task->bytes)) return ssimcu_no_memory(message, "patches");
    task->to = state->patches.data;
    for (uint32_t n = 0; n < task->places; n++)
        for (uint32_t i = 0; i < task->place[n].columns * task->place[n].rows; i++)
            ssimcu_patch_copy(task, &task->place[n], i);
    return SSIMCU_OK;
}

static ssimcu_status permute(const struct ssimcu_permute_plan *plan, void *dst, const void *src,
                             void *runner, ssimcu_message *message)
{
    (void)message;
    ssimcu_permute_cpu(plan, runner, dst, src);
    return SSIMCU_OK;
}

static size_t loss_bytes(const struct ssimcu_backend_state *state,
                         const struct ssimcu_loss_task *task)
{
    return ssimcu_loss_cpu_bytes(task, state->threads);
}

static ssimcu_status loss(struct ssimcu_backend_state *state, const struct ssimcu_loss_task *task,
                          void *stream, ssimcu_message *message)
{
    (void)stream, (void)message;
    ssimcu_loss_cpu(task, state->threads);
    return SSIMCU_OK;
}

static ssimcu_status loss_scale(struct ssimcu_backend_state *state,
                                const struct ssimcu_loss_task *task, const void *factor,
                                void *stream, ssimcu_message *message)
{
    (void)state, (void)stream, (void)message;
    ssimcu_loss_scale_cpu(task, factor);
    return SSIMCU_OK;
}

const struct ssimcu_backend ssimcu_backend_cpu = {
    .name = "cpu",
    .build = "cpu",
    .count = count,
    .describe = describe,
    .open = open_state,
    .close = close_state,
    .traits = traits,
    .reserve = reserve,
    .submit = submit,
    .collect = collect,
    .patches = patches,
    .scale = scale,
    .loss_bytes = loss_bytes,
    .loss = loss,
    .loss_scale = loss_scale,
    .permute = permute,
};
