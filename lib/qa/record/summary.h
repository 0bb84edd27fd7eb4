/* The summary: counts, statistics and the worst frames of a run. */
#pragma once

#include "base/statistics.h"
#include "base/text.h"
#include "record/metrics.h"
#include "record/record_types.h"
#include "record/times.h"

/* The lowest values, the worst first. Of equal values, the earlier frame comes first. */
struct ranking {
    struct ranking_entry {
        int64_t frame;
        double value; /* value of the summary's metric, or the score of the tile */
        double score;
        ssimcu_tile tile;
        char *shot, *ref, *out; /* owned */
        char *what;             /* owned; a description of the value; may be NULL */
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
    uint64_t scored;    /* number of frames; 0: no other member is valid */
    uint64_t identical; /* frames whose value is infinite; only of PSNR */
    double score; /* the mean; for PSNR, that of the mean mse of all frames; NaN if a frame has a
                     tool's NaN, even if `scored` is 0 */
    ssimcu_statistics all; /* statistics of the values */
};

/* The results over the scored frames of a run or of a shot. */
struct summary_numbers {
    struct summary_metric metrics[SSIMCU_METRICS];
    uint64_t tiled;          /* scored frames with tiles */
    ssimcu_statistics tiles; /* statistics of their worst tiles; valid if tiled > 0 */
    const char *layout;      /* layout of all scores; NULL: they differ, or one has no channels */
    uint32_t channels;
    double channel[3]; /* means; valid if there is a layout */
};

enum { SUMMARY_NAMED = 512 /* size of a list of frames in bytes */ };

/* The summary of a batch. All outputs about the whole batch use it. */
struct summary {
    /* scores in the order of summary_add */
    size_t room;
    struct summary_score {
        int64_t frame;
        uint32_t shot;                /* index into the shots below; UINT32_MAX: none */
        uint32_t metrics;             /* as in the record */
        double value[SSIMCU_METRICS]; /* NAN: no value, or a tool's NaN */
        double mse, channel[3];
        const char *layout; /* NULL: no channels */
        uint32_t channels;
        double tile; /* score of its worst tile; NAN: no tiles */
    } * score;
    bool out_of_memory;
    ssimcu_metric metric;       /* the primary one, which decides which frames are the worst */
    struct ranking worst;       /* the lowest frames */
    struct ranking worst_tiles; /* the lowest tiles, one per frame */
    /* counts, and the statistics that summary_finish computes */
    uint64_t pairs, scored, missing, failed;
    uint64_t lacking;  /* missing frames; a record of a shot may stand for several */
    uint64_t checked;  /* frames without a reference that were examined */
    uint64_t variants; /* scored frames for which a variant replaces REF */
    char variants_named[SUMMARY_NAMED]; /* the first frames, " 2 3" or " 2 3 ..." */
    uint64_t stale; /* scored frames whose learned limits were learned from another reference */
    char stale_named[SUMMARY_NAMED];
    struct summary_numbers numbers;
    struct summary_shot { /* a directory or a shot, in the order of their first frames */
        char *name;       /* owned */
        uint64_t pairs, scored, missing, failed, checked;
        struct summary_numbers numbers;
        int64_t worst, worst_tile; /* frames of the lowest SSIM and of tiles.min */
    } * shot;
    uint32_t shots;
    size_t shots_room;
    uint64_t windows; /* frames of EXRs whose data windows cover different shares of the frame */
    char windows_frame[TEXT_FRAME]; /* the first of them */
    char *left;            /* channels that the first such frame leaves out; owned; may be NULL */
    uint64_t left_frames;  /* frames that leave channels out */
    struct summary_coded { /* OUT's frames whose packets are known */
        uint64_t frames, bytes;
        uint64_t lacking, behind; /* frames that OUT lacks between those, and after the last */
        bool timed;               /* at least one time is known */
        int64_t first, last;      /* frames with the first and last time; one frame has no rate */
        double first_time, last_time;
        double seconds, rate; /* duration, and bits per second; NAN: unknown */
    } coded;
    struct times times; /* of all frames */
    bool complete;      /* the run was not cut short; set by the caller */
};

/* Starts a summary that names `worst` frames and as many tiles. Its metric is SSIM; the caller may
 * change it. */
void summary_start(struct summary *summary, uint32_t worst);

/* Adds a record. If memory runs out, summary_finish reports it. */
void summary_add(struct summary *summary, const struct record *record);

/* Computes the statistics. Returns false if memory ran out, now or earlier. */
bool summary_finish(struct summary *summary);

void summary_free(struct summary *summary);
