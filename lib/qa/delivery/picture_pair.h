/* A pair of picture files, scored with little delay. Both files are opened, then decoded at the
 * same time while the device starts. A batch of one pair would wait for each step. */
#pragma once

#include "engine/judge.h"
#include "pair/diff.h"
#include "pair/pair.h"
#include "reader.h"

/* Facts about one of the two files. */
struct picture_side {
    const char *path;
    const char *format; /* "PNG"; static */
    const char *reader; /* "igzip"; static */
    ssimcu_frame frame; /* memory is owned by the struct picture_pair */
    double outside;     /* share of the frame outside an EXR's data window */
    double decode_ms;
};

struct picture_pair {
    /* The caller sets these. The paths are those of `side`. */
    struct pair pair;                /* its record, from record_new, already has names if needed */
    const ssimcu_settings *settings; /* AUTO scores a small pair on the CPU */
    uint32_t needed;                 /* metrics without which the pair is an error */
    const ssimcu_image_options *image;    /* `threads` are for both files together */
    const struct contract_region *region; /* NULL: the whole frame */
    uint32_t tile;                        /* side of a tile in pixels; 0: no tiles */
    const struct judge *judge;            /* ignored areas, and learned limits; may be NULL */
    uint64_t memory_bytes; /* most memory for both frames and their decoders; 0: no limit, because
                              the image's options have one */
    bool wants_map;
    bool counts; /* count differing pixels, as in the input of a source */
    struct diff_rule diff;
    bool ranged;             /* compare data of an EXR within its range */
    const ssimcu_stop *stop; /* a stop skips the remaining steps; may be NULL */
    /* An open context, or NULL to open one, which picture_pair_free closes. */
    ssimcu_context *context;
    /* Filled in by the completed steps. */
    struct picture_side side[2]; /* REF, OUT */
    ssimcu_map map;              /* if `wants_map` */
    ssimcu_score score;
    const char *device; /* "cuda:0" */
    const char *reason; /* reason for that device */
    bool fell_back;     /* AUTO's GPU computes wrongly, so the CPU scored the pair */
    double start_ms;    /* time to open the device, while the files are decoded */
    bool on_device;     /* a MEMORY error was about the device's memory */
    bool scored;        /* all steps are done */
    /* private */
    bool owns_context;
    struct learned_tiles tiles;
    ssimcu_message auto_reason;
};

/* Makes the pair that the options name, unscored. Its record is NULL if memory runs out. */
struct options;
struct picture_pair picture_pair_of(const struct options *options);

/* Opens, decodes and scores the two files, and fills in the record, except hints that need
 * neighbouring frames. Messages name the file or both files. Errors: as ssimcu_image_open,
 * ssimcu_image_decode, ssimcu_open and ssimcu_compare; MISMATCH. */
ssimcu_status picture_pair_score(struct picture_pair *pair, ssimcu_message *message);

/* Frees the frames, the map and the record, and closes a context that the pair opened. */
void picture_pair_free(struct picture_pair *pair);
