#include "delivery/outputs.h"

#include "base/overwrite_guard.h"
#include "base/refuse.h"
#include "base/text.h"
#include "delivery/delivery.h"
#include "options/files.h"
#include "record/record.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Results --------------------------------------------------------------------------------- */

bool output_appends(const ssimcu_run_options *run)
{
    return run->resume && run->output && strcmp(run->output, run->resume) == 0;
}

static ssimcu_status open_results(struct delivery *delivery, ssimcu_message *message)
{
    const ssimcu_run_options *run = &delivery->options->run;
    return writer_open(run->output, delivery->options->csv, output_appends(run), &delivery->writer,
                       message);
}

/* Returns whether results overwrite the resumed ones, under any name. */
static bool resumes_output(const ssimcu_run_options *run)
{
    struct stat resumed, output;
    return run->resume && stat(run->resume, &resumed) == 0 && stat(run->output, &output) == 0 &&
           resumed.st_dev == output.st_dev && resumed.st_ino == output.st_ino;
}

static ssimcu_status remove_results(const struct options *options, ssimcu_message *message)
{
    if (resumes_output(&options->run)) return SSIMCU_OK;
    return guard_remove(options->run.output, &guard_results, message);
}

static ssimcu_status begin_results(struct delivery *delivery, ssimcu_message *message)
{
    return remove_results(delivery->options, message);
}

static ssimcu_status end_results(struct delivery *delivery, ssimcu_message *message)
{
    return writer_end(delivery->writer, &delivery->summary,
                      delivery->options->share ? NULL : &delivery->verdict, message);
}

/* Results that another run may be writing stay: it holds a lock on the partial file. If this run
 * has met it there, it may have finished by now. */
static ssimcu_status withdraw_results(const struct options *options, const struct early_end *early,
                                      ssimcu_message *message)
{
    struct writer *writer = NULL;
    ssimcu_message busy = {{0}};
    if (!early->locked && atomic_file_was_busy(early->why)) return SSIMCU_OK;
    if (early->status == SSIMCU_ERROR_WRITE && !early->locked &&
        writer_open(options->run.output, options->csv, true, &writer, &busy) != SSIMCU_OK)
        return SSIMCU_OK;
    const ssimcu_status status = remove_results(options, message);
    writer_close(writer);
    return status;
}

/* ---- Frames to render again ------------------------------------------------------------------ */

bool outputs_stream(const ssimcu_run_options *run)
{
    return run->rerender && strcmp(run->rerender, "-") == 0;
}

static ssimcu_status open_rerender(struct delivery *delivery, ssimcu_message *message)
{
    if (!outputs_stream(&delivery->options->run) || delivery->hooks->call.line) return SSIMCU_OK;
    FAIL(ARGUMENT, "--rerender -: expected a path, because nothing goes to standard output");
}

static ssimcu_status remove_rerender(const struct options *options, ssimcu_message *message)
{
    if (outputs_stream(&options->run)) return SSIMCU_OK;
    return guard_remove(options->run.rerender, &rerender_kind, message);
}

static ssimcu_status begin_rerender(struct delivery *delivery, ssimcu_message *message)
{
    return remove_rerender(delivery->options, message);
}

static void add_to_rerender(struct delivery *delivery, const struct record *record,
                            const struct judged *judged)
{
    rerender_add(&delivery->rerender, record, judged);
}

/* Writes the list, unless frames may be missing from it. */
static ssimcu_status end_rerender(struct delivery *delivery, ssimcu_message *message)
{
    const ssimcu_run_options *run = &delivery->options->run;
    if (!delivery->summary.complete) return SSIMCU_OK;
    return outputs_stream(run)
               ? rerender_print(&delivery->rerender, hooks_print_line, delivery->hooks, message)
               : rerender_write(&delivery->rerender, run->rerender, message);
}

static ssimcu_status withdraw_rerender(const struct options *options, const struct early_end *early,
                                       ssimcu_message *message)
{
    (void)early;
    return remove_rerender(options, message);
}

/* ---- Maps ------------------------------------------------------------------------------------ */

static ssimcu_status open_maps(struct delivery *delivery, ssimcu_message *message)
{
    if (delivery->pictures) return SSIMCU_OK; /* the map is one file, written when it is drawn */
    return map_files_open(&delivery->maps, delivery->options, message);
}

static ssimcu_status end_maps(struct delivery *delivery, ssimcu_message *message)
{
    if (!delivery->pictures)
        hooks_log(delivery->hooks, SSIMCU_LOG_DETAIL, "%llu maps in %s",
                  (unsigned long long)delivery->maps.written, delivery->options->run.map);
    (void)message;
    return SSIMCU_OK;
}

