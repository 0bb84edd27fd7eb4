#include "api/prove.h"

#include "fail.h"
#include "plan/metrics.h"
#include "plan/outputs.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A GPU's pair is large enough for all metrics and for several tiles, strips and blocks. A CPU's
 * takes a fraction of a millisecond in plain C. Odd sizes leave rests at all ends. */
static const uint32_t ON_GPU[2] = {363, 357}, ON_CPU[2] = {45, 37};

/* Numbers may differ by so much: far more than rounding, and far less than what a missing row,
 * column or sample changes. Sums: for each of their windows. Squares and norms: of themselves. */
static const double OF_SUM = 2e-5, OF_SQUARES = 2e-5, OF_NORM = 2e-3, OF_MAP = 2e-3, OF_TILE = 0.01,
                    OF_FEATURE = 0.3;

/* ---- Kinds ----------------------------------------------------------------------------------- */

/* The last kinds that were proven in this process; 0: none. */
static _Atomic uint64_t proven[64];
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
                        uint32_t plans)
{
    uint64_t kind = 0xcbf29ce484222325u;
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

/* ---- The pair -------------------------------------------------------------------------------- */

/* Returns a sample from 0 to 255: a texture, and on the second side noise in most places. */
static uint32_t texture(uint32_t x, uint32_t y, uint32_t channel, int slot)
{
    const uint32_t hash = (x * 2654435761u ^ (y + 77 * channel) * 2246822519u) >> 16;
    const int value = (int)((5 * x + 3 * y + 40 * channel) & 255) ^ (int)(x * y >> 4 & 63);
    const int noise = (x + 2 * y) % 64 > 20 ? (int)(hash % 48) - 24 : 0;
    const int shown = slot == SSIMCU_REF ? value : value + noise;
    return (uint32_t)(shown < 0 ? 0 : shown > 255 ? 255 : shown);
}

/* Returns the white of float samples, or the nearest that halves hold to eight bits. */
static double white_of(const struct ssimcu_samples *samples, const struct ssimcu_pixel_rule *rule)
{
    const double white = 1 / rule->opaque;
    return samples->type == SSIMCU_SAMPLE_F16 ? fmin(fmax(white, 0.02), 65504) : white;
}

/* Returns the bits of a sample of a type. */
static uint32_t bits_of(const struct ssimcu_samples *samples, const struct ssimcu_pixel_rule *rule,
                        uint32_t value)
{
    const uint32_t most = samples->type == SSIMCU_SAMPLE_U8 && rule->peak > 255 ? 255 : rule->peak;
    union {
        float value;
        uint32_t bits;
    } number = {(float)(value / 255.0 * white_of(samples, rule))};
    switch (samples->type) {
    case SSIMCU_SAMPLE_F32: return number.bits;
    case SSIMCU_SAMPLE_BF16: return number.bits >> 16;
    case SSIMCU_SAMPLE_F16: return value ? (number.bits >> 13) - (112u << 10) : 0;
    default: return (uint32_t)((uint64_t)value * most / 255) >> rule->low_bits << rule->low_bits;
    }
}

/* Writes one side, and sets its addresses. */
static void draw_side(struct ssimcu_plan *plan, int slot, char *to)
{
    struct ssimcu_samples *samples = &plan->host[slot];
    const struct ssimcu_pixel_rule *rule = &plan->rule[0][slot];
    const size_t bytes = ssimcu_sample_bytes(samples->type);
    const size_t plane = (size_t)samples->pitch_bytes * plan->shape.height;
    for (uint32_t c = 0; c < rule->channels; c++) {
        const int is_opaque = rule->channels % 2 == 0 && c + 1 == rule->channels && !rule->alpha;
        char *const channel = to + c * (samples->planar ? plane : bytes);
        samples->channel[c] = plan->samples[slot].channel[c] = channel;
        for (uint32_t y = 0; y < plan->shape.height; y++)
            for (uint32_t x = 0; x < plan->shape.width; x++) {
                const uint32_t value =
                    bits_of(samples, rule, is_opaque ? 255 : texture(x, y, c, slot));
                const uint16_t half = (uint16_t)value;
                const uint8_t byte = (uint8_t)value;
                memcpy(channel + y * samples->pitch_bytes + x * samples->step * bytes,
                       bytes == 4   ? (const void *)&value
                       : bytes == 2 ? (const void *)&half
                                    : (const void *)&byte,
                       bytes);
            }
    }
}

/* A frame of the fixed pair: the plans of its planes, their memory, and what came out. */
struct trial {
    struct ssimcu_plan plan[SSIMCU_MAX_CHANNELS];
    uint32_t plans;
    char *memory[SSIMCU_MAX_CHANNELS][SSIMCU_PAIR];
    float *map;
    struct ssimcu_results results[SSIMCU_MAX_CHANNELS];
};

static void end_trial(struct trial *trial)
{
    for (uint32_t p = 0; p < SSIMCU_MAX_CHANNELS; p++)
        for (int slot = 0; slot < SSIMCU_PAIR; slot++) free(trial->memory[p][slot]);
    free(trial->map);
}

/* Removes the metrics that a plane of the fixed pair is too small for. */
static void drop_metrics(struct trial *trial)
{
    unsigned kept = (1u << SSIMCU_METRICS) - 1;
    for (uint32_t p = 0; p < trial->plans; p++)
        for (int m = 0; m < SSIMCU_METRICS; m++)
            if (!ssimcu_metrics_fits((ssimcu_metric)m, &trial->plan[p].shape)) kept &= ~(1u << m);
    for (uint32_t p = 0; p < trial->plans; p++) trial->plan[p].metrics &= kept;
}

/* Makes the fixed pair of a kind. */
static ssimcu_status make_trial(struct trial *trial, const struct ssimcu_traits *traits,
                                const struct ssimcu_plan *plan, uint32_t plans,
                                const uint32_t size[2], ssimcu_message *message)
{
    trial->plans = plans;
    for (uint32_t p = 0; p < plans; p++) {
        struct ssimcu_plan *own = &trial->plan[p];
        const int half[2] = {plan[p].shape.width < plan[0].shape.width,
                             plan[p].shape.height < plan[0].shape.height};
        *own = plan[p];
        ssimcu_plan_resize(own, traits, (size[0] + (uint32_t)half[0]) >> half[0],
                           (size[1] + (uint32_t)half[1]) >> half[1]);
        if (own->chroma) own->chroma = &trial->plan[1];
        for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
            char *to = trial->memory[p][slot] = calloc(1, own->bytes.samples[slot]);
            if (!to) return ssimcu_no_memory(message, "the pair that proves a device");
            draw_side(own, slot, to);
        }
    }
    drop_metrics(trial);
    const struct ssimcu_shape *shape = &trial->plan[0].shape;
    if (!plan->want_map) return SSIMCU_OK;
    trial->map =
        malloc((size_t)shape->map_width * shape->map_height * shape->planes * sizeof(float));
    return trial->map ? SSIMCU_OK : ssimcu_no_memory(message, "the pair that proves a device");
}

