/* The options, one row each: they drive the parsing and the help. */
#ifndef SSIMCU_CLI_OPTION_ROWS_H
#define SSIMCU_CLI_OPTION_ROWS_H

#include "options.h"

/* One option. */
struct option_row {
    const char *name, *value, *help; /* value: what that may be; NULL: a flag */
    /* Takes the value to where it goes. False where it is not what was expected. */
    bool (*take)(void *to, const struct option_row *row, const char *text);
    size_t to; /* place in struct options; 0: all of it */
    uint64_t least, most;
    const char *const *names; /* to choose from, ended by NULL */
    const char *expected;     /* for a wrong value; NULL: `value` says it */
    char letter;              /* its short form, 0 for none */
    bool aside;               /* of batches, but makes none of two pictures */
};

enum { OPTION_ROWS_MOST = 64, FIRST_KEY = 256 /* of a row without a letter */ };

/* Rows of pairs come first, then those of batches. */
int option_count(void);
const struct option_row *option_at(int i);
bool option_is_batch(int i);

/* What getopt gives for row i. */
int option_key(int i);

/* Takes a value, and marks what follows from the option being given. False after one line on
 * stderr when the value is wrong. */
bool option_take(struct options *options, int i, const char *text);

#endif