/* ---- The page -------------------------------------------------------------------------------- */

/* Begins the report of pairs, or of frames without a reference. A merge knows by now which. */
static ssimcu_status begin_page(struct delivery *delivery, ssimcu_message *message)
{
    const ssimcu_run_options *run = &delivery->options->run;
    TRY(report_withdraw(run->report, "a run began here and did not finish", message));
    TRY(report_open(run->report, delivery->header.check, run->report_frames, &delivery->report,
                    message));
    report_order_by(delivery->report, delivery->summary.metric);
    return SSIMCU_OK;
}

static void add_to_page(struct delivery *delivery, const struct record *record,
                        const struct judged *judged)
{
    report_add(delivery->report, record, judged);
}

static bool show_pictures(void *user, size_t done, size_t count)
{
    const struct delivery *delivery = user;
    struct hooks *hooks = delivery->hooks;
    if (hooks->call.pictures) hooks->call.pictures(hooks->call.user, done, count);
    return !ssimcu_is_stopped(delivery->stop);
}

static ssimcu_status end_page(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    const struct report_facts facts = {.header = &delivery->header,
                                       .summary = &delivery->summary,
                                       .verdict = &delivery->verdict,
                                       .share = options->share,
                                       .pair = delivery->pictures != NULL,
                                       .score_seconds = delivery->seconds,
                                       .input = delivery->input,
                                       .settings = delivery->settings,
                                       .judge = delivery->judge,
                                       .memory_bytes = options->run.memory_bytes,
                                       .progress = show_pictures,
                                       .user = delivery};
    ssimcu_status status = SSIMCU_OK;
    (void)show_pictures(delivery, 0, 0);
    bool stopped = ssimcu_is_stopped(delivery->stop);
    if (!stopped) {
        status = report_write(delivery->report, &facts, message);
        (void)show_pictures(delivery, 0, 0);
        stopped = status != SSIMCU_OK && ssimcu_is_stopped(delivery->stop);
        delivery->report_stopped = stopped;
    }
    delivery->reported = !stopped && status == SSIMCU_OK;
    if (delivery->reported) return SSIMCU_OK;
    if (stopped) *message = (ssimcu_message){{0}};
    const ssimcu_status withdrawn = report_withdraw(
        options->run.report, stopped ? DELIVERY_STOPPED : message->text, stopped ? message : NULL);
    return stopped ? withdrawn : status;
}

static ssimcu_status withdraw_page(const struct options *options, const struct early_end *early,
                                   ssimcu_message *message)
{
    return report_withdraw(options->run.report, early->why, message);
}

/* ---- Markdown -------------------------------------------------------------------------------- */

static ssimcu_status begin_markdown(struct delivery *delivery, ssimcu_message *message)
{
    return guard_remove(delivery->options->run.markdown, &note_kind, message);
}

static void add_to_markdown(struct delivery *delivery, const struct record *record,
                            const struct judged *judged)
{
    note_add(&delivery->note, record, judged);
}

static ssimcu_status end_markdown(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    const struct source_input *input = delivery->input;
    const struct note_run run = {.ref = input->path[0],
                                 .out = input->path[1],
                                 .verdict = &delivery->verdict,
                                 .summary = &delivery->summary,
                                 .pictures = options->pictures,
                                 .way = text_base(options->pictures),
                                 .input = input,
                                 .settings = delivery->settings,
                                 .memory_bytes = options->run.memory_bytes};
    return ssimcu_is_stopped(delivery->stop)
               ? note_write_end(options->run.markdown, DELIVERY_STOPPED, message)
               : note_write(&delivery->note, options->run.markdown, &run, message);
}

static ssimcu_status withdraw_markdown(const struct options *options, const struct early_end *early,
                                       ssimcu_message *message)
{
    return note_write_end(options->run.markdown, early->why, message);
}

/* ---- JUnit XML ------------------------------------------------------------------------------- */

static ssimcu_status begin_junit(struct delivery *delivery, ssimcu_message *message)
{
    return guard_remove(delivery->options->run.junit, &junit_kind, message);
}

static void add_to_junit(struct delivery *delivery, const struct record *record,
                         const struct judged *judged)
{
    junit_add(&delivery->cases, record, judged);
}

