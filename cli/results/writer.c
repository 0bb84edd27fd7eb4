#include "results/lines.h"

#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct writer {
    FILE *file;
    bool csv;
    uint64_t pairs;       /* lines of pairs written */
    char *path, *partial; /* NULL: standard output */
};

char *results_beside(const char *path, const char *ending)
{
    const size_t size = strlen(path) + strlen(ending) + 1;
    char *name = malloc(size);
    if (name) snprintf(name, size, "%s%s", path, ending);
    return name;
}

ssimcu_status results_no_memory(ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "results: out of memory");
}

static ssimcu_status write_error(const struct writer *writer, int error, ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: %s",
                       writer->partial ? writer->partial : "standard output", strerror(error));
}

static ssimcu_status open_partial(struct writer *writer, bool resumed, ssimcu_message *message)
{
    struct stat old;
    if (stat(writer->path, &old) == 0 && !S_ISREG(old.st_mode)) /* rename would replace it */
        return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: not a regular file", writer->path);
    ssimcu_status status = results_guard(writer->path, "", false, message);
    if (status == SSIMCU_OK && resumed)
        status = results_guard(writer->path, ".partial", true, message);
    if (status == SSIMCU_OK) status = results_guard(writer->path, ".resume", true, message);
    if (status != SSIMCU_OK) return status;
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (resumed ? O_TRUNC : O_EXCL);
    const int fd = open(writer->partial, flags, 0666);
    if (fd < 0 && errno == EEXIST)
        return ssimcu_fail(message, SSIMCU_ERROR_WRITE,
                           "%.300s is what a run that was cut short has left: go on with --resume "
                           "%.120s, or remove it",
                           writer->partial, writer->path);
    writer->file = fd < 0 ? NULL : fdopen(fd, "w");
    return writer->file ? SSIMCU_OK : write_error(writer, errno, message);
}

ssimcu_status writer_open(const char *path, bool csv, bool resumed, struct writer **writer,
                          ssimcu_message *message)
{
    *writer = NULL;
    struct writer *made = calloc(1, sizeof *made);
    if (!made) return results_no_memory(message);
    made->csv = csv;
    made->file = stdout;
    ssimcu_status status = SSIMCU_OK;
    if (path) {
        made->file = NULL;
        made->path = strdup(path);
        made->partial = results_beside(path, ".partial");
        status = made->path && made->partial ? open_partial(made, resumed, message)
                                             : results_no_memory(message);
    }
    if (status != SSIMCU_OK)
        writer_close(made);
    else
        *writer = made;
    return status;
}

/* Writes a line, if there is one, and frees it. */
static ssimcu_status put(struct writer *writer, char *line, ssimcu_message *message)
{
    if (!line) return results_no_memory(message);
    const bool written = fputs(line, writer->file) >= 0 && fputc('\n', writer->file) >= 0 &&
                         fflush(writer->file) == 0;
    const int error = errno;
    free(line);
    return written ? SSIMCU_OK : write_error(writer, error, message);
}

ssimcu_status writer_begin(struct writer *writer, const json_t *contract, uint32_t shard,
                           uint32_t shards, ssimcu_message *message)
{
    if (writer->csv) return put(writer, strdup(record_csv_header), message);
    json_t *json = json_pack("{s:s, s:s, s:O}", "type", "batch", "ssimcu", ssimcu_version(),
                             "contract", contract);
    if (json && shards > 1)
        json_object_set_new(json, "shard", json_pack("[i, i]", (int)shard, (int)shards));
    return put(writer, line_of_json(json), message);
}

ssimcu_status writer_add(struct writer *writer, const struct record *record,
                         ssimcu_message *message)
{
    writer->pairs++;
    return put(writer, writer->csv ? record_to_csv(record) : record_to_json(record), message);
}

/* On the disk before it has its name: a power cut must not leave a whole name with half a file. */
static ssimcu_status give_name(struct writer *writer, ssimcu_message *message)
{
    if (fsync(fileno(writer->file)) != 0 && errno != EINVAL)
        return write_error(writer, errno, message);
    const ssimcu_status status = results_guard(writer->path, "", false, message);
    if (status != SSIMCU_OK) return status; /* it came during the run */
    FILE *file = writer->file;
    writer->file = NULL;
    if (fclose(file) != 0 || rename(writer->partial, writer->path) != 0)
        return write_error(writer, errno, message);
    char *old = results_beside(writer->path, ".resume");
    if (old) (void)unlink(old);
    free(old);
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

void writer_close(struct writer *writer)
{
    if (!writer) return;
    if (writer->path && writer->file) {
        (void)fclose(writer->file);
        if (writer->pairs == 0) (void)unlink(writer->partial);
    }
    free(writer->path);
    free(writer->partial);
    free(writer);
}
