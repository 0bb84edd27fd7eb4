/* The header names the run that produced the results. It is the first line of JSON Lines. */
#pragma once

#include "record/contract.h"

enum { HEADER_INPUT_DIGEST = 32 };
#define HEADER_LIMITED "limits" /* member of `input`: the share had limits */

/* The run, or the check of frames without a reference, that produced the results. */
struct header {
    bool check;
    struct json_t *contract;
    struct json_t *input;   /* REF, OUT and the selection of pairs, as on the command line */
    struct json_t *device;  /* devices of the records' backends, such as {"cpu": "CPU, AVX-512"};
                               NULL: merged results of several */
    uint32_t shard, shards; /* number of this share, from 1, and of all; below 2: all pairs */
    char input_digest[HEADER_INPUT_DIGEST]; /* digest of the names and numbers of all frames of the
                                               run, including other shares; "": standard input, or
                                               an earlier version */
    uint64_t begin, end; /* position of a segment's first pair, and one past its last (UINT64_MAX:
                            no end); end 0: the share is every N-th pair */
};

/* Releases the header's JSON and empties it. */
void header_clear(struct header *header);

/* Makes a copy that shares the JSON of the other. Call header_clear for both. */
void header_copy(struct header *header, const struct header *other);

/* Fails with MISMATCH if `other`, from the file `path`, has another contract or other pairs. The
 * message names the difference. Other frames of the same pairs do not differ, unless both are
 * shares. Other errors: MEMORY. */
ssimcu_status header_check(const struct header *own, const struct header *other, const char *path,
                           ssimcu_message *message);

/* Does the same if the contract `other` gives another SSIM. Its metrics and its learned limits may
 * differ. */
ssimcu_status header_check_ssim(const struct json_t *own, const struct json_t *other,
                                const char *path, ssimcu_message *message);

/* Returns whether the pairs are a list or only selected frames, so that frames lack their
 * neighbours.
 */
bool header_is_chosen(const struct header *header);

/* Reduces the header to the facts that hold for both results. A selection of frames that differs is
 * removed, and the devices of both are joined. */
void header_join(struct header *header, const struct header *other);

/* Joins only the devices: the names of both, or none if a header lacks them. */
void header_join_devices(struct header *header, const struct header *other);

/* Returns the device that a header's `device` names for a backend; NULL: none. */
const char *header_device(const struct json_t *device, const char *backend);

/* Returns the first line of JSON Lines, the caller's to free; NULL if memory runs out. */
char *header_to_json(const struct header *header);

/* Reads a first line back; the caller clears it. Returns false if it is not valid. */
bool header_from_json(const struct json_t *json, struct header *header);

/* Fails with DATA if the first line of the file `path` has another schema. */
ssimcu_status header_check_schema(const struct json_t *json, const char *path,
                                  ssimcu_message *message);
