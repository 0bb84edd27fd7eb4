/* Calls of the modules that a test may replace. ssimcu_internals is linked with --wrap for each of
 * them: its calls go to the functions here, which pass them on. A program that has such a function
 * itself has its own called. */
#include "worker/worker.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#ifdef SSIMCU_HAVE_TIFF
#    include <tiffio.h>
#endif

#define PASS_ON(type, name, parameters, arguments)                                                 \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters { return __real_##name arguments; }
#define PASS_ON_NOTHING(name, parameters, arguments)                                               \
    void __real_##name parameters;                                                                 \
    void __wrap_##name parameters;                                                                 \
    void __wrap_##name parameters { __real_##name arguments; }

PASS_ON(void *, malloc, (size_t size), (size))
PASS_ON(void *, calloc, (size_t count, size_t size), (count, size))
PASS_ON(void *, realloc, (void *old, size_t size), (old, size))
PASS_ON(char *, strdup, (const char *text), (text))
PASS_ON(char *, strndup, (const char *text, size_t most), (text, most))
PASS_ON(int, rename, (const char *from, const char *to), (from, to))
PASS_ON(int, unlink, (const char *path), (path))
PASS_ON(int, fsync, (int fd), (fd))
PASS_ON(int, flock, (int fd, int how), (fd, how))
PASS_ON(ssize_t, write, (int fd, const void *bytes, size_t count), (fd, bytes, count))
PASS_ON(int, pthread_create,
        (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *),
         void *argument),
        (thread, attributes, run, argument))

PASS_ON(ssimcu_status, ssimcu_worker_take,
        (const char *module, ssimcu_worker **worker, ssimcu_message *message),
        (module, worker, message))
PASS_ON_NOTHING(ssimcu_worker_give, (ssimcu_worker * worker), (worker))
PASS_ON_NOTHING(ssimcu_worker_end, (ssimcu_worker * worker), (worker))
PASS_ON_NOTHING(ssimcu_worker_limit_memory, (ssimcu_worker * worker, uint64_t bytes),
                (worker, bytes))
PASS_ON_NOTHING(ssimcu_worker_send,
                (ssimcu_worker * worker, const void *request, size_t size, const int *fd,
                 unsigned count),
                (worker, request, size, fd, count))
PASS_ON(bool, ssimcu_worker_receive,
        (ssimcu_worker * worker, void *reply, size_t size, uint32_t seconds,
         const ssimcu_stop *stop, int *fd),
        (worker, reply, size, seconds, stop, fd))
PASS_ON(const char *, ssimcu_worker_why, (const ssimcu_worker *worker), (worker))

#ifdef SSIMCU_HAVE_TIFF
int __wrap_TIFFGetFieldDefaulted(TIFF *tiff, uint32_t tag, ...);
int __wrap_TIFFGetFieldDefaulted(TIFF *tiff, uint32_t tag, ...)
{
    va_list values;
    va_start(values, tag);
    const int known = TIFFVGetFieldDefaulted(tiff, tag, values);
    va_end(values);
    return known;
}
#endif
