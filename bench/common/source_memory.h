/* A batch's source of pairs that lie in memory. Pairs that a real source has decoded are copied
 * there once and handed out again and again. Scoring can so be measured, and tested, without
 * decoding. */
#ifndef SSIMCU_BENCH_SOURCE_MEMORY_H
#define SSIMCU_BENCH_SOURCE_MEMORY_H

#include "engine/batch.h"

/* Creates a source with memory for `bytes` and at most `most` pairs. source_close closes it.
 * Returns NULL if there is no such memory. */
struct source *source_memory(size_t bytes, uint32_t most);

/* Copies the frames of a loaded pair, which are dense and may lie anywhere. Returns false if they
 * do not fit any more. Several threads may call it at once. */
bool source_memory_keep(struct source *source, const struct pair *pair);

/* Starts again from the first pair and hands out `pairs` in all: the kept ones, in turn. */
void source_memory_rewind(struct source *source, uint64_t pairs);

#endif
