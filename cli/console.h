/* All that the program says, but for --help (options.c): scores to standard output, everything else
 * to standard error. And its last word, the exit code. */
#ifndef SSIMCU_CLI_CONSOLE_H
#define SSIMCU_CLI_CONSOLE_H

#include "engine/batch.h"
#include "fail.h"
#include "options.h"
#include "results/header.h"
#include "results/text.h"

/* The exit codes: documented, stable, never one for two things. */
enum exit_code {
    EXIT_SCORED = 0,   /* and above every threshold */
    EXIT_BELOW = 1,    /* scored, below a threshold */
    EXIT_USAGE = 2,    /* the command line is wrong */
    EXIT_MISMATCH = 3, /* the two sides cannot be compared, or a batch has missing, failed frames */
    EXIT_INPUT = 4,    /* a file is missing, unreadable, damaged, not supported or over a limit; no
                          frame of a batch could be scored */
    EXIT_DEVICE = 5,   /* the device is missing or failed */
    EXIT_INTERNAL = 70,
    EXIT_OUTPUT = 74, /* an output could not be written */
    EXIT_SIGNAL = 128 /* plus the number of the signal that stopped a batch: 130, 143 */
};

/* One line on standard error, behind the program's name. A line break in it is shown as \n, any
 * other control character, and what is not UTF-8, as \xHH. */
SSIMCU_PRINTF(1, 2) void console_line(const char *format, ...);

/* The code of what ended a run. ARGUMENT and MEMORY are INTERNAL here: whether the command line or
 * the device is to blame, the caller knows. */
enum exit_code exit_code_of(ssimcu_status status);

/* A decoder's remark, as ssimcu_image_options wants it. */
void console_remark(void *user, const char *line);

/* False, after a line, where standard output has not taken all that was written; `written`: what
 * the last call said. */
bool console_flush(bool written);

void console_version(void);

/* A line of --list-devices. */
void console_device(const char *device, const ssimcu_device_info *info);

/* "0.161000000 at 64x64+640+128": a tile's score and where in the frame it is. */
enum { CONSOLE_TILE = 80 };
const char *console_tile(char text[CONSOLE_TILE], const struct record_tile *tile);

/* A bare score, or with a tab and a label behind it, escaped. False where standard output does not
 * take it, as of all that go there. */
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

/* What is known of a pair beside its record. */
struct console_pair {
    const struct options *options;
    const struct record *record;
    struct console_side side[2]; /* REF, OUT */
    const char *device;          /* "cuda:0" */
    const char *reason;          /* why that device */
    double start_ms;             /* time to open the device, while the files are decoded */
    ssimcu_stage_ms ms;
};

/* Prints the pair as one JSON object, for --json. Returns SCORED, or OUTPUT or INTERNAL after a
 * line. */
enum exit_code console_json(const struct console_pair *pair, const struct header *header,
                            const struct verdict *verdict, const struct summary *summary);

/* Prints device, reason, contract and stage times, for -v. */
void console_stages(const struct console_pair *pair);

/* What to think of pixels that were clamped. */
#define CONSOLE_CLAMPED "what differs there does not count (--hdr pu21, --exposure)"

/* Prints a line for each limit that the pair did not keep, and one if many pixels were clamped. */
void console_pair_verdict(const struct console_pair *pair, const struct verdict *verdict);

/* ---- A batch --------------------------------------------------------------------------------- */

void console_summary(const struct summary *summary);

/* A line for each limit that was not kept, and the hints; nothing where it passed. `openjd`: and
 * the line that tells a farm why. */
void console_verdict(const struct verdict *verdict, const struct summary *summary, bool openjd);

/* -v: device, reason and times. */
void console_times(const struct batch_times *times);

/* How far a batch has come: a line that is drawn over on a terminal, or the lines that Open Job
 * Description farms read (openjd_progress, openjd_status). Complaints about single pairs go through
 * here too, so that they do not end up inside the bar. */
struct console_progress {
    enum progress kind; /* NONE: nothing is drawn */
    int64_t total;      /* pairs to come, -1: unknown */
    int64_t done;
    int64_t skipped; /* of them, taken over from earlier results */
    double start, last;
    double worst;
    int64_t worst_frame; /* -1: none yet */
    int last_percent;
    uint64_t complaints;
    bool drawn;
};

/* AUTO becomes a bar when stderr is a terminal, else nothing. */
void console_progress_start(struct console_progress *progress, enum progress kind, int64_t total);

/* A pair is done. */
void console_progress_pair(struct console_progress *progress, const struct record *record,
                           bool skipped);

/* What is wrong with a pair; after the first few only how many more there were, at the end. */
void console_complaint(struct console_progress *progress, const struct record *record);

/* How many of the report's pictures are made; and the end of that. */
void console_progress_pictures(struct console_progress *progress, size_t done, size_t count);
void console_progress_pictures_end(struct console_progress *progress);

/* Removes the bar; the openjd lines end with what was reached. */
void console_progress_end(struct console_progress *progress);

#endif
