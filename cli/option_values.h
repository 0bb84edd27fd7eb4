/* Reads the values of options (their rows are in options/verbs.h) into struct arguments. */
#pragma once

#include "options.h"

/* Reads the value of row i. Returns false after one line on standard error if it is wrong. `text`
 * is NULL for a flag. */
bool option_take(struct arguments *arguments, int i, const char *text);

/* Parses a whole number and returns its end; NULL: no number from `least` to `most`. */
const char *option_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value);
