#include "delivery/delivery.h"

#include "base/json.h"
#include "base/refuse.h"
#include "delivery/picture_pair.h"
#include "delivery/run_header.h"
#include "limits/limits_file.h"
#include "options/files.h"
#include "options/internal.h"
#include "pair/match.h"
#include "record/record.h"
#include "source/share.h"

#include <stdio.h>
#include <string.h>

/* ---- The beginning --------------------------------------------------------------------------- */

/* Gives the caller the result lines that go to no file. A pair's object comes at the end. */
static ssimcu_status open_stream(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    if (options->run.output || !delivery->hooks->call.line || (delivery->pictures && !options->csv))
        return SSIMCU_OK;
    if (outputs_stream(&options->run)) return SSIMCU_OK;
    return writer_stream(hooks_print_line, delivery->hooks, options->csv, &delivery->writer,
                         message);
}

/* Refuses to judge the findings of another version, which may have other kinds. */
static ssimcu_status check_version(const json_t *contract, ssimcu_message *message)
{
    const char *version = json_text(contract, "ssimcu");
    if (version && strcmp(version, ssimcu_version()) == 0) return SSIMCU_OK;
    FAIL(MISMATCH, "merge: ssimcu %.40s made these results of a check, and this is %s",
         version ? version : "of an unknown version", ssimcu_version());
}

/* Names the chosen kinds; merged results have the kinds of their runs. */
static ssimcu_status name_kinds(struct delivery *delivery, const struct limits *limits,
                                ssimcu_message *message)
{
    struct json_t *contract = run_header_check_contract(limits);
    if (!contract) return no_memory(message);
    json_decref(delivery->header.contract);
    delivery->header.contract = contract;
    return SSIMCU_OK;
}

/* Sets the kinds that fail a frame without a reference: those of the options, or of the merged
 * results. Such frames have no other limits. */
static ssimcu_status take_kinds(struct delivery *delivery, struct limits *limits,
                                ssimcu_message *message)
{
    const json_t *names = json_object_get(delivery->header.contract, "fail_on"), *name;
    struct limits others = *limits;
    size_t i;
    others.has_fail_on = false;
    if (verdict_any_limit(&others) || delivery->limits || delivery->options->run.baseline)
        FAIL(ARGUMENT, "merge: results of a check take no limit but --fail-on");
    TRY(check_version(delivery->header.contract, message));
    if (limits->has_fail_on) return name_kinds(delivery, limits, message);
    if (delivery->earlier.mixed && delivery->options->run.merges > 0)
        FAIL(MISMATCH, "merge: the checks have different kinds that fail: expected --fail-on");
    limits->has_fail_on = true;
    json_array_foreach(names, i, name)
    {
        const char *text = json_string_value(name);
        const int kind = text ? finding_named(text, strlen(text)) : FINDING_KINDS;
        if (kind < FINDING_KINDS) limits->fail_on |= finding_bit(kind);
    }
    return SSIMCU_OK;
}

/* Joins the limits of the options and of the file, and refuses limits without the data that they
 * judge. */
static ssimcu_status join_limits(struct delivery *delivery, struct limits *limits,
                                 ssimcu_message *message)
{
    const struct options *options = delivery->options;
    *limits = options->limits;
    limits->alone = delivery->header.check;
    if (options->run.merges > 0 && options->run.fail_on) /* the merged results are known now */
        TRY(findings_read(options->run.fail_on,
                          delivery->header.check ? FINDING_BY_CHECK : FINDING_OF_PAIRS, "--fail-on",
                          &limits->fail_on, message));
    if (delivery->header.check) return take_kinds(delivery, limits, message);
    if (!delivery->limits && options->run.merges == 0) return SSIMCU_OK;
    limits->file = delivery->limits;
    for (int f = 0; f < FINDING_MISSING; f++)
        if (limits_has(limits, f) && limits_file_has(limits->file) >> f & 1)
            hooks_log(delivery->hooks, SSIMCU_LOG_WARNING, "%s overrides %s of %s",
                      finding_row(f)->option, finding_row(f)->in_file, limits->file->path);
    return limit_options_match(options, limits, message);
}

/* The frames that will be judged. */
struct judging {
    struct json_t *contract;
    const char *what;  /* the holder of that contract: "this run" */
    const char *alone; /* why frames lack neighbours, such as "a list"; NULL: they do not */
};

