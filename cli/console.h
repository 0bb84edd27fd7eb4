/* All output of the program, except --help (options.c). Scores go to standard output, everything
 * else to standard error. */
#pragma once

#include "options.h"

#include "fail.h"
#include "record/metrics.h"

/* The exit code of a run that a signal stopped is this plus its number: 130, 143. */
enum { EXIT_SIGNAL = 128 };

/* Prints one line to standard error, after the program's name. A line break in it is shown as \n.
 * Other control characters and invalid UTF-8 are shown as \xHH. */
SSIMCU_PRINTF(1, 2) void console_line(const char *format, ...);

/* Flushes standard output. Returns false, after one line on standard error, if output was lost. */
bool console_flush(void);

/* Prints a text and a line break to standard output, and flushes it. Returns 0, or an errno. */
int console_put(const char *text);

/* Prints the error that ended a call of the library: a non-zero errno of standard output, or else
 * the error of the call. Returns false if there is none. */
bool console_ended(int lost, ssimcu_status status, const ssimcu_message *message);

/* Prints the versions. Returns the program's exit code. */
int console_version(void);

/* Prints a line of --list-devices. */
void console_device(const char *device, const ssimcu_device_info *info);

/* Prints a score, followed by a tab and the escaped label if there is one. Returns like
 * console_put. */
int console_score(ssimcu_metric metric, double score, const char *label);

/* ---- Progress -------------------------------------------------------------------------------- */

/* The progress of a batch. On a terminal it is a bar that is redrawn. For Open Job Description
 * farms it is lines that they read (openjd_progress, openjd_status). Warnings about single pairs
 * are printed here, too, so that they do not disturb the bar. */
struct console_progress {
    enum progress kind; /* NONE: nothing is drawn */
    int64_t total;      /* pairs of the batch; -1: unknown */
    int64_t done;
    int64_t skipped; /* pairs of `done` that come from earlier results */
    double start_time, draw_time;
    ssimcu_metric metric; /* metric of `worst` */
    double worst;
    char worst_frame[4 * TEXT_FRAME]; /* its name, escaped; "": none yet */
    int last_percent;
    uint64_t complaints;
    bool drawn;
};

/* Starts the progress. AUTO becomes a bar if standard error is a terminal, else NONE. */
void console_progress_start(struct console_progress *progress, enum progress kind, int64_t total);

/* Counts a finished pair. */
void console_progress_done(struct console_progress *progress, int64_t done);
void console_progress_pair(struct console_progress *progress, const ssimcu_record *record);

/* Prints the error of a pair. After the first few, errors are only counted, and console_on_end
 * prints their number. */
void console_complaint(struct console_progress *progress, const ssimcu_record *record);

/* Shows the progress of the report's pictures, and removes it at the end. */
void console_progress_pictures(struct console_progress *progress, size_t done, size_t count);
void console_progress_pictures_end(struct console_progress *progress);

/* Prints the line that a farm shows as the reason of a failed task. `skips`: missing frames are not
 * a fault. */
void console_openjd_fail(const ssimcu_summary *summary, bool skips);

/* ---- Calls of the library -------------------------------------------------------------------- */

/* The state of the callbacks of a call: their `user`, or its first member. */
struct console_call {
    const struct arguments *arguments;
    struct console_progress progress;
    int lost; /* errno of standard output; 0: nothing was lost */
};

/* Callbacks (ssimcu_run_hooks): the progress that the arguments select, none with --quiet; a line
 * for standard output, unchanged or escaped; a line for users. */
void console_on_begin(void *user, int64_t total);
void console_on_end(void *user);
ssimcu_status console_on_line(void *user, const char *line);
ssimcu_status console_on_text(void *user, const char *text);
void console_on_log(void *user, ssimcu_log level, const char *line);
