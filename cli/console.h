/* Everything that the program says, except --help (options.c). Scores go to standard output,
 * everything else to standard error. The last word is the exit code. */
#ifndef SSIMCU_CLI_CONSOLE_H
#define SSIMCU_CLI_CONSOLE_H

#include "engine/batch.h"
#include "fail.h"
#include "options.h"
#include "results/header.h"
#include "results/text.h"

/* The exit codes. They are documented and stable, and none stands for two things. */
enum exit_code {
    EXIT_SCORED = 0, /* scored, within every limit */
    EXIT_BELOW = 1,  /* scored, beyond a limit */
    EXIT_USAGE = 2,  /* the command line is wrong */
    EXIT_MISMATCH =
        3,           /* the two sides cannot be compared, or a batch has missing or failed frames */
    EXIT_INPUT = 4,  /* a file is missing, unreadable, damaged, not supported or over a limit; no
                        frame of a batch could be scored */
    EXIT_DEVICE = 5, /* the device is missing or failed */
    EXIT_INTERNAL = 70,
    EXIT_OUTPUT = 74, /* an output could not be written */
    EXIT_SIGNAL = 128 /* added to the number of the signal that stopped a batch: 130, 143 */
};

/* Prints one line on standard error, after the program's name. A line break in it is shown as \n;
 * any other control character and what is not UTF-8 is shown as \xHH. */
SSIMCU_PRINTF(1, 2) void console_line(const char *format, ...);

/* Returns the code for the status that ended a run. ARGUMENT and MEMORY become INTERNAL, because
 * only the caller knows whether the command line or the device is to blame. */
enum exit_code console_exit_code(ssimcu_status status);

/* Prints a decoder's remark, of the first twenty. It is a callback of ssimcu_image_options, on any
 * thread. */
void console_remark(void *user, const char *line);

/* Flushes standard output. Returns false, after one line on standard error, if it has not taken
 * everything. `written`: whether the last call that wrote was successful. */
bool console_flush(bool written);

void console_version(void);

/* Prints a line of --list-devices. */
void console_device(const char *device, const ssimcu_device_info *info);

/* Writes a tile's score and its place in the frame, such as "0.161000000 at 64x64+640+128", and
 * returns `text`. */
enum { CONSOLE_TILE = 80 };
const char *console_tile(char text[CONSOLE_TILE], const struct record_tile *tile);

/* Prints a bare score, or a score, a tab and the escaped label. Returns like console_flush. */
bool console_score(double score, const char *label);

/* ---- A pair ---------------------------------------------------------------------------------- */

/* One picture of a pair. */
struct console_side {
    const char *path;
    const char *format; /* "PNG" */
    const char *reader; /* "igzip" */
    ssimcu_frame frame;
    double decode_ms;
};

/* The facts about a pair that are not in its record. */
struct console_pair {
    const struct options *options;
    const struct record *record;
    struct console_side side[2]; /* REF, OUT */
    const char *device;          /* "cuda:0" */
    const char *reason;          /* reason for that device */
    double start_ms;             /* time to open the device, while the files are decoded */
    ssimcu_stage_ms ms;
};

/* Prints the pair as one JSON object, for --json. Returns SCORED; OUTPUT or INTERNAL after one line
 * on standard error. */
enum exit_code console_json(const struct console_pair *pair, const struct header *header,
                            const struct verdict *verdict, const struct summary *summary);

/* Prints device, reason, contract and stage times, for -v. */
void console_stages(const struct console_pair *pair);

/* Advice about pixels that were clamped. */
#define CONSOLE_CLAMPED "what differs there does not count (--hdr pu21, --exposure)"

/* Prints a line for each limit that the pair did not keep. Also prints lines if many pixels were
 * clamped or samples are not finite, because the score then says less. */
void console_pair_verdict(const struct console_pair *pair, const struct verdict *verdict);

/* ---- A batch --------------------------------------------------------------------------------- */

/* Prints the counts, the statistics and the worst frames. */
void console_summary(const struct summary *summary);

/* Prints a line if many pixels were clamped. If the batch has not passed, also prints a line for
 * each limit that was not kept, and the hints. With `openjd` the last line tells a farm why. */
void console_verdict(const struct verdict *verdict, const struct summary *summary, bool openjd);

/* Prints device, reason and times, for -v. */
void console_times(const struct batch_times *times);

/* The progress of a batch. On a terminal it is a bar that is drawn over again and again. For Open
 * Job Description farms it is the lines that they read (openjd_progress, openjd_status). Complaints
 * about single pairs go through here too, so that they do not end up inside the bar. */
struct console_progress {
    enum progress kind; /* NONE: nothing is drawn */
    int64_t total;      /* pairs of the batch; -1: unknown */
    int64_t done;
    int64_t skipped; /* pairs of `done` that were taken over from earlier results */
    double start_time, draw_time;
    double worst;
    int64_t worst_frame; /* -1: none yet */
    int last_percent;
    uint64_t complaints;
    bool drawn;
};

/* Starts the progress. AUTO becomes a bar if standard error is a terminal, else NONE. */
void console_progress_start(struct console_progress *progress, enum progress kind, int64_t total);

/* Counts a pair that is done. `skipped`: it was taken over from earlier results. */
void console_progress_pair(struct console_progress *progress, const struct record *record,
                           bool skipped);

/* Prints what is wrong with a pair. After the first few complaints it only counts them, and
 * console_progress_end prints how many there were. */
void console_complaint(struct console_progress *progress, const struct record *record);

/* Shows how many of the report's pictures are made, and removes that at the end. */
void console_progress_pictures(struct console_progress *progress, size_t done, size_t count);
void console_progress_pictures_end(struct console_progress *progress);

/* Removes the bar, or prints the last openjd lines. */
void console_progress_end(struct console_progress *progress);

#endif
