#include "results/guard.h"

#include "results/beside.h"

#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char JSON_START[] = "{\"type\":\"batch\",";
static const char CSV_START[] = "frame,status,score,";

/* Whether the first `length` bytes of a file begin so; `half`: or could, were there more. */
static bool begins(const char *bytes, size_t length, const char *start, bool half)
{
    const size_t most = strlen(start);
    if (length >= most) return memcmp(bytes, start, most) == 0;
    return half && memcmp(bytes, start, length) == 0;
}

bool results_is_csv(const char *line) { return begins(line, strlen(line), CSV_START, false); }

bool results_recognized(const char *path, bool half)
{
    struct stat info;
    char start[sizeof CSV_START + sizeof JSON_START];
    if (stat(path, &info) != 0) return true;
    if (!S_ISREG(info.st_mode) || info.st_size == 0) return true; /* nothing in it to lose */
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t got = read(file, start, sizeof start);
    const size_t length = got > 0 ? (size_t)got : 0;
    close(file);
    if (got < 0) return false;
    half = half && !memchr(start, '\n', length);
    return begins(start, length, JSON_START, half) || begins(start, length, CSV_START, half);
}

ssimcu_status results_guard(const char *path, const char *ending, bool half,
                            ssimcu_message *message)
{
    char *name = results_beside(path, ending);
    if (!name) return results_no_memory(message);
    ssimcu_status status = SSIMCU_OK;
    if (!results_recognized(name, half))
        status = ssimcu_fail(message, SSIMCU_ERROR_WRITE,
                             "%.300s: is not a results file, and is left alone", name);
    free(name);
    return status;
}

ssimcu_status results_remove(const char *path, ssimcu_message *message)
{
    struct stat info;
    const ssimcu_status status = results_guard(path, "", false, message);
    if (status != SSIMCU_OK || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return status;
    if (unlink(path) == 0) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: %s", path, strerror(errno));
}
