#include "console.h"
#include "signals.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What the callbacks know. */
struct console {
    const struct arguments *arguments;
    ssimcu_run *run;
    struct console_progress progress;
    ssimcu_message said; /* the last line that the library gave as a warning or an error */
    int lost;            /* errno of standard output; 0: it has taken everything */
    bool lost_said;      /* a line about that is printed */
    bool drawing;        /* pictures of a report are drawn */
};

static void print_line(void *user, const char *line)
{
    (void)user;
    console_line("%s", line);
}

static void complain(struct console *console, const char *line)
{
    snprintf(console->said.text, sizeof console->said.text, "%s", line);
    console_line("%s", line);
}

/* Prints why standard output has not taken a line. */
static void complain_of_output(struct console *console)
{
    if (!console->lost_said) console_line("standard output: %s", strerror(console->lost));
    console->lost_said = true;
}

/* ---- While it scores ------------------------------------------------------------------------- */

static void on_begin(void *user, int64_t total)
{
    struct console *console = user;
    const struct arguments *arguments = console->arguments;
    const bool pair = ssimcu_run_is_pair(console->run); /* too short for a bar */
    const bool shows = pair ? arguments->progress == PROGRESS_OPENJD : !arguments->quiet;
    console_progress_start(&console->progress, shows ? arguments->progress : PROGRESS_NONE, total);
    console->progress.metric = arguments->run.metric;
}

static void on_end(void *user) { console_progress_end(&((struct console *)user)->progress); }

static ssimcu_status on_record(void *user, const ssimcu_record *record)
{
    struct console *console = user;
    const bool skips = console->arguments->run.missing == SSIMCU_MISSING_SKIP;
    const bool accepted =
        record->kind == SSIMCU_RECORD_SCORED || (record->kind == SSIMCU_RECORD_MISSING && skips);
    if (!accepted && !ssimcu_run_is_pair(console->run))
        console_complaint(&console->progress, record);
    console_progress_pair(&console->progress, record);
    return SSIMCU_OK;
}

static ssimcu_status on_line(void *user, const char *line)
{
    struct console *console = user;
    console->lost = console_put(line);
    return console->lost ? SSIMCU_ERROR_WRITE : SSIMCU_OK;
}

static void on_log(void *user, ssimcu_log level, const char *line)
{
    struct console *console = user;
    if (level == SSIMCU_LOG_WARNING)
        complain(console, line);
    else if (console->arguments->verbose)
        console_line("%s", line);
}

/* Says that pages are drawn now. Those of many OUTs take minutes, and a log shows no bar. */
static void say_drawing(struct console *console)
{
    const ssimcu_run_options *options = &console->arguments->run;
    if (!console->drawing && options->outs > 1 && !console->arguments->quiet)
        console_line("report: pages of %" PRIu32 " OUTs are drawn into %.400s, one after the other",
                     options->outs, options->report);
    console->drawing = true;
}

static void on_pictures(void *user, size_t done, size_t count)
{
    struct console *console = user;
    signals_report_begins();
    say_drawing(console);
    if (count > 0)
        console_progress_pictures(&console->progress, done, count);
    else
        console_progress_pictures_end(&console->progress);
}

/* ---- When it is done ------------------------------------------------------------------------- */

/* Returns the name by which people know an OUT. */
static const char *name_of(const struct arguments *arguments, uint32_t out)
{
    const ssimcu_run_options *options = &arguments->run;
    const char *const label = options->labels ? options->labels[out] : NULL;
    return label ? label : options->out[out];
}

/* Prints the mean of each layer. One mean of all layers would say nothing. */
static ssimcu_status print_layers(struct console *console, uint32_t out)
{
    const ssimcu_metric metric = console->arguments->run.metric;
    ssimcu_part part = SSIMCU_INIT(part);
    for (uint32_t i = 0; ssimcu_run_part(console->run, out, i, &part, NULL) == SSIMCU_OK; i++) {
        if (part.scored > 0)
            console->lost = console_score(metric, part.metric_score[metric], part.name);
        if (console->lost) return SSIMCU_ERROR_WRITE;
    }
    return SSIMCU_OK;
}

