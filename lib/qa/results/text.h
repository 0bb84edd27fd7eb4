/* Text from outside, such as the names of files, which can hold any byte. */
#ifndef SSIMCU_QA_TEXT_H
#define SSIMCU_QA_TEXT_H

#include <stdbool.h>

bool text_is_utf8(const char *text);

/* Copies `from`: a line break becomes \n, any other control character, and what is not UTF-8, \xHH.
 * It must not steer a terminal, nor start a line of its own that a render farm takes for ours. `to`
 * has room for four bytes for each one and the end. Returns where the end is. */
char *text_escape(char *to, const char *from);

/* A score in nine digits after the point. "1.000000000" is for exactly 1 alone: identical. */
enum { TEXT_DIGITS = 16 };
const char *text_digits(char text[TEXT_DIGITS], double score);

/* The last name in a path: what follows its last slash. */
const char *text_base(const char *path);

/* The four, one after the other; free it. NULL: no memory. */
char *text_join(const char *a, const char *b, const char *c, const char *d);

#endif
