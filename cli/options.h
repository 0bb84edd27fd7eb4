/* Command line -> what to do. */
#ifndef SSIMCU_CLI_OPTIONS_H
#define SSIMCU_CLI_OPTIONS_H

#include "maps/maps.h"
#include "results/verdict.h"
#include "source/source.h"

enum action { ACTION_SCORE, ACTION_MERGE, ACTION_HELP, ACTION_VERSION, ACTION_LIST_DEVICES };

enum progress { PROGRESS_AUTO, PROGRESS_NONE, PROGRESS_OPENJD };

/* What only a batch knows, beside its input. */
struct batch_options {
    bool wanted;        /* one of these was given, so that even two pictures are a batch */
    const char *output; /* NULL: standard output */
    const char *resume; /* earlier results, NULL for none */
    bool csv;           /* rather than JSON Lines */
    bool share;         /* one was asked for: the merge judges */
    ssimcu_ranges frames;
    const char *frames_text;   /* as given, NULL: all */
    const char *size, *format; /* of raw video; both or none */
    ssimcu_clip_format raw;
    const char *junit;     /* NULL: none */
    const char *baseline;  /* earlier results to hold the scores against, NULL for none */
    uint32_t worst;        /* how many frames the summary names */
    uint64_t memory_bytes; /* for frames; 0: the default */
    enum progress progress;
};

/* Parts of it point to others: it stays where it was parsed to. */
struct options {
    enum action action;
    bool out_of_memory;        /* that is what was wrong, not the command line */
    struct source_input input; /* of a single pair: `path` */
    char **files;              /* of a merge */
    int file_count;
    const char *map; /* a file; of a batch a directory; NULL: no map */
    enum map_style map_style;
    const char *report; /* NULL: none */
    uint32_t report_frames;
    bool all_devices; /* --device all */
    bool json, quiet, verbose;
    uint32_t tile; /* pixels of a tile's side; 0: no tiles */
    struct limits limits;
    ssimcu_settings settings;
    struct contract_light light; /* in the settings and the image's options, too */
    ssimcu_image_options image;
    struct batch_options batch;
};

/* Returns false after one line on stderr when the command line is wrong. */
bool options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

/* The help text, to stdout. */
void options_help(void);

#endif
