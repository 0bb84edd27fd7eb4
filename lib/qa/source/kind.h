/* What the kinds of source share. A new kind is a file with a row, and an entry in source.c. */
#ifndef SSIMCU_QA_KIND_H
#define SSIMCU_QA_KIND_H

#include "source/source.h"

/* What REF or OUT is. */
enum form {
    FORM_LIST = 1, /* there is a list instead */
    FORM_PICTURE = 2,
    FORM_DIRECTORY = 4,
    FORM_PATTERN = 8,
    FORM_VIDEO = 16,
    FORM_RAW = 32
};

/* A kind that source_open knows. */
struct source_row {
    struct source_kind kind;
    int forms;    /* forms that a side may have, added up */
    size_t bytes; /* size of the kind's own struct; `open` gets it zeroed behind struct source */
    /* Opens the source; `form` is that of REF and of each OUT. What concerns one of several OUTs
     * alone goes to its source_out, whose status may already say that it is left out. */
    ssimcu_status (*open)(struct source *source, const enum form *form, ssimcu_message *message);
};

extern const struct source_row source_list, source_pictures, source_clips;

/* Returns the path of an OUT. */
const char *kind_out_path(const struct source_input *input, uint32_t out);

/* Names the files of a record and notes which are not there. A path of NULL is not there. */
void kind_name_files(struct record *record, const char *ref, const char *out);

/* Loads two pictures, as `load` of a kind. A shared frame is REF of all pairs. */
ssimcu_status source_pictures_load(const struct source *source, struct pair *pair,
                                   ssimcu_message *message);

#endif
