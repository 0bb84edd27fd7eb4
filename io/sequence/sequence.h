/* Sequences of picture files, numbered or named, and which files of two sequences belong together.
 * Only names count here: nothing opens a picture. */
#ifndef SSIMCU_SEQUENCE_H
#define SSIMCU_SEQUENCE_H

#include "ssimcu.h"

#include <stdbool.h>

/* ---- Frame numbers --------------------------------------------------------------------------- */

/* Frame numbers in rising order, each once. */
typedef struct ssimcu_ranges {
    size_t count;
    int64_t *number;
    size_t open; /* so many of them, the last, are asked for only as far as there are frames */
    char *part;  /* directory of a tree that they are of; own; NULL: of every one */
} ssimcu_ranges;

/* Twelve hours of film at 24 frames a second. A frame that was asked for takes 250 bytes for its
 * names, even if its files are missing. */
enum { SSIMCU_MAX_FRAMES = 1 << 20 };

/* Parses frame numbers such as "1-100x2,120": single numbers, ranges, and ranges with a step. A
 * directory of a tree may stand in front, "sh030/1-100". The last range may lack its end, "100-" or
 * "0-x10": its first frame must be there, those behind it may be (`open`). It fills up the list.
 * Numbers are not negative; there are at most 2^20 frames. On error *message says what was
 * expected. Errors: ARGUMENT, LIMIT, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_ranges_parse(const char *text, ssimcu_ranges *ranges,
                                                    ssimcu_message *message);
void ssimcu_ranges_free(ssimcu_ranges *ranges);

/* Makes a copy with `offset` added to every number. Negative results are left out. Errors:
 * MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_ranges_shift(const ssimcu_ranges *ranges, int64_t offset,
                                                    ssimcu_ranges *shifted,
                                                    ssimcu_message *message);
bool ssimcu_ranges_hold(const ssimcu_ranges *ranges, int64_t number);

/* Returns how many frames are asked for if there are none from `end` on. */
size_t ssimcu_ranges_until(const ssimcu_ranges *ranges, int64_t end);

/* Returns the place of a number in the ranges; NULL: they do not hold it. */
const int64_t *ssimcu_ranges_find(const ssimcu_ranges *ranges, int64_t number);

/* ---- Files ----------------------------------------------------------------------------------- */

typedef struct ssimcu_sequence {
    size_t count;
    struct ssimcu_sequence_file {
        char *path;
        char *part; /* its directory, relative to the tree's root (itself: "."); NULL: no tree */
        int64_t number; /* the last digits of its name; -1: none */
    } * file;
    bool numbered;  /* every file has a number of its own: sorted by number, else by name */
    bool listed;    /* files of a directory: names count, not only numbers */
    bool tree;      /* files of a directory and all below it: sorted by part first */
    bool by_number; /* numbers alone count, although `listed` is set */
} ssimcu_sequence;

/* Finds the digits that number a file: the last ones before its extension. False if there are none,
 * or more than 18. */
bool ssimcu_sequence_digits(const char *name, size_t *start, size_t *end);

/* Collects the picture files in a directory, recognised by their extension. Hidden files and
 * everything but regular files are left out. Errors: FILE (also if there is no picture),
 * UNSUPPORTED (no picture, but a file of a foreign format), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_directory(const char *path,
                                                          ssimcu_sequence *sequence,
                                                          ssimcu_message *message);

/* Collects the picture files in a directory and in all directories below it. Hidden entries are
 * left out; symbolic links to directories are not followed. Errors: FILE (also if there is no
 * picture), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_tree(const char *path, ssimcu_sequence *sequence,
                                                     ssimcu_message *message);

/* Whether a name holds a place for a number: "%d", "%04d", or a run of "#". */
bool ssimcu_sequence_is_pattern(const char *path);

/* Collects the files of a pattern: one for each number of `ranges`, even if it does not exist. If
 * `ranges` is NULL, it collects all that the directory holds. Numbers are padded with zeros to the
 * pattern's number of digits. Errors: FILE (also if there is no file), MEMORY, ARGUMENT (more than
 * one place for a number; a place in a directory's name without ranges). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_pattern(const char *pattern,
                                                        const ssimcu_ranges *ranges,
                                                        ssimcu_sequence *sequence,
                                                        ssimcu_message *message);
void ssimcu_sequence_free(ssimcu_sequence *sequence);

/* Pairs frame n of `ref` with the file n + offset of `out`: subtracts `offset` from the numbers of
 * `out`. From then on only numbers decide which files belong together, not names. Unless `keep` is
 * set, drops the frames that one side has before the other begins. Errors: ARGUMENT (a file without
 * a number of its own), MISMATCH (nothing is left). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_offset(ssimcu_sequence *ref, ssimcu_sequence *out,
                                                       int64_t offset, bool keep,
                                                       ssimcu_message *message);

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* Two files of one frame; NULL if a side has none. The paths belong to the sequences. */
typedef struct ssimcu_pairs {
    size_t count;
    struct ssimcu_pair {
        int64_t frame;
        const char *ref, *out;
        const char *part; /* see ssimcu_sequence_file; NULL: neither side is a tree */
    } * pair;
} ssimcu_pairs;

/* Pairs the files of two sequences.
 *
 * Two directories pair by name without extension if they have any such name in common. Everything
 * else pairs by number, and then all names of a directory must be of one shot: they may differ in
 * their number only.
 *
 * A pair's frame is its number if all files are numbered and no two pairs share a number; otherwise
 * it is the position, from 0. Two trees pair directory by directory, by relative path, and each
 * directory numbers its own pairs so.
 *
 * `ranges` (may be NULL) selects frames, of a tree in every directory that has them, and adds the
 * frames that neither side has. `shortest`
 * leaves out what follows the end of the shorter side. Errors: MISMATCH (names neither agree nor
 * end in numbers; two files of one directory have the same name; several shots), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_pairs_match(const ssimcu_sequence *ref,
                                                   const ssimcu_sequence *out,
                                                   const ssimcu_ranges *ranges, bool shortest,
                                                   ssimcu_pairs *pairs, ssimcu_message *message);

/* Pairs one reference with every file of `out`. Errors: MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_pairs_still(const char *ref, const ssimcu_sequence *out,
                                                   const ssimcu_ranges *ranges, ssimcu_pairs *pairs,
                                                   ssimcu_message *message);
void ssimcu_pairs_free(ssimcu_pairs *pairs);

#endif
