/* ssimcu REF OUT: a batch of one, but faster. The record is delivered like any other. */
#include "delivery.h"
#include "files.h"
#include "run.h"
#include "signals.h"

#include "fail.h"

#include <stdlib.h>

/* The run of a pair. `status` is the first failure. */
struct pair_run {
    struct delivery delivery;
    struct console_pair facts;
    struct picture_pair pictures;
    ssimcu_status status;
    ssimcu_message message;
};

/* Writes the map; with -v, says what its colours stand for. */
static void write_map(struct pair_run *run)
{
    const struct options *options = run->delivery.options;
    const struct record *record = &run->pictures.pair.record;
    const struct shown_frame out = {run->pictures.pair.plane[1], 1, NULL, record->background,
                                    options->settings.gain};
    struct map_files *maps = &run->delivery.maps;
    ssimcu_floats map = {0};
    if (!options->map) return;
    maps->status = map_of_picture(&run->pictures.map, &map, &maps->message);
    if (maps->status != SSIMCU_OK) return;
    const struct map_range range = map_range(&map);
    maps->status =
        map_file_write(options->map, options->map_style, &map, &range, &out, &maps->message);
    if (maps->status == SSIMCU_OK && options->verbose && options->map_style != MAP_GREY)
        console_line("map %s: black is %.6f and above, yellow %.6f and below", options->map,
                     range.high, range.low);
    free(map.value);
}

/* ---- The run --------------------------------------------------------------------------------- */

static bool is_stopped(void) { return ssimcu_is_stopped(signals_stop()); }

/* Scores the pair. The record is then a scored or a failed one, unless a signal came. */
static void score_record(struct pair_run *run)
{
    const struct options *options = run->delivery.options;
    struct picture_pair *pictures = &run->pictures;
    struct record *record = &pictures->pair.record;
    ssimcu_image_options image = options->image;
    image.threads = options->settings.threads;
    if (options->verbose) image.remark = console_remark;
    pictures->image = &image;
    if (record->kind == RECORD_FAILED) /* memory ran out for its names */
        run->status = ssimcu_fail(&run->message, record->status, "%s", record->message.text);
    else
        run->status = picture_pair_score(pictures, &run->message);
    if (pictures->scored) {
        if (options->verbose) console_stages(&run->facts);
        write_map(run);
    } else if (run->status != SSIMCU_OK) {
        console_line("%s", run->message.text);
        if (record->kind == RECORD_SCORED) record_fail(record, run->status, &run->message);
    }
}

/* Returns the exit code. That of a failure comes before that of an incomplete batch. */
static enum exit_code conclude(const struct pair_run *run, enum exit_code code)
{
    const bool cut = !run->delivery.summary.complete || run->delivery.report_stopped;
    if (cut && is_stopped() && code != EXIT_OUTPUT) {
        console_line("stopped by a signal");
        return (enum exit_code)(EXIT_SIGNAL + signals_caught());
    }
    if (run->status == SSIMCU_OK || code == EXIT_OUTPUT || code == EXIT_INTERNAL) return code;
    return run->status == SSIMCU_ERROR_MEMORY && run->pictures.on_device
               ? EXIT_DEVICE
               : console_exit_code(run->status);
}

/* Scores the pair of the source. There is none if it is in another share. */
static enum exit_code score(struct pair_run *run, struct source *source)
{
    struct delivery *delivery = &run->delivery;
    struct record *record = &run->pictures.pair.record;
    ssimcu_message message = {{0}};
    const ssimcu_status status = delivery_begin(delivery, source, &message);
    if (status != SSIMCU_OK) return delivery_complain(status, &message);
    if (source->kind->next(source, &run->pictures.pair)) {
        const bool known = delivery_find_known(delivery, record);
        if (!known) score_record(run);
        if (!is_stopped()) delivery_take(delivery, record, known);
    }
    delivery->summary.complete = delivery->status == SSIMCU_OK && !is_stopped();
    const enum exit_code code = delivery_report(delivery, delivery_end(delivery));
    record_clear(record);
    return conclude(run, code);
}

static ssimcu_status check_files(const struct options *options, const struct source *source,
                                 ssimcu_message *message)
{
    struct files files = {0};
    ssimcu_status status = files_add(&files, options, true, message);
    if (status == SSIMCU_OK) status = files_check(&files, source, message);
    files_free(&files);
    return status;
}

enum exit_code run_pair(const struct options *options)
{
    struct source *source = NULL;
    struct console_progress progress;
    struct pair_run run = {
        .delivery = {.options = options,
                     .pair = &run.facts,
                     .input = &options->input,
                     .settings = &options->settings,
                     .progress = &progress,
                     .seconds = -1,
                     .stopped = signals_stop_report},
        .facts = {.options = options, .pictures = &run.pictures},
        .pictures = {.settings = &options->settings,
                     .region = &options->input.region,
                     .tile = options->tile,
                     .wants_map = options->map != NULL,
                     .stop = signals_stop(),
                     .side = {{.path = options->input.path[0]}, {.path = options->input.path[1]}}}};
    ssimcu_message message = {{0}};
    const enum progress kind = options->batch.progress;
    signals_catch();
    console_progress_start(&progress, kind == PROGRESS_OPENJD ? kind : PROGRESS_NONE, 1);
    ssimcu_status status = source_open(&options->input, &source, &message);
    if (status == SSIMCU_OK) status = check_files(options, source, &message);
    const enum exit_code code =
        status == SSIMCU_OK ? score(&run, source) : delivery_complain(status, &message);
    console_progress_end(&progress);
    delivery_free(&run.delivery);
    picture_pair_free(&run.pictures);
    source_close(source);
    return code;
}
