/* The contexts of a batch, and how they score and analyse a pair. */
#pragma once

#include "engine/order.h"

struct contexts {
    ssimcu_context **context;
    uint32_t count;
    uint32_t gpus; /* context n is on GPU n modulo this */
    bool on_cpu;
};

/* Opens the contexts of the device, or of all GPUs. On the CPU there is one for each of `threads`,
 * unless the config sets the number. If device memory runs out, fewer contexts than requested are
 * no error. The first context is on the first GPU. The caller calls contexts_close after an error,
 * too. Errors: as ssimcu_open and ssimcu_device_count. */
ssimcu_status contexts_open(const struct batch_config *config, uint32_t threads,
                            struct contexts *contexts, ssimcu_message *message);
void contexts_close(struct contexts *contexts);

/* Scores the pair and fills in its record, except for the hints. `tiles`: memory for all tiles. The
 * caller calls the config's `scored`. Errors: as ssimcu_compare; those of score_note. */
ssimcu_status contexts_score(const struct batch_config *config, ssimcu_context *context,
                             struct learned_tiles *tiles, struct pair *pair, ssimcu_score *score,
                             ssimcu_message *message);

/* Finds hints for a scored pair. From frames on the context's device, it fetches only the samples
 * that it reads. The caller frees *findings, which is NULL after an error. Errors: MEMORY, because
 * a frame without an analysis may be over a limit; those of ssimcu_view_patches. */
ssimcu_status contexts_find_hints(ssimcu_context *context, const struct pair *pair,
                                  const ssimcu_score *score, struct pending_hints **findings,
                                  ssimcu_message *message);
