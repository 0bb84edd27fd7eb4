/* Lanes: the contexts that a batch scores with, and what they do with a pair. */
#ifndef SSIMCU_CLI_LANES_H
#define SSIMCU_CLI_LANES_H

#include "batch/slots.h"

/* How many lanes there can be for so many threads. */
uint32_t lanes_most(uint32_t threads);

/* Opens the lanes of the device, or of all GPUs, or on the CPU one for each thread. *count are
 * open, also after an error; fewer than wished for, for want of device memory, are no error. The
 * first one is of the first GPU. Errors: as ssimcu_open and ssimcu_device_count. */
ssimcu_status lanes_open(const struct options *options, uint32_t threads, ssimcu_context **lane,
                         uint32_t *count, bool *on_cpu, ssimcu_message *message);

/* Scores the pair in a slot and fills in its record and times. Errors: as ssimcu_compare. */
ssimcu_status lanes_score(ssimcu_context *lane, struct slot *slot, ssimcu_message *message);

#endif
