/* Squares and columns of garbage: their second differences are far larger than in the neighbours.
 */
#pragma once

#include "detect/temporal.h"

struct garbage {
    double times; /* how many times as rough its roughest cell is as both others are around there */
    struct finding_place place; /* of this cell and the rough ones next to it */
};

/* Finds the roughest area of a frame. Returns whether there was memory. */
bool squares_garbage(const struct temporal *temporal, struct garbage *found);
