/* Lines of results, written and read back. header.h has the first one. */
#ifndef SSIMCU_QA_LINES_H
#define SSIMCU_QA_LINES_H

#include "facts/header.h"
#include "verdict/verdict.h"

/* Returns a record's line of JSON Lines, the caller's to free; NULL if memory runs out. */
char *record_to_json(const struct record *record);

/* Returns the record as a JSON object whose first member is `type`; NULL if memory runs out. */
struct json_t *record_to_object(const struct record *record, const char *type);

/* Returns the last line of JSON Lines, the caller's to free; NULL if memory runs out. `verdict`:
 * NULL for a share, which has none. */
char *summary_to_json(const struct summary *summary, const struct verdict *verdict);

/* Returns the verdict as a JSON object; NULL if memory runs out. */
struct json_t *verdict_to_json(const struct verdict *verdict, const struct summary *summary);

/* Return parts of a record that summary and verdict show, too; NULL if memory runs out. */
struct json_t *record_tile_to_json(const ssimcu_tile *tile);
struct json_t *record_shift_to_json(const char *layout, const ssimcu_tile_shift *shift);
struct json_t *record_side_to_json(const struct record_side *side);
struct json_t *record_left_to_json(const char *left);
struct json_t *record_hints_to_json(const char *hints);

/* Returns a value of a metric; null is an infinite one. */
struct json_t *lines_value_to_json(double value);

struct json_t *record_floor_to_json(const char *layout, const struct floor_excess *floor,
                                    enum floor_rule worst);

/* How far a score may be beyond 1: float_ssim of libvmaf rounds to a float. */
#define LINES_BEYOND 1e-6

/* Read numbers as records have them. They return false if the value is something else, or if a
 * score lies beyond 1: it was written by hand, or a disk has lost its bits. */
bool lines_score(const struct json_t *json, double *score);
bool lines_whole(const struct json_t *json, uint32_t *value);

/* Reads a record's line back; the caller clears it. Errors, without a message: DATA, MEMORY. */
ssimcu_status record_from_json(const char *line, struct record *record);
ssimcu_status record_from_object(const struct json_t *json, struct record *record);
ssimcu_status record_side_from_json(const struct json_t *json, struct record_side *side);

/* Return a record's line as CSV, and the line of names above all; they are the caller's to free.
 * NULL: memory runs out. */
char *record_to_csv(const struct record *record);
char *record_csv_names(void);

#endif
