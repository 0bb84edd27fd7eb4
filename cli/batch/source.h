/* Where a batch's pairs of frames come from: two sequences of pictures, one reference against a
 * sequence, a list of pairs, or two clips. Told apart by what REF and OUT are. */
#ifndef SSIMCU_CLI_SOURCE_H
#define SSIMCU_CLI_SOURCE_H

#include "batch/slots.h"
#include "options.h"

/* What the names REF and OUT stand for: told by what is there, and for a pipe, which cannot be
 * looked into, by its name and by the other side. */
enum source_kind { SOURCE_PICTURE, SOURCE_DIRECTORY, SOURCE_PATTERN, SOURCE_Y4M, SOURCE_RAW };

void source_kinds(const struct options *options, enum source_kind kind[2]);

/* Whether the options ask for a batch and not for the score of two pictures. */
bool source_is_batch(const struct options *options);

struct source;

/* Opens what is to be scored and checks that the two sides belong together. `stopped` as in
 * reader.h. The options must outlive the source. Errors: FILE, DATA, UNSUPPORTED, LIMIT, MEMORY,
 * MISMATCH; ARGUMENT: the two cannot be asked for together. */
ssimcu_status source_open(const struct options *options, ssimcu_stopped *stopped,
                          struct source **source, ssimcu_message *message);
void source_close(struct source *source);

/* How many frames there are to score, as far as that is known; else -1. */
int64_t source_count(const struct source *source);

/* Memory that the frames of a reference shared by all take, and that memory, to be pinned. */
const ssimcu_frame *source_shared(const struct source *source);

/* Makes room in a slot where that must be there before `next`. Errors: as slots_reserve. */
ssimcu_status source_prepare(const struct source *source, struct slots *slots, struct slot *slot,
                             ssimcu_message *message);

/* Goes to the next frame to score and fills in the slot's record and places. False at the end. The
 * record is made MISSING or FAILED where there is nothing to load. For one thread at a time. */
bool source_next(struct source *source, struct slot *slot);

/* Reads the pair into the slot. Errors are the record's. For many threads. */
ssimcu_status source_load(const struct source *source, struct slots *slots, struct slot *slot,
                          ssimcu_message *message);

#endif
