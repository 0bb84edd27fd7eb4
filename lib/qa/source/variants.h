/* Variants: further accepted references of pictures. Each is a source of that REF and the same OUT,
 * so that frames are paired by the same rules. */
#pragma once

#include "record/record_types.h"
#include "source/source.h"

enum { SOURCE_MOST_VARIANTS = 8 };

struct variants;

/* A variant's reference for a frame. */
struct variant_frame {
    char *out, *shot;       /* owned; the frame; `shot` may be NULL */
    struct record_side ref; /* its path is owned */
    int64_t place;          /* private to the source, as of its pair */
};

/* Opens variants of an input of pictures, and lists their frames. The input and the paths must
 * outlive them. Errors: as source_open; ARGUMENT (the input is not pictures). */
ssimcu_status variants_open(const struct source_input *input, const char *const *path,
                            uint32_t count, struct variants **variants, ssimcu_message *message);
void variants_close(struct variants *variants); /* accepts NULL */

uint32_t variants_count(const struct variants *variants);

/* Finds the reference for a record's OUT in variant `at`. Returns NULL if the variant lacks the
 * frame. */
const struct variant_frame *variants_find(const struct variants *variants, uint32_t at,
                                          const struct record *record);

/* Loads a pair whose record names that reference as REF. Errors: as `load` of a source. */
ssimcu_status variants_load(const struct variants *variants, uint32_t at, struct pair *pair,
                            ssimcu_message *message);

/* Visits the references of all variants, with the role "--or", as source_visit_files does. */
bool variants_visit_files(const struct variants *variants, source_visit *visit, void *user);
