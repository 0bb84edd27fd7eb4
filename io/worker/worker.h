/* Workers are processes of our own, in which decoders run that others wrote. A decoder may crash,
 * hang or take too much memory. That costs the file that it was at, and the next file gets a new
 * worker.
 *
 * THE PROGRAM is ssimcu-decode. It lies in the folder ssimcu beside the modules and is found as
 * they are: in the library directories of the program or library that holds this code. It opens one
 * module and serves it. Without it, as in a program that is linked statically and installed alone,
 * the modules are opened in the calling process.
 *
 * THE PROTOCOL. The worker's descriptor 3 is one end of a socket pair (packet.h). Every message is
 * one struct. Both sides are built together: the worker is told a version and ends if it is not
 * its own.
 *
 *     worker -> caller   struct ssimcu_worker_hello, once
 *     caller -> worker   a request of the module's, with the descriptor of the file to read, and
 *                        that of the window if there is one
 *     worker -> caller   replies of the module's; what they are is said beside the structs (exr.h)
 *
 * The window is memory that both see (memfd). The caller makes it and seals its size, so that the
 * worker cannot take it away. Pixels come through it in bands that fit in a cache. The caller
 * copies each band to where it belongs and checks what the worker says of it. Frames of video lie
 * in memory that the worker makes and seals (apart.h); the caller can only read it. A worker
 * therefore sees neither the caller's memory nor any file but the one that it was handed.
 *
 * THE CALLER'S PROCESS is left alone. A worker is started by posix_spawn in a process group of its
 * own, with no signal blocked, and inherits no descriptor but its socket. It is waited for by its
 * number alone. No signal is handled, and none is raised in the caller, except the SIGCHLD that
 * every child's end raises. A worker ends when the other end of its socket is closed, also while it
 * decodes; so none outlives the caller's process. Idle workers wait for the next file until the
 * process ends or the library is unloaded. After a fork the child starts workers of its own.
 *
 * LIMITS. A worker's own memory is limited (ssimcu_worker_limit_memory). It can open no file, reach
 * no network and start no program (sandbox.c). It leaves no core file. One that is stopped for two
 * seconds, or gives no answer within the time that the caller allows, is killed. */
#ifndef SSIMCU_WORKER_H
#define SSIMCU_WORKER_H

#include "reader.h"

#include <stdbool.h>
#include <stddef.h>

/* Both sides must be of this version. */
#define SSIMCU_WORKER_TEXT(number) #number
#define SSIMCU_WORKER_JOIN(a, b, c)                                                                \
    SSIMCU_WORKER_TEXT(a) "." SSIMCU_WORKER_TEXT(b) "." SSIMCU_WORKER_TEXT(c)
#define SSIMCU_WORKER_VERSION                                                                      \
    SSIMCU_WORKER_JOIN(SSIMCU_VERSION_MAJOR, SSIMCU_VERSION_MINOR, SSIMCU_VERSION_PATCH)

enum {
    SSIMCU_WORKER_SOCKET = 3,
    SSIMCU_WORKER_REASON = 200,
    SSIMCU_WORKER_LOAD_SECONDS = 60 /* time to load the module, from a slow disk too */
};

/* The first message of a worker. */
struct ssimcu_worker_hello {
    bool ready;                        /* the module is open */
    char reason[SSIMCU_WORKER_REASON]; /* why it is not */
};

typedef struct ssimcu_worker ssimcu_worker;

/* Whether the program was found. If not, the caller opens the module itself. */
SSIMCU_API bool ssimcu_worker_exists(void);

/* Takes an idle worker for the module ("exr", "video"), or starts one. Errors: MEMORY, FILE (it
 * cannot be started); UNSUPPORTED with the reason alone as text (it cannot open the module). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_worker_take(const char *module,
                                                              ssimcu_worker **worker,
                                                              ssimcu_message *message);

/* Starts an idle worker, which loads the module while the caller goes on. The program exists. If it
 * cannot be started, whoever takes one will be told. */
SSIMCU_API void ssimcu_worker_start_ahead(const char *module);

/* Gives a worker back that waits for a request. Accepts NULL. */
SSIMCU_API void ssimcu_worker_give(ssimcu_worker *worker);

/* Kills a worker and waits for its end. Accepts NULL. */
SSIMCU_API void ssimcu_worker_end(ssimcu_worker *worker);

/* Limits what the worker may allocate beside what it has loaded. */
SSIMCU_API void ssimcu_worker_limit_memory(ssimcu_worker *worker, uint64_t bytes);

/* Returns a window of at least `bytes`, whose contents are lost, and its descriptor. NULL if memory
 * ran out. The worker keeps it for the next file. */
void *ssimcu_worker_window(ssimcu_worker *worker, size_t bytes, int *fd);

/* Sends a request with `count` descriptors. A failure shows when the reply is received. */
SSIMCU_API void ssimcu_worker_send(ssimcu_worker *worker, const void *request, size_t size,
                                   const int *fd, unsigned count);

/* Waits for a reply, at most so many seconds, or until `stop` is set (NULL: never). *fd is
 * the descriptor that came with it, or -1; `fd` may be NULL. False if the worker has died or had to
 * be killed; ssimcu_worker_why then says how it ended, and only ssimcu_worker_end may follow. */
SSIMCU_API bool ssimcu_worker_receive(ssimcu_worker *worker, void *reply, size_t size,
                                      uint32_t seconds, const ssimcu_stop *stop, int *fd);

/* Returns a status that a worker may give: another one would end more than its file. Memory that it
 * lacks is its own limit. */
SSIMCU_API ssimcu_status ssimcu_worker_status(ssimcu_status said);

/* Returns words that go behind a file's name, such as "its decoder was ended by SIGSEGV". */
SSIMCU_API const char *ssimcu_worker_why(const ssimcu_worker *worker);

#endif
