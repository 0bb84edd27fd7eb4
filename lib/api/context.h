/* The struct of the opaque handle. */
#pragma once

#include "backend.h"

#include <stdatomic.h>
#include <sys/types.h>

struct ssimcu_context {
    atomic_flag busy; /* a thread is using it */
    pid_t process;    /* the process that opened the context */
    struct ssimcu_config config;
    const struct ssimcu_backend *backend;
    struct ssimcu_backend_state *state;
    char device[32];
    ssimcu_message reason;
    ssimcu_message failed; /* why the device can no longer be used; otherwise empty */
    int distrusted;        /* it has failed because it computes wrongly (prove.h) */
    /* The device before a fall-back to the CPU: memory may still be pinned for it. NULL: none. */
    const struct ssimcu_backend *left;
    struct ssimcu_backend_state *left_state;
    char *scratch; /* memory for reading views; may be NULL */
    size_t scratch_bytes;
    struct ssimcu_scale_tables *scales; /* tables of ssimcu_view_scale (number/taps.h) */
};

/* Enclose every use of a context's mutable state. Leave only after enter returned OK. Errors:
 * ARGUMENT (another thread is using it). */
ssimcu_status ssimcu_context_enter(ssimcu_context *context, ssimcu_message *message);
void ssimcu_context_leave(ssimcu_context *context);

/* Enters to use the device. Errors: also DEVICE (it can no longer be used, or belongs to the
 * process before a fork). */
ssimcu_status ssimcu_context_use(ssimcu_context *context, ssimcu_message *message);

/* Makes the plan of a pair with this context's settings and device (ssimcu_plan_make). A map, which
 * may be NULL, requires SSIM. */
ssimcu_status ssimcu_context_plan(const ssimcu_context *context,
                                  const ssimcu_view pair[SSIMCU_PAIR], const ssimcu_map *map,
                                  const ssimcu_tiles *tiles, struct ssimcu_plan *plan,
                                  ssimcu_message *message);

/* Runs plans on the device without checks, and waits for all. `map` may be NULL. The results are
 * valid until the next run. Errors: those of the backend. */
ssimcu_status ssimcu_context_run(ssimcu_context *context, const struct ssimcu_plan *plan,
                                 uint32_t plans, float *map, struct ssimcu_results *results,
                                 ssimcu_stage_ms *ms, ssimcu_message *message);

/* Moves a context that was opened for AUTO, and whose device computes wrongly, to the CPU. Returns
 * whether it did, so that the caller makes its plan again. */
int ssimcu_context_fall_back(ssimcu_context *context);

/* Converts each view of doubles to one of floats. memory[] gets the floats, which the caller frees,
 * or NULL. A view without data gets none. A GPU context leaves doubles to the plan, which refuses
 * them, because they may lie in device memory. Errors: MEMORY. */
ssimcu_status ssimcu_doubles_round(const ssimcu_context *context, ssimcu_view pair[SSIMCU_PAIR],
                                   float *memory[SSIMCU_PAIR], ssimcu_message *message);

/* Like ssimcu_open, with a choice of the CPU's instructions, for tests and benchmarks. */
ssimcu_status ssimcu_open_level(const ssimcu_settings *settings, enum ssimcu_cpu_level level,
                                ssimcu_context **context, ssimcu_message *message);