static ssimcu_status end_junit(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    const struct source_input *input = delivery->input;
    const char *path = options->run.junit;
    struct junit_run run = {.cases = &delivery->cases,
                            .device = delivery->header.device,
                            .contract = delivery->header.contract,
                            .side = {input->path[0], input->path[1]},
                            .list = input->list,
                            .paths = json_object_get(delivery->header.input, "paths"),
                            .code = delivery->code,
                            .why = delivery->message.text,
                            .seconds = delivery->seconds};
    char *page = options->run.report ? files_way(path, options->run.report, "index.html") : NULL;
    if (options->run.report && !page) return no_memory(message);
    run.report = page;
    const ssimcu_status status =
        junit_write(path, &run, &delivery->verdict, &delivery->summary, message);
    free(page);
    return status;
}

static ssimcu_status withdraw_junit(const struct options *options, const struct early_end *early,
                                    ssimcu_message *message)
{
    const struct junit_end end = {early->status, early->why, {early->side[0], early->side[1]}};
    return junit_write_end(options->run.junit, &end, message);
}

/* ---- All outputs ----------------------------------------------------------------------------- */

#ifdef SSIMCU_TEST_ROWS
static ssimcu_status end_test(struct delivery *delivery, ssimcu_message *message)
{
    FILE *to = fopen(delivery->options->run.test_output, "we");
    if (!to) FAIL(WRITE, "--test-output: cannot be written");
    fprintf(to, "exit %d\n", (int)delivery->code);
    (void)fclose(to);
    return SSIMCU_OK;
}
#endif

#define PATH(field) offsetof(struct options, run.field)

const struct output outputs[] = {
    {"output", PATH(output), OUTPUT_FIRST, open_results, begin_results, NULL, end_results,
     withdraw_results},
    {"map", PATH(map), OUTPUT_FIRST, open_maps, NULL, NULL, end_maps, NULL},
    {"rerender", PATH(rerender), OUTPUT_FIRST, open_rerender, begin_rerender, add_to_rerender,
     end_rerender, withdraw_rerender},
    {"report", PATH(report), OUTPUT_PAGES, NULL, begin_page, add_to_page, end_page, withdraw_page},
    {"markdown", PATH(markdown), OUTPUT_PAGES, NULL, begin_markdown, add_to_markdown, end_markdown,
     withdraw_markdown},
    {"junit", PATH(junit), OUTPUT_LAST, NULL, begin_junit, add_to_junit, end_junit, withdraw_junit},
#ifdef SSIMCU_TEST_ROWS
    {"test-output", PATH(test_output), OUTPUT_LAST, NULL, NULL, NULL, end_test, NULL},
#endif
    {0}};

bool output_is_wanted(const struct output *output, const struct options *options)
{
    return *(const char *const *)((const char *)options + output->path) != NULL;
}

/* Returns the next output from this row on that the options name; NULL: none. */
static const struct output *wanted(const struct output *output, const struct delivery *delivery)
{
    while (output->option && !output_is_wanted(output, delivery->options)) output++;
    return output->option ? output : NULL;
}

#define EACH_WANTED(output, delivery)                                                              \
    const struct output *output = wanted(outputs, delivery);                                       \
    output;                                                                                        \
    output = wanted(output + 1, delivery)

ssimcu_status outputs_open(struct delivery *delivery, ssimcu_message *message)
{
    for (EACH_WANTED(output, delivery))
        if (output->open) TRY(output->open(delivery, message));
    return SSIMCU_OK;
}

ssimcu_status outputs_begin(struct delivery *delivery, ssimcu_message *message)
{
    for (EACH_WANTED(output, delivery))
        if (output->begin) TRY(output->begin(delivery, message));
    return SSIMCU_OK;
}

void outputs_add(struct delivery *delivery, const struct record *record,
                 const struct judged *judged)
{
    for (EACH_WANTED(output, delivery))
        if (output->add) output->add(delivery, record, judged);
}

ssimcu_status outputs_end(struct delivery *delivery, enum output_phase phase,
                          ssimcu_message *message)
{
    ssimcu_status first = SSIMCU_OK;
    for (EACH_WANTED(output, delivery)) {
        ssimcu_message why = {{0}};
        const ssimcu_status status =
            output->phase == phase ? output->end(delivery, &why) : SSIMCU_OK;
        if (status != SSIMCU_OK && phase != OUTPUT_FIRST)
            hooks_log(delivery->hooks, SSIMCU_LOG_WARNING, "%s", why.text);
        if (first == SSIMCU_OK && status != SSIMCU_OK)
            first = ssimcu_fail(message, status, "%s", why.text);
    }
    return first;
}
