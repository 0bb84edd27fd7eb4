/* The options (options.def): the name, help and value of each, and the verbs and kinds of files
 * that it goes with. The library and the command line use the same table. */
#pragma once

#include "ssimcu_qa.h"

#include <stdbool.h>

/* The verbs, as bits of a mask. */
enum verb {
    VERB_SCORE = 1,     /* REF and its OUTs */
    VERB_LIST = 2,      /* pairs from a list */
    VERB_MERGE = 4,     /* results of earlier runs */
    VERB_CALIBRATE = 8, /* accepted runs against REF */
    VERB_ACCEPT = 16,   /* OUTs become references */
    VERB_CHECK = 32     /* frames without a reference */
};

/* Kinds of files that an option goes with. They are checked when the inputs are known. */
enum verb_kind {
    KIND_PICTURES, /* an EXR may be among them */
    KIND_FLAT,     /* pictures without layers: no EXRs */
    KIND_VIDEO,
    KIND_COUNT
};

/* One option of options.def, the one table for the library, the program, its help, shell
 * completion, and Python. An option that is a field of ssimcu_run_options:
 *
 * OPTION(name, field, take, group, verbs, kinds, value, help, traits...)
 *
 * `take` is how the program reads it: take_TAKE of cli/option_values.c. `choice` is a value of a C
 * enum with the same names in the same order, from `least`. `group` is its place in --help-all
 * (cli/options.c). Traits are other members of this struct.
 *
 * OPTION_OF(name, field, last, ...) has all fields from `field` to `last`. OUTPUT_OF(use, kind,
 * ending, name, ...) names an output path; its first three arguments are those of struct path_row
 * (paths.h). PROGRAM(name, field, take, group, verbs, value, help, traits...) is an option of only
 * the program, and a field of struct arguments. */
struct option_row {
    const char *name, *take, *group; /* without dashes; reader in the program; place in the help */
    unsigned verbs, kinds;           /* verbs and files that it goes with */
    /* Place in ssimcu_run_options; size 0: an option of only the program. It was given if any of
     * these bytes is not 0, any of `bits` is set, or one of `limits` is. */
    size_t offset, size;
    const char *value, *help; /* form of the argument, or the names to choose from; NULL: a flag */
    uint32_t bits, limits;
    uint64_t least, most; /* range in the program; each `take` defines its unit */
    double low, high;
    uint64_t bound;       /* the largest count that the library takes; 0: another rule applies */
    const char *needs;    /* another option that it requires; may be NULL */
    const char *expected; /* description for a wrong value; NULL: `value` is used */
    char letter;          /* short form; 0: none */
    bool common;          /* shown by --help, which is one screen */
    bool writes;          /* it names an output */
    bool dash;            /* "-" is standard output, unless results go there */
};

/* The number of rows. */
enum {
    OPTION_ROWS = 0
#define OPTION_OF(...) +1
#define PROGRAM(...) +1
#include "options/options.def"
};
extern const struct option_row option_rows[OPTION_ROWS];

/* Sets a limit of SSIM. Returns whether the number is valid. */
bool verbs_take_limit(ssimcu_run_options *given, const struct option_row *row, double number);

/* Refuses an option that does not go with this verb. Returns ARGUMENT. */
ssimcu_status verbs_refuse(const struct option_row *row, enum verb verb, ssimcu_message *message);

/* Refuses the first given option that does not go with the verb, and an output "-". Errors:
 * ARGUMENT. */
ssimcu_status verbs_check(const ssimcu_run_options *given, enum verb verb, ssimcu_message *message);

/* Refuses invalid choices and counts, and options that lack another one. Errors: ARGUMENT. */
ssimcu_status verbs_check_values(const ssimcu_run_options *given, ssimcu_message *message);

/* Returns the first given option that does not go with this kind of files; NULL: none. */
const char *verbs_unfit(const ssimcu_run_options *given, enum verb_kind kind);
