/* A batch: many pairs of frames, read and scored concurrently, reported in order.
 *
 *   source -> [next pair, in order] -> threads that decode -> pairs that are ready -> contexts that
 *   score -> records put back in order
 *
 * A context is an ssimcu_context on a separate thread. A GPU has several, so that one pair's
 * upload, another's kernels and the wait for a third overlap. Contexts sleep while they wait, which
 * leaves the cores to decoding. On the CPU the decoding thread also scores its pair, with a
 * single-threaded context, because the pixels are in that core's cache.
 *
 * A thread that finds no free memory waits for a context, and a context that finds no pair ready
 * waits for a decoder. Each record waits for the records before it. The distance from the first
 * pair without a record to the last one begun is limited.
 *
 * This module knows nothing of the command line and prints nothing. The caller supplies the
 * source. */
#pragma once

#include "engine/judge.h"
#include "source/source.h"

struct variants;

/* Scores a pair on an open context. Many threads call it. Errors: as ssimcu_compare. */
typedef ssimcu_status batch_score(void *user, ssimcu_context *context, const struct pair *pair,
                                  ssimcu_score *score, ssimcu_message *message);

/* Examines a scored pair and its record while the frames are still in memory. Many threads call it.
 * A DEVICE error ends the batch; any other error fails the record. */
typedef ssimcu_status batch_scored(void *user, ssimcu_context *context, const struct pair *pair,
                                   ssimcu_message *message);

struct batch_config {
    ssimcu_settings settings;  /* its `threads` decode; 0: as many as can run at once */
    bool all_devices;          /* score on every CUDA device */
    uint32_t contexts;         /* contexts per device; 0: automatic */
    uint32_t context_threads;  /* threads of a context on the CPU; 0: one */
    uint32_t readers;          /* sources that read concurrently, if possible; 0: automatic */
    uint64_t memory_bytes;     /* limit for frames and decoders' memory; 0: half of the machine's
                                  memory, at most 4 GiB */
    batch_score *score;        /* NULL: SSIM */
    uint32_t tile;             /* side of a tile in pixels, as score_frames wants it */
    const struct judge *judge; /* ignored areas and learned limits, whose tiles have a side of
                                  `tile` pixels; may be NULL */
    uint32_t needed;           /* metrics that a pair must have (score_note) */
    bool keeps_tiles;          /* scored records keep the values of all their tiles */
    bool no_hints;             /* do not look for hints */
    batch_scored *scored;      /* may be NULL */
    /* Bytes that score and scored allocate for each byte of a pair's larger frame. They are charged
     * to memory_bytes if they fit; a pair never fails because they do not. */
    uint32_t bytes_per_byte;
    /* `known` is called before a pair is loaded, and fills in a record from an earlier run; may be
     * NULL. `take` gets each record in order, and whether it was known; it returns false to end the
     * batch. One thread at a time calls them. Each of several OUTs has a separate order. */
    bool (*known)(void *user, struct record *record);
    bool (*take)(void *user, struct record *record, bool known);
    /* Variants; may be NULL. A scored record that is `beyond` a limit is scored against each
     * variant in turn. `unread` gets the record of a variant that could not be scored. Many threads
     * call both. */
    const struct variants *variants;
    bool (*beyond)(void *user, const struct record *record);
    void (*unread)(void *user, const struct record *record, const char *why);
    bool keeps_pending_hints; /* records keep their findings for a run that continues beyond them */
    bool is_share; /* neighbouring frames are in other shares, so records keep their findings */
    void *user;    /* first argument of score, scored, known and take */
    const ssimcu_stop *stop; /* once set, no more pairs begin; may be NULL */
};

/* Milliseconds, summed over all threads; a sum above `whole` shows overlap. */
struct batch_times {
    uint64_t pairs;                /* pairs loaded */
    uint64_t on_device, from_host; /* frames that were in device memory; bytes of all others */
    double whole;                  /* wall-clock time, without starting devices */
    double start;                  /* time to start the devices */
    double decode, score;
    ssimcu_stage_ms stage;
    uint32_t threads, contexts, readers;
    uint64_t slots, memory_limit, memory_peak; /* number of slots; bytes */
    char device[32], reason[512];
    bool fell_back; /* AUTO's GPU computes wrongly, so the CPU scored the pairs; `reason` says so */
    bool abandoned; /* threads are still running: see batch_run */
};

/* Runs until the source ends, the batch is stopped, or an error occurs that concerns no single
 * pair. All records finished by then have been handed out. A thread that still runs a second after
 * a stop is blocked, for example in a pipe that no program writes to. It is abandoned with
 * everything that it may use: the source must then stay, and the program must end by _exit. Errors:
 * ARGUMENT, DEVICE, MEMORY, LIMIT, INTERNAL. */
ssimcu_status batch_run(const struct batch_config *config, struct source *source,
                        struct batch_times *times, ssimcu_message *message);
