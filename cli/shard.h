/* The share that a scheduler assigns to this task. Only the program reads the environment. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>

/* Finds the share of --shard auto in the environment: 1 <= *shard <= *shards. The empty message
 * becomes the interpretation, or the error if it returns false. */
bool shard_find(uint32_t *shard, uint32_t *shards, ssimcu_message *message);

/* Writes `name` to `own` with each {} replaced by the share's number. Returns false if it does not
 * fit.
 */
bool shard_name(const char *name, uint32_t shard, char *own, size_t size);
