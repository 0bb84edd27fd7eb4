/* Sequences: numbered or named picture files, and which of two sequences' files belong together.
 * Names only: nothing here opens a picture. */
#ifndef SSIMCU_SEQUENCE_H
#define SSIMCU_SEQUENCE_H

#include "ssimcu.h"

#include <stdbool.h>

/* ---- Frame numbers --------------------------------------------------------------------------- */

/* Frame numbers in rising order, each once. */
typedef struct ssimcu_ranges {
    size_t count;
    int64_t *number;
} ssimcu_ranges;

/* Twelve hours of film. Each frame that is asked for has its names, there or not: 250 bytes. */
enum { SSIMCU_MAX_FRAMES = 1 << 20 };

/* "1-100x2,120": single numbers, ranges, ranges with a step; not negative; at most 2^20 frames. On
 * error the text of *message says what was expected. Errors: ARGUMENT, LIMIT, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_ranges_parse(const char *text, ssimcu_ranges *ranges,
                                                    ssimcu_message *message);
void ssimcu_ranges_free(ssimcu_ranges *ranges);

/* The same `offset` further on; what would be negative is left out. Errors: MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_ranges_shift(const ssimcu_ranges *ranges, int64_t offset,
                                                    ssimcu_ranges *shifted,
                                                    ssimcu_message *message);
bool ssimcu_ranges_hold(const ssimcu_ranges *ranges, int64_t number);

/* ---- Files ----------------------------------------------------------------------------------- */

typedef struct ssimcu_sequence {
    size_t count;
    struct ssimcu_sequence_file {
        char *path;
        char *part;     /* of a tree: the directory it is in, from the tree's; "." is that itself */
        int64_t number; /* the last digits of its name, -1 where there are none */
    } * file;
    bool numbered;  /* every file has a number of its own: sorted by number, else by name */
    bool listed;    /* from a directory: the names mean something beside their number */
    bool tree;      /* from a directory and those below it: sorted by part, then as above */
    bool by_number; /* the names mean nothing all the same */
} ssimcu_sequence;

/* Where the digits of a file's name lie that are its number: the last ones before the extension.
 * False where there are none, or more than fit. */
bool ssimcu_sequence_digits(const char *name, size_t *start, size_t *end);

/* The picture files in a directory, by their extension; hidden files, and what is no regular file,
 * are left out.
 * Errors: FILE (also where there is none), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_directory(const char *path,
                                                          ssimcu_sequence *sequence,
                                                          ssimcu_message *message);

/* The picture files in a directory and in all below it. Hidden ones are left out, and symbolic
 * links to directories are not followed. Errors: FILE (also where there is no file), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_tree(const char *path, ssimcu_sequence *sequence,
                                                     ssimcu_message *message);

/* Whether a name holds one place for a number: "%d", "%04d", or a run of "#". */
bool ssimcu_sequence_is_pattern(const char *path);

/* The files of a pattern: all of `ranges`, there or not, or what the directory holds when it is
 * NULL. A number is padded with zeros to as many digits as the pattern says.
 * Errors: FILE (also where there is none), ARGUMENT (more than one place; a place in a directory's
 * name and no ranges), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_pattern(const char *pattern,
                                                        const ssimcu_ranges *ranges,
                                                        ssimcu_sequence *sequence,
                                                        ssimcu_message *message);
void ssimcu_sequence_free(ssimcu_sequence *sequence);

/* Makes frame n of `ref` that of the file n + offset of `out`, whose numbers become those of `ref`.
 * They then belong together by number, whatever their names. Unless `keep`, what one side has
 * before the other begins is dropped. Errors: ARGUMENT (a file without a number of its own),
 * MISMATCH (nothing is left). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_offset(ssimcu_sequence *ref, ssimcu_sequence *out,
                                                       int64_t offset, bool keep,
                                                       ssimcu_message *message);

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* Two files of one frame; NULL where a side has none. The paths belong to the sequences. */
typedef struct ssimcu_pairs {
    size_t count;
    struct ssimcu_pair {
        int64_t frame;
        const char *ref, *out;
        const char *part; /* as in ssimcu_sequence; NULL: neither side is a tree */
    } * pair;
} ssimcu_pairs;

/* Which files belong together: those of two directories by name without extension, where any two
 * are the same; everything else by number, which takes names of one shot: they differ in their
 * number only. The frame is the number where all are numbered and no two pairs share one, else the
 * position, from 0. In two trees this holds for each directory of the same relative path, and the
 * frame is the position in all. `ranges` (may be NULL) selects, and asks for frames that neither
 * side has. `shortest` leaves out what comes after the end of the shorter side.
 * Errors: MISMATCH (names neither agree nor end in numbers; two files of one directory have one
 * name; several shots), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_pairs_match(const ssimcu_sequence *ref,
                                                   const ssimcu_sequence *out,
                                                   const ssimcu_ranges *ranges, bool shortest,
                                                   ssimcu_pairs *pairs, ssimcu_message *message);

/* One reference against every file. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_pairs_still(const char *ref, const ssimcu_sequence *out,
                                                   const ssimcu_ranges *ranges, ssimcu_pairs *pairs,
                                                   ssimcu_message *message);
void ssimcu_pairs_free(ssimcu_pairs *pairs);

#endif
