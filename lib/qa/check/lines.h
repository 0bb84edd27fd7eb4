/* Results of a check as JSON Lines: a header, a line for each frame, and a summary; or as CSV. */
#ifndef SSIMCU_QA_CHECK_LINES_H
#define SSIMCU_QA_CHECK_LINES_H

#include "check/page/page.h"
#include "check/shot.h"

#include "base/draft.h"

#include "ssimcu_qa.h"

enum { CHECK_SCHEMA = 1 };

/* What a check came to so far. */
struct check_count {
    uint64_t frames, read;
    uint64_t found, failed;        /* frames with findings, and with some that fail */
    uint64_t missing;              /* frames that are missing */
    uint64_t of_kind[CHECK_KINDS]; /* findings of each kind */
};

/* Each returns a line without its break, the caller's to free; NULL: memory ran out. `complete`:
 * all frames have their line. */
char *check_line_frame(const struct check_shot *shot, const struct shot_frame *frame,
                       check_mask fails);
char *check_line_summary(const struct check_count *count, bool complete);

/* Returns whether a frame has a finding that fails. */
bool check_frame_fails(const struct shot_frame *frame, check_mask fails);

/* Results of a check as a draft. */
extern const struct draft_kind check_results_kind;

/* Results that are written: to a file, which gets its name at the end, or to the caller. */
struct check_results;

/* Opens them. `run->output` NULL: lines go to `take`; that is NULL, too: nowhere. A file is written
 * as FILE.partial, which another check may have left: with `resumed` it is replaced, and else that
 * is an error. Errors: WRITE, MEMORY. */
ssimcu_status check_results_open(const ssimcu_run_options *run, bool resumed,
                                 ssimcu_status (*take)(void *user, const char *line), void *user,
                                 struct check_results **results, ssimcu_message *message);

/* Writes them as CSV, if that is wanted, and gives a page, which must outlive them, each line. */
void check_results_show(struct check_results *results, bool csv, struct check_page *page);

/* Empties the file, and writes the first line. Results that have the file's name are removed,
 * unless they are `resumed`. Errors: as check_results_add. */
ssimcu_status check_results_begin(struct check_results *results, char *line, bool resumed,
                                  ssimcu_message *message);

/* Writes a line, which it frees; NULL: memory ran out. Errors: WRITE, MEMORY, that of `take`. */
ssimcu_status check_results_add(struct check_results *results, char *line, ssimcu_message *message);

/* Sees to it, behind a whole sequence, that a kill loses no line of it. Errors: WRITE. */
ssimcu_status check_results_flush(struct check_results *results, ssimcu_message *message);

/* Gives the file its name, and removes FILE.resume if that is results of a check. Errors: WRITE,
 * MEMORY. */
ssimcu_status check_results_end(struct check_results *results, ssimcu_message *message);

/* Returns whether results of an earlier check, under the file's name, may be removed after an error
 * of this status. They may not if the file could not be opened, because another check may have
 * written them since, or if they are those of this check. `results` NULL: it was not opened yet. */
bool check_results_may_go(const struct check_results *results, ssimcu_status status);

/* Closes them. A file without a name stays FILE.partial if it has a whole sequence, for another
 * check to go on with. `line`, which it frees, becomes its last; NULL: none does. Else the file is
 * removed. `results` NULL is allowed. */
void check_results_close(struct check_results *results, char *line);

#endif
