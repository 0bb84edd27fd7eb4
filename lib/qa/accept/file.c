/* What the other parts use: the content of files, and what is said of them. */
#include "accept/accept.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 1 << 20 };

void accept_done(struct accept *accept, const struct accept_file *file)
{
    const bool dry = accept->options->dry_run;
    const char *did = file->exists ? dry ? "replace" : "replaced" : dry ? "add" : "added";
    *(file->exists ? &accept->done.replaced : &accept->done.added) += 1;
    hooks_log(accept->hooks, SSIMCU_LOG_DETAIL, "%s %s: %s", did, file->path, file->out);
}

void accept_unfit(struct accept *accept, const struct accept_file *file, ssimcu_status status,
                  const char *format, ...)
{
    char text[sizeof accept->why.text], name[TEXT_FRAME];
    va_list arguments;
    if (accept->unfit++ > 0) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    accept->status = status;
    (void)ssimcu_fail(&accept->why, status, "frame %.100s: %.380s",
                      text_frame(name, file->shot, file->frame), text);
}

void accept_free_file(struct accept_file *file)
{
    free(file->shot), free(file->out), free(file->ref), findings_free(&file->findings);
    free(file->name), free(file->path);
    atomic_file_drop(&file->draft);
}

bool accept_is(const struct accept_content *content, const struct stat *info)
{
    return S_ISREG(info->st_mode) && info->st_size == content->bytes &&
           info->st_mtim.tv_sec == content->seconds &&
           info->st_mtim.tv_nsec == content->nanoseconds;
}

/* Returns 0, or an errno. */
static int put_all(int to, const uint8_t *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t put = write(to, bytes, count);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno;
        bytes += put;
        count -= (size_t)put;
    }
    return 0;
}

int accept_sum(int from, int to, uint32_t *crc, bool *writing)
{
    uint8_t *bytes = malloc(CHUNK);
    int error = bytes ? 0 : ENOMEM;
    *writing = false;
    *crc = 0;
    while (error == 0) {
        const ssize_t got = read(from, bytes, CHUNK);
        if (got == 0) break;
        if (got < 0 && errno != EINTR) error = errno;
        if (got < 0) continue;
        *crc = (uint32_t)crc32(*crc, bytes, (uInt)got);
        if (to >= 0) error = put_all(to, bytes, (size_t)got);
        *writing = error != 0;
    }
    free(bytes);
    return error;
}
