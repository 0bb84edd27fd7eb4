#include "api/prove.h"

#include "api/prove_pair.h"
#include "api/prove_size.h"
#include "fail.h"
#include "plan/metrics.h"
#include "plan/outputs.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A CPU's pair takes a fraction of a millisecond in plain C. Its odd sides leave rests. */
static const uint32_t ON_CPU[2] = {45, 37};

/* Numbers may differ by so much: far more than rounding, and far less than what a missing row,
 * column or sample changes. Sums: for each of their windows. Squares and norms: of themselves. */
static const double OF_SUM = 2e-6, OF_SQUARES = 2e-5, OF_MAP = 5e-4, OF_TILE = 2e-3,
                    OF_FEATURE = 0.1;
/* X and B are small differences of large numbers, so they are less exact than Y. */
static const double OF_NORM[SSIMCU_S2_CHANNELS] = {2e-2, 1e-3, 2e-2};

/* ---- Kinds ----------------------------------------------------------------------------------- */

/* The last kinds that were proven in this process; 0: none. */
static _Atomic uint64_t proven[256];
static atomic_uint proven_next;

static void note(uint64_t *kind, uint64_t value)
{
    *kind = (*kind ^ value) * 0x9e3779b97f4a7c15u;
    *kind ^= *kind >> 32;
}

static void note_side(uint64_t *kind, const struct ssimcu_plan *plan, int slot)
{
    const struct ssimcu_samples *samples = &plan->host[slot];
    const struct ssimcu_pixel_rule *rule = &plan->rule[0][slot];
    const uint32_t value[] = {
        samples->type, samples->step,  samples->planar,  rule->channels,       rule->bits,
        rule->peak,    rule->low_bits, rule->widen,      rule->alpha,          rule->as_floats,
        rule->luma[1], rule->light.on, rule->background, rule->light.transfer, rule->light.counted};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) note(kind, value[i]);
}

/* Returns a number that two kinds share by accident once in 2^64. It is never 0. */
static uint64_t kind_of(const ssimcu_context *context, const struct ssimcu_plan *plan,
                        uint32_t plans, const uint32_t size[2], int has_large)
{
    uint64_t kind = 0xcbf29ce484222325u;
    note(&kind, (uint64_t)size[0] << 32 | size[1]);
    note(&kind, (uint64_t)has_large);
    for (const char *c = context->device; *c; c++) note(&kind, (unsigned char)*c);
    note(&kind, context->config.cpu_level);
    for (const struct ssimcu_plan *end = plan + plans; plan < end; plan++) {
        const uint64_t value[] = {plan->kernel,      (uint64_t)plan->shape.zero_pad,
                                  plan->metrics,     plan->shape.planes,
                                  plan->passes,      (uint64_t)plan->fixed,
                                  plan->grid.width,  (uint64_t)plan->bounded,
                                  plan->grid.height, (uint64_t)plan->want_map,
                                  plan->chroma != 0, plan->grid.features};
        for (size_t i = 0; i < sizeof value / sizeof *value; i++) note(&kind, value[i]);
        for (int slot = 0; slot < SSIMCU_PAIR; slot++) note_side(&kind, plan, slot);
    }
    return kind ? kind : 1;
}

static int is_proven(uint64_t kind)
{
    for (size_t i = 0; i < sizeof proven / sizeof *proven; i++)
        if (atomic_load_explicit(&proven[i], memory_order_relaxed) == kind) return 1;
    return 0;
}

static void remember(uint64_t kind)
{
    const unsigned place = atomic_fetch_add(&proven_next, 1) % (sizeof proven / sizeof *proven);
    atomic_store_explicit(&proven[place], kind, memory_order_relaxed);
}

