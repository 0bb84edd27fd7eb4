/* Lanes: the contexts that a batch scores with, and what they do with a pair. */
#ifndef SSIMCU_QA_LANES_H
#define SSIMCU_QA_LANES_H

#include "engine/order.h"

struct lanes {
    ssimcu_context **context;
    uint32_t count;
    bool on_cpu;
};

/* Opens the lanes of the device, or of all GPUs; on the CPU, unless the config says how many, one
 * for each of `threads`. Fewer than wished for, for want of device memory, are no error. The first
 * one is of the first GPU. lanes_close also after an error. Errors: as ssimcu_open and
 * ssimcu_device_count. */
ssimcu_status lanes_open(const struct batch_config *config, uint32_t threads, struct lanes *lanes,
                         ssimcu_message *message);
void lanes_close(struct lanes *lanes);

/* Scores the pair and fills in its record but for its hints. Errors: as
 * ssimcu_compare. */
ssimcu_status lanes_score(const struct batch_config *config, ssimcu_context *lane,
                          struct pair *pair, ssimcu_score *score, ssimcu_message *message);

/* Looks at a pair that was scored, for hints. NULL where it cannot, or where memory runs out: a
 * hint is no result. */
struct findings *lanes_look(const struct pair *pair, const ssimcu_score *score);

#endif
