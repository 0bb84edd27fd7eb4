/* The facts of a record, as results tell them: a row says what a fact is called and where it is. */
#ifndef SSIMCU_QA_FACT_H
#define SSIMCU_QA_FACT_H

#include "base/json.h"
#include "lines/csv_field.h"
#include "lines/lines.h"

#include <stdio.h>

/* A fact that is written, and one that is read back: its place in the record, and its value. */
struct telling {
    const struct record *record;
    const void *at;
};
struct reading {
    const json_t *value;
    struct record *record;
    void *at;
};

/* What a kind of fact is as JSON and as CSV. */
struct fact_kind {
    bool (*has)(struct telling fact); /* NULL: every record has it */
    bool zero_column;                 /* CSV has a value, too, if `has` says no */
    /* Returns the value; NULL if memory runs out. No function: another fact's value has it. */
    json_t *(*to_json)(struct telling fact);
    /* Reads the value back. Errors: DATA (it is something else), MEMORY. */
    ssimcu_status (*from_json)(struct reading fact);
    /* Writes the columns, commas between. Returns false if memory runs out. No function: the values
     * that JSON has. */
    bool (*to_csv)(FILE *to, struct telling fact);
};

/* Bits of `when`: the kinds of records that have a fact, and what holds beside them. */
enum {
    IF_SCORED = 1 << SSIMCU_RECORD_SCORED,
    IF_MISSING = 1 << SSIMCU_RECORD_MISSING,
    IF_FAILED = 1 << SSIMCU_RECORD_FAILED,
    ALWAYS = IF_SCORED | IF_MISSING | IF_FAILED,
    NEEDED = 1 << 3,       /* a line without it is damaged, if its object is there */
    COLUMN_ALWAYS = 1 << 4 /* CSV has it of every kind of record */
};

struct fact {
    const char *path; /* the place in JSON: a dot opens an object, and % is ref and out */
    const struct fact_kind *kind;
    unsigned when;
    struct {
        size_t at, stride; /* bytes to it in struct record, and from REF to OUT; 0: one for both */
        size_t known;      /* bytes to the flag without which there is no such fact; 0: none */
    } place;
    int column;          /* place among the columns, from 1: new ones come last. 0: none */
    const char *columns; /* their names, commas between; without any, the reason */
};

/* The rows, in the order of JSON. The last one has no path. */
extern const struct fact record_facts[];

/* Names of the sides: "ref" and "out". */
extern const char *const fact_sides[2];

/* Returns how many places a fact has: 2 if each side has one. */
int fact_places(const struct fact *fact);

/* Returns a fact with its place in a record. */
struct telling fact_of(const struct fact *fact, const struct record *record, int side);

/* Returns DATA if a value was something else. */
static inline ssimcu_status fact_read(bool good) { return good ? SSIMCU_OK : SSIMCU_ERROR_DATA; }

/* Return whether a record's line of JSON, or of CSV, has a value for it. */
bool fact_in_json(const struct fact *fact, const struct record *record, int side);
bool fact_in_csv(const struct fact *fact, const struct record *record, int side);

/* Kinds: numbers (record_numbers.c), */
extern const struct fact_kind fact_count, fact_count_if_any, fact_real, fact_share,
    fact_share_if_any, fact_bits, fact_score, fact_channels;
/* texts and names (record_texts.c), */
extern const struct fact_kind fact_text, fact_status, fact_missing, fact_message, fact_background,
    fact_backend, fact_decoder, fact_hints, fact_left, fact_side, fact_side_if_any;
/* objects (record_tiles.c, record_metrics.c). */
extern const struct fact_kind fact_ignored, fact_tile, fact_shift, fact_floor, fact_stale,
    fact_metrics;

#endif
