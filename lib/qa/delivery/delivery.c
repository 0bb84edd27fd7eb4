#include "delivery/delivery.h"

#include "base/guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "delivery/picture_pair.h"
#include "delivery/run_header.h"
#include "facts/record.h"
#include "limits/limits_file.h"
#include "options/files.h"
#include "options/parts.h"
#include "pair/match.h"

#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

/* ---- The beginning --------------------------------------------------------------------------- */

/* Returns whether results go to the very file that is resumed. */
static bool goes_on(const struct options *options)
{
    return options->run.resume && options->run.output &&
           strcmp(options->run.output, options->run.resume) == 0;
}

/* Opens the results, so that no other run may write there. What an earlier run has left is still
 * there. */
static ssimcu_status open_results(struct delivery *delivery, ssimcu_message *message)
{
    if (delivery->options->run.output)
        return writer_open(delivery->options->run.output, delivery->options->csv,
                           goes_on(delivery->options), &delivery->writer, message);
    /* The caller gets the lines of results. A pair's object comes at the end. */
    if (!delivery->hooks->call.line || (delivery->pictures && !delivery->options->csv))
        return SSIMCU_OK;
    return writer_stream(hooks_line, delivery->hooks, delivery->options->csv, &delivery->writer,
                         message);
}

static ssimcu_status open_report(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    if (!options->run.report) return SSIMCU_OK;
    return report_open(options->run.report, options->run.report_frames, &delivery->report, message);
}

/* Puts the limits of the options and of the file together, and refuses limits that lack what they
 * are held against. */
static ssimcu_status join_limits(const struct delivery *delivery, struct limits *limits,
                                 ssimcu_message *message)
{
    const struct options *options = delivery->options;
    *limits = options->limits;
    if (!delivery->limits) return SSIMCU_OK;
    limits->file = delivery->limits;
    for (int f = 0; f < FAULT_MISSING; f++)
        if (limits_has(limits, f) && limits_file_has(limits->file) >> f & 1)
            hooks_log(delivery->hooks, SSIMCU_LOG_WARNING, "%s overrules %s of %s",
                      faults_row(f)->option, faults_row(f)->in_file, limits->file->path);
    return limit_options_match(options, limits, message);
}

/* What is about to be judged. */
struct judging {
    struct json_t *contract;
    const char *what;  /* what has that contract: "this run" */
    const char *alone; /* why frames have no neighbours, such as "a list"; NULL: they have */
};

/* Refuses limits of hints that no frame can be held against. */
static ssimcu_status check_neighbours(const struct limits *limits, const struct judging *judging,
                                      ssimcu_message *message)
{
    if (!judging->alone || !limit_options_need_neighbours(limits)) return SSIMCU_OK;
    return refuse(message,
                  "--fail-on-hint: stuck and frame are seen beside all other frames, which %s does "
                  "not have",
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
    ssimcu_status status = join_limits(delivery, &limits, message);
    if (status == SSIMCU_OK && delivery->limits)
        status = limits_check_contract(delivery->limits, contract, judging->what, message);
    if (status == SSIMCU_OK) status = check_neighbours(&limits, judging, message);
    verdict_start(&delivery->verdict, &limits);
    delivery->verdict.furthest.most = options->run.worst;
    if (!path || status != SSIMCU_OK) return status;
    status = earlier_add(&delivery->baseline, path, true, message);
    if (status != SSIMCU_OK || contract_same_ssim(delivery->baseline.header.contract, contract))
        return status;
    const struct json_t *other = delivery->baseline.header.contract;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH, "--baseline %.300s: these scores %s", path,
                       strcmp(contract_ignored(other), contract_ignored(contract)) != 0
                           ? "ignore other parts of the frames"
                       : !contract_same_tool(other, contract) ? "are of another tool (--compat)"
                                                              : "follow another contract");
}

/* Reads the earlier results, if there are any, and checks that they are of the same batch. */
static ssimcu_status resume(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    const char *path = options->run.resume;
    struct earlier_results *earlier = &delivery->earlier;
    if (!path) return SSIMCU_OK;
    ssimcu_status status = earlier_resume(earlier, path, message);
    if (status != SSIMCU_OK || !earlier->header.contract) return status;
    status = header_check(&delivery->header, &earlier->header, path, message);
    if (status == SSIMCU_OK && goes_on(options)) status = earlier_save(earlier, path, message);
    if (status == SSIMCU_OK && earlier->count > 0)
        header_join_devices(&delivery->header, &earlier->header);
    return status;
}

/* Returns whether results are written over those that are resumed, by whatever name. */
static bool resumes_output(const ssimcu_run_options *run)
{
    struct stat resumed, output;
    return run->resume && run->output && stat(run->resume, &resumed) == 0 &&
           stat(run->output, &output) == 0 && resumed.st_dev == output.st_dev &&
           resumed.st_ino == output.st_ino;
}

