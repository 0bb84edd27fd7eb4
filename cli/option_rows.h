/* The options, one row each. The rows drive the parsing, the help, and the checks of files. */
#ifndef SSIMCU_CLI_OPTION_ROWS_H
#define SSIMCU_CLI_OPTION_ROWS_H

#include "options.h"

/* The titles under which --help-all shows the options. The last five are verbs, with the options
 * that go with one verb alone. */
enum option_group {
    GROUP_OUTPUT,
    GROUP_INPUT,
    GROUP_SCORE,
    GROUP_LIGHT,
    GROUP_LIMITS,
    GROUP_BATCH,
    GROUP_PROGRAM,
    GROUP_VERB_SCORE,
    GROUP_MERGE,
    GROUP_CALIBRATE,
    GROUP_ACCEPT,
    GROUP_CHECK,
    GROUP_COUNT
};
extern const char *const option_titles[GROUP_COUNT];

/* A value that was given: its place in struct arguments, its row, and its text; NULL: a flag. */
struct option_given {
    void *field;
    const struct option_row *row;
    const char *text;
};

/* Writes a value to its place. Returns false if it is not what was expected. */
typedef bool option_take_value(struct option_given given);

/* One option. */
struct option_row {
    /* `value`: form of the argument, or the names to choose from; NULL: a flag */
    const char *name, *value, *help;
    enum option_group group;
    option_take_value *take;
    size_t offset; /* place of the value in struct arguments */
    uint64_t least, most;
    double low, high;
    const char *expected; /* description for a wrong value; NULL: `value` says it */
    char letter;          /* short form; 0: none */
    bool common;          /* shown by --help, which is one screen */
    unsigned verbs;       /* verbs that it goes with; 0: the table of the library says (verbs.h) */
};

enum { FIRST_KEY = 256 /* key of the first row without a letter */ };

int option_count(void);
const struct option_row *option_at(int i);

/* Returns getopt's value for row i. */
int option_key(int i);

/* Takes a value. Returns false after one line on stderr if the value is wrong. */
bool option_take(struct arguments *arguments, int i, const char *text);

#endif