/* Prints the score, or the object of a pair, to standard output. */
static ssimcu_status print_score(struct console *console, uint32_t out,
                                 const ssimcu_summary *summary)
{
    const struct arguments *arguments = console->arguments;
    const bool pair = ssimcu_run_is_pair(console->run);
    const bool lines = !arguments->run.output && (arguments->csv || arguments->json);
    const char *label = arguments->run.outs > 1 ? name_of(arguments, out) : NULL;
    const ssimcu_metric metric = summary->metric;
    const double score = summary->metric_score[metric];
    if (arguments->quiet || (summary->metric_frames[metric] == 0 && !isnan(score)))
        return SSIMCU_OK;
    if (pair && arguments->json) {
        char *text = ssimcu_run_json(console->run, out);
        if (!text) return SSIMCU_ERROR_MEMORY;
        const ssimcu_status status = on_line(console, text);
        ssimcu_text_free(text);
        return status;
    }
    if (lines) return SSIMCU_OK;
    if (arguments->run.layers) return print_layers(console, out);
    console->lost = console_score(metric, score, label);
    return console->lost ? SSIMCU_ERROR_WRITE : SSIMCU_OK;
}

/* Tells a person what an OUT came to, and why it is not good enough. */
static void describe(const struct console *console, uint32_t out, const ssimcu_summary *summary)
{
    const struct arguments *arguments = console->arguments;
    const bool quiet = arguments->quiet, pair = ssimcu_run_is_pair(console->run);
    if ((!quiet || !summary->passed) && arguments->run.outs > 1)
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
    ssimcu_status printed = SSIMCU_OK;
    if (ssimcu_run_summary(console->run, out, &summary, NULL) == SSIMCU_OK) {
        if (status == SSIMCU_OK) printed = print_score(console, out, &summary);
        if (printed != SSIMCU_OK && console->lost) complain_of_output(console);
        describe(console, out, &summary);
    }
    if (console->lost)
        complain_of_output(console);
    else if (status != SSIMCU_OK)
        complain(console, message);
    return printed;
}

/* Returns whether results of a run that was cut short hold a record. */
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

/* Returns the exit code of a run that a signal has stopped, after a line about what is left. */
static int conclude_stopped(const struct console *console)
{
    const ssimcu_run_options *options = &console->arguments->run;
    const uint32_t outs = options->outs > 1 ? options->outs : 1;
    const char *output = options->output ? options->output : options->resume;
    if (!has_unfinished(console, outs)) output = NULL;
    console_line("stopped by a signal%s%s%s%s", output ? ": " : "", output ? output : "",
                 output && outs == 1 ? ".partial" : "",
                 output ? " holds what is scored, --resume goes on with it" : "");
    return EXIT_SIGNAL + signals_caught();
}

static int conclude(struct console *console, ssimcu_status status, const ssimcu_message *message)
{
    const int code = ssimcu_run_exit_code(console->run);
    ssimcu_summary summary = SSIMCU_INIT(summary);
    const bool delivered = ssimcu_run_summary(console->run, 0, &summary, NULL) == SSIMCU_OK;
    const bool stopped = signals_caught() && ssimcu_run_was_cancelled(console->run);
    if (stopped && !delivered) return EXIT_SIGNAL + signals_caught(); /* it waited for input */
    if (console->lost)
        complain_of_output(console);
    else if (status != SSIMCU_OK && !message->text[0]) /* lost memory can take the cause along */
        console_line("%s", ssimcu_status_name(status));
    else if (status != SSIMCU_OK && strcmp(message->text, console->said.text) != 0)
        console_line("%s", message->text);
    if (stopped && status == SSIMCU_OK) return conclude_stopped(console);
    return code;
}

int run(const struct arguments *arguments)
{
    struct console console = {.arguments = arguments};
    const bool lines = (arguments->csv || arguments->json) && !arguments->quiet;
    const ssimcu_run_hooks hooks = {.struct_size = sizeof hooks,
                                    .user = &console,
                                    .begin = on_begin,
                                    .record = on_record,
                                    .line = lines ? on_line : NULL,
                                    .end = on_end,
                                    .out = on_out,
                                    .pictures = on_pictures,
                                    .log = on_log};
    ssimcu_message message = {{0}};
    ssimcu_status status = ssimcu_run_open(&arguments->run, &console.run, &message);
    if (status != SSIMCU_OK) {
        console_line("%s", message.text);
        return status == SSIMCU_ERROR_MEMORY ? SSIMCU_EXIT_INTERNAL : SSIMCU_EXIT_USAGE;
    }
    console_progress_start(&console.progress, PROGRESS_NONE, -1);
    signals_catch(console.run);
    status = ssimcu_run_score(console.run, &hooks, &message);
    const int code = conclude(&console, status, &message);
    signals_forget();
    ssimcu_run_close(&console.run);
    if (signals_caught()) _exit(console_flush(true) ? code : SSIMCU_EXIT_OUTPUT);
    return code;
}
