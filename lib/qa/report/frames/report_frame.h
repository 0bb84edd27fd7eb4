/* The data kept of a frame that the page shows. */
#pragma once

#include "record/record.h"
#include "verdict/verdict.h"

/* A frame that is kept completely. */
struct report_frame {
    struct record record;
    double value; /* value of the report's metric; without a score, the lowest possible */
    struct judged judged;
    bool has_hints;
    bool begins;    /* it has a fault or a hint that the previous frame lacks */
    size_t rank;    /* number of earlier frames of its band with its rarest kind of finding */
    size_t at;      /* index of its point */
    unsigned users; /* number of lists that contain it */
    struct picture *picture; /* NULL: none wanted */
    size_t pictures;         /* without a reference: number of pictures, and of places */
};
