/* REF and OUT are two pictures: a batch of one pair, but faster. The record is delivered like any
 * other.
 */
#include "run/run.h"

#include "base/refuse.h"
#include "options/internal.h"
#include "record/record.h"

#include "delivery/exit_code.h"
#include "messages/describe.h"

#include <stdlib.h>
#include <string.h>

/* Writes the map and prints the meaning of its colours. */
static void write_map(struct ssimcu_run *run)
{
    const struct options *options = &run->options;
    const struct record *record = run->pictures.pair.record;
    const struct shown_frame out = {run->pictures.pair.plane[1], 1, NULL, record->scored.background,
                                    options->settings.gain};
    struct map_files *maps = &run->out->delivery.maps;
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_floats map = {0};
    if (!options->run.map) return;
    maps->status = excess_score(run_judge(run), run->pictures.context, &run->pictures.pair, &score,
                                &map, &maps->message);
    const bool excess = map.value != NULL;
    if (maps->status == SSIMCU_OK && !excess)
        maps->status = map_of_picture(&run->pictures.map, &map, &maps->message);
    if (maps->status != SSIMCU_OK) return;
    const struct map_range range = excess ? map_of_excess(&map) : map_range(&map);
    maps->status = map_file_write(options->run.map, options->run.map_style, &map, &range, &out,
                                  &maps->message);
    if (maps->status == SSIMCU_OK && excess)
        hooks_log(&run->hooks, SSIMCU_LOG_DETAIL,
                  "map %s: each tile as a multiple of its limits, from 0 to %g", options->run.map,
                  MAP_EXCESS_MOST);
    else if (maps->status == SSIMCU_OK && options->run.map_style != SSIMCU_MAP_GREY)
        hooks_log(&run->hooks, SSIMCU_LOG_DETAIL,
                  "map %s: black is %.6f and above, yellow %.6f and below", options->run.map,
                  range.high, range.low);
    free(map.value);
}

static struct picture_pair pair_of(const struct ssimcu_run *run)
{
    struct picture_pair pair = picture_pair_of(&run->options);
    pair.judge = run_judge(run);
    pair.wants_map = run->options.run.map != NULL;
    pair.counts = run->input.counts;
    pair.diff = run->input.diff;
    pair.stop = &run->stop;
    return pair;
}

/* Makes a pair of the same OUT with a variant, on the open device. */
static bool make_other(const struct ssimcu_run *run, uint32_t at, const struct variant_frame *frame,
                       struct picture_pair *other)
{
    const struct picture_pair *pictures = &run->pictures;
    *other = pair_of(run);
    other->image = pictures->image;
    other->context = pictures->context;
    other->side[0].path = frame->ref.path;
    other->side[1] = pictures->side[1];
    other->side[1].frame = (ssimcu_frame){0};
    other->side[1].decode_ms = 0;
    struct record *record = other->pair.record;
    bool good = record && record_copy(record, pictures->pair.record);
    if (good) {
        record->scored.range.known = false;
        record->reference = at + 1;
        record->variant = frame->ref;
        record->variant.path = strdup(frame->ref.path);
        good = record->variant.path != NULL;
    }
    if (!good) record_free(record);
    return good;
}

/* Replaces the run's pair by the other. The device stays open. */
static void take_other(struct picture_pair *pictures, struct picture_pair *other)
{
    for (int i = 0; i < 2; i++) ssimcu_frame_free(&pictures->side[i].frame);
    free(pictures->map.data);
    learned_tiles_free(&pictures->tiles);
    record_free(pictures->pair.record);
    memcpy(pictures->side, other->side, sizeof pictures->side);
    pictures->map = other->map;
    pictures->tiles = other->tiles;
    pictures->score = other->score;
    pictures->pair = other->pair;
}

/* Scores a pair that is beyond a limit against each variant, until it meets the limits. Errors:
 * MEMORY, DEVICE; all others are only printed. */
