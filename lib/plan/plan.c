#include "plan/plan.h"
#include "plan/plan_rules.h"

#include "core/ssim_limits.h"
#include "number/light.h"
#include "plan/metrics.h"
#include "plan/view.h"
#include "sized.h"

#include <string.h>

/* ---- Shape and tiles ------------------------------------------------------------------------- */

/* Returns 0 if the frame is too small for SSIM. */
static uint32_t window_positions(const struct ssimcu_shape *shape, uint32_t side)
{
    if (!ssimcu_metrics_fits(SSIMCU_METRIC_SSIM, shape)) return 0;
    return shape->zero_pad ? side : side - (SSIMCU_TAPS - 1);
}

/* Returns whether the CPU can skip SSIM, because only PSNR is requested. SSIM detects samples that
 * are not finite and the worse of two backgrounds, so only integers without alpha can do
 * without. */
static int skips_ssim(const ssimcu_settings *settings, const struct ssimcu_traits *traits,
                      const ssimcu_view pair[SSIMCU_PAIR], const ssimcu_tiles *tiles)
{
    int plain = traits->reads_samples && settings->metrics == 1u << SSIMCU_METRIC_PSNR && !tiles &&
                settings->compat == SSIMCU_COMPAT_NONE;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        plain = plain && pair[slot].channels % 2 == 1 &&
                !ssimcu_samples_are_float((uint32_t)pair[slot].type);
    return plain;
}

static uint32_t color_channels(const ssimcu_view *view) { return view->channels >= 3 ? 3 : 1; }

static ssimcu_status set_shape(struct ssimcu_shape *shape, const ssimcu_settings *settings,
                               const ssimcu_view pair[SSIMCU_PAIR], ssimcu_message *message)
{
    const ssimcu_view *ref = &pair[SSIMCU_REF], *out = &pair[SSIMCU_OUT];
    if (ref->width != out->width || ref->height != out->height)
        FAIL(MISMATCH, "the frames differ in size: ref is %ux%u, out is %ux%u", ref->width,
             ref->height, out->width, out->height);
    if (ref->frames != out->frames)
        FAIL(MISMATCH, "frames: ref has %u, out has %u", ref->frames, out->frames);
    const int luma = settings->color != SSIMCU_COLOR_RGB;
    const int grey = color_channels(ref) == 1 && color_channels(out) == 1;
    *shape = (struct ssimcu_shape){
        .width = ref->width,
        .height = ref->height,
        .planes = luma || grey ? 1 : 3,
        .zero_pad = settings->pad == SSIMCU_PAD_ZERO,
    };
    shape->map_width = window_positions(shape, ref->width);
    shape->map_height = window_positions(shape, ref->height);
    return SSIMCU_OK;
}

int ssimcu_plan_wants_features(const ssimcu_tiles *tiles)
{
    for (int i = 0; i < SSIMCU_FEATURES; i++)
        if (tiles->feature[i]) return 1;
    return 0;
}

/* Sets what the sizes of the frame and of a tile determine. */
static void lay_grid(struct ssimcu_tile_grid *grid, const struct ssimcu_shape *shape)
{
    grid->border = (shape->width - shape->map_width) / 2;
    grid->columns = ssimcu_tile_count(shape->map_width, grid->border, grid->width);
    grid->rows = ssimcu_tile_count(shape->map_height, grid->border, grid->height);
}

