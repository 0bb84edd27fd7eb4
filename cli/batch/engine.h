/* The pipeline of a batch.
 *
 *   source -> [next frame, in order] -> threads that decode -> ready slots -> lanes that score ->
 *   results put back in order
 *
 * A lane is a ssimcu_context on a thread of its own. A GPU has several, so that the upload of one
 * pair, the kernels of another and the wait for a third overlap; lanes sleep while they wait, so
 * that the cores are left to decoding. On the CPU a thread scores what it has decoded, itself, with
 * a context of one thread: the pixels are in that core's cache, and nobody waits for anybody.
 *
 * Nothing waits that need not: a thread that finds no free slot waits for a lane, a lane that finds
 * no ready slot waits for a decoder; results are kept until those before them are there, and at
 * most ORDER_WINDOW frames are between the first that is not there and the last that was begun.
 */
#ifndef SSIMCU_CLI_ENGINE_H
#define SSIMCU_CLI_ENGINE_H

#include "batch/source.h"

/* What of the pipeline runs: all of it, or parts, to be measured alone. */
enum engine_stages {
    ENGINE_ALL,
    ENGINE_DECODE, /* frames are decoded and forgotten */
    ENGINE_SCORE /* a frame per slot is decoded once and scored again and again, `repeat` in all */
};

struct engine_plan {
    const struct options *options; /* device, threads, memory */
    struct source *source;
    ssimcu_stopped *stopped; /* true: begin no more frames; may be NULL */
    enum engine_stages stages;
    uint64_t repeat;
    bool split; /* on the CPU too, decode and score on threads apart: to be tested and measured */
    /* Called with each frame in order, by one thread at a time. `known` (may be NULL) is asked
     * before a frame is decoded, and fills in a record that is there from earlier. `take` is given
     * each record, with whether it was known; false ends the batch. */
    bool (*known)(void *user, struct record *record);
    bool (*take)(void *user, const struct record *record, bool known);
    void *user;
};

/* Milliseconds, added up over all threads; that the sum is more than the whole shows overlap. */
struct engine_times {
    uint64_t frames; /* decoded, or scored when nothing was decoded */
    double whole;    /* on the clock, without starting devices */
    double start;    /* of the devices */
    double decode, score;
    ssimcu_stage_ms stage;
    uint32_t threads, lanes;
    uint64_t slots, memory_limit, memory_peak; /* bytes */
    char device[32], reason[512];
};

/* Runs until the source ends, is stopped or something fails that concerns no single frame. Errors:
 * DEVICE, MEMORY, INTERNAL; what has been scored until then has been handed out. */
ssimcu_status engine_run(const struct engine_plan *plan, struct engine_times *times,
                         ssimcu_message *message);

#endif