static ssimcu_status run_trial(struct trial *trial, ssimcu_context *context,
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
static int tiles_agree(const struct trial *trial, const struct trial *reference, uint32_t p)
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

static int sums_agree(const struct trial *trial, const struct trial *reference, uint32_t p)
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
    const uint32_t count = ssimcu_metrics_s2_planes(plan) * SSIMCU_S2_SUMS;
    const int scales = ssimcu_s2_scales((int)width, (int)height);
    int agree = 1;
    for (int s = 0; s < scales; s++) {
        const double *const norm = *own->norms[pass][s], *const expected = *other->norms[pass][s];
        for (uint32_t i = 0; i < count; i++)
            agree &=
                is_near(norm[i], expected[i], OF_NORM * fmax(expected[i], 1e-3 * width * height));
        width = ssimcu_half(width), height = ssimcu_half(height);
    }
    return agree;
}

/* Compares the metrics of a plane. */
static int metrics_agree(const struct trial *trial, const struct trial *reference, uint32_t p)
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
static int counts_agree(const struct trial *trial, const struct trial *reference, uint32_t p)
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
static const char *differing_plane(const struct trial *trial, const struct trial *reference,
                                   uint32_t p)
{
    return !sums_agree(trial, reference, p)      ? "sums"
           : !tiles_agree(trial, reference, p)   ? "tiles"
           : !metrics_agree(trial, reference, p) ? "metrics"
           : !counts_agree(trial, reference, p)  ? "counts"
                                                 : NULL;
}

/* Does the same for all planes and the map. */
static const char *differing_trial(const struct trial *trial, const struct trial *reference)
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
static ssimcu_status prove_with(ssimcu_context *context, ssimcu_context *by, struct trial *trial,
                                struct trial *reference, ssimcu_message *message)
{
    const struct ssimcu_traits *traits = by->backend->traits(by->state);
    const uint32_t size[2] = {trial->plan[0].shape.width, trial->plan[0].shape.height};
    TRY(make_trial(reference, traits, trial->plan, trial->plans, size, message));
    for (uint32_t p = 0; p < reference->plans; p++) ssimcu_plan_move(&reference->plan[p], traits);
    TRY(ssimcu_prove(by, reference->plan, reference->plans, message));
    TRY(run_trial(reference, by, message));
    TRY(run_trial(trial, context, message));
    const char *const what = differing_trial(trial, reference);
    return what ? distrust(context, what, message) : SSIMCU_OK;
}

/* Draws the fixed pair for the device and opens the reference. */
static ssimcu_status prove_kind(ssimcu_context *context, const struct ssimcu_plan *plan,
                                uint32_t plans, ssimcu_message *message)
{
    const int on_cpu = context->backend == &ssimcu_backend_cpu;
    struct ssimcu_context by = {
        .config = context->config, .backend = &ssimcu_backend_cpu, .device = "cpu"};
    by.config.cpu_level = on_cpu ? SSIMCU_CPU_PLAIN : SSIMCU_CPU_BEST;
    struct trial trial = {0}, reference = {0};
    TRY(by.backend->open(&by.config, 0, &by.state, message));
    ssimcu_status status = make_trial(&trial, context->backend->traits(context->state), plan, plans,
                                      on_cpu ? ON_CPU : ON_GPU, message);
    if (status == SSIMCU_OK) status = prove_with(context, &by, &trial, &reference, message);
    end_trial(&trial);
    end_trial(&reference);
    by.backend->close(by.state);
    return status;
}

ssimcu_status ssimcu_prove(ssimcu_context *context, const struct ssimcu_plan *plan, uint32_t plans,
                           ssimcu_message *message)
{
    const uint64_t kind = kind_of(context, plan, plans);
    if (context->config.cpu_level == SSIMCU_CPU_PLAIN || is_proven(kind)) return SSIMCU_OK;
    TRY(prove_kind(context, plan, plans, message));
    remember(kind);
    return SSIMCU_OK;
}
