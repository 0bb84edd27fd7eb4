/* The summary: counts, statistics and the worst frames of a run. */
#ifndef SSIMCU_QA_SUMMARY_H
#define SSIMCU_QA_SUMMARY_H

#include "base/statistics.h"
#include "base/text.h"
#include "facts/metrics.h"
#include "facts/record_parts.h"
#include "facts/times.h"

/* The lowest values, the worst first; of equal values the earlier frame comes first. */
struct ranking {
    struct ranking_entry {
        int64_t frame;
        double value; /* of the summary's metric, or the score of the tile */
        double score;
        ssimcu_tile tile;
        char *part, *ref, *out; /* own */
        char *what;             /* own; what the value is of, in words; NULL: none were given */
    } * entry;
    uint32_t count, most;
};

/* Adds a record if its value is low enough. The list stays sorted. Returns false if memory runs
 * out. */
bool ranking_add(struct ranking *ranking, const struct record *record, double value,
                 const char *what);
void ranking_free(struct ranking *ranking);

/* A metric over the frames that have a value of it. */
struct summary_metric {
    uint64_t scored;       /* number of them; 0: nothing else is valid */
    uint64_t identical;    /* those whose value is infinite, which is PSNR alone */
    double score;          /* the mean; of PSNR, that of the mean mse of all of them; NaN if a
                              frame has a tool's NaN, also if `scored` is 0 */
    ssimcu_statistics all; /* of their values */
};

/* What the scored frames of a run or of a part came to. */
struct summary_numbers {
    struct summary_metric metrics[SSIMCU_METRICS];
    uint64_t tiled;          /* scored frames with tiles */
    ssimcu_statistics tiles; /* of their worst tiles; valid if tiled > 0 */
    const char *layout;      /* layout of every score; NULL: they differ, or one has no channels */
    uint32_t channels;
    double channel[3]; /* means; valid if there is a layout */
};

enum { SUMMARY_NAMED = 512 /* bytes of a list of frames */ };

/* The summary of a batch. Every output about the batch as a whole comes from here. */
struct summary {
    /* scores, as summary_add has taken them */
    size_t room;
    struct summary_score {
        int64_t frame;
        uint32_t part;                /* index into the parts below; UINT32_MAX: none */
        uint32_t metrics;             /* as in its record */
        double value[SSIMCU_METRICS]; /* NAN: it has none, or a tool's NaN */
        double mse, channel[3];
        const char *layout; /* NULL: it has no channels */
        uint32_t channels;
        double tile; /* score of its worst tile; NAN: it has no tiles */
    } * score;
    bool out_of_memory;
    ssimcu_metric metric;       /* the run's first, by which frames are the worst */
    struct ranking worst;       /* the lowest frames */
    struct ranking worst_tiles; /* the lowest tiles, one of each frame */
    /* counts, and the statistics that summary_finish computes */
    uint64_t pairs, scored, missing, failed;
    uint64_t variants; /* scored frames that another reference than REF counts for */
    char variants_named[SUMMARY_NAMED]; /* the first of them, " 2 3" or " 2 3 ..." */
    uint64_t stale; /* scored frames whose floors were learnt against another reference */
    char stale_named[SUMMARY_NAMED];
    struct summary_numbers numbers;
    struct summary_part { /* a directory or a shot, in the order of their first frames */
        char *name;       /* own */
        uint64_t pairs, scored, missing, failed;
        struct summary_numbers numbers;
        int64_t worst, worst_tile; /* frames of the lowest SSIM and of tiles.min */
    } * part;
    uint32_t parts;
    size_t parts_room;
    uint64_t windows; /* frames of EXRs whose data windows cover other shares of the frame */
    char windows_frame[TEXT_FRAME]; /* the first of them */
    char *left;            /* channels that the first such frame leaves out; own; NULL: none */
    uint64_t left_frames;  /* frames that leave channels out */
    struct summary_coded { /* of OUT's frames whose packets are known */
        uint64_t frames, bytes;
        uint64_t lacking, behind; /* frames that OUT lacks between those, and behind the last */
        bool timed;               /* a time is known */
        int64_t first, last;      /* frames whose times are the next two; of one there is no rate */
        double first_time, last_time;
        double seconds, rate; /* what the frames last, and bits in a second; NAN: unknown */
    } coded;
    struct times times; /* of all frames */
    bool complete;      /* nothing was cut short; the caller sets it */
};

/* Starts a summary that names `worst` frames and as many tiles. Its metric is SSIM, unless the
 * caller then sets another. */
void summary_start(struct summary *summary, uint32_t worst);

/* Adds a record. If memory runs out, summary_finish says so. */
void summary_add(struct summary *summary, const struct record *record);

/* Computes the statistics. Returns false if memory ran out, now or earlier. */
bool summary_finish(struct summary *summary);

void summary_free(struct summary *summary);

#endif
