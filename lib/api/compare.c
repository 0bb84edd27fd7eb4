/* The public functions that compare in host memory, and ssimcu_views_layout. A frame is checked as
 * a frame and then becomes a view. */
#include "api/prove.h"
#include "api/tool_numbers.h"
#include "mean.h"
#include "number/light.h"
#include "plan/frame.h"
#include "plan/metrics.h"
#include "plan/outputs.h"
#include "plan/view.h"
#include "sized.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks ---------------------------------------------------------------------------------- */

/* Checks two frames and converts them to views. */
static ssimcu_status check_frames(const ssimcu_context *context, const ssimcu_frame *ref,
                                  const ssimcu_frame *out, ssimcu_view pair[SSIMCU_PAIR],
                                  ssimcu_message *message)
{
    if (!context) FAIL(ARGUMENT, "context is NULL");
    TRY(ssimcu_frame_check(ref, "ref", message));
    TRY(ssimcu_frame_check(out, "out", message));
    pair[SSIMCU_REF] = ssimcu_view_of_frame(ref);
    pair[SSIMCU_OUT] = ssimcu_view_of_frame(out);
    const uint32_t shallow = ref->bits < out->bits ? ref->bits : out->bits;
    const uint32_t deep = ref->bits < out->bits ? out->bits : ref->bits;
    const int same_size = ref->width == out->width && ref->height == out->height;
    const int match = shallow == deep || (shallow == 8 && deep == 16) || deep >= SSIMCU_BITS_FLOAT;
    if (same_size && !match)
        FAIL(MISMATCH, "the frames differ in depth: ref has %u bits, out has %u", ref->bits,
             out->bits);
    return SSIMCU_OK;
}

static ssimcu_status check_view(const ssimcu_view *theirs, const char *name, int want_data,
                                ssimcu_view *view, ssimcu_message *message)
{
    TRY(ssimcu_view_check(theirs, name, want_data, view, message));
    if (view->frames == 1) return SSIMCU_OK;
    FAIL(ARGUMENT, "%s: %u frames: batches are for device memory, expected 0 or 1", name,
         view->frames);
}

static ssimcu_status check_views(const ssimcu_context *context, const ssimcu_view *ref,
                                 const ssimcu_view *out, int want_data,
                                 ssimcu_view pair[SSIMCU_PAIR], ssimcu_message *message)
{
    if (!context) FAIL(ARGUMENT, "context is NULL");
    TRY(check_view(ref, "ref", want_data, &pair[SSIMCU_REF], message));
    return check_view(out, "out", want_data, &pair[SSIMCU_OUT], message);
}

static void free_both(float *const memory[SSIMCU_PAIR])
{
    free(memory[SSIMCU_REF]);
    free(memory[SSIMCU_OUT]);
}

/* Returns element `index` of a caller's array of sized structs, which may be shorter than the
 * library's. */
