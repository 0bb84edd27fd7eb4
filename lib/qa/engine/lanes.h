/* Lanes: the contexts that a batch scores with, and what they do with a pair. */
#ifndef SSIMCU_QA_LANES_H
#define SSIMCU_QA_LANES_H

#include "engine/order.h"

struct lanes {
    ssimcu_context **context;
    uint32_t count;
    uint32_t gpus; /* lane n is on the n-th GPU modulo this */
    bool on_cpu;
};

/* Opens the lanes of the device, or of all GPUs. On the CPU there is one for each of `threads`,
 * unless the config says how many. Fewer lanes than asked for are no error if device memory ran
 * out. The first lane is on the first GPU. The caller calls lanes_close after an error, too.
 * Errors: as ssimcu_open and ssimcu_device_count. */
ssimcu_status lanes_open(const struct batch_config *config, uint32_t threads, struct lanes *lanes,
                         ssimcu_message *message);
void lanes_close(struct lanes *lanes);

/* Scores the pair and fills in its record, all but the hints. `tiles`: memory for all tiles. The
 * caller calls the config's `scored`. Errors: as ssimcu_compare; those of score_note. */
ssimcu_status lanes_score(const struct batch_config *config, ssimcu_context *lane,
                          struct floor_tiles *tiles, struct pair *pair, ssimcu_score *score,
                          ssimcu_message *message);

/* Looks at a scored pair for hints; of frames on the lane's device it fetches what it reads.
 * *findings is the caller's to free; NULL after an error. Errors: MEMORY, because a frame that was
 * not looked at may be beyond a limit; those of ssimcu_view_patches. */
ssimcu_status lanes_look(ssimcu_context *lane, const struct pair *pair, const ssimcu_score *score,
                         struct findings **findings, ssimcu_message *message);

#endif