/* Refuses limits on hints if they cannot judge any frame. */
static ssimcu_status check_neighbours(const struct limits *limits, const struct judging *judging,
                                      ssimcu_message *message)
{
    if (!judging->alone || !limit_options_need_neighbours(limits)) return SSIMCU_OK;
    FAIL(ARGUMENT,
         "--fail-on: duplicate and frame-offset need neighbouring frames, which %s does not have",
         judging->alone);
}

/* Starts the summary and the verdict, and reads the baseline. */
static ssimcu_status start(struct delivery *delivery, const struct judging *judging,
                           ssimcu_message *message)
{
    struct json_t *contract = judging->contract;
    const struct options *options = delivery->options;
    const char *path = options->run.baseline;
    summary_start(&delivery->summary, options->run.worst);
    (void)contract_metrics(contract, &delivery->summary.metric);
    struct limits limits;
    TRY(join_limits(delivery, &limits, message));
    if (delivery->limits)
        TRY(limits_check_contract(delivery->limits, contract, judging->what, message));
    TRY(check_neighbours(&limits, judging, message));
    verdict_start(&delivery->verdict, &limits);
    delivery->verdict.furthest.most = options->run.worst;
    if (!path) return SSIMCU_OK;
    TRY(results_reader_add(&delivery->baseline, path, true, message));
    TRY(results_reader_has_scores(&delivery->baseline, path, message));
    char named[320];
    snprintf(named, sizeof named, "--baseline %.300s", path);
    return header_check_ssim(contract, delivery->baseline.header.contract, named, message);
}

/* Reads earlier results, and checks that they belong to the same batch. */
static ssimcu_status resume(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    const char *path = options->run.resume;
    struct results_reader *earlier = &delivery->earlier;
    if (!path) return SSIMCU_OK;
    TRY(results_reader_resume(earlier, path, message));
    if (!earlier->header.contract) return SSIMCU_OK;
    TRY(header_check(&delivery->header, &earlier->header, path, message));
    if (output_appends(&options->run)) TRY(results_reader_save(earlier, path, message));
    if (earlier->count > 0) header_join_devices(&delivery->header, &earlier->header);
    return SSIMCU_OK;
}

/* Writes the first line; for a pair, delivery_name_device writes it. From here on, outputs of an
 * earlier run cannot pass for those of this one, even if it is killed. */
static ssimcu_status write_header(struct delivery *delivery, ssimcu_message *message)
{
    if (delivery->writer && !delivery->pictures)
        TRY(writer_begin(delivery->writer, &delivery->header, message));
    return outputs_begin(delivery, message);
}

ssimcu_status delivery_begin(struct delivery *delivery, const struct source *source,
                             ssimcu_message *message)
{
    const struct options *options = delivery->options;
    struct header *header = &delivery->header;
    const bool pair = delivery->pictures != NULL;
    TRY(run_header_make(options, source_is_video(source), pair, header, message));
    source_digest(source, delivery->number, header->input_digest);
    const struct judging judging = {header->contract, "this run",
                                    pair                  ? "a pair of pictures"
                                    : options->input.list ? "a list"
                                    : options->run.frames ? "a run of --frames"
                                                          : NULL};
    TRY(start(delivery, &judging, message));
    TRY(outputs_open(delivery, message));
    TRY(open_stream(delivery, message));
    TRY(resume(delivery, message));
    return write_header(delivery, message);
}

void delivery_name_device(struct delivery *delivery)
{
    const struct picture_pair *pair = delivery->pictures;
    if (pair->device && strcmp(pair->device, "cpu") != 0 && pair->reason[0])
        delivery->status = run_header_name_gpu(&delivery->header, pair->reason, &delivery->message);
    if (delivery->status == SSIMCU_OK && delivery->writer)
        delivery->status = writer_begin(delivery->writer, &delivery->header, &delivery->message);
}

/* Refuses to judge merged scores by other learned limits than those of their runs. */
static ssimcu_status check_learned(const struct delivery *delivery, ssimcu_message *message)
{
    const struct limits_file *file = delivery->limits;
    const char *learned = contract_learned(delivery->earlier.header.contract);
    if (strcmp(file ? file->learned.print : "", learned) == 0) return SSIMCU_OK;
    if (!file)
        FAIL(MISMATCH, "merge: these scores were compared with learned limits: expected the "
                       "--limits of the runs");
    FAIL(MISMATCH,
         "%.300s: these scores were compared with %s: score again, or give the limits of the runs",
         file->path,
         learned[0] ? "the learned limits of another calibration" : "no learned limits");
}

