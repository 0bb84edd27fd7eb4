#include "console.h"

#include <stdio.h>
#include <string.h>

/* What the callbacks know. */
struct learning {
    const struct arguments *arguments;
    struct console_progress progress;
    int lost; /* errno of standard output; 0: it has taken everything */
};

static void on_begin(void *user, int64_t total)
{
    struct learning *learning = user;
    console_progress_begin(&learning->progress, learning->arguments, total);
}

static void on_end(void *user) { console_progress_end(&((struct learning *)user)->progress); }

static ssimcu_status on_record(void *user, const ssimcu_record *record)
{
    struct learning *learning = user;
    if (record->kind == SSIMCU_RECORD_FAILED) console_complaint(&learning->progress, record);
    console_progress_pair(&learning->progress, record);
    return SSIMCU_OK;
}

static ssimcu_status on_line(void *user, const char *line)
{
    struct learning *learning = user;
    char escaped[4 * 2048];
    if (strlen(line) >= sizeof escaped / 4) return SSIMCU_ERROR_INTERNAL;
    text_escape(escaped, line);
    learning->lost = console_put(escaped);
    return learning->lost ? SSIMCU_ERROR_WRITE : SSIMCU_OK;
}

static void on_log(void *user, ssimcu_log level, const char *line)
{
    const struct learning *learning = user;
    if (level == SSIMCU_LOG_WARNING || learning->arguments->verbose) console_line("%s", line);
}

/* Tells a person what the limits are good for. */
static void describe(const struct arguments *arguments, const ssimcu_calibrated *done)
{
    const double rate = arguments->false_alarms != 0 ? arguments->false_alarms : 0.001;
    if (arguments->quiet) return;
    console_line(
        "%s: %llu frames; limits that about %.9g of accepted frames are beyond, by a "
        "generalised Pareto tail, whose shape leans on other renders, and a margin of 1.05",
        arguments->run.output, (unsigned long long)done->frames, rate);
}

int calibrate(const struct arguments *arguments)
{
    struct learning learning = {.arguments = arguments};
    const ssimcu_calibrate_options options = {.struct_size = sizeof options,
                                              .run = &arguments->run,
                                              .false_alarms = arguments->false_alarms};
    const ssimcu_run_hooks hooks = {.struct_size = sizeof hooks,
                                    .user = &learning,
                                    .begin = on_begin,
                                    .record = on_record,
                                    .line = arguments->quiet ? NULL : on_line,
                                    .end = on_end,
                                    .log = on_log};
    ssimcu_calibrated done = SSIMCU_INIT(calibrated);
    ssimcu_message message = {{0}};
    console_progress_start(&learning.progress, PROGRESS_NONE, -1);
    const ssimcu_status status = ssimcu_calibrate(&options, &hooks, &done, &message);
    if (!console_ended(learning.lost, status, &message)) describe(arguments, &done);
    return (int)done.code;
}