static const void *element(const void *array, uint32_t index)
{
    size_t size;
    if (!array) return NULL;
    memcpy(&size, array, sizeof size);
    return (const char *)array + index * size;
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Runs plans one after the other and waits for all. Nothing reads the caller's memory after the
 * call, even if it fails. After a DEVICE error the context can no longer be used. */
static ssimcu_status run(ssimcu_context *context, const struct ssimcu_plan *plan, uint32_t plans,
                         float *map, struct ssimcu_results *results, ssimcu_stage_ms *ms,
                         ssimcu_message *message)
{
    ssimcu_message why = {{0}};
    TRY(ssimcu_prove(context, plan, plans, message));
    const ssimcu_status status = ssimcu_context_run(context, plan, plans, map, results, ms, &why);
    if (status == SSIMCU_ERROR_DEVICE) context->failed = why;
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", why.text);
}

/* Explains why a score is not finite if its plan counts no samples. */
static ssimcu_status explain(const struct ssimcu_context *context, const struct ssimcu_plan *plan,
                             ssimcu_message *message)
{
    struct ssimcu_light_counts counts[SSIMCU_PAIR] = {{0, 0, 0}, {0, 0, 0}};
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        if (ssimcu_samples_are_float(plan->host[slot].type)) {
            const struct ssimcu_light_frame frame = {&plan->host[slot], &plan->rule[0][slot],
                                                     &plan->bounds[slot], plan->shape.width,
                                                     plan->shape.height};
            counts[slot] = ssimcu_light_scan(&frame, context->config.threads);
        }
    if (counts[SSIMCU_REF].not_finite + counts[SSIMCU_OUT].not_finite == 0)
        return SSIMCU_ERROR_DATA;
    return ssimcu_plan_not_finite(plan, counts, message);
}

/* Like ssimcu_plan_score, for samples that can still be read. */
static ssimcu_status score_of(const struct ssimcu_context *context, const struct ssimcu_plan *plan,
                              const struct ssimcu_results *results, ssimcu_score *score,
                              uint32_t *pass, ssimcu_message *message)
{
    ssimcu_message why = {{0}};
    const ssimcu_status status = ssimcu_plan_score(plan, results, 0, score, pass, &why);
    if (status == SSIMCU_OK) return status;
    if (!ssimcu_plan_counts(plan)) (void)explain(context, plan, message);
    return ssimcu_fail(message, status, "%s", why.text);
}

/* Scores the pair of a plan. The map belongs to the pass with the lower score. If there are several
 * passes, the map is made once that pass is known. */
static ssimcu_status score_pair(ssimcu_context *context, struct ssimcu_plan *plan, float *map,
                                const struct ssimcu_tiles_memory *tiles, ssimcu_score *score,
                                ssimcu_message *message)
{
    const struct ssimcu_traits *traits = context->backend->traits(context->state);
    struct ssimcu_results results;
    ssimcu_stage_ms ms = {0};
    uint32_t pass = 0;
    if (map && plan->passes == 1) ssimcu_plan_add_map(plan, traits, pass);
    TRY(run(context, plan, 1, plan->want_map ? map : NULL, &results, &ms, message));
    TRY(score_of(context, plan, &results, score, &pass, message));
    if (map && !plan->want_map) {
        plan->metrics = 0; /* already in *score */
        ssimcu_plan_add_map(plan, traits, pass);
        TRY(run(context, plan, 1, map, &results, &ms, message));
        pass = 0;
    }
    const double *means = ssimcu_plan_means(plan, &results, 0, pass);
    ssimcu_outputs_write(plan, &means, 1, tiles, score);
    score->ms = ms;
    return ssimcu_tool_apply(&context->config.settings, plan, 1, score, message);
}

/* Checks the outputs and scores a pair without doubles. */
static ssimcu_status compare_once(ssimcu_context *context, const ssimcu_view pair[SSIMCU_PAIR],
                                  ssimcu_score *theirs, const ssimcu_map *map,
                                  const ssimcu_tiles *tiles, ssimcu_message *message)
{
    struct ssimcu_plan plan;
    ssimcu_score score;
    float *map_data = NULL;
    struct ssimcu_tiles_memory memory;
    TRY(ssimcu_sized_read(&score, sizeof score, SSIMCU_SCORE_OLDEST, theirs, "score", message));
    TRY(ssimcu_context_plan(context, pair, map, tiles, &plan, message));
    TRY(ssimcu_outputs_map(&plan, map, &map_data, message));
    TRY(ssimcu_outputs_tiles(&plan, tiles, &memory, message));
    TRY(ssimcu_context_use(context, message));
    const ssimcu_status status = score_pair(context, &plan, map_data, &memory, &score, message);
    ssimcu_context_leave(context);
    if (status == SSIMCU_OK) ssimcu_sized_write(theirs, &score);
    return status;
}

/* Compares once more on the CPU if AUTO's device computes wrongly. */
static ssimcu_status compare_floats(ssimcu_context *context, const ssimcu_view pair[SSIMCU_PAIR],
                                    ssimcu_score *score, const ssimcu_map *map,
                                    const ssimcu_tiles *tiles, ssimcu_message *message)
{
    ssimcu_message why = {{0}};
    const ssimcu_status status = compare_once(context, pair, score, map, tiles, &why);
    if (status == SSIMCU_ERROR_DEVICE && ssimcu_context_fall_back(context))
        return compare_once(context, pair, score, map, tiles, message);
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", why.text);
}

/* All comparisons of a pair come here. */
static ssimcu_status compare(ssimcu_context *context, ssimcu_view pair[SSIMCU_PAIR],
                             ssimcu_score *score, const ssimcu_map *map, const ssimcu_tiles *tiles,
                             ssimcu_message *message)
{
    float *memory[SSIMCU_PAIR];
    ssimcu_status status = ssimcu_doubles_round(context, pair, memory, message);
    if (status == SSIMCU_OK) status = compare_floats(context, pair, score, map, tiles, message);
    free_both(memory);
    return status;
}

/* ---- Entries --------------------------------------------------------------------------------- */

ssimcu_status ssimcu_compare(ssimcu_context *context, const ssimcu_frame *ref,
                             const ssimcu_frame *out, ssimcu_score *score, ssimcu_message *message)
{
    ssimcu_view pair[SSIMCU_PAIR];
    TRY(check_frames(context, ref, out, pair, message));
    return compare(context, pair, score, NULL, NULL, message);
}

ssimcu_status ssimcu_compare_views(ssimcu_context *context, const ssimcu_view *ref,
                                   const ssimcu_view *out, ssimcu_score *score, ssimcu_map *map,
                                   ssimcu_tiles *tiles, ssimcu_message *message)
{
    ssimcu_view pair[SSIMCU_PAIR];
    TRY(check_views(context, ref, out, 1, pair, message));
    return compare(context, pair, score, map, tiles, message);
}

ssimcu_status ssimcu_views_layout(ssimcu_context *context, const ssimcu_view *ref,
                                  const ssimcu_view *out, ssimcu_map *map, ssimcu_tiles *tiles,
                                  ssimcu_message *message)
{
    ssimcu_view pair[SSIMCU_PAIR];
    struct ssimcu_plan plan;
    float *none[SSIMCU_PAIR]; /* the layout has no data */
    TRY(check_views(context, ref, out, 0, pair, message));
    TRY(ssimcu_doubles_round(context, pair, none, message));
    TRY(ssimcu_context_plan(context, pair, map, tiles, &plan, message));
    return ssimcu_outputs_lay_out(&plan, map, tiles, message);
}

ssimcu_status ssimcu_frame_view(const ssimcu_frame *frame, ssimcu_view *view,
                                ssimcu_message *message)
{
    ssimcu_view own;
    TRY(ssimcu_frame_check(frame, "frame", message));
    TRY(ssimcu_sized_read(&own, sizeof own, SSIMCU_VIEW_OLDEST, view, "view", message));
    own = ssimcu_view_of_frame(frame);
    ssimcu_sized_write(view, &own);
    return SSIMCU_OK;
}

/* ---- Planes of their own sizes --------------------------------------------------------------- */

/* Makes the plan of plane p and finds the memory of its tiles. The caller frees `memory`. */
static ssimcu_status plan_plane(ssimcu_context *context, const ssimcu_view *ref,
                                const ssimcu_view *out, const ssimcu_tiles *tiles, uint32_t p,
                                struct ssimcu_plan *plan, struct ssimcu_tiles_memory *to,
                                float *memory[SSIMCU_PAIR], ssimcu_message *message)
{
    ssimcu_view pair[SSIMCU_PAIR];
    tiles = element(tiles, p);
    TRY(check_views(context, element(ref, p), element(out, p), 1, pair, message));
    if (pair[SSIMCU_REF].channels != 1 || pair[SSIMCU_OUT].channels != 1)
        FAIL(ARGUMENT, "planes: ref has %u channels and out %u, expected one each",
             pair[SSIMCU_REF].channels, pair[SSIMCU_OUT].channels);
    TRY(ssimcu_doubles_round(context, pair, memory, message));
    TRY(ssimcu_context_plan(context, pair, NULL, tiles, plan, message));
    return ssimcu_outputs_tiles(plan, tiles, to, message);
}

/* Computes the mean of the planes' scores, weighted by their areas. */
static ssimcu_status join_planes(const ssimcu_context *context, const struct ssimcu_plan *plan,
                                 uint32_t planes, const struct ssimcu_results *results,
                                 const struct ssimcu_tiles_memory *tiles, ssimcu_score *score,
                                 ssimcu_message *message)
{
    double sum = 0, area = 0;
    int all_are_1 = 1;
    const double *means[SSIMCU_MAX_CHANNELS];
    ssimcu_score plane[SSIMCU_MAX_CHANNELS];
    score->channels = planes;
    for (uint32_t p = 0; p < planes; p++) {
        const double pixels = (double)plan[p].shape.width * plan[p].shape.height;
        uint32_t pass = 0;
        TRY(score_of(context, &plan[p], &results[p], &plane[p], &pass, message));
        const ssimcu_score own = plane[p];
        means[p] = ssimcu_plan_means(&plan[p], &results[p], 0, pass);
        score->channel[p] = own.score;
        for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
            score->light[slot].clamped += own.light[slot].clamped;
            score->light[slot].not_finite += own.light[slot].not_finite;
        }
        if (score->bits < own.bits) score->bits = own.bits;
        sum += own.score * pixels;
        area += pixels;
        all_are_1 &= own.score == 1;
    }
    score->score = planes > 1 ? ssimcu_mean_of(sum / area, all_are_1) : score->channel[0];
    ssimcu_metrics_join(plan, planes, plane, score);
    ssimcu_outputs_write(plan, means, planes, tiles, score);
    return ssimcu_tool_apply(&context->config.settings, plan, planes, score, message);
}

