/* A worker's modules. Each opens its module, and then serves one request after the other. */
#ifndef SSIMCU_DECODE_SERVE_H
#define SSIMCU_DECODE_SERVE_H

#include <stdbool.h>
#include <stddef.h>

struct serve_row {
    const char *name;
    /* Opens the module. False: writes why it cannot. */
    bool (*open)(char *reason, size_t size);
    /* Serves one request. False if the caller is gone. */
    bool (*one)(int socket);
};

extern const struct serve_row serve_exr, serve_video;

#endif
