/* Everything that the program says, except --help (options.c). Scores go to standard output,
 * everything else to standard error. */
#ifndef SSIMCU_CLI_CONSOLE_H
#define SSIMCU_CLI_CONSOLE_H

#include "options.h"

#include "facts/metrics.h"
#include "fail.h"

/* The code of a signal that stopped a run is this and its number: 130, 143. */
enum { EXIT_SIGNAL = 128 };

/* Prints one line on standard error, after the program's name. A line break in it is shown as \n;
 * any other control character and what is not UTF-8 is shown as \xHH. */
SSIMCU_PRINTF(1, 2) void console_line(const char *format, ...);

/* Flushes standard output. Returns false, after one line on standard error, if it has not taken
 * everything. `written`: whether the last call that wrote was successful. */
bool console_flush(bool written);

/* Prints a text and a line break to standard output, and flushes it. Returns 0, or an errno. */
int console_put(const char *text);

/* Prints what ended a call of the library early: an errno of standard output, 0 if it has taken
 * everything, or else its error. Returns false if nothing did. */
bool console_ended(int lost, ssimcu_status status, const ssimcu_message *message);

void console_version(void);

/* Prints a line of --list-devices. */
void console_device(const char *device, const ssimcu_device_info *info);

/* Prints a bare score, or a score, a tab and the escaped label. Returns like console_put. */
int console_score(ssimcu_metric metric, double score, const char *label);

/* ---- Progress -------------------------------------------------------------------------------- */

/* The progress of a batch. On a terminal it is a bar that is drawn over again and again. For Open
 * Job Description farms it is the lines that they read (openjd_progress, openjd_status). Complaints
 * about single pairs go through here too, so that they do not end up inside the bar. */
struct console_progress {
    enum progress kind; /* NONE: nothing is drawn */
    int64_t total;      /* pairs of the batch; -1: unknown */
    int64_t done;
    int64_t skipped; /* pairs of `done` that were taken over from earlier results */
    double start_time, draw_time;
    ssimcu_metric metric; /* of `worst` */
    double worst;
    char worst_frame[4 * TEXT_FRAME]; /* its name, escaped; "": none yet */
    int last_percent;
    uint64_t complaints;
    bool drawn;
};

/* Starts the progress. AUTO becomes a bar if standard error is a terminal, else NONE. */
void console_progress_start(struct console_progress *progress, enum progress kind, int64_t total);

/* Starts the progress that the arguments ask for: with --quiet none. */
void console_progress_begin(struct console_progress *progress, const struct arguments *arguments,
                            int64_t total);

/* Counts a pair that is done. */
void console_progress_pair(struct console_progress *progress, const ssimcu_record *record);

/* Prints what is wrong with a pair. After the first few complaints it only counts them, and
 * console_progress_end prints how many there were. */
void console_complaint(struct console_progress *progress, const ssimcu_record *record);

/* Shows how many of the report's pictures are made, and removes that at the end. */
void console_progress_pictures(struct console_progress *progress, size_t done, size_t count);
void console_progress_pictures_end(struct console_progress *progress);

/* Prints the line that a farm shows as the reason why a task failed. `skips`: missing frames are no
 * fault. */
void console_openjd_fail(const ssimcu_summary *summary, bool skips);

/* Removes the bar, or prints the last openjd lines. */
void console_progress_end(struct console_progress *progress);

#endif