static ssimcu_status set_grid(struct ssimcu_plan *plan, const ssimcu_tiles *theirs,
                              ssimcu_message *message)
{
    struct ssimcu_tile_grid *grid = &plan->grid;
    ssimcu_tiles tiles;
    if (!theirs) return SSIMCU_OK;
    TRY(ssimcu_sized_read(&tiles, sizeof tiles, SSIMCU_TILES_OLDEST, theirs, "tiles", message));
    TRY(ssimcu_metrics_check_size(SSIMCU_METRIC_SSIM, &plan->shape, message));
    if (tiles.width < SSIMCU_TAPS || tiles.height < SSIMCU_TAPS || tiles.width > INT32_MAX ||
        tiles.height > INT32_MAX)
        FAIL(ARGUMENT, "tiles: %ux%u pixels, expected %d to %d a side", tiles.width, tiles.height,
             SSIMCU_TAPS, INT32_MAX);
    grid->width = tiles.width;
    grid->height = tiles.height;
    grid->features = ssimcu_plan_wants_features(&tiles) ? SSIMCU_TILE_FEATURES : 0;
    lay_grid(grid, &plan->shape);
    return SSIMCU_OK;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* Refuses PU21 for a pair of floats and integers. Integer samples already have another curve, so
 * they are not comparable with PU21 codes. */
static ssimcu_status check_light(const ssimcu_settings *settings,
                                 const ssimcu_view pair[SSIMCU_PAIR], ssimcu_message *message)
{
    const int is_float[SSIMCU_PAIR] = {ssimcu_samples_are_float((uint32_t)pair[SSIMCU_REF].type),
                                       ssimcu_samples_are_float((uint32_t)pair[SSIMCU_OUT].type)};
    if (settings->transfer != SSIMCU_TRANSFER_PU21 || is_float[0] == is_float[1]) return SSIMCU_OK;
    FAIL(MISMATCH, "PU21 takes two frames of linear light: %s has integers",
         is_float[SSIMCU_REF] ? "out" : "ref");
}

/* Refuses views that no GPU kernel reads. Doubles in host memory have already become floats. */
static ssimcu_status check_readable(const struct ssimcu_traits *traits,
                                    const ssimcu_view pair[SSIMCU_PAIR], ssimcu_message *message)
{
    static const char *const names[] = {"ref", "out"};
    for (int slot = 0; slot < SSIMCU_PAIR && !traits->reads_samples; slot++) {
        const char *what = pair[slot].pitch < 0                 ? "a negative pitch"
                           : pair[slot].type == SSIMCU_TYPE_F64 ? "samples of type F64"
                                                                : NULL;
        if (what)
            FAIL(UNSUPPORTED,
                 "%s: %s: expected a context on the CPU, because a GPU does not read them",
                 names[slot], what);
    }
    return SSIMCU_OK;
}

static uint32_t depth(const ssimcu_view pair[SSIMCU_PAIR])
{
    const uint32_t ref = ssimcu_view_bits(&pair[SSIMCU_REF]),
                   out = ssimcu_view_bits(&pair[SSIMCU_OUT]);
    return ref == 0 || out == 0 ? 0 : ref > out ? ref : out;
}

/* ---- Kernel and memory ----------------------------------------------------------------------- */

static int is_float(const struct ssimcu_plan *plan, int slot)
{
    return ssimcu_samples_are_float(plan->samples[slot].type);
}

static int has_curve(const struct ssimcu_plan *plan, int slot)
{
    return ssimcu_light_has_curve(&plan->rule[0][slot].light);
}

/* Returns whether no sample of this side can leave 0..255 in planes of floats. This excludes
 * floats, and integers whose type can exceed their peak. */
static int is_bounded(const struct ssimcu_plan *plan, int slot)
{
    const uint32_t peak = plan->rule[0][slot].peak;
    return !is_float(plan, slot) && (peak == UINT8_MAX || peak == UINT16_MAX);
}

/* Returns whether a side has a curve and both sides are bounded: no side has floats without a
 * curve. */
static int are_curved(const struct ssimcu_plan *plan)
{
    const int ref = has_curve(plan, SSIMCU_REF), out = has_curve(plan, SSIMCU_OUT);
    return (ref || out) && (ref || !is_float(plan, SSIMCU_REF)) &&
           (out || !is_float(plan, SSIMCU_OUT));
}

/* Returns whether a side's values in planes are computed from several samples without rounding to
 * integers, so that floats would round them. */
static int is_computed(const struct ssimcu_plan *plan, int slot)
{
    const struct ssimcu_pixel_rule *rule = &plan->rule[0][slot];
    return is_float(plan, slot) ? rule->alpha || rule->luma[1] : rule->alpha && !rule->luma[1];
}

static int is_fixed(const struct ssimcu_plan *plan, const struct ssimcu_traits *traits)
{
    const int computed = is_computed(plan, SSIMCU_REF) || is_computed(plan, SSIMCU_OUT);
    return are_curved(plan) || (!traits->reads_samples && computed);
}

/* Returns whether a kernel reads samples of this layout: planes, pixels of three channels, or every
 * other sample. */
static int is_readable(const struct ssimcu_samples *samples, const struct ssimcu_pixel_rule *rule)
{
    const uint32_t type = samples->type;
    const int is_integer = !ssimcu_samples_are_float(type);
    if (type == SSIMCU_SAMPLE_U8 && rule->peak != UINT8_MAX) return 0;
    if (samples->planar || rule->channels == 1)
        return samples->step == 1 || (samples->step == 2 && !samples->planar && is_integer);
    return samples->step == rule->channels && type != SSIMCU_SAMPLE_F32;
}

/* Returns whether a kernel reads the samples in place, each as an element of a plane. Both sides
 * must have the same kind and layout. */
static int are_plain(const struct ssimcu_plan *plan)
{
    const struct ssimcu_samples *ref = &plan->samples[SSIMCU_REF],
                                *out = &plan->samples[SSIMCU_OUT];
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_pixel_rule *rule = &plan->rule[0][slot];
        if (rule->alpha || rule->luma[1] || rule->light.on) return 0;
        if (rule->channels != plan->shape.planes) return 0;
        if (!is_readable(&plan->samples[slot], rule)) return 0;
    }
    return ref->type == out->type && ref->pitch_bytes == out->pitch_bytes &&
           ref->step == out->step && ref->planar == out->planar && ref->scale == out->scale &&
           plan->rule[0][SSIMCU_REF].peak == plan->rule[0][SSIMCU_OUT].peak;
}

