/* The options: what the command line asks for. */
#ifndef SSIMCU_CLI_OPTIONS_H
#define SSIMCU_CLI_OPTIONS_H

#include "maps/maps.h"
#include "results/verdict.h"
#include "source/source.h"

enum action {
    ACTION_SCORE,
    ACTION_MERGE,
    ACTION_HELP,
    ACTION_HELP_ALL,
    ACTION_VERSION,
    ACTION_LIST_DEVICES
};

enum progress { PROGRESS_AUTO, PROGRESS_NONE, PROGRESS_OPENJD };

/* The treatment of frames that one side lacks. */
enum missing { MISSING_ERROR, MISSING_SKIP, MISSING_END };

/* Options of batches, beside their input. A pair is a batch of one. */
struct batch_options {
    const char *output; /* NULL: standard output */
    const char *resume; /* earlier results; NULL: none */
    bool csv;           /* CSV rather than JSON Lines */
    bool share;         /* the run is a share of a batch, which the merge judges */
    ssimcu_ranges frames;
    const char *frames_text;   /* argument of --frames; NULL: all */
    const char *size, *format; /* size and format of raw video; NULL: none given */
    ssimcu_clip_format raw;
    const char *junit;     /* NULL: none */
    const char *baseline;  /* earlier results to hold the scores against; NULL: none */
    uint32_t worst;        /* number of frames that the summary names */
    uint64_t memory_bytes; /* most memory for frames; 0: the default */
    enum progress progress;
};

/* The struct must not be moved, because parts of it point to others. */
struct options {
    enum action action;
    bool out_of_memory;        /* memory ran out; the command line may be right */
    struct source_input input; /* REF and OUT */
    enum missing missing;
    char **files; /* results to merge */
    int file_count;
    const char *map; /* file of a pair, directory of a batch; NULL: no map */
    enum map_style map_style;
    const char *report; /* NULL: none */
    uint32_t report_frames;
    bool all_devices; /* --device all */
    bool json, quiet, verbose;
    uint32_t tile; /* pixels of a tile's side; 0: no tiles */
    struct limits limits;
    ssimcu_settings settings;
    struct contract_light light; /* copied into the settings and the image's options */
    bool exposure_given;         /* --exposure was given */
    ssimcu_image_options image;
    struct batch_options batch;
};

/* Returns false after one line on stderr if the command line is wrong. */
bool options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

/* Prints the help to stdout: the common options on one screen, or all in groups. */
void options_help(bool all);

#endif
