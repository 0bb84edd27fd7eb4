/* Counts the frames that FFmpeg's decoders put out in a process that has this library preloaded, in
 * a file of the folder DECODED, named after the process. See decoded.sh. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <libavcodec/avcodec.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static long *frames;

/* The count is in shared memory, because a worker ends without running what is registered. */
__attribute__((constructor)) static void open_count(void)
{
    char name[4096];
    const char *folder = getenv("DECODED");
    if (!folder) return;
    snprintf(name, sizeof name, "%s/%d", folder, (int)getpid());
    const int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof *frames) != 0) return;
    void *memory = mmap(NULL, sizeof *frames, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) frames = memory;
    close(file);
}

int avcodec_receive_frame(AVCodecContext *context, AVFrame *frame)
{
    static int (*receive)(AVCodecContext *, AVFrame *);
    char name[32];
    snprintf(name, sizeof name, "libavcodec.so.%d", LIBAVCODEC_VERSION_MAJOR);
    if (!receive) *(void **)&receive = dlsym(dlopen(name, RTLD_LAZY | RTLD_NOLOAD), __func__);
    const int error = receive(context, frame);
    if (error == 0 && frames) __atomic_fetch_add(frames, 1, __ATOMIC_RELAXED);
    return error;
}
