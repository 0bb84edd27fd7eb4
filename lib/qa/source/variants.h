/* Variants: further accepted references of pictures. Each is a source of its own, of that REF and
 * the same OUT, so that frames belong together by the same rules. */
#ifndef SSIMCU_QA_VARIANTS_H
#define SSIMCU_QA_VARIANTS_H

#include "facts/record_parts.h"
#include "source/source.h"

enum { SOURCE_MOST_VARIANTS = 8 };

struct variants;

/* The reference that a variant has for a frame. */
struct variant_frame {
    char *out, *part;       /* own; the frame; `part` NULL: none */
    struct record_side ref; /* path is own */
    int64_t place;          /* private to the source, as of its pair */
};

/* Opens variants of an input of pictures, and lists their frames. The input and the paths must
 * outlive them. Errors: as source_open; ARGUMENT (it is no input of pictures). */
ssimcu_status variants_open(const struct source_input *input, const char *const *path,
                            uint32_t count, struct variants **variants, ssimcu_message *message);
void variants_close(struct variants *variants); /* accepts NULL */

uint32_t variants_count(const struct variants *variants);

/* Finds the reference for a record's OUT in variant `at`. Returns NULL if that lacks the frame. */
const struct variant_frame *variants_find(const struct variants *variants, uint32_t at,
                                          const struct record *record);

/* Loads a pair whose record names that reference as REF. Errors: as `load` of a source. */
ssimcu_status variants_load(const struct variants *variants, uint32_t at, struct pair *pair,
                            ssimcu_message *message);

/* Visits the references of all, whose role is "--or", as source_visit_files does. */
bool variants_visit_files(const struct variants *variants, source_visit *visit, void *user);

#endif
