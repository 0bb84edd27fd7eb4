/* Frames without a reference. Each is analysed once, then judged by itself and by its neighbours.
 *
 *   source (source/noref.h) -> threads analyse frames (frame_stats.h) -> shots in turn (shot.h)
 *   -> records with their findings */
#pragma once

#include "detect/shot.h"
#include "engine/batch.h"
#include "source/noref.h"

struct detect_config {
    const struct noref_shot *sequence;  /* those of the source */
    const ssimcu_ranges *frames;        /* frames requested; NULL: all */
    const ssimcu_image_options *limits; /* how to read pictures */
    uint32_t threads;
    uint64_t memory_bytes; /* limit for frames; 0: none */
    const ssimcu_stop *stop;
    /* Takes the records of a shot, in order, once it has ended. Returns false to end. */
    bool (*take)(void *user, struct record *record, bool known);
    /* Called before the first record of sequence `at`. Returns false to end. */
    bool (*before)(void *user, size_t at);
    void (*progress)(void *user, int64_t done); /* gets the number of frames read; may be NULL */
    void *user;
};

/* Examines all frames of a source. An end by `take` or `before` is OK here: they report why.
 * Errors: MEMORY, and those of the engine. A frame that cannot be read is a finding. */
ssimcu_status detect_all(const struct detect_config *config, struct source *source,
                         struct batch_times *times, ssimcu_message *message);
