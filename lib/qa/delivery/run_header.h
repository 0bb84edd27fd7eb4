/* The first line of results: the facts about this run. */
#pragma once

#include "options/options.h"
#include "record/header.h"

/* Fills in the header: contract, input, devices and share. `video`: planes are scored as stored.
 * `pair`: two pictures. For a pair, the GPU is named only after it scored, because the CPU scores
 * most pairs before a driver could name its GPU. Errors: MEMORY. */
ssimcu_status run_header_make(const struct options *options, bool video, bool pair,
                              struct header *header, ssimcu_message *message);

/* Adds the GPU of this name to the devices. Errors: MEMORY. */
ssimcu_status run_header_name_gpu(struct header *header, const char *name, ssimcu_message *message);

/* Returns the contract of a run with these options; NULL if memory runs out. */
struct json_t *run_contract_make(const struct options *options, bool video);

/* Returns how the frames of a check are judged: the version of its findings, and the kinds that
 * fail. NULL if memory runs out. */
struct json_t *run_header_check_contract(const struct limits *limits);

/* Input and settings that a header names. A merge's report uses them to read the frames again. */
struct run_header_facts {
    struct source_input input;
    ssimcu_settings settings;
    ssimcu_image_options image; /* how pictures are read; `input` points to it */
    ssimcu_clip_format raw;     /* format that `input` may point to */
};

/* Reads the facts from a header; the device is that of the options. The header still owns the
 * paths. Do not move the facts, because `input` may point into them. */
void run_header_read(const struct header *header, const struct options *options,
                     struct run_header_facts *facts);
