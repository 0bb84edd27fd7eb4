/* Workers are processes that run third-party decoders. A decoder may crash, never return or take
 * too much memory. Then only its current file fails, and the next file gets a new worker.
 *
 * THE PROGRAM is ssimcu-decode. It lies in the folder ssimcu next to the modules. Like them, it is
 * searched for in the library directories of the program or library that holds this code. It opens
 * one module and serves it. Without the program, as with a static build, the modules are opened in
 * the calling process.
 *
 * THE PROTOCOL. The worker's descriptor 3 is one end of a socket pair (packet.h). Every message is
 * one struct. Both sides must come from one build: the worker receives a version and ends if it
 * differs.
 *
 *     worker -> caller   struct ssimcu_worker_hello, once
 *     caller -> worker   a request of the module's, with the descriptor of the file to read, and
 *                        that of the window if there is one
 *     worker -> caller   replies of the module, described at their structs (exr.h)
 *
 * The window is shared memory (memfd). The caller makes it and seals its size, so that the worker
 * cannot remove it. Pixels pass through it in bands that fit in a cache. The caller copies each
 * band to its place and checks the worker's description of it. Video frames lie in memory that the
 * worker makes and seals (remote.h); the caller can only read it. A worker therefore sees neither
 * the caller's memory nor any file except its current one.
 *
 * THE CALLER'S PROCESS is not disturbed. posix_spawn starts a worker in a separate process group,
 * without blocked signals, and with its socket as the only descriptor. The caller waits for it only
 * by its process id. No signal is handled, and none is raised in the caller, except the SIGCHLD of
 * every child's end. A worker ends when the other end of its socket is closed, even while it
 * decodes, so none outlives the caller's process. Idle workers wait for the next file until the
 * process ends or the library is unloaded. After a fork the child starts new workers.
 *
 * LIMITS. A worker's memory is limited (ssimcu_worker_limit_memory). It cannot open files, use the
 * network or start programs (sandbox.c), and it leaves no core file. A worker that is stopped for
 * two seconds, or does not answer within the caller's time limit, is killed. */
#pragma once

#include "reader.h"

#include <stdbool.h>
#include <stddef.h>

/* Both sides must have this version. */
#define SSIMCU_WORKER_TEXT(number) #number
#define SSIMCU_WORKER_JOIN(a, b, c)                                                                \
    SSIMCU_WORKER_TEXT(a) "." SSIMCU_WORKER_TEXT(b) "." SSIMCU_WORKER_TEXT(c)
#define SSIMCU_WORKER_VERSION                                                                      \
    SSIMCU_WORKER_JOIN(SSIMCU_VERSION_MAJOR, SSIMCU_VERSION_MINOR, SSIMCU_VERSION_PATCH)

enum {
    SSIMCU_WORKER_SOCKET = 3,
    SSIMCU_WORKER_REASON = 200,
    SSIMCU_WORKER_LOAD_SECONDS = 60 /* time limit to load the module, even from a slow disk */
};

/* The first message of a worker. */
struct ssimcu_worker_hello {
    bool ready;                        /* the module is open */
    char reason[SSIMCU_WORKER_REASON]; /* why it is not open */
};

typedef struct ssimcu_worker ssimcu_worker;

/* Returns whether the program was found. If not, the caller opens the module itself. */
SSIMCU_API bool ssimcu_worker_exists(void);

/* Takes an idle worker for the module ("exr", "video"), or starts one. Errors: MEMORY, FILE (it
 * cannot be started); UNSUPPORTED (it cannot open the module; the text is only the reason). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_worker_take(const char *module,
                                                              ssimcu_worker **worker,
                                                              ssimcu_message *message);

/* Starts an idle worker, which loads the module while the caller continues. The program must exist.
 * If it cannot be started, the next ssimcu_worker_take fails. */
SSIMCU_API void ssimcu_worker_start_ahead(const char *module);

/* Gives back a worker that waits for a request. Accepts NULL. */
SSIMCU_API void ssimcu_worker_give(ssimcu_worker *worker);

/* Kills a worker and waits for its end. Accepts NULL. */
SSIMCU_API void ssimcu_worker_end(ssimcu_worker *worker);

/* Limits the memory that the worker may allocate in addition to what it has loaded. */
SSIMCU_API void ssimcu_worker_limit_memory(ssimcu_worker *worker, uint64_t bytes);

/* Returns a window of at least `bytes`, whose contents are lost, and its descriptor. Returns NULL
 * if memory runs out. The worker keeps the window for the next file. */
void *ssimcu_worker_window(ssimcu_worker *worker, size_t bytes, int *fd);

/* Sends a request with `count` descriptors. Receiving the reply reveals a failure. */
SSIMCU_API void ssimcu_worker_send(ssimcu_worker *worker, const void *request, size_t size,
                                   const int *fd, unsigned count);

/* Waits for a reply for at most `seconds`, or until `stop` (may be NULL) is set. *fd is the
 * descriptor received with it, or -1; `fd` may be NULL. Returns false if the worker has died or had
 * to be killed. ssimcu_worker_why then returns how it ended, and only ssimcu_worker_end may
 * follow. */
SSIMCU_API bool ssimcu_worker_receive(ssimcu_worker *worker, void *reply, size_t size,
                                      uint32_t seconds, const ssimcu_stop *stop, int *fd);

/* Maps a worker's status to one that fails only its file. If the worker ran out of memory, that was
 * its own limit. */
SSIMCU_API ssimcu_status ssimcu_worker_status(ssimcu_status said);

/* Returns words to follow a file's name, such as "its decoder was ended by SIGSEGV". */
SSIMCU_API const char *ssimcu_worker_why(const ssimcu_worker *worker);
