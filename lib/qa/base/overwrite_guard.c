#include "base/overwrite_guard.h"

#include "base/refuse.h"
#include "base/results.h"

#include "image/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char CSV_START[] = "frame,status,score,";
static const char *const STARTS[] = {"{\"type\":\"batch\",", "{\"type\":\"check\",", CSV_START,
                                     NULL};

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

bool guard_is_kind(const struct atomic_file_kind *kind, const char *bytes, size_t length, bool half)
{
    return kind->begins ? kind->begins(bytes, length)
                        : guard_begins(bytes, length, kind->starts, half);
}

const struct atomic_file_kind guard_results = {.name = "a results file", .starts = STARTS};

/* Reads the first bytes of a file, opened with additional flags. Returns how many; -1: failed. */
static ssize_t read_start(const char *path, int flags, char start[ATOMIC_FILE_START])
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    const ssize_t got = fd >= 0 ? pread(fd, start, ATOMIC_FILE_START, 0) : -1;
    if (fd >= 0) (void)close(fd);
    return got;
}

bool guard_allows_kind(const char *path, const struct atomic_file_kind *kind, bool half)
{
    struct stat info;
    char start[ATOMIC_FILE_START];
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return true;
    const ssize_t got = read_start(path, 0, start);
    return got > 0 && guard_is_kind(kind, start, (size_t)got, half);
}

bool guard_allows(const char *path, const char *const *starts, bool half)
{
    return guard_allows_kind(path, &(struct atomic_file_kind){.starts = starts}, half);
}

bool guard_allows_results(const char *path, bool half) { return guard_allows(path, STARTS, half); }

const char *guard_picture(const char *path)
{
    char start[ATOMIC_FILE_START];
    const ssize_t got = read_start(path, 0, start);
    return got > 0 ? ssimcu_image_kind(start, (size_t)got) : NULL;
}

ssimcu_status guard_refuse(const char *path, const char *what, ssimcu_message *message)
{
    FAIL(WRITE, "%.300s exists and is not %s; it was not overwritten", path, what);
}

ssimcu_status guard_check(const char *path, const char *ending, bool half, ssimcu_message *message)
{
    char *name = results_beside(path, ending);
    if (!name) return no_memory(message);
    const bool allowed = guard_allows_results(name, half);
    const ssimcu_status status =
        allowed ? SSIMCU_OK : guard_refuse(name, guard_results.name, message);
    free(name);
    return status;
}

void guard_drop(const char *path, const struct atomic_file_kind *kind)
{
    struct stat info;
    char start[ATOMIC_FILE_START];
    const bool regular = lstat(path, &info) == 0 && S_ISREG(info.st_mode);
    const ssize_t got = regular ? read_start(path, O_NOFOLLOW, start) : -1;
    if (got > 0 && guard_is_kind(kind, start, (size_t)got, true)) (void)unlink(path);
}

ssimcu_status guard_remove(const char *path, const struct atomic_file_kind *kind,
                           ssimcu_message *message)
{
    struct stat info;
    if (!guard_allows_kind(path, kind, false)) return guard_refuse(path, kind->name, message);
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return SSIMCU_OK;
    if (unlink(path) == 0) return SSIMCU_OK;
    return fail_errno(message, SSIMCU_ERROR_WRITE, path, errno);
}