/* One kernel serves all passes, because they differ only in their background. */
static enum ssimcu_kernel choose_kernel(const struct ssimcu_plan *plan,
                                        const struct ssimcu_traits *traits)
{
    const int64_t positions = (int64_t)plan->shape.map_width * plan->shape.map_height;
    if (traits->reads_samples) return SSIMCU_KERNEL_SAMPLES;
    /* The mean needs enough windows to average out their inexactness. */
    if (!traits->has_tensor_cores || positions < SSIMCU_TENSOR_POSITIONS)
        return SSIMCU_KERNEL_PLAIN;
    const int has_tiles = plan->grid.width > 0;
    if (are_plain(plan) && !(has_tiles && is_float(plan, SSIMCU_REF))) return SSIMCU_KERNEL_SAMPLES;
    return has_tiles && !plan->bounded ? SSIMCU_KERNEL_PLAIN : SSIMCU_KERNEL_TENSOR;
}

static int64_t round_up(uint32_t value, uint32_t to) { return (int64_t)(value + to - 1) / to * to; }

size_t ssimcu_plan_tiles(const struct ssimcu_plan *plan)
{
    return (size_t)plan->grid.columns * plan->grid.rows;
}

size_t ssimcu_plan_means_of_pair(const struct ssimcu_plan *plan)
{
    return ssimcu_plan_tiles(plan) * ssimcu_tile_doubles(&plan->grid, plan->shape.planes);
}

size_t ssimcu_plan_sums(const struct ssimcu_plan *plan)
{
    return (size_t)plan->passes * plan->pairs * plan->shape.planes;
}

static size_t count_means(const struct ssimcu_plan *plan)
{
    return (size_t)plan->passes * plan->pairs * ssimcu_plan_means_of_pair(plan);
}

static void measure(struct ssimcu_plan *plan, const struct ssimcu_traits *traits)
{
    const struct ssimcu_shape *shape = &plan->shape;
    struct ssimcu_plan_bytes *bytes = &plan->bytes;
    plan->planes_pitch = round_up(shape->width, traits->row_floats);
    plan->map_pitch = round_up(shape->map_width, traits->row_floats);
    const size_t plane = (size_t)plan->planes_pitch * shape->height * sizeof(float);
    const size_t map = (size_t)plan->map_pitch * shape->map_height * sizeof(float);
    bytes->planes = plan->kernel == SSIMCU_KERNEL_SAMPLES ? 0 : plane * shape->planes;
    bytes->map = plan->want_map ? map * shape->planes : 0;
    bytes->partial =
        ssimcu_plan_has_ssim(plan) ? traits->partials(plan) * plan->pairs * sizeof(double) : 0;
    bytes->results = (count_means(plan) + ssimcu_plan_sums(plan)) * sizeof(double);
    if (plan->metrics) bytes->results += plan->pairs * sizeof(struct ssimcu_metric_sums);
    if (ssimcu_plan_counts(plan))
        bytes->results += plan->pairs * SSIMCU_PAIR * sizeof(struct ssimcu_light_counts);
}

int ssimcu_plan_counts(const struct ssimcu_plan *plan)
{
    return plan->rule[0][SSIMCU_REF].light.counted || plan->rule[0][SSIMCU_OUT].light.counted;
}

struct ssimcu_results ssimcu_plan_results(const struct ssimcu_plan *plan, const void *start)
{
    const double *means = start, *sums = means + count_means(plan);
    const void *end = sums + ssimcu_plan_sums(plan);
    const struct ssimcu_metric_sums *metrics = plan->metrics ? end : NULL;
    if (metrics) end = metrics + plan->pairs;
    return (struct ssimcu_results){sums, means, metrics, end};
}

