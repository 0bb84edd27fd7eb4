/* What is kept of the frames until the page is made. */
#ifndef SSIMCU_QA_REPORT_COLLECT_H
#define SSIMCU_QA_REPORT_COLLECT_H

#include "report/pictures.h"
#include "report/report.h"

#include <sys/stat.h>

enum {
    COLLECT_ROWS = 1000, /* of the table */
    COLLECT_SHEET = 120, /* frames of the contact sheet; it has at least half of that */
    COLLECT_BANDS = 1 << 16,
    COLLECT_HINTS = 10 /* kinds of hints */
};

/* The first words of hints. Not of that of a depth, which is said of every frame alike; the last is
 * "other". */
extern const char *const collect_hints[COLLECT_HINTS];

/* Of every frame. */
struct point {
    int64_t frame;
    double score, tile;   /* NAN: none */
    unsigned char kind;   /* enum record_kind */
    unsigned char faults; /* 1 << enum fault */
    unsigned short hints; /* 1 << kind */
};

/* All of a frame. */
struct report_frame {
    struct record record;
    unsigned faults;
    bool has_hints, has_baseline;
    bool begins; /* a fault or a hint that the frame before it did not have */
    double baseline;
    size_t at;               /* of the points */
    unsigned users;          /* lists that hold it */
    struct picture *picture; /* NULL: none was asked for */
};

/* The first `most` in some order. */
struct frame_list {
    struct report_frame **frame;
    size_t count, most;
    int (*order)(const struct report_frame *a, const struct report_frame *b);
};

struct report {
    const char *directory;
    struct point *point;
    size_t count, room;
    struct band { /* points of one part, which follow each other */
        char *part;
        size_t first;
    } * band;
    size_t bands, bands_room;
    struct frame_list rows;     /* what is wrong first, then by score */
    struct frame_list worst;    /* by score */
    struct frame_list tiles;    /* by the worst tile */
    struct frame_list suspects; /* with a fault or a hint: where one begins first, then by score */
    uint32_t cards_each;        /* how many of `worst` and `tiles`; twice that of `marked` */
    struct frame_list sheet;    /* of each `stride` frames that in which most is wrong */
    size_t stride;
    struct flags { /* of the frame before */
        unsigned faults, hints;
    } previous;
    bool has_backend[2]; /* cpu, cuda: has scored a frame */
    struct stat old;     /* of the directory; st_ino is 0 where there is none */
    char *last_folder;   /* that was findings at */
    bool holds_input;    /* a frame was read from the old report */
    bool out_of_memory;
};

/* Makes the lists. False when memory ran out; close in any case. */
bool collect_open(struct report *report, uint32_t worst);
void collect_close(struct report *report);

/* Adds a frame, as report_add. */
void collect_add(struct report *report, const struct record *record, unsigned faults,
                 const double *baseline);

/* Sorts what is kept by the place of its frame. */
void collect_sort(struct frame_list *list);

/* The frames that are shown with pictures, the worst first; free the array. NULL without memory. */
struct report_frame **collect_cards(const struct report *report, size_t *count);

#endif
