/* The options, one row each. The rows drive the parsing, the help, and the checks of files. */
#ifndef SSIMCU_CLI_OPTION_ROWS_H
#define SSIMCU_CLI_OPTION_ROWS_H

#include "options.h"

/* The titles under which --help-all shows the options. */
enum option_group {
    GROUP_OUTPUT,
    GROUP_INPUT,
    GROUP_SCORE,
    GROUP_LIGHT,
    GROUP_LIMITS,
    GROUP_BATCH,
    GROUP_PROGRAM,
    GROUP_COUNT
};
extern const char *const option_titles[GROUP_COUNT];

/* What an option does with the path that it names. */
enum file_use {
    FILE_NONE,    /* the option names no path */
    FILE_READ,    /* reads it */
    FILE_RESULTS, /* writes results there */
    FILE_RESUMED, /* reads results and, if they are the output, goes on with them there */
    FILE_JUNIT,   /* writes JUnit XML there */
    FILE_MAP,     /* writes one PNG there; in a batch it makes a directory of them */
    FILE_REPORT   /* makes a directory with the report */
};

/* One option. */
struct option_row {
    const char *name, *value, *help; /* value: form of the argument; NULL: a flag */
    enum option_group group;
    /* Writes the value to its place. Returns false if it is not what was expected. */
    bool (*take)(void *field, const struct option_row *row, const char *text);
    size_t offset; /* place of the value in struct options; 0: the whole struct */
    uint64_t least, most;
    const char *const *names; /* values to choose from, ended by NULL */
    const char *expected;     /* description for a wrong value; NULL: `value` says it */
    enum file_use use;        /* use of the path at `offset` */
    const char *ending;       /* ending of an OUT's file in the directory of several OUTs */
    char letter;              /* short form; 0: none */
    bool common;              /* shown by --help, which is one screen */
};

enum { OPTION_ROWS_MOST = 64, FIRST_KEY = 256 /* key of the first row without a letter */ };

int option_count(void);
const struct option_row *option_at(int i);

/* Returns the path that a row names in these options; NULL: none was given. */
const char *option_path(const struct options *options, const struct option_row *row);

/* Returns getopt's value for row i. */
int option_key(int i);

/* Takes a value. Returns false after one line on stderr if the value is wrong. */
bool option_take(struct options *options, int i, const char *text);

#endif
