/* A batch: many pairs of frames, read and scored side by side, reported in order.
 *
 *   source -> [next pair, in order] -> threads that decode -> pairs that are ready -> lanes that
 *   score -> records put back in order
 *
 * A lane is a ssimcu_context on a thread of its own. A GPU has several, so that the upload of one
 * pair, the kernels of another and the wait for a third overlap. Lanes sleep while they wait, which
 * leaves the cores to decoding. On the CPU a thread itself scores what it has decoded, with a
 * context of one thread, because the pixels are in that core's cache.
 *
 * A thread that finds no free memory waits for a lane, and a lane that finds no pair ready waits
 * for a decoder. Records are kept until those before them are there. The number of pairs between
 * the first without a record and the last one begun is limited.
 *
 * The room knows no command line and prints nothing. The caller opens the source, or makes one. */
#ifndef SSIMCU_QA_BATCH_H
#define SSIMCU_QA_BATCH_H

#include "engine/judge.h"
#include "source/source.h"

struct variants;

/* Scores a pair on an open context. Many threads call it. Errors: as ssimcu_compare. */
typedef ssimcu_status batch_score(void *user, ssimcu_context *lane, const struct pair *pair,
                                  ssimcu_score *score, ssimcu_message *message);

/* Looks at a pair with its score in its record, while its frames are there. Many threads call it. A
 * DEVICE error ends the batch; any other becomes the record's. */
typedef ssimcu_status batch_scored(void *user, ssimcu_context *lane, const struct pair *pair,
                                   ssimcu_message *message);

struct batch_config {
    ssimcu_settings settings; /* its `threads` decode; 0: as many as can run at once */
    bool all_devices;         /* score on every CUDA device */
    uint32_t lanes;           /* lanes of each device; 0: what suits it */
    uint32_t lane_threads;    /* threads of a lane on the CPU; 0: one */
    uint32_t readers;         /* sources side by side, if that is possible; 0: what suits them */
    uint64_t memory_bytes; /* most for frames and for what decoders hold; 0: half of the machine's
                              memory, at most 4 GiB */
    batch_score *score;    /* NULL: SSIM */
    uint32_t tile;         /* side of a tile in pixels, as score_frames wants it */
    const struct judge *judge; /* parts that are ignored, and floors, of which `tile` is; NULL:
                                  neither */
    uint32_t needed;           /* metrics without which a pair is an error (score_note) */
    bool keeps_tiles;          /* scored records have the values of all their tiles */
    bool no_hints;             /* nobody looks for them */
    batch_scored *scored;      /* NULL: none */
    /* Bytes that score and scored allocate for each byte of a pair's larger frame. They are charged
     * to memory_bytes if they fit; a pair never fails because they do not. */
    uint32_t bytes_per_byte;
    /* `known` is asked before a pair is loaded, and fills in a record that an earlier run has made;
     * NULL: there is none. `take` gets each record in order, and whether it was known; it returns
     * false to end the batch. One thread at a time calls them. Each of several OUTs has an order of
     * its own. */
    bool (*known)(void *user, struct record *record);
    bool (*take)(void *user, const struct record *record, bool known);
    /* Further references; NULL: none. A scored record that is `beyond` a limit is scored against
     * each in turn. `unread` gets the record of one that could not be scored. Many threads call
     * both. */
    const struct variants *variants;
    bool (*beyond)(void *user, const struct record *record);
    void (*unread)(void *user, const struct record *record, const char *why);
    bool keeps_looks; /* records keep their findings, so that a run can go on beside them */
    bool is_share;    /* the frames beside each are in other shares: records keep their findings */
    void *user;       /* first argument of score, scored, known and take */
    const ssimcu_stop *stop; /* begins no more pairs once it is set; NULL: never */
};

/* Milliseconds, added up over all threads; a sum above the whole shows overlap. */
struct batch_times {
    uint64_t pairs;                /* pairs loaded */
    uint64_t on_device, from_host; /* frames that were in device memory; bytes of all others */
    double whole;                  /* time on the clock, without starting devices */
    double start;                  /* time to start the devices */
    double decode, score;
    ssimcu_stage_ms stage;
    uint32_t threads, lanes, readers;
    uint64_t slots, memory_limit, memory_peak; /* number of slots; bytes */
    char device[32], reason[512];
    bool abandoned; /* threads are still at work: see batch_run */
};

/* Runs until the source ends, the batch is stopped, or something fails that concerns no single
 * pair. What has been scored until then has been handed out. A thread that is still at work a
 * second after a stop hangs, for example in a pipe that no program writes to. It is left behind
 * with all that it may use: the source must then stay, and the program must end by _exit. Errors:
 * ARGUMENT, DEVICE, MEMORY, LIMIT, INTERNAL. */
ssimcu_status batch_run(const struct batch_config *config, struct source *source,
                        struct batch_times *times, ssimcu_message *message);

#endif
