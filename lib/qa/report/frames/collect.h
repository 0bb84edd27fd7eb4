/* Collecting: the data of frames that is kept until the page is made. */
#pragma once

#include "report/folder/inputs.h"
#include "report/frames/pictures.h"
#include "verdict/verdict.h"

struct report_frame;

enum {
    COLLECT_ROWS = 1000, /* most rows of the table */
    COLLECT_SHEET = 120, /* most frames of the contact sheet; it has at least half as many */
    COLLECT_BANDS = 1 << 16,
    COLLECT_KINDS = FINDING_KINDS,
    /* Frames without a reference: the number with findings that are kept, and the number with
     * pictures. */
    COLLECT_FOUND = 5000,
    COLLECT_SHOWN = 200,
    COLLECT_PLACES = 4 /* most places with pictures in one frame */
};

/* The data kept for every frame. */
struct point {
    int64_t frame;
    double value[SSIMCU_METRICS], tile; /* NAN: none */
    double excess;                      /* NAN: no limit applies */
    double least[2];    /* lowest SSIM and tile that the limits file allows; -INFINITY: none */
    unsigned char kind; /* ssimcu_record_kind */
    finding_mask fails; /* kinds by which it fails */
    finding_mask kinds; /* kinds of its findings other than limits, without differences of depth */
    /* A frame without a reference has its file, owned unless the previous point has the same, and
     * the number of missing frames. */
    char *path;
    uint64_t lacks;
};

/* The first `most` frames in some order. */
struct frame_list {
    struct report_frame **frame;
    size_t count, most;
    int (*order)(const struct report_frame *a, const struct report_frame *b);
};

struct report {
    const char *directory;
    struct point *point;
    size_t count, room;
    bool alone;                  /* the frames have no reference */
    size_t found[FINDING_KINDS]; /* number of frames with each kind of finding in the last band */
    struct band {                /* consecutive points of one shot */
        char *shot;
        char *layer; /* its layer of EXRs; may be NULL */
        size_t first;
    } * band;
    size_t bands, bands_room;
    /* Frames with a fault first, then by score; without a reference those with findings. */
    struct frame_list rows;
    ssimcu_metric metric;    /* the primary one, which orders the frames */
    uint32_t metrics;        /* metrics with a value: sum of 1 << ssimcu_metric */
    bool limited;            /* numeric limits apply to some frames and order them */
    struct frame_list worst; /* furthest beyond their limits; without limits, lowest values */
    struct frame_list tiles; /* lowest tiles */
    /* Frames with a fault or a hint: first those that begin a series, then by score. Without a
     * reference: first those that fail, and as many of every kind in every band. */
    struct frame_list suspects;
    struct frame_list kinds; /* the first scored frame with each kind of finding */
    finding_mask kinds_seen;
    uint32_t cards_each;     /* most cards of `worst` and of `tiles`; twice that of `suspects` */
    struct frame_list sheet; /* worst of every `stride` frames */
    size_t stride;
    struct flags { /* kinds of the previous frame */
        finding_mask fails, kinds;
    } previous;
    bool has_backend[2]; /* cpu, cuda: whether it scored a frame */
    struct inputs inputs;
    bool out_of_memory;
};

/* Makes the lists. Returns false if memory ran out; the caller must close it in any case. */
bool collect_open(struct report *report, bool alone, uint32_t worst);
void collect_close(struct report *report);

/* Adds a frame, as report_add. */
void collect_add(struct report *report, const struct record *record, const struct judged *judged);

/* Returns the band of a frame by its place; NULL: none. collect_end returns the end of a band. */
const struct band *collect_band(const struct report *report, size_t at);
size_t collect_end(const struct report *report, const struct band *band);

/* Returns the nearest readable frame of a band in direction `step` from a frame without a
 * reference, whose place is not tried. */
struct picture_frame collect_beside(const struct report *report, size_t at, int step);

/* Sorts a list by the place of its frames. */
void collect_sort(struct frame_list *list);

/* Returns the frames that get pictures, the worst first, or NULL if memory ran out. The caller
 * frees the array. */
struct report_frame **collect_cards(const struct report *report, size_t *count);