static ssimcu_status run_trial(struct ssimcu_trial *trial, ssimcu_context *context,
                               ssimcu_message *message)
{
    ssimcu_stage_ms ms = {0};
    return ssimcu_context_run(context, trial->plan, trial->plans, trial->map, trial->results, &ms,
                              message);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static int is_near(double value, double expected, double within)
{
    return fabs(value - expected) <= within || (isnan(value) && isnan(expected));
}

static int are_near(const double *value, const double *expected, size_t count, double within)
{
    size_t same = 0;
    while (same < count && is_near(value[same], expected[same], within)) same++;
    return same == count;
}

static int are_near_floats(const float *value, const float *expected, size_t count, double within)
{
    size_t same = 0;
    while (same < count && is_near((double)value[same], (double)expected[same], within)) same++;
    return same == count;
}

/* Compares the tiles of a plane, in each of its passes. */
static int tiles_agree(const struct ssimcu_trial *trial, const struct ssimcu_trial *reference,
                       uint32_t p)
{
    const struct ssimcu_plan *plan = &trial->plan[p];
    const size_t tiles = ssimcu_plan_tiles(plan);
    const uint32_t planes = plan->shape.planes;
    int agree = 1;
    for (uint32_t pass = 0; pass < plan->passes && tiles > 0; pass++) {
        const double *own = ssimcu_plan_means(plan, &trial->results[p], 0, pass);
        const double *other =
            ssimcu_plan_means(&reference->plan[p], &reference->results[p], 0, pass);
        agree &= are_near(own, other, tiles * ssimcu_tile_step(planes), OF_TILE) &&
                 are_near_floats(ssimcu_tile_features((double *)(uintptr_t)own, tiles, planes),
                                 ssimcu_tile_features((double *)(uintptr_t)other, tiles, planes),
                                 tiles * planes * plan->grid.features, OF_FEATURE);
    }
    return agree;
}

static int sums_agree(const struct ssimcu_trial *trial, const struct ssimcu_trial *reference,
                      uint32_t p)
{
    const struct ssimcu_shape *shape = &trial->plan[p].shape;
    const double positions = (double)shape->map_width * shape->map_height;
    return positions == 0 || are_near(trial->results[p].sums, reference->results[p].sums,
                                      ssimcu_plan_sums(&trial->plan[p]), OF_SUM * positions);
}

/* Compares MS-SSIM's windows of a plane at all scales. */
static int scales_agree(const struct ssimcu_shape *shape, const double *lost, const double *other)
{
    int agree = 1;
    for (uint32_t scale = 0; scale < SSIMCU_MS_SCALES; scale++)
        agree &= is_near(lost[scale], other[scale],
                         OF_SUM * ssimcu_metrics_windows(shape->width, scale) *
                             ssimcu_metrics_windows(shape->height, scale));
    return agree;
}

/* Compares the sums of SSIMULACRA2, at the scales that frames of this size have. */
static int norms_agree(const struct ssimcu_plan *plan, const struct ssimcu_metric_sums *own,
                       const struct ssimcu_metric_sums *other, uint32_t pass)
{
    uint32_t width = plan->shape.width, height = plan->shape.height;
    const uint32_t count = SSIMCU_S2_CHANNELS * SSIMCU_S2_SUMS; /* grey has Y in the middle */
    const int scales = ssimcu_s2_scales((int)width, (int)height);
    int agree = 1;
    for (int s = 0; s < scales; s++) {
        const double *const norm = *own->norms[pass][s], *const expected = *other->norms[pass][s];
        for (uint32_t i = 0; i < count; i++)
            agree &=
                is_near(norm[i], expected[i],
                        OF_NORM[i / SSIMCU_S2_SUMS] * fmax(expected[i], 1e-3 * width * height));
        width = ssimcu_half(width), height = ssimcu_half(height);
    }
    return agree;
}

/* Compares the metrics of a plane. */
static int metrics_agree(const struct ssimcu_trial *trial, const struct ssimcu_trial *reference,
                         uint32_t p)
{
    const struct ssimcu_plan *plan = &trial->plan[p];
    const struct ssimcu_metric_sums *own = trial->results[p].metrics,
                                    *other = reference->results[p].metrics;
    int agree = 1;
    for (uint32_t pass = 0; pass < plan->passes; pass++) {
        for (uint32_t c = 0; c < plan->shape.planes; c++) {
            if (ssimcu_metrics_has(plan, SSIMCU_METRIC_PSNR))
                agree &= is_near(own->squares[pass][c], other->squares[pass][c],
                                 OF_SQUARES * other->squares[pass][c]);
            if (ssimcu_metrics_has(plan, SSIMCU_METRIC_MS_SSIM))
                agree &= scales_agree(&plan->shape, own->lost[pass][c], other->lost[pass][c]);
        }
        if (ssimcu_metrics_has(plan, SSIMCU_METRIC_SSIMULACRA2))
            agree &= norms_agree(plan, own, other, pass);
    }
    return agree;
}

/* Compares the counts of unusual samples. */
static int counts_agree(const struct ssimcu_trial *trial, const struct ssimcu_trial *reference,
                        uint32_t p)
{
    const struct ssimcu_plan *plan = &trial->plan[p];
    int agree = 1;
    for (int slot = 0; slot < SSIMCU_PAIR && ssimcu_plan_counts(plan); slot++) {
        const struct ssimcu_light_counts *own = &trial->results[p].counts[slot],
                                         *other = &reference->results[p].counts[slot];
        agree &= own->clamped == other->clamped && own->not_finite == other->not_finite &&
                 own->first == other->first;
    }
    return agree;
}

/* Returns what of a device's plane differs from the reference's; NULL: nothing. */
static const char *differing_plane(const struct ssimcu_trial *trial,
                                   const struct ssimcu_trial *reference, uint32_t p)
{
    return !sums_agree(trial, reference, p)      ? "sums"
           : !tiles_agree(trial, reference, p)   ? "tiles"
           : !metrics_agree(trial, reference, p) ? "metrics"
           : !counts_agree(trial, reference, p)  ? "counts"
                                                 : NULL;
}

/* Does the same for all planes and the map. */
static const char *differing_trial(const struct ssimcu_trial *trial,
                                   const struct ssimcu_trial *reference)
{
    const struct ssimcu_shape *shape = &trial->plan[0].shape;
    const char *what = NULL;
    for (uint32_t p = 0; p < trial->plans && !what; p++)
        what = differing_plane(trial, reference, p);
    if (what || !trial->map) return what;
    const size_t count = (size_t)shape->map_width * shape->map_height * shape->planes;
    return are_near_floats(trial->map, reference->map, count, OF_MAP) ? NULL : "values of the map";
}

/* ---- Proof ----------------------------------------------------------------------------------- */

static ssimcu_status distrust(ssimcu_context *context, const char *what, ssimcu_message *message)
{
    context->distrusted = 1;
    (void)ssimcu_fail(&context->failed, SSIMCU_OK,
                      "%s computes wrongly: the %s of a test pair are not %s", context->device,
                      what, context->backend == &ssimcu_backend_cpu ? "plain C's" : "the CPU's");
    FAIL(DEVICE, "%s", context->failed.text);
}

/* Compares the device with a context on the CPU, in which the reference runs. */
static ssimcu_status prove_with(ssimcu_context *context, ssimcu_context *by,
                                struct ssimcu_trial *trial, struct ssimcu_trial *reference,
                                ssimcu_message *message)
{
    const struct ssimcu_traits *traits = by->backend->traits(by->state);
    const uint32_t size[2] = {trial->plan[0].shape.width, trial->plan[0].shape.height};
    TRY(ssimcu_trial_make(reference, traits, trial->plan, trial->plans, size, trial, message));
    for (uint32_t p = 0; p < reference->plans; p++) ssimcu_plan_move(&reference->plan[p], traits);
    TRY(ssimcu_prove(by, reference->plan, reference->plans, message));
    TRY(run_trial(reference, by, message));
    TRY(run_trial(trial, context, message));
    const char *const what = differing_trial(trial, reference);
    return what ? distrust(context, what, message) : SSIMCU_OK;
}

/* Draws the pair of a size for the device and opens the reference. */
static ssimcu_status prove_size(ssimcu_context *context, const struct ssimcu_plan *plan,
                                uint32_t plans, const uint32_t size[2], ssimcu_message *message)
{
    const int on_cpu = context->backend == &ssimcu_backend_cpu;
    struct ssimcu_context by = {
        .config = context->config, .backend = &ssimcu_backend_cpu, .device = "cpu"};
    by.config.cpu_level = on_cpu ? SSIMCU_CPU_PLAIN : SSIMCU_CPU_BEST;
    struct ssimcu_trial trial = {0}, reference = {0};
    TRY(by.backend->open(&by.config, 0, &by.state, message));
    ssimcu_status status = ssimcu_trial_make(&trial, context->backend->traits(context->state), plan,
                                             plans, size, NULL, message);
    if (status == SSIMCU_OK) status = prove_with(context, &by, &trial, &reference, message);
    ssimcu_trial_end(&trial);
    ssimcu_trial_end(&reference);
    by.backend->close(by.state);
    return status;
}

/* Proves the lower scales of MS-SSIM alone: a pair that is large enough for them takes long. */
static ssimcu_status prove_scales(ssimcu_context *context, const struct ssimcu_plan *plan,
                                  uint32_t plans, const uint32_t size[2], ssimcu_message *message)
{
    struct ssimcu_plan own[SSIMCU_MAX_CHANNELS];
    memcpy(own, plan, plans * sizeof *plan);
    for (uint32_t p = 0; p < plans; p++) {
        own[p].metrics = 1u << SSIMCU_METRIC_MS_SSIM;
        own[p].want_map = 0;
        memset(&own[p].grid, 0, sizeof own[p].grid);
    }
    return prove_size(context, own, plans, size, message);
}

ssimcu_status ssimcu_prove(ssimcu_context *context, const struct ssimcu_plan *plan, uint32_t plans,
                           ssimcu_message *message)
{
    const int on_cpu = context->backend == &ssimcu_backend_cpu;
    uint32_t size[2] = {ON_CPU[0], ON_CPU[1]}, large[2];
    if (!on_cpu) ssimcu_trial_size(plan, plans, size);
    const int has_large = !on_cpu && ssimcu_trial_large_size(plan, large);
    const uint64_t kind = kind_of(context, plan, plans, size, has_large);
    if (context->config.cpu_level == SSIMCU_CPU_PLAIN || is_proven(kind)) return SSIMCU_OK;
    TRY(prove_size(context, plan, plans, size, message));
    if (has_large) TRY(prove_scales(context, plan, plans, large, message));
    remember(kind);
    return SSIMCU_OK;
}