/* Returns the same samples without padding between rows and planes, without an address. */
static struct ssimcu_samples make_dense(const struct ssimcu_samples *host, uint32_t width)
{
    struct ssimcu_samples dense = *host;
    dense.pitch_bytes = (int64_t)width * host->step * (int64_t)ssimcu_sample_bytes(host->type);
    dense.frame_bytes = 0;
    for (int c = 0; c < 4; c++) dense.channel[c] = NULL;
    return dense;
}

ssimcu_status ssimcu_plan_make(struct ssimcu_plan *plan, const ssimcu_settings *settings,
                               const struct ssimcu_traits *traits,
                               const ssimcu_view pair[SSIMCU_PAIR], const ssimcu_tiles *tiles,
                               ssimcu_message *message)
{
    *plan = (struct ssimcu_plan){.pairs = pair[SSIMCU_REF].frames, .bits = depth(pair)};
    TRY(set_shape(&plan->shape, settings, pair, message));
    if (skips_ssim(settings, traits, pair, tiles))
        plan->shape.map_width = plan->shape.map_height = 0;
    TRY(check_light(settings, pair, message));
    TRY(check_readable(traits, pair, message));
    TRY(set_grid(plan, tiles, message));
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        plan->host[slot] = plan->samples[slot] = ssimcu_view_samples(&pair[slot]);
        if (traits->uploads && pair[slot].data[0])
            plan->samples[slot] = make_dense(&plan->host[slot], plan->shape.width);
        plan->bytes.samples[slot] = ssimcu_view_bytes(&pair[slot]);
        plan->yuv[slot] = pair[slot].yuv;
    }
    if (settings->compat == SSIMCU_COMPAT_NONE) { /* a tool checks its own metrics */
        TRY(ssimcu_metrics_choose(settings, &plan->shape, &plan->metrics, message));
        plan->metrics &= ~(1u << SSIMCU_METRIC_SSIM);
    }
    ssimcu_settings own = *settings;
    own.count_range = own.count_range && traits->reads_samples;
    ssimcu_plan_set_passes(plan, &own, pair);
    ssimcu_units_set(plan);
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        plan->bounds[slot] =
            ssimcu_light_bounds(&plan->rule[0][slot].light, plan->samples[slot].type);
    const int curved = are_curved(plan);
    plan->fixed = is_fixed(plan, traits);
    plan->bounded = curved || (is_bounded(plan, SSIMCU_REF) && is_bounded(plan, SSIMCU_OUT));
    plan->kernel = choose_kernel(plan, traits);
    measure(plan, traits);
    return SSIMCU_OK;
}

void ssimcu_plan_use_kernel(struct ssimcu_plan *plan, const struct ssimcu_traits *traits,
                            enum ssimcu_kernel kernel)
{
    plan->kernel = kernel;
    measure(plan, traits);
}

void ssimcu_plan_resize(struct ssimcu_plan *plan, const struct ssimcu_traits *traits,
                        uint32_t width, uint32_t height)
{
    struct ssimcu_shape *shape = &plan->shape;
    const int has_ssim = ssimcu_plan_has_ssim(plan);
    shape->width = width;
    shape->height = height;
    shape->map_width = has_ssim ? window_positions(shape, width) : 0;
    shape->map_height = has_ssim ? window_positions(shape, height) : 0;
    if (plan->grid.width > 0) lay_grid(&plan->grid, shape);
    plan->pairs = 1;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        struct ssimcu_samples *samples = &plan->host[slot];
        const uint32_t planes = samples->planar ? plan->rule[0][slot].channels : 1;
        *samples = make_dense(samples, width);
        plan->bytes.samples[slot] = (size_t)samples->pitch_bytes * height * planes;
        plan->samples[slot] = *samples;
    }
    measure(plan, traits);
}

void ssimcu_plan_move(struct ssimcu_plan *plan, const struct ssimcu_traits *traits)
{
    memcpy(plan->samples, plan->host, sizeof plan->samples);
    plan->fixed = is_fixed(plan, traits);
    plan->kernel = choose_kernel(plan, traits);
    measure(plan, traits);
}

void ssimcu_plan_add_map(struct ssimcu_plan *plan, const struct ssimcu_traits *traits,
                         uint32_t pass)
{
    plan->background[0] = plan->background[pass];
    memmove(plan->rule[0], plan->rule[pass], sizeof plan->rule[0]);
    plan->passes = 1;
    plan->want_map = 1;
    measure(plan, traits);
}
