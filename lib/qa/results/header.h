/* The header of results: which run they are of. It is the first line of JSON Lines. */
#ifndef SSIMCU_QA_HEADER_H
#define SSIMCU_QA_HEADER_H

#include "results/contract.h"

enum { HEADER_MOST_SHARDS = 1 << 24 };

/* Which run the results are of. */
struct header {
    struct json_t *contract;
    struct json_t *input;   /* REF, OUT and which pairs of them, as the command line had them */
    struct json_t *device;  /* what the records' backends are, such as {"cpu": "CPU, AVX-512"};
                               NULL: merged results of several devices */
    uint32_t shard, shards; /* shards below 2: all pairs */
};

/* Releases what the header holds. */
void header_clear(struct header *header);

/* Makes a copy that shares the JSON of the other; header_clear both. */
void header_copy(struct header *header, const struct header *other);

/* MISMATCH where `other`, of the file `path`, is of another contract or of other pairs; the message
 * says which. Other frames of them are no mismatch, unless both are shares. Also: MEMORY. */
ssimcu_status header_check(const struct header *own, const struct header *other, const char *path,
                           ssimcu_message *message);

/* What remains true of results of both: no device where they are of two, no frames likewise. The
 * second leaves the input alone. */
void header_join(struct header *header, const struct header *other);
void header_join_devices(struct header *header, const struct header *other);

#endif
