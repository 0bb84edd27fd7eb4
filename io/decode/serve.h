/* A worker's modules, and the function with which each serves a request. */
#pragma once

#include "worker/packet.h"

/* A request in progress. */
struct serve_call {
    int socket;                /* receives replies before the last one */
    int fd[SSIMCU_PACKET_FDS]; /* received with it; closed before the last reply, unless set to
                                  -1 */
    int borrowed;              /* sent with the last reply, and stays open; -1: none */
    bool silent;               /* no reply is sent */
};

struct serve_row {
    const char *name;
    /* Opens the module. On failure writes the reason and returns false. */
    bool (*open)(char *reason, size_t size);
    void (*answer)(struct serve_call *call);
    /* The current request, and its last reply, which starts as all zeros. They are static variables
     * of the module, because a worker answers one request at a time. */
    void *request;
    size_t request_size;
    void *reply;
    size_t reply_size;
    bool makes_memory; /* the module makes the memory that it shares with the caller */
};

extern const struct serve_row serve_exr, serve_video;

/* Drops the rights that a worker does not need once its module is open, for the calling thread and
 * those that it starts. The worker may still compute, allocate memory, start threads, and use the
 * descriptors that it receives. It cannot open files, use the network, start programs or affect
 * other processes. With `makes_memory` it may make memory shared with its caller, which RLIMIT_DATA
 * does not count. Uses seccomp and Landlock if the kernel has them. Prevents core files. */
void sandbox_enter(bool makes_memory);

/* Serves one request. Returns false if the caller is gone. */
bool serve_one(const struct serve_row *row, int socket);
