#include "console.h"
#include "signals.h"

#include "record/finding.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The state of the callbacks. */
struct console {
    struct console_call call;
    ssimcu_run *run;
    ssimcu_message said; /* the last warning or error of the library */
    bool lost_said;      /* a loss of standard output was reported */
    bool drawing;        /* pictures of a report are being drawn */
    struct gap {         /* missing frames of a check that are not printed yet */
        char shot[PATH_MOST];
        int64_t first, last;
        uint64_t frames; /* 0: none */
        bool fails;
    } gap;
};

static void print_line(void *user, const char *line)
{
    (void)user;
    console_line("%s", line);
}

/* Prints why standard output lost a line. */
static void complain_of_output(struct console *console)
{
    if (!console->lost_said) console_line("standard output: %s", strerror(console->call.lost));
    console->lost_said = true;
}

/* ---- During scoring -------------------------------------------------------------------------- */

static void on_begin(void *user, int64_t total)
{
    struct console *console = user;
    const struct arguments *arguments = console->call.arguments;
    const bool pair = ssimcu_run_is_pair(console->run); /* too short for a bar */
    const bool shows = pair ? arguments->progress == PROGRESS_OPENJD : !arguments->quiet;
    console_progress_start(&console->call.progress, shows ? arguments->progress : PROGRESS_NONE,
                           total);
    console->call.progress.metric = arguments->run.metric;
}

static void on_progress(void *user, int64_t done)
{
    console_progress_done(&((struct console *)user)->call.progress, done);
}

/* Prints the findings of a frame without a reference, one per line: the frame, the kind, the text,
 * and the place. */
static ssimcu_status print_findings(struct console *console, const ssimcu_record *record)
{
    char frame[PATH_MOST], place[64], layer[300] = "", line[2 * PATH_MOST];
    const char *path = record->path[1];
    ssimcu_status status = SSIMCU_OK;
    if (path && (record->frame < 0 || strcmp(path, record->shot) != 0))
        snprintf(frame, sizeof frame, "%s", path);
    else
        snprintf(frame, sizeof frame, "%s: frame %" PRId64, record->shot, record->frame);
    if (path && record->layer) /* the shot has the layer's name */
        snprintf(layer, sizeof layer, "layer %.280s: ", record->layer);
    for (uint32_t i = 0; i < record->findings && status == SSIMCU_OK; i++) {
        const ssimcu_finding *finding = &record->finding[i];
        place[0] = '\0';
        if (finding->width > 0)
            snprintf(place, sizeof place, " at %" PRIu32 "x%" PRIu32 "+%" PRIu32 "+%" PRIu32,
                     finding->width, finding->height, finding->x, finding->y);
        snprintf(line, sizeof line, "%s: %s%s%s: %s%s", frame, layer, finding->kind,
                 finding->fails ? "" : " (does not fail)", finding->text, place);
        status = console_on_text(&console->call, line);
    }
    return status;
}

/* Returns whether frames to render again go to standard output instead of findings. */
static bool prints_list(const struct arguments *arguments)
{
    return arguments->run.rerender && strcmp(arguments->run.rerender, "-") == 0;
}

/* Prints the missing frames of a gap, on one line. */
static ssimcu_status print_gap(struct console *console)
{
    struct gap *gap = &console->gap;
    char line[2 * PATH_MOST], text[FINDING_TEXT];
    if (gap->frames == 0) return SSIMCU_OK;
    snprintf(line, sizeof line, "%s: frame %" PRId64 ": missing%s: %s", gap->shot, gap->first,
             gap->fails ? "" : " (does not fail)",
             finding_gap(text, gap->first, gap->last, gap->frames));
    gap->frames = 0;
    return console_on_text(&console->call, line);
}

/* Adds a missing frame to the gap before it, or begins another one. Returns false if the record is
 * not one missing frame. */
static bool add_to_gap(struct console *console, const ssimcu_record *record, ssimcu_status *status)
{
    struct gap *gap = &console->gap;
    const bool one = record->kind == SSIMCU_RECORD_MISSING && record->findings == 1 &&
                     record->finding[0].value == 1;
    if (!one || gap->frames == 0 || strcmp(gap->shot, record->shot) != 0)
        *status = print_gap(console);
    if (!one || *status != SSIMCU_OK) return one;
    if (gap->frames++ == 0) {
        snprintf(gap->shot, sizeof gap->shot, "%s", record->shot);
        gap->first = record->frame;
        gap->fails = record->finding[0].fails;
    }
    gap->last = record->frame;
    return true;
}

/* Returns whether a record belongs to a check: it has a shot, and its reference is not missing. */
static bool is_checked(const ssimcu_record *record)
{
    return record->shot && !record->path[0] && !record->missing[0];
}