/* Refuses to judge merged scores by rules that their runs did not have. */
static ssimcu_status check_rules(const struct limits_file *file, const json_t *contract,
                                 ssimcu_message *message)
{
    const char *what = NULL;
    if (strcmp(file->ignored, contract_ignored(contract)) != 0)
        what = "ignore other areas than";
    else if (strcmp(file->compared, contract_compared(contract)) != 0)
        what = "compare layers in another way than";
    if (!what) return SSIMCU_OK;
    FAIL(MISMATCH, "%.300s: its rules %s these scores: score again with it", file->path, what);
}

ssimcu_status delivery_begin_merge(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    struct results_reader *earlier = &delivery->earlier;
    TRY(outputs_open(delivery, message));
    TRY(open_stream(delivery, message));
    for (uint32_t i = 0; i < options->run.merges; i++)
        TRY(results_reader_add(earlier, options->run.merge[i], false, message));
    if (!earlier->header.contract) FAIL(DATA, "merge: these files contain no results");
    if (options->run.rerender && !earlier->header.check)
        FAIL(ARGUMENT, "merge: --rerender is for results of a check");
    if (delivery->limits && !earlier->header.check)
        TRY(check_rules(delivery->limits, earlier->header.contract, message));
    header_copy(&delivery->header, &earlier->header);
    delivery->header.shards = 0; /* the merged results contain all shares */
    const struct judging judging = {delivery->header.contract, "these scores",
                                    earlier->chosen     ? "a run of a list or of --frames"
                                    : earlier->no_hints ? "a run without this limit"
                                                        : NULL};
    TRY(start(delivery, &judging, message));
    if (delivery->header.check) return write_header(delivery, message);
    TRY(check_learned(delivery, message));
    if (earlier->limited && !verdict_any_limit(&delivery->verdict.limits))
        FAIL(MISMATCH,
             "merge: shares do not judge limits: expected the limits of the shares for the merge");
    return write_header(delivery, message);
}

/* ---- An early end ---------------------------------------------------------------------------- */

/* Returns whether the outputs may be written, judging by their names. */
static bool may_write(const struct options *options, bool pair)
{
    struct files files = {0};
    ssimcu_message ignored = {{0}};
    ssimcu_status status = files_add(&files, options, pair, &ignored);
    if (status == SSIMCU_OK) status = files_check(&files, NULL, NULL, &ignored);
    files_free(&files);
    return status == SSIMCU_OK || status == SSIMCU_ERROR_WRITE; /* each output is checked below */
}

/* Withdraws the outputs of these phases, a bit each. */
static void withdraw(const struct options *options, struct hooks *hooks, unsigned phases,
                     const struct early_end *early)
{
    for (const struct output *output = outputs; output->option; output++) {
        ssimcu_message message = {{0}};
        if (!(phases >> output->phase & 1) || !output->withdraw ||
            !output_is_wanted(output, options))
            continue;
        const ssimcu_status done = output->withdraw(options, early, &message);
        const bool said = strcmp(message.text, early->why) == 0;
        if (done != SSIMCU_OK && !said) hooks_log(hooks, SSIMCU_LOG_WARNING, "%s", message.text);
    }
}

static struct early_end early_of(const struct options *options, ssimcu_status status,
                                 const char *why, bool locked)
{
    const struct source_input *input = &options->input;
    return (struct early_end){
        status, why, {input->path[0], input->path[1] ? input->path[1] : input->list}, locked};
}

void delivery_withdraw(const struct options *options, bool pair, struct hooks *hooks,
                       ssimcu_status status, const ssimcu_message *why, bool locked)
{
    const struct early_end early = early_of(options, status, why->text, locked);
    if (status == SSIMCU_ERROR_ARGUMENT || !may_write(options, pair)) return;
    withdraw(options, hooks, 1u << OUTPUT_FIRST | 1u << OUTPUT_PAGES | 1u << OUTPUT_LAST, &early);
}

void delivery_withdraw_pages(const struct delivery *delivery)
{
    const char *why = delivery->message.text[0] ? delivery->message.text : "the run has failed";
    const struct early_end early = early_of(delivery->options, delivery->status, why, true);
    withdraw(delivery->options, delivery->hooks,
             1u << OUTPUT_PAGES | (unsigned)!delivery->ended << OUTPUT_LAST, &early);
}

/* ---- Records --------------------------------------------------------------------------------- */

