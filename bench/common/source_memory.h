/* A batch's source of pairs that lie in memory: what a real one has decoded is copied there once
 * and handed out again and again, so that scoring can be measured, and tested, without decoding. */
#ifndef SSIMCU_BENCH_SOURCE_MEMORY_H
#define SSIMCU_BENCH_SOURCE_MEMORY_H

#include "engine/batch.h"

/* A source with memory for `bytes` and at most `most` pairs; source_close closes it. NULL when
 * there is no such memory. */
struct source *source_memory(size_t bytes, uint32_t most);

/* Copies the frames of a loaded pair, which are dense and lie where they will. False where they do
 * not fit any more. For many threads. */
bool source_memory_keep(struct source *source, const struct pair *pair);

/* From the first pair on again, `pairs` in all: those kept, in turn. */
void source_memory_rewind(struct source *source, uint64_t pairs);

#endif
