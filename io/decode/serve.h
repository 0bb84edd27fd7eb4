/* A worker's modules, and the loop in which each serves one request after the other. */
#ifndef SSIMCU_DECODE_SERVE_H
#define SSIMCU_DECODE_SERVE_H

#include "worker/packet.h"

/* A request that is being answered. */
struct serve_call {
    int socket;                /* for replies before the last one */
    int fd[SSIMCU_PACKET_FDS]; /* came with it; closed before the last reply, unless set to -1 */
    int lent;                  /* goes with the last reply, and stays open; -1: none */
    bool silent;               /* there is no reply */
};

struct serve_row {
    const char *name;
    /* Opens the module. False: writes why it cannot. */
    bool (*open)(char *reason, size_t size);
    void (*answer)(struct serve_call *call);
    /* The request that has come, and its last reply, which is all zero before it is answered. They
     * are the module's own variables, because a worker answers one request at a time. */
    void *request;
    size_t request_size;
    void *reply;
    size_t reply_size;
    bool makes_memory; /* the module makes the memory in which the caller sees pixels */
};

extern const struct serve_row serve_exr, serve_video;

/* Gives up the rights that a worker does not need once its module is open, for the calling thread
 * and those that it starts. It may still compute, take memory, start threads, and use the
 * descriptors that it is handed. It can open no file, reach no network, start no program and touch
 * no other process. `makes_memory`: it may make memory that its caller sees, which RLIMIT_DATA does
 * not count. Uses seccomp and Landlock if the kernel has them; that it lacks them is no error.
 * Leaves no core file behind. */
void sandbox_enter(bool makes_memory);

/* Serves one request. False if the caller is gone. */
bool serve_one(const struct serve_row *row, int socket);

#endif