bool delivery_find_known(const struct delivery *delivery, struct record *record)
{
    struct record old;
    if (!results_reader_find(&delivery->earlier, record->shot, record->frame, &old)) return false;
    bool same = record_same_files(&old, record);
    if (same && old.variant.path) same = record_is_unchanged(&old.variant);
    if (same && limit_options_need_neighbours(&delivery->verdict.limits))
        same = old.text[RECORD_PENDING_HINTS] != NULL; /* its neighbours could not be analysed */
    if (same && delivery->options->run.variants > 0) same = !delivery_is_beyond(delivery, &old);
    record_clear(same ? record : &old);
    if (same) *record = old;
    return same;
}

/* Finds the baseline of a scored record. Returns false if there is none. Many threads may call
 * it. */
static bool find_baseline(const struct delivery *delivery, const struct record *record,
                          struct verdict_baseline *baseline)
{
    struct record old;
    const struct results_reader *earlier = &delivery->baseline;
    if (record->kind != RECORD_SCORED ||
        !(contract_is_video(earlier->header.contract)
              ? results_reader_find(earlier, record->shot, record->frame, &old)
              : results_reader_find_picture(earlier, record, delivery->options->input.list, &old)))
        return false;
    const ssimcu_ignored *ignored = &record->scored.ignored, *was = &old.scored.ignored;
    const bool same = ignored->tiles == was->tiles && ignored->crc == was->crc;
    const bool has = same && record_has(&old, SSIMCU_METRIC_SSIM);
    *baseline = (struct verdict_baseline){old.scored.score, old.scored.tile.score,
                                          old.scored.tile.width > 0};
    record_clear(&old);
    return has;
}

bool delivery_is_beyond(const struct delivery *delivery, const struct record *record)
{
    struct verdict_baseline baseline;
    const bool found = find_baseline(delivery, record, &baseline);
    const struct judged judged =
        verdict_judge(&delivery->verdict.limits, record, found ? &baseline : NULL, NULL);
    return (judged.fails & ~findings_by(FINDING_OF_PAIRS)) != 0; /* hints are not made yet */
}

/* Reports once per metric that a frame is too small for it. A tool has other numbers. */
static void print_lacking(struct delivery *delivery, const struct record *record)
{
    char name[TEXT_FRAME];
    const uint32_t wanted = delivery->options->input.metrics & ~delivery->said;
    for (int m = 0; m < SSIMCU_METRICS && record->kind == RECORD_SCORED; m++) {
        if (!(wanted >> m & 1) || record_has(record, (ssimcu_metric)m)) continue;
        delivery->said |= 1u << m;
        hooks_log(delivery->hooks, SSIMCU_LOG_WARNING,
                  "frame %s is too small for %s and has only its other metrics; other frames may "
                  "be too small, too",
                  text_frame(name, record->shot, record->frame), metrics_title((ssimcu_metric)m));
    }
}

/* Reports once that the files of a frame declare different colours. */
static void remark_colours(struct delivery *delivery, const struct record *record)
{
    char line[700];
    const char *colours = record->text[RECORD_COLOURS];
    if (!colours || delivery->colours_said) return;
    const char *out = record->side[1].path;
    match_colours_line(out ? out : "", colours, line, sizeof line);
    hooks_log(delivery->hooks, SSIMCU_LOG_WARNING, "%s", line);
    delivery->colours_said = true;
}

bool delivery_take(void *user, struct record *record, bool known)
{
    struct delivery *delivery = user;
    struct verdict_baseline baseline;
    const bool found = find_baseline(delivery, record, &baseline);
    if (!known) findings_detect(record);
    const struct judged judged = verdict_add(&delivery->verdict, record, found ? &baseline : NULL);
    delivery->baseline_frames += found;
    summary_add(&delivery->summary, record);
    print_lacking(delivery, record);
    remark_colours(delivery, record);
    if (delivery->status == SSIMCU_OK && record->findings.out_of_memory)
        delivery->status = no_memory(&delivery->message); /* a finding that fails it may be lost */
    if (delivery->status == SSIMCU_OK) outputs_add(delivery, record, &judged);
    if (delivery->status == SSIMCU_OK && delivery->writer)
        delivery->status = writer_add(delivery->writer, record, &delivery->message);
    if (delivery->status == SSIMCU_OK)
        delivery->status = hooks_record(delivery->hooks, record, known, &delivery->message);
    return delivery->status == SSIMCU_OK;
}
