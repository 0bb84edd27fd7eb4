/* The first line of results: what it says about this run. */
#ifndef SSIMCU_QA_RUN_HEADER_H
#define SSIMCU_QA_RUN_HEADER_H

#include "facts/header.h"
#include "options/options.h"

/* Fills in the header: contract, input, devices and share. `video`: planes are scored as they are
 * stored. `pair`: of two pictures the GPU is named when it has scored them, because most are scored
 * by the CPU before a driver could say what there is. Errors: MEMORY. */
ssimcu_status run_header_make(const struct options *options, bool video, bool pair,
                              struct header *header, ssimcu_message *message);

/* Adds the GPU of this name to the devices. Errors: MEMORY. */
ssimcu_status run_header_name_gpu(struct header *header, const char *name, ssimcu_message *message);

/* Returns the contract of a run with these options; NULL if memory runs out. */
struct json_t *run_contract_make(const struct options *options, bool video);

/* Input and settings that a header names. A merge's report reads the frames again with them. */
struct run_header_facts {
    struct source_input input;
    ssimcu_settings settings;
    ssimcu_image_options image; /* how pictures are read, to which `input` points */
    ssimcu_clip_format raw;     /* format that `input` may point to */
};

/* Reads the facts from a header; the device is that of the options. The paths stay the header's.
 * The facts must not be moved, because `input` may point into them. */
void run_header_read(const struct header *header, const struct options *options,
                     struct run_header_facts *facts);

#endif