/* Removes the results that an earlier run has written there. */
static ssimcu_status remove_results(const ssimcu_run_options *run, ssimcu_message *message)
{
    if (!run->output || resumes_output(run)) return SSIMCU_OK;
    return guard_remove(run->output, &guard_results, message);
}

/* Writes the first line; that of a pair waits for delivery_name_device. From here on no output of
 * an earlier run can pass for one of this run, even if this one is killed. */
static ssimcu_status write_header(struct delivery *delivery, ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    if (delivery->report) report_order_by(delivery->report, delivery->summary.metric);
    if (delivery->writer && !delivery->pictures)
        status = writer_begin(delivery->writer, &delivery->header, message);
    if (status == SSIMCU_OK) status = remove_results(&delivery->options->run, message);
    if (status == SSIMCU_OK && delivery->options->run.junit)
        status = guard_remove(delivery->options->run.junit, &junit_kind, message);
    if (status == SSIMCU_OK && delivery->options->run.markdown)
        status = guard_remove(delivery->options->run.markdown, &note_kind, message);
    return status;
}

ssimcu_status delivery_begin(struct delivery *delivery, const struct source *source,
                             ssimcu_message *message)
{
    const struct options *options = delivery->options;
    struct header *header = &delivery->header;
    const bool pair = delivery->pictures != NULL;
    ssimcu_status status = run_header_make(options, source_is_video(source), pair, header, message);
    const struct judging judging = {header->contract, "this run",
                                    pair                  ? "a pair of pictures"
                                    : options->input.list ? "a list"
                                    : options->run.frames ? "a run of --frames"
                                                          : NULL};
    if (status == SSIMCU_OK) status = start(delivery, &judging, message);
    if (status == SSIMCU_OK) status = open_report(delivery, message);
    if (status == SSIMCU_OK && !pair) status = map_files_open(&delivery->maps, options, message);
    if (status == SSIMCU_OK) status = open_results(delivery, message);
    if (status == SSIMCU_OK) status = resume(delivery, message);
    return status == SSIMCU_OK ? write_header(delivery, message) : status;
}

void delivery_name_device(struct delivery *delivery)
{
    const struct picture_pair *pair = delivery->pictures;
    if (pair->device && strcmp(pair->device, "cpu") != 0 && pair->reason[0])
        delivery->status = run_header_name_gpu(&delivery->header, pair->reason, &delivery->message);
    if (delivery->status == SSIMCU_OK && delivery->writer)
        delivery->status = writer_begin(delivery->writer, &delivery->header, &delivery->message);
}

/* Refuses to judge merged scores by other floors than they were held against. */
static ssimcu_status check_floors(const struct delivery *delivery, ssimcu_message *message)
{
    const struct limits_file *file = delivery->limits;
    const char *floors = contract_floors(delivery->earlier.header.contract);
    if (strcmp(file ? file->floors.print : "", floors) == 0) return SSIMCU_OK;
    if (!file)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "merge: these scores were held against floors: give the --limits of "
                           "the runs, by which they are judged");
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "%.300s: these scores were held against %s: score again, or give the "
                       "limits of the runs",
                       file->path, floors[0] ? "the floors of another calibration" : "no floors");
}

/* Refuses to judge merged scores by rules that their runs did not have. */
static ssimcu_status check_rules(const struct limits_file *file, const json_t *contract,
                                 ssimcu_message *message)
{
    const char *what = NULL;
    if (strcmp(file->ignored, contract_ignored(contract)) != 0)
        what = "ignore other parts of the frames than";
    else if (strcmp(file->compared, contract_compared(contract)) != 0)
        what = "compare layers in another way than";
    return what ? ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                              "%.300s: its rules %s these scores: give it to the runs", file->path,
                              what)
                : SSIMCU_OK;
}

ssimcu_status delivery_begin_merge(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    struct earlier_results *earlier = &delivery->earlier;
    ssimcu_status status = open_report(delivery, message);
    if (status == SSIMCU_OK) status = open_results(delivery, message);
    for (uint32_t i = 0; i < options->run.merges && status == SSIMCU_OK; i++)
        status = earlier_add(earlier, options->run.merge[i], false, message);
    if (status == SSIMCU_OK && !earlier->header.contract)
        status = ssimcu_fail(message, SSIMCU_ERROR_DATA, "merge: no results in these files");
    if (status != SSIMCU_OK) return status;
    if (delivery->limits) status = check_rules(delivery->limits, earlier->header.contract, message);
    if (status != SSIMCU_OK) return status;
    header_copy(&delivery->header, &earlier->header);
    delivery->header.shards = 0; /* the merged results are of all shares */
    const struct judging judging = {delivery->header.contract, "these scores",
                                    earlier->chosen     ? "a run of a list or of --frames"
                                    : earlier->lookless ? "a run without this limit"
                                                        : NULL};
    status = start(delivery, &judging, message);
    if (status == SSIMCU_OK) status = check_floors(delivery, message);
    if (status == SSIMCU_OK && earlier->limited && !verdict_any_limit(&delivery->verdict.limits))
        status = ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                             "merge: these shares were given limits, which a share does not judge: "
                             "give them to the merge");
    return status == SSIMCU_OK ? write_header(delivery, message) : status;
}

