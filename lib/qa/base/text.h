/* Text from outside, such as file names, which can contain any byte. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns whether the whole text is valid UTF-8. */
bool text_is_utf8(const char *text);

/* Copies `from` and escapes it. A line break becomes \n. Any other control character and invalid
 * UTF-8 become \xHH. So the text cannot control a terminal, nor start a line that a render farm
 * takes for ours. `to` has room for four bytes per input byte and a final 0. Returns the end of the
 * copy. */
char *text_escape(char *to, const char *from);

/* Passes on a text in escaped pieces, because memory for a copy of the whole might be lacking. */
void text_pieces(FILE *to, const char *text, void (*put)(FILE *to, const char *piece));

/* Write a number with nine digits after the point, and return `text`. Only a value that equals
 * `best`, that of identical frames, is written as `best`. The best score is 1. */
enum { TEXT_DIGITS = 16 };
const char *text_value(char text[TEXT_DIGITS], double value, double best);
const char *text_digits(char text[TEXT_DIGITS], double score);

/* Writes the name of a frame: its number, "1046", or with its shot, "sh030/1046". The shot may be
 * NULL. That of the tree's top directory, ".", is left out. A long shot is cut at its start.
 * Returns `text`. */
enum { TEXT_FRAME = 256 };
const char *text_frame(char text[TEXT_FRAME], const char *shot, int64_t frame);

/* Returns whether two texts are the same; NULL equals only NULL. */
bool text_same(const char *a, const char *b);

/* Returns the last name in a path, after its last slash. */
const char *text_base(const char *path);

/* Returns the ending of a noun after this number: "" or "s". */
const char *text_plural(uint64_t count);

/* Returns the text of a message after the path that it begins with; `path` may be NULL. */
const char *text_behind(const char *text, const char *path);

/* Returns whether a text has this ending. */
bool text_ends(const char *text, const char *ending);

/* Returns the number of bytes before an ending such as ".json"; 0: the text has another ending, or
 * nothing before it. */
size_t text_stem(const char *text, const char *ending);

/* Copies a text, which the caller frees; NULL stays NULL. Returns false if memory runs out. */
bool text_copy(char **to, const char *text);

/* Returns the four texts joined, which the caller frees; NULL if memory runs out. */
char *text_join(const char *a, const char *b, const char *c, const char *d);
