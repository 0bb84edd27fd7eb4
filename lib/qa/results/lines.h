/* Lines of results: what the files of this room share. */
#ifndef SSIMCU_QA_LINES_H
#define SSIMCU_QA_LINES_H

#include "results/header.h"
#include "results/verdict.h"

/* Every number in results is printed with so many digits: enough to read back the same bits. */
enum { LINE_DIGITS = 17 };

/* One line, without line break, and the end of `json`, which may be NULL. Free it. NULL when memory
 * runs out, as of all lines here. */
char *json_to_line(struct json_t *json);

char *header_to_json(const struct header *header);
char *record_to_json(const struct record *record);
char *summary_to_json(const struct summary *summary, const struct verdict *verdict);

/* Whether a fault is a reason of the verdict. */
bool verdict_counts(const struct verdict *verdict, enum fault fault);

/* Parts of a record, which summary and verdict show, too. */
struct json_t *tile_to_json(const struct record_tile *tile);
struct json_t *hints_to_json(const char *hints);

/* Reads a record's line back. Errors, without a text: DATA (it is not one), MEMORY. */
ssimcu_status record_from_json(const char *line, struct record *record);
ssimcu_status record_from_object(const struct json_t *json, struct record *record);

/* Reads a first line back; header_clear the result. False when it is not one. */
bool header_from_json(const struct json_t *json, struct header *header);

/* What a header says that the device behind a backend is, NULL for nothing. */
const char *header_device(const struct json_t *device, const char *backend);

/* The line of the same record as CSV, and the line above them all. */
extern const char record_csv_header[];
char *record_to_csv(const struct record *record);

/* What contract_layout may say, ended by NULL. */
extern const char *const contract_layouts[];

#endif
