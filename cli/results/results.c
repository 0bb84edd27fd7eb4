#define _POSIX_C_SOURCE 200809L

#include "results/results.h"

#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct results {
    FILE *file;
    bool csv;
    uint64_t frames;      /* lines of frames written */
    char *path, *partial; /* NULL: standard output */
};

char *results_name_beside(const char *path, const char *ending)
{
    const size_t size = strlen(path) + strlen(ending) + 1;
    char *name = malloc(size);
    if (name) snprintf(name, size, "%s%s", path, ending);
    return name;
}

static ssimcu_status no_memory(ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "results: out of memory");
}

static ssimcu_status write_error(const struct results *results, int error, ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: %s",
                       results->partial ? results->partial : "standard output", strerror(error));
}

static ssimcu_status open_partial(struct results *results, bool resumed, ssimcu_message *message)
{
    struct stat old;
    if (stat(results->path, &old) == 0 && !S_ISREG(old.st_mode)) /* rename would replace it */
        return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: not a regular file",
                           results->path);
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (resumed ? O_TRUNC : O_EXCL);
    const int fd = open(results->partial, flags, 0666);
    if (fd < 0 && errno == EEXIST)
        return ssimcu_fail(message, SSIMCU_ERROR_WRITE,
                           "%.300s is what a run that was cut short has left: go on with --resume "
                           "%.120s, or remove it",
                           results->partial, results->path);
    results->file = fd < 0 ? NULL : fdopen(fd, "w");
    return results->file ? SSIMCU_OK : write_error(results, errno, message);
}

ssimcu_status results_open(const char *path, bool csv, bool resumed, struct results **results,
                           ssimcu_message *message)
{
    *results = NULL;
    struct results *made = calloc(1, sizeof *made);
    if (!made) return no_memory(message);
    made->csv = csv;
    made->file = stdout;
    ssimcu_status status = SSIMCU_OK;
    if (path) {
        made->file = NULL;
        made->path = strdup(path);
        made->partial = results_name_beside(path, ".partial");
        status =
            made->path && made->partial ? open_partial(made, resumed, message) : no_memory(message);
    }
    if (status != SSIMCU_OK)
        results_close(made);
    else
        *results = made;
    return status;
}

/* Writes a line, if there is one, and frees it. */
static ssimcu_status put(struct results *results, char *line, ssimcu_message *message)
{
    if (!line) return no_memory(message);
    const bool written = fputs(line, results->file) >= 0 && fputc('\n', results->file) >= 0 &&
                         fflush(results->file) == 0;
    const int error = errno;
    free(line);
    return written ? SSIMCU_OK : write_error(results, error, message);
}

ssimcu_status results_begin(struct results *results, const json_t *contract, uint32_t shard,
                            uint32_t shards, ssimcu_message *message)
{
    if (results->csv) return put(results, strdup(record_csv_header), message);
    json_t *json = json_pack("{s:s, s:s, s:O}", "type", "batch", "ssimcu", ssimcu_version(),
                             "contract", contract);
    if (json && shards > 1)
        json_object_set_new(json, "shard", json_pack("[i, i]", (int)shard, (int)shards));
    char *line = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(RECORD_DIGITS)) : NULL;
    json_decref(json);
    return put(results, line, message);
}

ssimcu_status results_add(struct results *results, const struct record *record,
                          ssimcu_message *message)
{
    results->frames++;
    return put(results, results->csv ? record_to_csv(record) : record_to_json(record), message);
}

/* On the disk before it has its name: a power cut must not leave a whole name with half a file. */
static ssimcu_status give_name(struct results *results, ssimcu_message *message)
{
    if (fsync(fileno(results->file)) != 0 && errno != EINVAL)
        return write_error(results, errno, message);
    FILE *file = results->file;
    results->file = NULL;
    if (fclose(file) != 0 || rename(results->partial, results->path) != 0)
        return write_error(results, errno, message);
    char *old = results_name_beside(results->path, ".resume");
    if (old) (void)unlink(old);
    free(old);
    return SSIMCU_OK;
}

ssimcu_status results_end(struct results *results, const struct summary *summary,
                          ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    if (!results->csv) status = put(results, summary_to_json(summary), message);
    if (status == SSIMCU_OK && results->path && summary->complete)
        status = give_name(results, message);
    return status;
}

void results_close(struct results *results)
{
    if (!results) return;
    if (results->path && results->file) {
        (void)fclose(results->file);
        if (results->frames == 0) (void)unlink(results->partial);
    }
    free(results->path);
    free(results->partial);
    free(results);
}
