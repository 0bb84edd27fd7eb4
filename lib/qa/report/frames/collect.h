/* Collecting: what is kept of the frames until the page is made. */
#ifndef SSIMCU_QA_REPORT_COLLECT_H
#define SSIMCU_QA_REPORT_COLLECT_H

#include "hints/hints.h"
#include "report/folder/inputs.h"
#include "report/frames/pictures.h"
#include "verdict/verdict.h"

struct report_frame;

enum {
    COLLECT_ROWS = 1000, /* rows of the table */
    COLLECT_SHEET = 120, /* frames of the contact sheet, at most; it has half as many, at least */
    COLLECT_BANDS = 1 << 16,
    COLLECT_HINTS = HINTS_KINDS + 1
};

/* What is kept of every frame. */
struct point {
    int64_t frame;
    double value[SSIMCU_METRICS], tile; /* NAN: none */
    double excess;                      /* NAN: no limit holds for it */
    double least[2]; /* what the file of limits wants of SSIM and of the tile; -INFINITY: nothing */
    unsigned char kind; /* ssimcu_record_kind */
    uint16_t faults;    /* 1 << enum fault */
    uint32_t hints;     /* 1 << kind */
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
    struct band { /* consecutive points of one part */
        char *part;
        size_t first;
    } * band;
    size_t bands, bands_room;
    struct frame_list rows;  /* frames with a fault first, then by score */
    ssimcu_metric metric;    /* the first; frames are ordered by it */
    uint32_t metrics;        /* metrics of which there is a value, 1 << ssimcu_metric added up */
    bool limited;            /* limits that are numbers hold for some frames, which they order */
    struct frame_list worst; /* furthest beyond their limits; without limits lowest values */
    struct frame_list tiles; /* lowest tiles */
    /* Frames with a fault or a hint: first those that begin one, then by score. */
    struct frame_list suspects;
    struct frame_list kinds; /* the first scored frame with each kind of hint */
    unsigned kinds_seen;     /* 1 << kind */
    uint32_t cards_each;     /* most cards of `worst` and of `tiles`; twice that of `suspects` */
    struct frame_list sheet; /* worst frame of every `stride` */
    size_t stride;
    struct flags { /* faults and hints of the frame before */
        unsigned faults, hints;
    } previous;
    bool has_backend[2]; /* cpu, cuda: has scored a frame */
    struct inputs inputs;
    bool out_of_memory;
};

/* Makes the lists. Returns false if memory ran out; the caller closes in any case. */
bool collect_open(struct report *report, uint32_t worst);
void collect_close(struct report *report);

/* Adds a frame, as report_add. */
void collect_add(struct report *report, const struct record *record, const struct judged *judged);

/* Sorts a list by the place of its frames. */
void collect_sort(struct frame_list *list);

/* Returns the frames that get pictures, the worst first. The caller frees the array. Returns NULL
 * if memory ran out. */
struct report_frame **collect_cards(const struct report *report, size_t *count);

#endif
