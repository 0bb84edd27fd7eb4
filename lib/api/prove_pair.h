/* The fixed pair of prove.h: samples of any kind that its plans score. */
#pragma once

#include "backend.h"
#include "plan/plan.h"

/* The plans of the planes of the fixed pair, their memory, and what came out. */
struct ssimcu_trial {
    struct ssimcu_plan plan[SSIMCU_MAX_CHANNELS];
    uint32_t plans;
    char *memory[SSIMCU_MAX_CHANNELS][SSIMCU_PAIR];
    float *map;
    struct ssimcu_results results[SSIMCU_MAX_CHANNELS];
};

/* Makes the pair of `size` pixels for these plans on a device with these traits. `drawn`: it reads
 * the samples of that pair, which must live as long; NULL: it draws them. Metrics that the pair is
 * too small for are left out. The caller ends it, also after an error. */
ssimcu_status ssimcu_trial_make(struct ssimcu_trial *trial, const struct ssimcu_traits *traits,
                                const struct ssimcu_plan *plan, uint32_t plans,
                                const uint32_t size[2], const struct ssimcu_trial *drawn,
                                ssimcu_message *message);

void ssimcu_trial_end(struct ssimcu_trial *trial);
