#include "lines/writer.h"

#include "base/guard.h"
#include "base/results.h"
#include "lines/lines.h"

#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct writer {
    FILE *file; /* NULL: lines go to `take` */
    writer_take *take;
    void *user;
    bool csv;
    bool begun, dropped;
    uint64_t pairs;                /* lines of pairs written */
    char *path, *partial, *resume; /* NULL: lines go to `take` */
};

static ssimcu_status write_error(const struct writer *writer, int error, ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: %s", writer->partial, strerror(error));
}

/* Locks the file. Returns false if another run has the lock, or had it and has just renamed the
 * file. If the file system has no locks, there is none. */
static bool lock(int fd, const char *path)
{
    struct stat open_file, named_file;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
    return fstat(fd, &open_file) == 0 && stat(path, &named_file) == 0 &&
           open_file.st_dev == named_file.st_dev && open_file.st_ino == named_file.st_ino;
}

static ssimcu_status is_busy(const struct writer *writer, ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: another run is writing it",
                       writer->partial);
}

/* Says why an existing FILE.partial must not be written. */
static ssimcu_status refuse_partial(const struct writer *writer, ssimcu_message *message)
{
    const ssimcu_status status = guard_check(writer->path, ".partial", true, message);
    if (status != SSIMCU_OK) return status;
    const int fd = open(writer->partial, O_RDWR | O_CLOEXEC);
    const bool busy = fd >= 0 && !lock(fd, writer->partial);
    if (fd >= 0) (void)close(fd);
    if (busy) return is_busy(writer, message);
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE,
                       "%.300s is what a run that was cut short has left: go on with --resume "
                       "%.120s, or remove it",
                       writer->partial, writer->path);
}

static ssimcu_status open_partial(struct writer *writer, bool resumed, ssimcu_message *message)
{
    struct stat old;
    if (stat(writer->path, &old) == 0 && !S_ISREG(old.st_mode)) /* rename would replace it */
        return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: not a regular file", writer->path);
    ssimcu_status status = SSIMCU_OK; /* resumed results were checked when they were read */
    if (!resumed) status = guard_check(writer->path, "", false, message);
    if (!resumed && status == SSIMCU_OK)
        status = guard_check(writer->path, ".resume", true, message);
    if (status != SSIMCU_OK) return status;
    const int flags = O_RDWR | O_CREAT | O_CLOEXEC | (resumed ? 0 : O_EXCL);
    const int fd = open(writer->partial, flags, 0666);
    if (fd < 0 && errno == EEXIST) return refuse_partial(writer, message);
    if (fd < 0) return write_error(writer, errno, message);
    const bool busy = !lock(fd, writer->partial);
    writer->file = busy ? NULL : fdopen(fd, "w");
    if (writer->file) return SSIMCU_OK;
    (void)close(fd);
    return busy ? is_busy(writer, message) : results_no_memory(message);
}

ssimcu_status writer_open(const char *path, bool csv, bool resumed, struct writer **writer,
                          ssimcu_message *message)
{
    struct writer *made = *writer = calloc(1, sizeof *made);
    if (!made) return results_no_memory(message);
    made->csv = csv;
    made->path = strdup(path);
    made->partial = results_beside(path, ".partial");
    made->resume = results_beside(path, ".resume");
    const ssimcu_status status = made->path && made->partial && made->resume
                                     ? open_partial(made, resumed, message)
                                     : results_no_memory(message);
    if (status == SSIMCU_OK) return status;
    writer_close(made);
    *writer = NULL;
    return status;
}

ssimcu_status writer_stream(writer_take *take, void *user, bool csv, struct writer **writer,
                            ssimcu_message *message)
{
    *writer = calloc(1, sizeof **writer);
    if (!*writer) return results_no_memory(message);
    (*writer)->take = take;
    (*writer)->user = user;
    (*writer)->csv = csv;
    return SSIMCU_OK;
}

/* Writes a line and frees it; NULL: memory ran out. */
static ssimcu_status put(struct writer *writer, char *line, ssimcu_message *message)
{
    if (!line) return results_no_memory(message);
    if (writer->take) {
        const ssimcu_status status = writer->take(writer->user, line);
        free(line);
        return status == SSIMCU_OK ? status
                                   : ssimcu_fail(message, status, "a line of results was refused");
    }
    const bool written = fputs(line, writer->file) >= 0 && fputc('\n', writer->file) >= 0 &&
                         fflush(writer->file) == 0;
    const int error = errno;
    free(line);
    return written ? SSIMCU_OK : write_error(writer, error, message);
}

ssimcu_status writer_begin(struct writer *writer, const struct header *header,
                           ssimcu_message *message)
{
    if (writer->path && ftruncate(fileno(writer->file), 0) != 0)
        return write_error(writer, errno, message);
    writer->begun = true;
    return put(writer, writer->csv ? record_csv_names() : header_to_json(header), message);
}

ssimcu_status writer_add(struct writer *writer, const struct record *record,
                         ssimcu_message *message)
{
    writer->pairs++;
    return put(writer, writer->csv ? record_to_csv(record) : record_to_json(record), message);
}

/* Renames the finished file. It is on the disk before: a power cut must not leave half a file under
 * the final name. */
static ssimcu_status give_name(struct writer *writer, ssimcu_message *message)
{
    if (fsync(fileno(writer->file)) != 0 && errno != EINVAL)
        return write_error(writer, errno, message);
    const ssimcu_status status = guard_check(writer->path, "", false, message);
    if (status != SSIMCU_OK) return status; /* another file came there during the run */
    if (rename(writer->partial, writer->path) != 0) return write_error(writer, errno, message);
    (void)unlink(writer->resume);
    (void)fclose(writer->file); /* all of it is on the disk; the lock ends after the renaming */
    writer->file = NULL;
    return SSIMCU_OK;
}

ssimcu_status writer_end(struct writer *writer, const struct summary *summary,
                         const struct verdict *verdict, ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    if (!writer->csv) status = put(writer, summary_to_json(summary, verdict), message);
    if (status == SSIMCU_OK && writer->path && summary->complete)
        status = give_name(writer, message);
    return status;
}

void writer_drop(struct writer *writer)
{
    if (writer) writer->dropped = true;
}

/* Returns whether the file holds nothing that another run could go on with. */
static bool is_useless(const struct writer *writer)
{
    struct stat info;
    if (writer->dropped || (writer->begun && writer->pairs == 0)) return true;
    return !writer->begun && fstat(fileno(writer->file), &info) == 0 && info.st_size == 0;
}

void writer_close(struct writer *writer)
{
    if (!writer) return;
    if (writer->path && writer->file) {
        if (is_useless(writer)) (void)unlink(writer->partial);
        (void)fclose(writer->file);
    }
    free(writer->path);
    free(writer->partial);
    free(writer->resume);
    free(writer);
}
