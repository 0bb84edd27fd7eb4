/* The share that a scheduler gives this task. The program alone reads the environment. */
#ifndef SSIMCU_CLI_SHARD_H
#define SSIMCU_CLI_SHARD_H

#include "ssimcu.h"

#include <stdbool.h>

/* Finds the share of --shard auto in the environment: 1 <= *shard <= *shards. The empty
 * message becomes what was understood or, if it returns false, what is wrong. */
bool shard_find(uint32_t *shard, uint32_t *shards, ssimcu_message *message);

/* Writes `name` to `own`, with the share's number for each {}. Returns false if there is no room.
 */
bool shard_name(const char *name, uint32_t shard, char *own, size_t size);

#endif
