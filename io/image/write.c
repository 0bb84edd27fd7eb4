/* Writes frames to PNG files, with stb_image_write for the format and zlib for the compression. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "ssimcu_io.h"

#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* The compressed bytes between deflate_all and the end of stb's work. stb leaks them if it has no
 * memory for the file. */
static _Thread_local void *compressed;

/* Frees memory for stb. */
static void release(void *memory)
{
    if (memory == compressed) compressed = NULL;
    free(memory);
}

/* Compresses for stb, whose compressor writes past its buffer when memory runs out. On a 4K photo
 * zlib's fastest level also takes a third of the time and makes three quarters of the bytes. */
static unsigned char *deflate_all(unsigned char *data, int size, int *out_size, int quality)
{
    (void)quality;
    uLongf packed = compressBound((uLong)size);
    unsigned char *const out = malloc(packed);
    if (out && compress2(out, &packed, data, (uLong)size, Z_BEST_SPEED) == Z_OK) {
        *out_size = (int)packed;
        return compressed = out;
    }
    free(out);
    return NULL;
}

#define STBIW_ZLIB_COMPRESS deflate_all
#define STBIW_MALLOC malloc
#define STBIW_REALLOC realloc
#define STBIW_FREE release
#define STBIW_ASSERT(condition) ((void)0)
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

/* stb counts in int. This leaves room for the bytes that zlib may add to incompressible data. */
enum { MAX_BYTES = INT_MAX - (1 << 20) };

typedef struct output {
    FILE *file;
    int error; /* errno of the first failed write, or 0 */
} output;

static void put(void *context, void *data, int size)
{
    output *const out = context;
    if (fwrite(data, 1, (size_t)size, out->file) != (size_t)size) out->error = errno;
}

static ssimcu_status write_error(const char *path, int error, ssimcu_message *message)
{
    if (error == ENOMEM) FAIL(MEMORY, "%s: out of memory", path);
    FAIL(WRITE, "%s: cannot write (%s)", path, strerror(error));
}

static ssimcu_status check(const char *path, const ssimcu_frame *frame, ssimcu_message *message)
{
    if (!path) FAIL(ARGUMENT, "path is NULL");
    if (!frame || !frame->data)
        FAIL(ARGUMENT, "%s: %s is NULL", path, frame ? "frame: data" : "frame");
    if (frame->bits != 8 || frame->channels < 1 || frame->channels > 4)
        FAIL(ARGUMENT, "%s: %u channels of %u bits, expected 1 to 4 of 8", path, frame->channels,
             frame->bits);
    const uint64_t row = (uint64_t)frame->width * frame->channels;
    if (row == 0 || frame->height == 0 || frame->pitch < row)
        FAIL(ARGUMENT, "%s: a side is 0 or the pitch too small", path);
    if (frame->pitch >= MAX_BYTES / frame->height)
        FAIL(ARGUMENT, "%s: %ux%u pixels are too many to write", path, frame->width, frame->height);
    return SSIMCU_OK;
}

/* Opens an unnamed file in the directory of `path`, so that nothing remains if the program is
 * killed. Returns a negative number if the file system does not support that, or if the system
 * could not name it later. */
static int open_nameless(const char *path)
{
    const char *const slash = strrchr(path, '/');
    if (access("/proc/self/fd", X_OK) != 0) return -1;
    char *const directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    const int fd = directory ? open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
    free(directory);
    return fd;
}

static int give_name(int fd, const char *name)
{
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* Writes the file, and names it `name` unless that is NULL; *named is the result. Always closes
 * fd. */
static ssimcu_status fill(int fd, const char *name, const char *path, const ssimcu_frame *frame,
                          bool *named, ssimcu_message *message)
{
    output out = {.file = fdopen(fd, "wb")};
    if (!out.file) {
        const int error = errno;
        close(fd);
        return write_error(path, error, message);
    }
    const int encoded =
        stbi_write_png_to_func(put, &out, (int)frame->width, (int)frame->height,
                               (int)frame->channels, frame->data, (int)frame->pitch);
    release(compressed);
    if (!out.error && (fflush(out.file) != 0 || fsync(fd) != 0)) out.error = errno;
    if (encoded && !out.error && name) {
        *named = give_name(fd, name) == 0;
        if (!*named) out.error = errno;
    }
    if (fclose(out.file) != 0 && !out.error) out.error = errno;
    if (!encoded) FAIL(MEMORY, "%s: out of memory", path);
    return out.error ? write_error(path, out.error, message) : SSIMCU_OK;
}

ssimcu_status ssimcu_image_write_png(const char *path, const ssimcu_frame *frame,
                                     ssimcu_message *message)
{
    ssimcu_status status = check(path, frame, message);
    if (status != SSIMCU_OK) return status;
    struct stat old;
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) /* rename would replace a device */
        FAIL(WRITE, "%s: cannot write (not a regular file)", path);

    const size_t size = strlen(path) + 32;
    char *const temporary = malloc(size);
    if (!temporary) FAIL(MEMORY, "%s: out of memory", path);
    snprintf(temporary, size, "%s.%ld.tmp", path, (long)getpid());
    int fd = open_nameless(path);
    const char *const name = fd < 0 ? NULL : temporary;
    if (fd < 0) fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        status = write_error(path, errno, message);
        goto cleanup;
    }
    bool made = !name; /* another file may have the name */
    status = fill(fd, name, path, frame, &made, message);
    if (status == SSIMCU_OK && rename(temporary, path) != 0)
        status = write_error(path, errno, message);
    if (status != SSIMCU_OK && made) unlink(temporary);
cleanup:
    free(temporary);
    return status;
}
