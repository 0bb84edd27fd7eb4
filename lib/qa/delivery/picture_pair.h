/* A pair of picture files, scored as soon as it can be: both files are opened, then decoded at the
 * same time while the device starts. A batch of one would wait for each step. */
#ifndef SSIMCU_QA_PICTURE_PAIR_H
#define SSIMCU_QA_PICTURE_PAIR_H

#include "engine/judge.h"
#include "pair/differ.h"
#include "pair/pair.h"
#include "reader.h"

/* What is known about one of the two files. */
struct picture_side {
    const char *path;
    const char *format; /* "PNG"; static */
    const char *reader; /* "igzip"; static */
    ssimcu_frame frame; /* memory belongs to the struct picture_pair */
    double outside;     /* share of the frame that lies outside an EXR's data window */
    double decode_ms;
};

struct picture_pair {
    /* Set by the caller. The paths are those of `side`. */
    struct pair pair; /* its record, of record_new, already has the names, if it needs any */
    const ssimcu_settings *settings;      /* AUTO scores a small pair on the CPU */
    uint32_t needed;                      /* metrics without which the pair is an error */
    const ssimcu_image_options *image;    /* `threads` are for both files together */
    const struct contract_region *region; /* NULL: the whole frame */
    uint32_t tile;                        /* side of a tile in pixels; 0: no tiles */
    const struct judge *judge;            /* parts that are ignored, and floors; NULL: neither */
    uint64_t memory_bytes; /* most for both frames and what their decoders hold; 0: no limit,
                              because the image's options have one */
    bool wants_map;
    bool counts; /* pixels that differ are counted, as those of a source's input */
    struct differ_rule differ;
    bool ranged;             /* data of an EXR is compared within its own range */
    const ssimcu_stop *stop; /* a stop between two steps leaves the rest undone; NULL: never */
    /* An open context, or NULL to open one, which picture_pair_free closes. */
    ssimcu_context *context;
    /* Filled in as far as the steps came. */
    struct picture_side side[2]; /* REF, OUT */
    ssimcu_map map;              /* if `wants_map` */
    ssimcu_score score;
    const char *device; /* "cuda:0" */
    const char *reason; /* reason for that device */
    double start_ms;    /* time to open the device, while the files are decoded */
    bool on_device;     /* a MEMORY error concerns the device's memory */
    bool scored;        /* all steps are done */
    /* private */
    bool owns_context;
    struct floor_tiles tiles;
    ssimcu_message auto_reason;
};

/* Opens, decodes and scores the two files, and fills in the record, but not its hints of frames
 * around it. A message names the file or both. Errors: as ssimcu_image_open, ssimcu_image_decode,
 * ssimcu_open and ssimcu_compare; MISMATCH. */
ssimcu_status picture_pair_score(struct picture_pair *pair, ssimcu_message *message);

/* Frees the frames, the map and the record, and closes a context that the pair has opened. */
void picture_pair_free(struct picture_pair *pair);

#endif
