/* The struct behind the opaque handle. */
#ifndef SSIMCU_CONTEXT_H
#define SSIMCU_CONTEXT_H

#include "backend.h"

#include <stdatomic.h>
#include <sys/types.h>

struct ssimcu_context {
    atomic_flag busy; /* a thread is inside */
    pid_t process;    /* the process that opened the context */
    struct ssimcu_config config;
    const struct ssimcu_backend *backend;
    struct ssimcu_backend_state *state;
    char device[32];
    ssimcu_message reason;
    ssimcu_message failed; /* why the device cannot be used any more; empty while it can */
    char *scratch;         /* memory for reading views; NULL: none yet */
    size_t scratch_bytes;
    struct ssimcu_scale_tables *scales; /* of ssimcu_view_scale (number/taps.h) */
};

/* Enclose every use of what changes in a context. Leave only after enter returned OK.
 * Errors: ARGUMENT (another thread is inside). */
ssimcu_status ssimcu_context_enter(ssimcu_context *context, ssimcu_message *message);
void ssimcu_context_leave(ssimcu_context *context);

/* Enters to use the device. Errors: also DEVICE (it cannot be used any more, or belongs to the
 * process before a fork). */
ssimcu_status ssimcu_context_use(ssimcu_context *context, ssimcu_message *message);

/* Makes the plan of a pair on this context: ssimcu_plan_make with its settings and for its device.
 * A map, which may be NULL, asks for SSIM. */
ssimcu_status ssimcu_context_plan(const ssimcu_context *context,
                                  const ssimcu_view pair[SSIMCU_PAIR], const ssimcu_map *map,
                                  const ssimcu_tiles *tiles, struct ssimcu_plan *plan,
                                  ssimcu_message *message);

/* Turns each view of doubles into one of floats. memory[] gets the floats, which the caller frees,
 * or NULL if there are none. A view without data gets none. A context on a GPU leaves them to the
 * plan, which refuses them: their memory may be the device's.
 * Errors: MEMORY. */
ssimcu_status ssimcu_doubles_round(const ssimcu_context *context, ssimcu_view pair[SSIMCU_PAIR],
                                   float *memory[SSIMCU_PAIR], ssimcu_message *message);

/* Does what ssimcu_open does, with a choice of the CPU's instructions, for tests and benchmarks. */
ssimcu_status ssimcu_open_level(const ssimcu_settings *settings, enum ssimcu_cpu_level level,
                                ssimcu_context **context, ssimcu_message *message);

#endif