static ssimcu_status on_record(void *user, const ssimcu_record *record)
{
    struct console *console = user;
    const struct arguments *arguments = console->call.arguments;
    const ssimcu_run_options *run = &arguments->run;
    const bool skips = run->missing == SSIMCU_MISSING_SKIP;
    if (is_checked(record)) {
        const bool results = !run->output && run->results != SSIMCU_RESULTS_AUTO;
        ssimcu_status status = SSIMCU_OK;
        if (results || prints_list(arguments) || arguments->quiet ||
            add_to_gap(console, record, &status))
            return status;
        return status == SSIMCU_OK ? print_findings(console, record) : status;
    }
    const bool accepted =
        record->kind == SSIMCU_RECORD_SCORED || (record->kind == SSIMCU_RECORD_MISSING && skips);
    if (!accepted && !ssimcu_run_is_pair(console->run))
        console_complaint(&console->call.progress, record);
    console_progress_pair(&console->call.progress, record);
    return SSIMCU_OK;
}

static void on_log(void *user, ssimcu_log level, const char *line)
{
    struct console *console = user;
    if (level == SSIMCU_LOG_WARNING)
        snprintf(console->said.text, sizeof console->said.text, "%s", line);
    console_on_log(&console->call, level, line);
}

/* Prints that pages are being drawn. Pages of many OUTs take minutes, and a log shows no bar. */
static void say_drawing(struct console *console)
{
    const ssimcu_run_options *options = &console->call.arguments->run;
    if (!console->drawing && options->outs > 1 && !options->check &&
        !console->call.arguments->quiet)
        console_line("report: drawing the pages of %" PRIu32
                     " OUTs into %.400s, one after the other",
                     options->outs, options->report);
    console->drawing = true;
}

static void on_pictures(void *user, size_t done, size_t count)
{
    struct console *console = user;
    signals_report_begins();
    say_drawing(console);
    if (count > 0)
        console_progress_pictures(&console->call.progress, done, count);
    else
        console_progress_pictures_end(&console->call.progress);
}

/* ---- After scoring --------------------------------------------------------------------------- */

/* Returns the name of an OUT for users. */
static const char *name_of(const struct arguments *arguments, uint32_t out)
{
    const ssimcu_run_options *options = &arguments->run;
    const char *const label = options->labels ? options->labels[out] : NULL;
    return label ? label : options->out[out];
}

/* Prints the mean of each layer, because a mean over different layers is meaningless. */
static ssimcu_status print_layers(struct console *console, uint32_t out)
{
    const ssimcu_metric metric = console->call.arguments->run.metric;
    ssimcu_shot shot = SSIMCU_INIT(shot);
    for (uint32_t i = 0; ssimcu_run_shot(console->run, out, i, &shot, NULL) == SSIMCU_OK; i++) {
        if (shot.scored > 0)
            console->call.lost = console_score(metric, shot.metric_score[metric], shot.name);
        if (console->call.lost) return SSIMCU_ERROR_WRITE;
    }
    return SSIMCU_OK;
}

/* Prints the score, or the object of a pair, to standard output. */
static ssimcu_status print_score(struct console *console, uint32_t out,
                                 const ssimcu_summary *summary)
{
    const struct arguments *arguments = console->call.arguments;
    const bool pair = ssimcu_run_is_pair(console->run);
    const bool lines = !arguments->run.output && arguments->run.results != SSIMCU_RESULTS_AUTO;
    const char *label = arguments->run.outs > 1 ? name_of(arguments, out) : NULL;
    const ssimcu_metric metric = summary->metric;
    const double score = summary->metric_score[metric];
    if (arguments->quiet || (summary->metric_frames[metric] == 0 && !isnan(score)))
        return SSIMCU_OK;
    if (pair && arguments->run.results == SSIMCU_RESULTS_JSON) {
        char *text = ssimcu_run_json(console->run, out);
        if (!text) return SSIMCU_ERROR_MEMORY;
        const ssimcu_status status = console_on_line(&console->call, text);
        ssimcu_text_free(text);
        return status;
    }
    if (lines) return SSIMCU_OK;
    if (arguments->run.layers) return print_layers(console, out);
    console->call.lost = console_score(metric, score, label);
    return console->call.lost ? SSIMCU_ERROR_WRITE : SSIMCU_OK;
}

/* Prints the outcome of an OUT, and why it does not pass. */
static void describe(const struct console *console, uint32_t out, const ssimcu_summary *summary)
{
    const struct arguments *arguments = console->call.arguments;
    const bool quiet = arguments->quiet, pair = ssimcu_run_is_pair(console->run);
    if ((!quiet || !summary->passed) && arguments->run.outs > 1 && !arguments->run.check)
        console_line("OUT %s:", name_of(arguments, out));
    ssimcu_run_describe(console->run, out, quiet, print_line, NULL);
    if (!quiet && !pair && arguments->run.shards == 0 && !summary->passed &&
        arguments->progress == PROGRESS_OPENJD)
        console_openjd_fail(summary, arguments->run.missing == SSIMCU_MISSING_SKIP);
}

