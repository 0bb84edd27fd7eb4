/* What stands behind the opaque handle. */
#ifndef SSIMCU_CONTEXT_H
#define SSIMCU_CONTEXT_H

#include "backend.h"

struct ssimcu_context {
    ssimcu_settings settings;
    const struct ssimcu_backend *backend;
    struct ssimcu_threads *threads; /* NULL: the calling thread alone */
    struct ssimcu_backend_state *state;
    char device[32];
    ssimcu_message reason;
    ssimcu_message failed; /* why the device is no good any more; empty while it is */
};

#endif