static ssimcu_status try_variants(struct ssimcu_run *run, ssimcu_message *message)
{
    struct picture_pair *pictures = &run->pictures;
    const struct delivery *delivery = &run->out->delivery;
    bool beyond = delivery_is_beyond(delivery, pictures->pair.record);
    for (uint32_t i = 0; i < variants_count(run->variants) && beyond; i++) {
        struct picture_pair other;
        ssimcu_message why = {{0}};
        const struct variant_frame *frame = variants_find(run->variants, i, pictures->pair.record);
        if (!frame) continue;
        if (!make_other(run, i, frame, &other)) return no_memory(message);
        const ssimcu_status status = picture_pair_score(&other, &why);
        const bool ends = status == SSIMCU_ERROR_MEMORY || status == SSIMCU_ERROR_DEVICE;
        if (status != SSIMCU_OK && !ends)
            hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "--or: %s", why.text);
        beyond = !other.scored || delivery_is_beyond(delivery, other.pair.record);
        if (!beyond) {
            take_other(pictures, &other);
            continue;
        }
        picture_pair_free(&other);
        if (ends) return ssimcu_fail(message, status, "%s", why.text);
    }
    return SSIMCU_OK;
}

/* Scores the pair. Afterwards the record is scored or failed, unless the run was stopped. Returns
 * the error. */
static ssimcu_status score_record(struct ssimcu_run *run)
{
    struct picture_pair *pictures = &run->pictures;
    struct record *record = pictures->pair.record;
    ssimcu_image_options image = run->options.image;
    ssimcu_message why = {{0}};
    const struct line_sink to = {hooks_detail, &run->hooks};
    ssimcu_status status = record->status; /* not OK: memory ran out for its names */
    image.threads = run->options.settings.threads;
    pictures->image = &image;
    if (record->kind == RECORD_FAILED)
        why = record->message;
    else
        status = picture_pair_score(pictures, &why);
    if (pictures->fell_back)
        hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "%s: the CPU scores the pair", pictures->reason);
    if (pictures->scored && run->variants) status = try_variants(run, &why);
    pictures->image = NULL;
    if (pictures->scored && status == SSIMCU_OK) {
        if (run->hooks.call.log) describe_stages(&run->out->delivery, &to);
        write_map(run);
    } else if (status != SSIMCU_OK) {
        hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "%s", why.text);
        record = pictures->pair.record; /* with REF, or with the variant that it meets */
        if (record->kind == RECORD_SCORED) record_fail(record, status, &why);
    }
    return status;
}

/* Scores the pair of the source, unless it is in another share. */
static ssimcu_status score(struct ssimcu_run *run, ssimcu_message *message)
{
    struct delivery *delivery = &run->out->delivery;
    ssimcu_status status = SSIMCU_OK;
    const bool any = run->source->kind->next(run->source, &run->pictures.pair);
    const bool known = any && delivery_find_known(delivery, run->pictures.pair.record);
    (void)message; /* a failed pair is a record, and its code precedes the verdict's */
    if (any && !known) status = score_record(run);
    if (status != SSIMCU_OK)
        run->code = status == SSIMCU_ERROR_MEMORY && run->pictures.on_device ? SSIMCU_EXIT_DEVICE
                                                                             : exit_code_of(status);
    delivery_name_device(delivery);
    if (any && !ssimcu_is_stopped(&run->stop))
        delivery_take(delivery, run->pictures.pair.record, known);
    run->cancelled = ssimcu_is_stopped(&run->stop);
    delivery->summary.complete = delivery->status == SSIMCU_OK && !run->cancelled;
    return SSIMCU_OK;
}

static ssimcu_status open_pair(struct ssimcu_run *run, ssimcu_message *message)
{
    run->pictures = pair_of(run);
    if (!run->pictures.pair.record) return no_memory(message);
    TRY(source_open(&run->input, &run->source, message));
    TRY(kinds_check(&run->options, run->source, message));
    return run_open_variants(run, message);
}

const struct work work_pair = {.open = open_pair, .work = score};
