/* Which option goes with which verb, and with which kind of files. The library and the command line
 * ask the same table. */
#ifndef SSIMCU_QA_VERBS_H
#define SSIMCU_QA_VERBS_H

#include "ssimcu_qa.h"

#include <stdbool.h>

/* What is done; values of a mask. */
enum verb {
    VERB_SCORE = 1,       /* REF and its OUTs */
    VERB_LIST = 2,        /* pairs that a list names */
    VERB_MERGE = 4,       /* results of earlier runs */
    VERB_CALIBRATE = 8,   /* accepted runs against REF */
    VERB_ACCEPT = 16,     /* OUTs become references */
    VERB_CHECK = 32,      /* frames that have no reference */
    VERB_CHECK_MERGE = 64 /* results of such checks */
};

/* Kinds of files for which options are, once it is known what is compared. */
enum verb_kind {
    KIND_PICTURES, /* an EXR may be among them */
    KIND_FLAT,     /* pictures without layers: no EXR is among them */
    KIND_VIDEO,
    KIND_COUNT
};

/* Returns the verbs with which an option of the command line goes, of those that are fields of
 * ssimcu_run_options; 0: there is no such option. */
unsigned verbs_of(const char *option);

/* Takes a limit of SSIM by its option. Returns whether it may be that number. */
bool verbs_take_limit(ssimcu_run_options *given, const char *option, double number);

/* Refuses an option that goes with `verbs`, but not with this one. Returns ARGUMENT. */
ssimcu_status verbs_refuse(const char *option, unsigned verbs, enum verb verb,
                           ssimcu_message *message);

/* Refuses the first option that was given and does not go with the verb, and an output "-". Errors:
 * ARGUMENT. */
ssimcu_status verbs_check(const ssimcu_run_options *given, enum verb verb, ssimcu_message *message);

/* Returns the first option that was given and is not for this kind of files; NULL: none. */
const char *verbs_unfit(const ssimcu_run_options *given, enum verb_kind kind);

#endif
