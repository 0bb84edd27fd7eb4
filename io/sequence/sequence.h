/* Sequences of picture files, numbered or named, and the pairing of two sequences. Only names
 * count: nothing here opens a picture. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>

/* ---- Frame numbers --------------------------------------------------------------------------- */

/* Distinct frame numbers in ascending order. */
typedef struct ssimcu_ranges {
    size_t count;
    int64_t *number;
    size_t open; /* this many at the end are selected only if such frames exist */
    char *shot;  /* directory of a tree that they apply to, owned; NULL: every one */
} ssimcu_ranges;

/* Twelve hours of film at 24 frames per second. A selected frame takes 250 bytes for its names,
 * even if its files are missing. */
enum { SSIMCU_MAX_FRAMES = 1 << 20 };

/* Parses frame numbers such as "1-100x2,120": single numbers, ranges, and ranges with a step. A
 * directory of a tree may precede them: "sh030/1-100". The last range may lack its end: "100-" or
 * "0-x10". Its first frame must exist; the others are optional (`open`) and fill the list. Numbers
 * are not negative, and there are at most 2^20 frames. On an error *message describes the expected
 * form. Errors: ARGUMENT, LIMIT, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_ranges_parse(const char *text, ssimcu_ranges *ranges,
                                                    ssimcu_message *message);
void ssimcu_ranges_free(ssimcu_ranges *ranges);

/* Makes a copy with `offset` added to every number. Drops negative results. Errors: MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_ranges_shift(const ssimcu_ranges *ranges, int64_t offset,
                                                    ssimcu_ranges *shifted,
                                                    ssimcu_message *message);
bool ssimcu_ranges_hold(const ssimcu_ranges *ranges, int64_t number);

/* Returns how many frames are selected if none exist from `end` on. */
size_t ssimcu_ranges_until(const ssimcu_ranges *ranges, int64_t end);

/* Returns the place of a number in the ranges, or NULL. */
const int64_t *ssimcu_ranges_find(const ssimcu_ranges *ranges, int64_t number);

/* ---- Files ----------------------------------------------------------------------------------- */

typedef struct ssimcu_sequence {
    size_t count;
    struct ssimcu_sequence_file {
        char *path;
        char *shot;     /* its directory relative to the tree's root ("."); NULL: no tree */
        int64_t number; /* the last digits of its name; -1: none */
    } * file;
    bool numbered;  /* every file has a distinct number: sorted by number, otherwise by name */
    bool listed;    /* files of a directory, which pair by name, too */
    bool tree;      /* files of a directory and all below it: sorted by shot first */
    bool by_number; /* only numbers count, although `listed` is set */
} ssimcu_sequence;

/* Finds the digits that number a file: the last ones before its extension. Returns false if there
 * are none, or more than 18. */
bool ssimcu_sequence_digits(const char *name, size_t *start, size_t *end);

/* Returns the number of a file; -1: none. */
int64_t ssimcu_sequence_number(const char *path);

/* Collects the picture files in a directory, recognised by their extension. Skips hidden files and
 * everything except regular files. Errors: FILE (also if there is no picture), UNSUPPORTED (no
 * picture, but a file of a foreign format), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_directory(const char *path,
                                                          ssimcu_sequence *sequence,
                                                          ssimcu_message *message);

/* Collects the picture files in a directory and in all directories below it. Skips hidden entries,
 * and does not follow symbolic links to directories. Errors: FILE (also if there is no picture),
 * MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_tree(const char *path, ssimcu_sequence *sequence,
                                                     ssimcu_message *message);

/* Returns whether a name has a placeholder for a number: "%d", "%04d", a run of "#", two or more
 * "@", or "$F4". Frames may stand before it: "s.1001-1010#.exr". */
bool ssimcu_sequence_is_pattern(const char *path);

/* Collects the files of a pattern: one for each number of `ranges`, even if it does not exist. If
 * `ranges` is NULL, it collects all matching files of the directory. Numbers are padded with zeros
 * to the pattern's number of digits. Frames in the pattern replace `ranges`, which must then be
 * NULL. Errors: FILE (also if there is no file), MEMORY, ARGUMENT
 * (more than one placeholder; a placeholder in a directory's name without ranges). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_pattern(const char *pattern,
                                                        const ssimcu_ranges *ranges,
                                                        ssimcu_sequence *sequence,
                                                        ssimcu_message *message);
void ssimcu_sequence_free(ssimcu_sequence *sequence);

/* Pairs frame n of `ref` with the file n + offset of `out`: subtracts `offset` from the numbers of
 * `out`. From then on files pair only by number, not by name. Unless `keep` is set, drops the
 * frames that one side has before the other begins. Errors: ARGUMENT (a file without a distinct
 * number), MISMATCH (nothing is left). */
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
        const char *shot; /* see ssimcu_sequence_file; NULL: neither side is a tree */
    } * pair;
} ssimcu_pairs;

/* Pairs the files of two sequences.
 *
 * Two directories pair by name without extension if they have any such name in common. Everything
 * else pairs by number. All names of a directory must then belong to one shot: they may differ only
 * in their number.
 *
 * A pair's frame is its number if all files are numbered and no two pairs share a number; otherwise
 * it is the position, from 0. Two trees pair directory by directory, by relative path, and each
 * directory is numbered in this way.
 *
 * `ranges` (may be NULL) selects frames, in a tree from every directory, and adds the frames that
 * neither side has. `shortest` drops the frames after the end of the shorter side. Errors: MISMATCH
 * (names neither agree nor end in numbers; two files of one directory have the same name; several
 * shots), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_pairs_match(const ssimcu_sequence *ref,
                                                   const ssimcu_sequence *out,
                                                   const ssimcu_ranges *ranges, bool shortest,
                                                   ssimcu_pairs *pairs, ssimcu_message *message);

/* Pairs one reference with every file of `out`. Errors: MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_pairs_still(const char *ref, const ssimcu_sequence *out,
                                                   const ssimcu_ranges *ranges, ssimcu_pairs *pairs,
                                                   ssimcu_message *message);
void ssimcu_pairs_free(ssimcu_pairs *pairs);
