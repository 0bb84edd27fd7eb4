/* The options of a run, checked and worked out: the public ones of ssimcu_qa.h in the form in which
 * the rooms take them. */
#ifndef SSIMCU_QA_OPTIONS_H
#define SSIMCU_QA_OPTIONS_H

#include "ssimcu_qa.h"

#include "maps/maps.h"
#include "options/verbs.h"
#include "source/source.h"
#include "verdict/verdict.h"

/* OUTs that belong together. */
enum { GROUPS_MOST = 16 };
struct out_groups {
    uint32_t count;
    char *name[GROUPS_MOST];      /* own */
    uint8_t of[SOURCE_MOST_OUTS]; /* of each OUT: 1 + the index of its group; 0: none */
};

/* The struct must not be moved, because parts of it point to others. A pair is a batch of one. */
struct options {
    /* What was given. `output` is where results go, also of --resume alone; counts of 0 are their
     * defaults, and those of SSIMCU_NONE are 0. */
    ssimcu_run_options run;
    struct source_input input; /* REF and OUT */
    struct out_groups groups;
    bool csv;             /* CSV rather than JSON Lines */
    bool share;           /* the run is a share of a batch, which the merge judges */
    ssimcu_ranges frames; /* of run.frames */
    ssimcu_clip_format raw;
    const char *pictures; /* folder of run.markdown's pictures, or a directory of several; NULL:
                             none */
    char *pictures_name;  /* own; its name beside run.markdown */
    const char *floors;   /* file of floors that the limits name, once they are read; NULL: none */
    const struct limits_file *limits_read; /* what is in run.limits_file; NULL: none, or not yet */
    uint32_t tile;                         /* pixels of a tile's side; 0: no tiles */
    struct limits limits;
    ssimcu_settings settings;      /* its metrics: 0 for SSIM alone */
    const char *unfit[KIND_COUNT]; /* the first option given that is not for this kind of files */
    struct contract_light light;   /* copied into the settings and the image's options */
    ssimcu_image_options image;
};

/* Reads the options of a call that names its two sides itself; NULL means the defaults. The pointer
 * `out` must live until options_make. Errors: ARGUMENT. */
ssimcu_status options_read_for(const char *ref, const char *const *out,
                               const ssimcu_run_options *options, ssimcu_run_options *given,
                               ssimcu_message *message);

/* Works out the options. Call options_free also after an error. Errors: ARGUMENT, MEMORY. */
ssimcu_status options_make(struct options *options, const ssimcu_run_options *given,
                           ssimcu_message *message);

/* Checks the side of tiles, which may be that of a file of limits. Errors: ARGUMENT. */
ssimcu_status options_check_tile(const struct options *options, ssimcu_message *message);
void options_free(struct options *options);

#endif
