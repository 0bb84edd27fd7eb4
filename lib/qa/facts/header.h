/* The header names the run that results are of. It is the first line of JSON Lines. */
#ifndef SSIMCU_QA_HEADER_H
#define SSIMCU_QA_HEADER_H

#include "facts/contract.h"

#define HEADER_LIMITED "limits" /* member of `input`: the share was given limits */

/* The run that results are of. */
struct header {
    struct json_t *contract;
    struct json_t *input;   /* REF, OUT and the selection of pairs, as the command line had them */
    struct json_t *device;  /* devices behind the records' backends, such as
                               {"cpu": "CPU, AVX-512"}; NULL: results of several, merged */
    uint32_t shard, shards; /* number of this share, from 1, and of all; below 2: all pairs */
    uint64_t begin, end;    /* the share is a segment: positions of its first pair and behind its
                             * last, UINT64_MAX: whatever follows; end 0: it is every N-th pair */
};

/* Releases the header's JSON and empties it. */
void header_clear(struct header *header);

/* Makes a copy that shares the JSON of the other. Call header_clear for both. */
void header_copy(struct header *header, const struct header *other);

/* Fails with MISMATCH if `other`, of the file `path`, has another contract or other pairs; the
 * message names the difference. Other frames of the same pairs are no mismatch, unless both are
 * shares. Other errors: MEMORY. */
ssimcu_status header_check(const struct header *own, const struct header *other, const char *path,
                           ssimcu_message *message);

/* Returns whether the pairs are a list or some frames alone, so that frames lack their neighbours.
 */
bool header_is_chosen(const struct header *header);

/* Reduces the header to what is true of results of both: frames that differ go,
 * and devices are those of both. */
void header_join(struct header *header, const struct header *other);

/* Joins the devices alone: the names of both, or none if a header names none. */
void header_join_devices(struct header *header, const struct header *other);

/* Returns the device that a header's `device` names for a backend; NULL: none. */
const char *header_device(const struct json_t *device, const char *backend);

/* Returns the first line of JSON Lines, the caller's to free; NULL if memory runs out. */
char *header_to_json(const struct header *header);

/* Reads a first line back; the caller clears it. Returns false if it is not a first line. */
bool header_from_json(const struct json_t *json, struct header *header);

/* Fails with DATA if the first line of the file `path` is of a schema that is not read. Schema 1 is
 * read, except of --recursive, whose frames are positions there. */
ssimcu_status header_check_schema(const struct json_t *json, const char *path,
                                  ssimcu_message *message);

#endif
