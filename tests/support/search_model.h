/* What searches for the worst content share: two levels in a pattern that repeats, how they are
 * drawn and climbed from, and their SSIM in long double, written apart from the library. Each
 * search ends in search_report(). */
#ifndef SSIMCU_SEARCH_MODEL_H
#define SSIMCU_SEARCH_MODEL_H

#include "check.h"

#include <stddef.h>

enum { SEARCH_WINDOW = 11, SEARCH_PATTERNS = 6 };

/* Samples of one side. */
struct search_side {
    const char *name;
    ssimcu_type type;
    double peak;
};

/* What is searched: two kinds of samples under a curve and a colour. */
struct search_row {
    struct search_side side[2];
    ssimcu_transfer transfer;
    ssimcu_color color;
    uint32_t channels; /* 2 and 4 end in alpha, over black */
    double brightest;  /* the highest level, of which white is 1; 0: white */
};

/* Levels of both sides, up to four channels each, from 0 to 1 (PU21: beyond), and the pattern. */
struct search_content {
    double level[2][2][4];
    uint32_t pattern;
};

/* Says which of the two levels a pattern has at a pixel. */
int search_is_second(uint32_t pattern, uint32_t x, uint32_t y);

/* Returns a level as the type stores it, and stores it as sample i. */
double search_stored(const struct search_side *side, double v);
void search_store(const struct search_side *side, void *data, size_t i, double v);

/* Returns what a plane has at a level, with white at 1: in colour, over black, under the curve. */
long double search_value(const struct search_row *row, int image, const double *level, uint32_t c);

/* Returns the SSIM of a square frame. */
double search_score(const struct search_row *row, const struct search_content *content,
                    uint32_t side);

/* A number from 0 to 1, short of 1. */
double search_unit(check_random *random);

/* Makes the views of a square frame of this content, in memory that the caller frees. */
void search_draw(const struct search_row *row, const struct search_content *content, uint32_t side,
                 ssimcu_view view[2]);

/* Raises *worst to an error. Not a number is worse than any. */
void search_note(double *worst, double error);

/* Returns how far the library is off for this content. */
typedef double search_error(void *object, const struct search_row *row,
                            const struct search_content *content);

/* Returns the worst error of so many draws: random content first, then steps from the worst. */
double search_climb(search_error *error_of, void *object, const struct search_row *row, int draws);

/* Every pairing of these is searched, in both orders. */
enum { SEARCH_SIDES = 8 };
extern const struct search_side SEARCH_SIDE[SEARCH_SIDES];
enum { SEARCH_PAIRINGS = SEARCH_SIDES * SEARCH_SIDES };

/* Returns pairing i of SEARCH_PAIRINGS, in colour. */
struct search_row search_pairing(size_t i, ssimcu_transfer transfer, uint32_t channels);

/* Says whether the samples of a side are floats. */
int search_is_float(const struct search_side *side);

/* Says whether both sides have one white, or come to one by a curve. Bytes beside words are
 * widened. */
int search_is_even(const struct search_row *row);

/* Says whether a device scores such a pair: PU21 takes light alone, and a GPU takes no doubles. */
int search_is_scored(const struct search_row *row, ssimcu_device device);

/* Returns the number of draws: SSIMCU_SEARCH in the environment, or as many as a test has time for.
 */
int search_draws(int draws);

/* Prints the worst error of a number, `kind` of which has a bound of its own, as a line for
 * tests/system/accuracy.py. Returns 1 if it is above the bound. */
int search_report(const char *number, const char *kind, const struct search_row *row,
                  ssimcu_device device, double worst, double bound);

#endif