static ssimcu_status run_planes(ssimcu_context *context, const struct ssimcu_plan *plan,
                                uint32_t planes, const struct ssimcu_tiles_memory *tiles,
                                ssimcu_score *score, ssimcu_message *message)
{
    struct ssimcu_results results[SSIMCU_MAX_CHANNELS];
    TRY(ssimcu_context_use(context, message));
    ssimcu_status status = run(context, plan, planes, NULL, results, &score->ms, message);
    if (status == SSIMCU_OK)
        status = join_planes(context, plan, planes, results, tiles, score, message);
    ssimcu_context_leave(context);
    return status;
}

/* Names the plane that is too small, because U and V have other sizes than the frame. */
static void name_plane(uint32_t p, ssimcu_message *message)
{
    if (!message) return;
    const ssimcu_message own = *message;
    snprintf(message->text, sizeof message->text, "plane %u: %.400s", p + 1, own.text);
}

static ssimcu_status compare_planes_once(ssimcu_context *context, const ssimcu_view *ref,
                                         const ssimcu_view *out, uint32_t planes,
                                         ssimcu_score *score, ssimcu_tiles *tiles,
                                         ssimcu_message *message)
{
    struct ssimcu_plan plan[SSIMCU_MAX_CHANNELS];
    struct ssimcu_tiles_memory to[SSIMCU_MAX_CHANNELS];
    float *memory[SSIMCU_MAX_CHANNELS][SSIMCU_PAIR] = {{NULL}};
    ssimcu_score own, made = SSIMCU_INIT(score);
    if (!context) FAIL(ARGUMENT, "context is NULL");
    if (planes < 1 || planes > SSIMCU_MAX_CHANNELS)
        FAIL(ARGUMENT, "planes is %u, expected 1 to %d", planes, SSIMCU_MAX_CHANNELS);
    ssimcu_status status =
        ssimcu_sized_read(&own, sizeof own, SSIMCU_SCORE_OLDEST, score, "score", message);
    for (uint32_t p = 0; p < planes && status == SSIMCU_OK; p++) {
        status = plan_plane(context, ref, out, tiles, p, &plan[p], &to[p], memory[p], message);
        if (status == SSIMCU_ERROR_TOO_SMALL && planes > 1) name_plane(p, message);
    }
    if (status == SSIMCU_OK) ssimcu_metrics_share(plan, planes);
    if (status == SSIMCU_OK) status = ssimcu_metrics_set_video(plan, planes, message);
    if (status == SSIMCU_OK) status = run_planes(context, plan, planes, to, &made, message);
    for (uint32_t p = 0; p < planes; p++) free_both(memory[p]);
    if (status == SSIMCU_OK) ssimcu_sized_write(score, &made);
    return status;
}

ssimcu_status ssimcu_compare_planes(ssimcu_context *context, const ssimcu_view *ref,
                                    const ssimcu_view *out, uint32_t planes, ssimcu_score *score,
                                    ssimcu_tiles *tiles, ssimcu_message *message)
{
    ssimcu_message why = {{0}};
    const ssimcu_status status = compare_planes_once(context, ref, out, planes, score, tiles, &why);
    if (status == SSIMCU_ERROR_DEVICE && ssimcu_context_fall_back(context))
        return compare_planes_once(context, ref, out, planes, score, tiles, message);
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", why.text);
}