static ssimcu_status on_out(void *user, uint32_t out, ssimcu_status status, const char *message)
{
    struct console *console = user;
    ssimcu_summary summary = SSIMCU_INIT(summary);
    ssimcu_status printed = print_gap(console);
    if (ssimcu_run_summary(console->run, out, &summary, NULL) == SSIMCU_OK) {
        if (status == SSIMCU_OK && printed == SSIMCU_OK)
            printed = print_score(console, out, &summary);
        if (printed != SSIMCU_OK && console->call.lost) complain_of_output(console);
        describe(console, out, &summary);
    }
    if (console->call.lost)
        complain_of_output(console);
    else if (status != SSIMCU_OK)
        on_log(console, SSIMCU_LOG_WARNING, message);
    return printed;
}

/* Returns whether results of an interrupted run have a record. */
static bool has_unfinished(const struct console *console, uint32_t outs)
{
    bool unfinished = false;
    for (uint32_t i = 0; i < outs; i++) {
        ssimcu_summary summary = SSIMCU_INIT(summary);
        const bool known = ssimcu_run_summary(console->run, i, &summary, NULL) == SSIMCU_OK;
        unfinished = unfinished || (known && summary.pairs > 0 && !summary.complete);
    }
    return unfinished;
}

/* Returns the exit code of a run that a signal stopped, after a line about the remaining
 * results. */
static int conclude_stopped(const struct console *console)
{
    const ssimcu_run_options *options = &console->call.arguments->run;
    const uint32_t outs = options->outs > 1 && !options->check ? options->outs : 1;
    const char *output = options->output ? options->output : options->resume;
    if (!has_unfinished(console, outs)) output = NULL;
    const bool whole = output && (outs > 1 || (!options->output && text_ends(output, ".partial")));
    console_line("stopped by a signal%s%s%s%s%s%s", output ? ": " : "", output ? output : "",
                 output && !whole ? ".partial" : "", output ? " holds everything " : "",
                 !output          ? ""
                 : options->check ? "checked"
                                  : "scored",
                 output ? " so far; --resume continues it" : "");
    return EXIT_SIGNAL + signals_caught();
}

static int conclude(struct console *console, ssimcu_status status, const ssimcu_message *message)
{
    const int code = ssimcu_run_exit_code(console->run);
    ssimcu_summary summary = SSIMCU_INIT(summary);
    const bool delivered = ssimcu_run_summary(console->run, 0, &summary, NULL) == SSIMCU_OK;
    const bool stopped = signals_caught() && ssimcu_run_was_cancelled(console->run);
    if (stopped && !delivered) return EXIT_SIGNAL + signals_caught(); /* it was waiting for input */
    if (console->call.lost)
        complain_of_output(console);
    else if (status != SSIMCU_OK && !message->text[0]) /* without memory, the cause may be lost */
        console_line("%s", ssimcu_status_name(status));
    else if (status != SSIMCU_OK && strcmp(message->text, console->said.text) != 0)
        console_line("%s", message->text);
    if (stopped && status == SSIMCU_OK) return conclude_stopped(console);
    return code;
}

int run(const struct arguments *arguments)
{
    struct console console = {.call = {.arguments = arguments}};
    const bool results = arguments->run.results != SSIMCU_RESULTS_AUTO,
               lines = (results || prints_list(arguments)) && !arguments->quiet;
    const ssimcu_run_hooks hooks = {.struct_size = sizeof hooks,
                                    .user = &console,
                                    .begin = on_begin,
                                    .record = on_record,
                                    .line = lines ? console_on_line : NULL,
                                    .end = console_on_end,
                                    .out = on_out,
                                    .pictures = on_pictures,
                                    .log = on_log,
                                    .progress = on_progress};
    ssimcu_message message = {{0}};
    ssimcu_status status = ssimcu_run_open(&arguments->run, &console.run, &message);
    if (status != SSIMCU_OK) {
        console_line("%s", message.text);
        return status == SSIMCU_ERROR_MEMORY ? SSIMCU_EXIT_INTERNAL : SSIMCU_EXIT_USAGE;
    }
    console_progress_start(&console.call.progress, PROGRESS_NONE, -1);
    signals_catch(console.run);
    status = ssimcu_run_score(console.run, &hooks, &message);
    const int code = conclude(&console, status, &message);
    signals_forget();
    ssimcu_run_close(&console.run);
    if (signals_caught()) _exit(console_flush() ? code : SSIMCU_EXIT_OUTPUT);
    return code;
}
