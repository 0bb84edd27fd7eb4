/* The options of a run, checked and completed: the public ones of ssimcu_qa.h in the form that
 * modules use. */
#pragma once

#include "maps/maps.h"
#include "options/verbs.h"
#include "source/source.h"
#include "verdict/verdict.h"

/* Groups of OUTs. */
enum { GROUPS_MOST = 16 };
struct out_groups {
    uint32_t count;
    char *name[GROUPS_MOST];      /* owned */
    uint8_t of[SOURCE_MOST_OUTS]; /* by OUT: 1 + the index of its group; 0: none */
};

/* Do not move the struct, because it has pointers into itself. A pair is a batch of one. */
struct options {
    /* The options as given, except: `output` is the place of results, even with only --resume.
     * Counts of 0 are replaced by their defaults, and SSIMCU_NONE by 0. */
    ssimcu_run_options run;
    struct source_input input; /* REF and OUT */
    struct out_groups groups;
    bool csv;             /* CSV rather than JSON Lines */
    bool share;           /* the run is a share of a batch, and the merge judges it */
    ssimcu_ranges frames; /* parsed run.frames */
    ssimcu_clip_format raw;
    const char *pictures; /* folder of run.markdown's pictures, or for several OUTs; may be NULL */
    char *pictures_name;  /* owned; its name next to run.markdown */
    char *resume_name;    /* owned; run.resume, if a file that it left was named */
    const char *learned;  /* file with the learned limits, once limits are read; may be NULL */
    const struct limits_file *limits_read; /* contents of run.limits_file; NULL: none, or not yet */
    uint32_t tile;                         /* side of a tile in pixels; 0: no tiles */
    struct limits limits;
    ssimcu_settings settings;      /* `metrics` is 0 for only SSIM */
    const char *unfit[KIND_COUNT]; /* the first given option that is not for this kind of files */
    struct contract_light light;   /* copied into the settings and the image's options */
    ssimcu_image_options image;
};

/* Reads the options of a call that names its two sides as arguments. NULL means the defaults. The
 * pointer `out` must live until options_make. Errors: ARGUMENT. */
ssimcu_status options_read_for(const char *ref, const char *const *out,
                               const ssimcu_run_options *options, ssimcu_run_options *given,
                               ssimcu_message *message);

/* Completes the options. Call options_free, even after an error. Errors: ARGUMENT, MEMORY. */
ssimcu_status options_make(struct options *options, const ssimcu_run_options *given,
                           ssimcu_message *message);

/* Checks the side of tiles, which may come from a limits file. Errors: ARGUMENT. */
ssimcu_status options_check_tile(const struct options *options, ssimcu_message *message);
void options_free(struct options *options);
