/* The log of what was accepted: DIR/accepted.jsonl, one line for each file. */
#include "accept/accept.h"

#include "base/json.h"
#include "base/overwrite_guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "lines/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const STARTS[] = {"{\"type\":\"accepted\",", NULL};

static ssimcu_status fail(const struct accept *accept, const char *why, ssimcu_message *message)
{
    FAIL(WRITE, "%.300s/" ACCEPT_LOG ": %s", accept->into, why);
}

/* Drops what follows the last line break: a call was killed while it wrote that line, and had not
 * replaced the file yet. */
static bool drop_half_line(int fd)
{
    char bytes[4096];
    off_t end = lseek(fd, 0, SEEK_END);
    while (end > 0) {
        const off_t start = end > (off_t)sizeof bytes ? end - (off_t)sizeof bytes : 0;
        const ssize_t got = pread(fd, bytes, (size_t)(end - start), start);
        if (got != end - start) return false;
        while (end > start && bytes[end - start - 1] != '\n') end--;
        if (end > start) break;
    }
    return end >= 0 && ftruncate(fd, end) == 0;
}

/* Opens and locks the log, which is no link. */
static ssimcu_status open_log(struct accept *accept, const char *path, ssimcu_message *message)
{
    const int flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    char start[64];
    accept->log = open(path, flags | O_CREAT | O_EXCL, 0666);
    accept->made_log = accept->log >= 0;
    if (accept->log < 0 && errno == EEXIST) accept->log = open(path, flags);
    if (accept->log < 0 && errno != ELOOP) return fail(accept, strerror(errno), message);
    const ssize_t got = accept->log >= 0 ? pread(accept->log, start, sizeof start, 0) : -1;
    if (got < 0 || (got > 0 && !guard_begins(start, (size_t)got, STARTS, true)))
        return fail(accept, "exists and is not a log of accept; it was not overwritten", message);
    return atomic_file_lock(accept->log, path) ? SSIMCU_OK : atomic_file_is_busy(path, message);
}

ssimcu_status accept_lock(struct accept *accept, ssimcu_message *message)
{
    char *path = text_join(accept->into, "/", ACCEPT_LOG, "");
    if (!path) return no_memory(message);
    accept->made_into = mkdir(accept->into, 0777) == 0;
    const ssimcu_status status = accept->made_into || errno == EEXIST
                                     ? open_log(accept, path, message)
                                     : fail_errno(message, SSIMCU_ERROR_WRITE, accept->into, errno);
    if (status != SSIMCU_OK) accept->made_log = false; /* it is another call's */
    free(path);
    return status;
}

ssimcu_status accept_log_begin(struct accept *accept, ssimcu_message *message)
{
    return drop_half_line(accept->log) ? SSIMCU_OK : fail(accept, strerror(errno), message);
}

void accept_unlock(struct accept *accept)
{
    struct stat info;
    char *path = accept->into ? text_join(accept->into, "/", ACCEPT_LOG, "") : NULL;
    if (path && accept->made_log && fstat(accept->log, &info) == 0 && info.st_size == 0)
        (void)unlink(path);
    if (accept->log >= 0) (void)close(accept->log);
    if (path && accept->made_into) (void)rmdir(accept->into);
    free(path);
}

static json_t *content_to_json(const struct accept_content *content, const char *path)
{
    struct object json = object_new();
    char time[48], sum[16];
    snprintf(time, sizeof time, "%" PRId64 ".%09ld", content->seconds, content->nanoseconds);
    snprintf(sum, sizeof sum, "%08" PRIx32, content->crc);
    if (path) object_path(&json, "path", path);
    object_count(&json, "bytes", content->bytes);
    object_text(&json, "mtime", time);
    object_text(&json, "crc32", sum);
    return object_end(&json);
}

static char *line_of(const struct accept_file *file)
{
    char now[32] = "";
    struct tm utc;
    const time_t seconds = time(NULL);
    if (gmtime_r(&seconds, &utc)) strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
    struct object json = object_new();
    object_text(&json, "type", "accepted");
    object_text(&json, "ssimcu", ssimcu_version());
    object_text(&json, "time", now);
    object_path(&json, "file", file->name);
    object_count(&json, "frame", file->frame);
    if (file->shot) object_path(&json, "shot", file->shot);
    if (!isnan(file->score)) object_real(&json, "score", file->score);
    if (file->findings.count > 0) object_put(&json, "findings", findings_to_json(&file->findings));
    object_put(&json, "was", file->exists ? content_to_json(&file->was, NULL) : json_null());
    object_put(&json, "out", content_to_json(&file->is, file->out));
    object_path(&json, "results", file->results);
    return json_to_line(object_end(&json));
}

ssimcu_status accept_log_add(struct accept *accept, const struct accept_file *file,
                             ssimcu_message *message)
{
    char *text = line_of(file);
    char *line = text ? results_beside(text, "\n") : NULL;
    free(text);
    if (!line) return no_memory(message);
    const size_t length = strlen(line);
    const ssize_t put = write(accept->log, line, length);
    int error = put == (ssize_t)length ? 0 : put < 0 ? errno : ENOSPC;
    if (error == 0 && fsync(accept->log) != 0 && errno != EINVAL) error = errno;
    if (put >= 0 && error != 0) (void)drop_half_line(accept->log);
    free(line);
    return error == 0 ? SSIMCU_OK : fail(accept, strerror(error), message);
}
