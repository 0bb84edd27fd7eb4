#include "base/guard.h"

#include "base/refuse.h"
#include "base/results.h"

#include "fail.h"
#include "image/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { START_BYTES = 64 /* more than the longest text that a kind of file begins with */ };

static const char CSV_START[] = "frame,status,score,";
static const char *const STARTS[] = {"{\"type\":\"batch\",", CSV_START, NULL};

bool guard_is_csv(const char *line) { return strncmp(line, CSV_START, strlen(CSV_START)) == 0; }

bool guard_begins(const char *bytes, size_t length, const char *const *starts, bool half)
{
    half = half && !memchr(bytes, '\n', length);
    for (int i = 0; starts[i] && length > 0; i++) {
        const size_t whole = strlen(starts[i]);
        if (length >= whole ? memcmp(bytes, starts[i], whole) == 0
                            : half && memcmp(bytes, starts[i], length) == 0)
            return true;
    }
    return false;
}

const struct draft_kind guard_results = {.name = "a results file", .starts = STARTS};

bool guard_allows(const char *path, const char *const *starts, bool half)
{
    struct stat info;
    char bytes[START_BYTES];
    if (stat(path, &info) != 0) return true;
    if (!S_ISREG(info.st_mode) || info.st_size == 0) return true;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t got = read(file, bytes, sizeof bytes);
    close(file);
    return guard_begins(bytes, got > 0 ? (size_t)got : 0, starts, half);
}

bool guard_allows_results(const char *path, bool half) { return guard_allows(path, STARTS, half); }

const char *guard_picture(const char *path)
{
    char start[16];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t got = fd >= 0 ? pread(fd, start, sizeof start, 0) : -1;
    if (fd >= 0) (void)close(fd);
    return got > 0 ? ssimcu_image_kind(start, (size_t)got) : NULL;
}

ssimcu_status guard_check(const char *path, const char *ending, bool half, ssimcu_message *message)
{
    char *name = results_beside(path, ending);
    if (!name) return no_memory(message);
    ssimcu_status status = SSIMCU_OK;
    if (!guard_allows_results(name, half))
        status = ssimcu_fail(message, SSIMCU_ERROR_WRITE,
                             "%.300s: is not a results file, and is left alone", name);
    free(name);
    return status;
}

void guard_drop(const char *path, const struct draft_kind *kind)
{
    struct stat info;
    char start[START_BYTES];
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool regular = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    const ssize_t got = regular ? pread(fd, start, sizeof start, 0) : -1;
    if (fd >= 0) (void)close(fd);
    if (got > 0 && guard_begins(start, (size_t)got, kind->starts, true)) (void)unlink(path);
}

ssimcu_status guard_remove(const char *path, const struct draft_kind *kind, ssimcu_message *message)
{
    struct stat info;
    if (!guard_allows(path, kind->starts, false))
        return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: is not %s, and is left alone",
                           path, kind->name);
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return SSIMCU_OK;
    if (unlink(path) == 0) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: %s", path, strerror(errno));
}
