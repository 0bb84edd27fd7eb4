/* Lines of results, written and read back. The first line is in header.h. */
#pragma once

#include "record/header.h"
#include "verdict/verdict.h"

/* Returns a record's line of JSON Lines, which the caller frees; NULL if memory runs out. */
char *record_to_json(const struct record *record);

/* Returns the record as a JSON object whose first member is `type`; NULL if memory runs out. */
struct json_t *record_to_object(const struct record *record, const char *type);

/* Returns the last line of JSON Lines, which the caller frees; NULL if memory runs out. `verdict`
 * is NULL for a share, which has none. */
char *summary_to_json(const struct summary *summary, const struct verdict *verdict);

/* Returns the verdict as a JSON object; NULL if memory runs out. */
struct json_t *verdict_to_json(const struct verdict *verdict, const struct summary *summary);

/* Return members of a record that summaries and verdicts also have; NULL if memory runs out. */
struct json_t *record_tile_to_json(const ssimcu_tile *tile);
struct json_t *record_left_to_json(const char *left);
struct json_t *findings_to_json(const struct findings *findings);

/* Returns a value of a metric; JSON null stands for infinity. */
struct json_t *lines_value_to_json(double value);

/* A score may exceed 1 by this much: float_ssim of libvmaf rounds to a float. */
#define LINES_BEYOND 1e-6

/* Read numbers of records. They return false if the type is wrong, or if a score exceeds 1: then
 * someone edited the file, or it is damaged. */
bool lines_score(const struct json_t *json, double *score);
bool lines_whole(const struct json_t *json, uint32_t *value);

/* Reads a record's line back; the caller clears it. Errors, without a message: DATA, MEMORY. */
ssimcu_status record_from_json(const char *line, struct record *record);
ssimcu_status record_from_object(const struct json_t *json, struct record *record);

/* Return a record's line of CSV, and the line of column names. The caller frees them. NULL: memory
 * runs out. */
char *record_to_csv(const struct record *record);
char *record_csv_names(void);
