/* ssimcu check: what the library finds, for a person. */
#include "console.h"
#include "options.h"
#include "signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What the callbacks know. */
struct checking {
    const struct arguments *arguments;
    struct console_progress progress;
    int lost; /* errno of standard output; 0: it has taken everything */
};

static void on_begin(void *user, int64_t total)
{
    struct checking *checking = user;
    console_progress_begin(&checking->progress, checking->arguments, total);
}

static void on_end(void *user) { console_progress_end(&((struct checking *)user)->progress); }

/* A status other than OK ends the check. */
static ssimcu_status on_record(void *user, const ssimcu_record *record)
{
    console_progress_pair(&((struct checking *)user)->progress, record);
    return signals_caught() ? SSIMCU_ERROR_INTERNAL : SSIMCU_OK;
}

static ssimcu_status put(struct checking *checking, const char *line)
{
    checking->lost = console_put(line);
    return checking->lost ? SSIMCU_ERROR_WRITE : SSIMCU_OK;
}

static ssimcu_status on_line(void *user, const char *line) { return put(user, line); }

static void on_log(void *user, ssimcu_log level, const char *line)
{
    const struct checking *checking = user;
    if (level == SSIMCU_LOG_WARNING || checking->arguments->verbose) console_line("%s", line);
}

/* Prints a finding: the frame, the kind, what it says, and where it is. */
static ssimcu_status on_finding(void *user, const ssimcu_finding *finding)
{
    struct checking *checking = user;
    char frame[PATH_MOST], place[64] = "", layer[300] = "", line[2 * PATH_MOST],
                           escaped[4 * sizeof line];
    const char *path = finding->path;
    if (path && (finding->frame < 0 || strcmp(path, finding->sequence) != 0))
        snprintf(frame, sizeof frame, "%s", path);
    else
        snprintf(frame, sizeof frame, "%s: frame %" PRId64, finding->sequence, finding->frame);
    if (finding->width > 0)
        snprintf(place, sizeof place, " at %" PRIu32 "x%" PRIu32 "+%" PRIu32 "+%" PRIu32,
                 finding->width, finding->height, finding->x, finding->y);
    if (path && finding->layer) /* a sequence names its layer */
        snprintf(layer, sizeof layer, "layer %.280s: ", finding->layer);
    snprintf(line, sizeof line, "%s: %s%s%s: %s%s", frame, layer, finding->kind,
             finding->fails ? "" : " (does not fail)", finding->text, place);
    text_escape(escaped, line);
    return put(checking, escaped);
}

static void summarize(const ssimcu_checked *checked)
{
    char missing[40] = "", unread[40] = "";
    if (checked->missing > 0)
        snprintf(missing, sizeof missing, ", %" PRIu64 " missing", checked->missing);
    if (checked->read < checked->frames)
        snprintf(unread, sizeof unread, ", %" PRIu64 " unreadable",
                 checked->frames - checked->read);
    console_line("%" PRIu64 " frames checked%s%s: %" PRIu64 " with findings, %" PRIu64
                 " of which fail",
                 checked->frames, unread, missing, checked->found, checked->failed);
}

/* Returns the exit code of a check that a signal has stopped, after a line about what is left. */
static int conclude_stopped(const struct arguments *arguments)
{
    const ssimcu_run_options *run = &arguments->run;
    const char *output = run->output ? run->output : run->resume;
    char left[PATH_MOST] = "";
    if (output)
        snprintf(left, sizeof left, "%.4000s%s", output,
                 text_ends(output, ".partial") ? "" : ".partial");
    const bool there = left[0] && access(left, F_OK) == 0;
    console_line("stopped by a signal%s%s%s", there ? ": " : "", there ? left : "",
                 there ? " holds the sequences that are checked, --resume goes on with it" : "");
    return EXIT_SIGNAL + signals_caught();
}

int run_check(const struct arguments *arguments)
{
    struct checking checking = {.arguments = arguments};
    const bool lines = (arguments->json || arguments->csv) && !arguments->run.output;
    const ssimcu_check_options options = {.struct_size = sizeof options,
                                          .run = &arguments->run,
                                          .fail_on = arguments->fail_on,
                                          .user = &checking,
                                          .finding = lines || arguments->quiet ? NULL : on_finding};
    const ssimcu_run_hooks hooks = {.struct_size = sizeof hooks,
                                    .user = &checking,
                                    .begin = on_begin,
                                    .record = on_record,
                                    .line = lines && !arguments->quiet ? on_line : NULL,
                                    .end = on_end,
                                    .log = on_log};
    ssimcu_checked done = SSIMCU_INIT(checked);
    ssimcu_message message = {{0}};
    console_progress_start(&checking.progress, PROGRESS_NONE, -1);
    signals_catch(NULL);
    const ssimcu_status status = ssimcu_check(&options, &hooks, &done, &message);
    if (signals_caught() && status != SSIMCU_OK) return conclude_stopped(arguments);
    const bool ended = console_ended(checking.lost, status, &message);
    if (!ended && !arguments->quiet) summarize(&done);
    return (int)done.code;
}
