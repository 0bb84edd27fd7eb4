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

/* ssimcu_open with a choice of the CPU's instructions, for tests and benchmarks. */
ssimcu_status ssimcu_open_level(const ssimcu_settings *settings, enum ssimcu_cpu_level level,
                                ssimcu_context **context, ssimcu_message *message);

#endif
