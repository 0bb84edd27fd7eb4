/* What options.c and options_batch.c share: the table of options and small parsers. */
#ifndef SSIMCU_CLI_OPTIONS_ROWS_H
#define SSIMCU_CLI_OPTIONS_ROWS_H

#include "options.h"

/* One option: its key for getopt, its name, what its value may be (NULL: a flag), one line of help.
 */
struct option_row {
    int key;
    const char *name, *value, *help;
};

enum { OPTIONS_BATCH_FIRST = 512, OPTIONS_BATCH_ROWS = 15 };
extern const struct option_row options_batch_rows[OPTIONS_BATCH_ROWS];

/* Takes an option of a batch; false after a line on stderr. */
bool options_take_batch(struct batch_options *batch, const struct option_row *row,
                        const char *text);

/* What can only be judged when all options are known; false after a line on stderr. */
bool options_check_batch(struct options *options);

/* Prints what was expected and returns false. */
bool options_wrong_value(const char *option, const char *value, const char *expected);

/* Index of `text` in a NULL-ended list, -1 when it is not there. */
int options_index_of(const char *text, const char *const *names);

/* A whole decimal number from 1 to `most`. */
bool options_parse_count(const char *text, unsigned long long most, unsigned long long *value);

/* A finite number. */
bool options_parse_score(const char *text, double *score);

#endif
