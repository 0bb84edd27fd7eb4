/* What stands behind the opaque handle. */
#ifndef SSIMCU_CONTEXT_H
#define SSIMCU_CONTEXT_H

#include "backend.h"

struct ssimcu_context {
    struct ssimcu_config config;
    const struct ssimcu_backend *backend;
    struct ssimcu_backend_state *state;
    char device[32];
    ssimcu_message reason;
    ssimcu_message failed; /* why the device is no good any more; empty while it is */
};

/* The plan of a pair on this context: ssimcu_plan_make under its settings and for its device. */
ssimcu_status ssimcu_context_plan(const ssimcu_context *context,
                                  const ssimcu_view pair[SSIMCU_PAIR], const ssimcu_tiles *tiles,
                                  struct ssimcu_plan *plan, ssimcu_message *message);

/* ssimcu_open with a choice of the CPU's instructions, for tests and benchmarks. */
ssimcu_status ssimcu_open_level(const ssimcu_settings *settings, enum ssimcu_cpu_level level,
                                ssimcu_context **context, ssimcu_message *message);

#endif
