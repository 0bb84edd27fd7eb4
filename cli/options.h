/* Command line -> what to do. */
#ifndef SSIMCU_CLI_OPTIONS_H
#define SSIMCU_CLI_OPTIONS_H

#include "sequence/sequence.h"
#include "ssimcu.h"
#include "ssimcu_io.h"
#include "video/clip.h"

#include <stdbool.h>

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

/* The code of what ended a run. ARGUMENT and MEMORY are INTERNAL here: whether the command line or
 * the device is to blame, the caller knows. */
enum exit_code exit_code_of(ssimcu_status status);

enum action { ACTION_SCORE, ACTION_MERGE, ACTION_HELP, ACTION_VERSION, ACTION_LIST_DEVICES };

enum progress { PROGRESS_AUTO, PROGRESS_NONE, PROGRESS_OPENJD };

/* What only a batch knows. */
struct batch_options {
    bool wanted;        /* one of these was given, so that even two pictures are a batch */
    const char *list;   /* --list: pairs of files instead of REF and OUT */
    const char *output; /* NULL: standard output */
    const char *resume; /* earlier results, NULL for none */
    bool csv;           /* rather than JSON Lines */
    bool has_frames;
    ssimcu_ranges frames;
    const char *size, *format; /* of raw video; both or none */
    ssimcu_clip_format raw;
    bool shortest, allow_missing;
    bool has_min_frame;
    double min_frame;
    uint64_t max_bad;       /* frames that may be below min_frame */
    uint32_t worst;         /* how many frames the summary names */
    uint32_t shard, shards; /* 1/1: everything */
    uint64_t memory_bytes;  /* for frames; 0: the default */
    enum progress progress;
};

struct options {
    enum action action;
    const char *ref, *out;
    char **files; /* of a merge */
    int file_count;
    const char *map;  /* NULL: no map */
    bool all_devices; /* --device all */
    bool json, quiet, verbose;
    bool has_min_score;
    double min_score;
    ssimcu_settings settings;
    ssimcu_image_options image;
    struct batch_options batch;
};

/* Returns false after one line on stderr when the command line is wrong. */
bool options_parse(struct options *options, int argc, char **argv);

/* The help text, to stdout. */
void options_help(void);

/* The names that --pad, --color and --alpha take, for reports. */
const char *options_pad_name(ssimcu_pad pad);
const char *options_color_name(ssimcu_color color);
const char *options_alpha_name(ssimcu_alpha alpha);

#endif
