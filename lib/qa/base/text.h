/* Text from outside, such as file names, which can hold any byte. */
#ifndef SSIMCU_QA_TEXT_H
#define SSIMCU_QA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns whether the whole text is valid UTF-8. */
bool text_is_utf8(const char *text);

/* Copies `from` and escapes it. A line break becomes \n; any other control character and what is
 * not UTF-8 becomes \xHH. So the text cannot steer a terminal, nor start a line that a render farm
 * takes for ours. `to` has room for four bytes for each one and a final 0. Returns the end of the
 * copy. */
char *text_escape(char *to, const char *from);

/* Hands a text over in escaped pieces, because a copy of the whole could lack memory. */
void text_pieces(FILE *to, const char *text, void (*put)(FILE *to, const char *piece));

/* Write a number with nine digits after the point, and return `text`. Only a value that is exactly
 * `best`, that of identical frames, is written as such. The best score is 1. */
enum { TEXT_DIGITS = 16 };
const char *text_value(char text[TEXT_DIGITS], double value, double best);
const char *text_digits(char text[TEXT_DIGITS], double score);

/* Writes how a frame is called: its number, "1046", or with its part, "sh030/1046". The part may be
 * NULL, and of the tree's own directory, ".", no more is said. A long part is cut in front. Returns
 * `text`. */
enum { TEXT_FRAME = 256 };
const char *text_frame(char text[TEXT_FRAME], const char *part, int64_t frame);

/* Returns the last name in a path, after its last slash. */
const char *text_base(const char *path);

/* Returns whether a text has this ending. */
bool text_ends(const char *text, const char *ending);

/* Returns the bytes before an ending such as ".json"; 0: the text ends in another way, or has
 * nothing before it. */
size_t text_stem(const char *text, const char *ending);

/* Copies a text, the caller's to free; NULL stays NULL. Returns false if memory runs out. */
bool text_copy(char **to, const char *text);

/* Returns the four texts one after the other, the caller's to free; NULL if memory runs out. */
char *text_join(const char *a, const char *b, const char *c, const char *d);

#endif
