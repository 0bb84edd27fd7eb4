/* The facts of a record in results. A row has the name of a fact and its place in the record. */
#pragma once

#include "base/json.h"
#include "lines/csv_field.h"
#include "lines/lines.h"

/* A fact to write and a fact to read: its place in the record, and its value. */
struct fact_source {
    const struct record *record;
    const void *at;
};
struct fact_target {
    const json_t *value;
    struct record *record;
    void *at;
};

/* How a kind of fact is written as JSON and as CSV. */
struct fact_kind {
    bool (*has)(struct fact_source fact); /* NULL: all records have it */
    bool zero_column;                     /* CSV has a value even if `has` returns false */
    /* Returns the value; NULL if memory runs out. No function: it is in another fact's value. */
    json_t *(*to_json)(struct fact_source fact);
    /* Reads the value back. Errors: DATA (wrong type), MEMORY. */
    ssimcu_status (*from_json)(struct fact_target fact);
    /* Writes the columns, separated by commas. Returns false if memory runs out. No function: the
     * values are those in JSON. */
    bool (*to_csv)(FILE *to, struct fact_source fact);
};

/* Bits of `when`: the kinds of records that have a fact, and two flags. */
enum {
    IF_SCORED = 1 << SSIMCU_RECORD_SCORED,
    IF_MISSING = 1 << SSIMCU_RECORD_MISSING,
    IF_FAILED = 1 << SSIMCU_RECORD_FAILED,
    IF_CHECKED = 1 << SSIMCU_RECORD_CHECKED,
    ALWAYS = IF_SCORED | IF_MISSING | IF_FAILED | IF_CHECKED,
    NEEDED = 1 << 4,       /* without it a line is damaged, if its object exists */
    COLUMN_ALWAYS = 1 << 5 /* CSV has it for every kind of record */
};

struct fact {
    const char *path; /* the place in JSON: a dot separates objects, and % stands for ref and out */
    const struct fact_kind *kind;
    unsigned when;
    struct {
        size_t at, stride; /* offset in struct record, and from REF to OUT; 0: one for both */
        size_t known;      /* offset of the flag for a known fact; 0: none */
    } place;
    int column;          /* position among the columns, from 1, 0 for none; new ones come last */
    const char *columns; /* their names, separated by commas; if there are none, the reason */
};

/* The rows, in the order of JSON. The last row has no path. */
extern const struct fact record_facts[];

/* Names of the sides: "ref" and "out". */
extern const char *const fact_sides[2];

/* Returns the number of places of a fact: 2 if each side has one. */
int fact_places(const struct fact *fact);

/* Returns a fact with its place in a record. */
struct fact_source fact_of(const struct fact *fact, const struct record *record, int side);

/* Returns DATA if a value has the wrong type. */
static inline ssimcu_status fact_read(bool good) { return good ? SSIMCU_OK : SSIMCU_ERROR_DATA; }

/* Write and read a place as members of an object: x, y, width and height. fact_read_place returns
 * false if one of them has the wrong type. */
void fact_put_place(struct object *json, struct finding_place place);
bool fact_read_place(const json_t *json, uint32_t *x, uint32_t *y, uint32_t *width,
                     uint32_t *height);

/* Return whether a record's line of JSON, or of CSV, has a value for it. */
bool fact_in_json(const struct fact *fact, const struct record *record, int side);
bool fact_in_csv(const struct fact *fact, const struct record *record, int side);

/* Kinds: numbers (record_numbers.c), */
extern const struct fact_kind fact_frame, fact_flag, fact_count, fact_count_if_any, fact_real,
    fact_share, fact_share_if_any, fact_bits, fact_score, fact_channels;
/* texts and names (record_texts.c), */
extern const struct fact_kind fact_text, fact_status, fact_missing, fact_message, fact_background,
    fact_backend, fact_decoder, fact_left, fact_side, fact_side_if_any;
/* objects (record_tiles.c, record_numbers.c); */
extern const struct fact_kind fact_ignored, fact_tile, fact_level_shift, fact_learned, fact_stale,
    fact_metrics;
/* lists (record_findings.c). */
extern const struct fact_kind fact_findings;