/* ---- An early end ---------------------------------------------------------------------------- */

/* Returns whether the outputs may be written as far as their names tell. */
static bool may_write(const struct options *options, bool pair)
{
    struct files files = {0};
    ssimcu_message ignored = {{0}};
    ssimcu_status status = files_add(&files, options, pair, &ignored);
    if (status == SSIMCU_OK) status = files_check(&files, NULL, NULL, &ignored);
    files_free(&files);
    return status == SSIMCU_OK || status == SSIMCU_ERROR_WRITE; /* each output is guarded below */
}

void delivery_withdraw(const struct options *options, bool pair, struct hooks *hooks,
                       ssimcu_status status, const ssimcu_message *why)
{
    const struct junit_end end = {
        status, why->text, {options->input.path[0], options->input.path[1]}};
    if (status == SSIMCU_ERROR_ARGUMENT || !may_write(options, pair)) return;
    for (int output = 0; output < 4; output++) {
        ssimcu_message message = {{0}};
        ssimcu_status done = SSIMCU_OK;
        if (output == 0 && options->run.junit)
            done = junit_write_end(options->run.junit, &end, &message);
        if (output == 1 && status != SSIMCU_ERROR_WRITE)
            done = remove_results(&options->run, &message);
        if (output == 2 && options->run.report)
            done = report_withdraw(options->run.report, why->text, &message);
        if (output == 3 && options->run.markdown)
            done = note_write_end(options->run.markdown, why->text, &message);
        const bool said = strcmp(message.text, why->text) == 0;
        if (done != SSIMCU_OK && !said) hooks_log(hooks, SSIMCU_LOG_WARNING, "%s", message.text);
    }
}

/* ---- Records --------------------------------------------------------------------------------- */

bool delivery_find_known(const struct delivery *delivery, struct record *record)
{
    struct record old;
    if (!earlier_find(&delivery->earlier, record->part, record->frame, &old)) return false;
    bool same = record_same_files(&old, record);
    if (same && old.variant.path) same = record_is_unchanged(&old.variant);
    if (same && limit_options_need_neighbours(&delivery->verdict.limits))
        same = old.text[RECORD_LOOK] != NULL; /* frames beside it could not be judged */
    if (same && delivery->options->run.variants > 0) same = !delivery_is_beyond(delivery, &old);
    record_clear(same ? record : &old);
    if (same) *record = old;
    return same;
}

/* Finds what the baseline says of a scored record. Returns false if there is none. Many threads may
 * call it. */
static bool find_baseline(const struct delivery *delivery, const struct record *record,
                          struct verdict_baseline *baseline)
{
    struct record old;
    const struct earlier_results *earlier = &delivery->baseline;
    if (record->kind != RECORD_SCORED ||
        !(contract_is_video(earlier->header.contract)
              ? earlier_find(earlier, record->part, record->frame, &old)
              : earlier_find_picture(earlier, record, delivery->options->input.list, &old)))
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
    return (judged.faults & ~(1u << FAULT_HINT)) != 0; /* hints come later */
}

/* Says of each metric once that a frame is too small for it. A tool has numbers of its own. */
static void say_lacking(struct delivery *delivery, const struct record *record)
{
    char name[TEXT_FRAME];
    const uint32_t wanted = delivery->options->input.metrics & ~delivery->said;
    for (int m = 0; m < SSIMCU_METRICS && record->kind == RECORD_SCORED; m++) {
        if (!(wanted >> m & 1) || record_has(record, (ssimcu_metric)m)) continue;
        delivery->said |= 1u << m;
        hooks_log(delivery->hooks, SSIMCU_LOG_WARNING,
                  "frame %s is too small for %s, and has its other metrics alone; so may others be",
                  text_frame(name, record->part, record->frame), metrics_title((ssimcu_metric)m));
    }
}

/* Says once that the files of a frame say different things of their colours. */
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

bool delivery_take(void *user, const struct record *record, bool known)
{
    struct delivery *delivery = user;
    struct verdict_baseline baseline;
    const bool found = find_baseline(delivery, record, &baseline);
    const struct judged judged = verdict_add(&delivery->verdict, record, found ? &baseline : NULL);
    delivery->baseline_frames += found;
    summary_add(&delivery->summary, record);
    say_lacking(delivery, record);
    remark_colours(delivery, record);
    if (delivery->report) report_add(delivery->report, record, &judged);
    if (delivery->options->run.markdown) note_add(&delivery->note, record, &judged);
    if (delivery->options->run.junit) junit_add(&delivery->cases, record, &judged);
    if (delivery->status == SSIMCU_OK && delivery->writer)
        delivery->status = writer_add(delivery->writer, record, &delivery->message);
    if (delivery->status == SSIMCU_OK)
        delivery->status = hooks_record(delivery->hooks, record, known, &delivery->message);
    return delivery->status == SSIMCU_OK;
}
