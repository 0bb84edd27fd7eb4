/* The score of two levels in a pattern that repeats, in long double, written apart from the
 * library. test_ssim_search.c looks for the levels on which the library is furthest from it. */
#ifndef SSIMCU_SEARCH_MODEL_H
#define SSIMCU_SEARCH_MODEL_H

#include "ssimcu.h"

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

/* Returns the score of a square frame. */
double search_score(const struct search_row *row, const struct search_content *content,
                    uint32_t side);

#endif
