#include "lines/writer.h"

#include "base/guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "lines/lines.h"

#include "fail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct writer {
    struct draft draft; /* FILE.partial; not open: lines go to `take` */
    writer_take *take;
    void *user;
    bool csv;
    bool begun, dropped;
    uint64_t pairs;      /* lines of pairs written */
    char *path, *resume; /* own; NULL: lines go to `take` */
};

static ssimcu_status write_error(const struct writer *writer, int error, ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: %s", writer->draft.name,
                       strerror(error));
}

static ssimcu_status open_draft(struct writer *writer, bool resumed, ssimcu_message *message)
{
    const char *path = writer->path;
    ssimcu_status status = SSIMCU_OK; /* resumed results were checked when they were read */
    if (!resumed) status = guard_check(path, "", false, message);
    if (!resumed && status == SSIMCU_OK) status = guard_check(path, ".resume", true, message);
    if (status != SSIMCU_OK) return status;
    status = draft_open(&writer->draft, path, results_beside(path, ".partial"), &guard_results,
                        resumed ? DRAFT_GO_ON : DRAFT_REFUSE, message);
    return status == SSIMCU_ERROR_WRITE ? draft_is_left(&writer->draft, message) : status;
}

ssimcu_status writer_open(const char *path, bool csv, bool resumed, struct writer **writer,
                          ssimcu_message *message)
{
    struct writer *made = *writer = calloc(1, sizeof *made);
    if (!made) return no_memory(message);
    made->csv = csv;
    made->path = strdup(path);
    made->resume = results_beside(path, ".resume");
    const ssimcu_status status =
        made->path && made->resume ? open_draft(made, resumed, message) : no_memory(message);
    if (status == SSIMCU_OK) return status;
    writer_close(made);
    *writer = NULL;
    return status;
}

ssimcu_status writer_stream(writer_take *take, void *user, bool csv, struct writer **writer,
                            ssimcu_message *message)
{
    *writer = calloc(1, sizeof **writer);
    if (!*writer) return no_memory(message);
    (*writer)->take = take;
    (*writer)->user = user;
    (*writer)->csv = csv;
    return SSIMCU_OK;
}

/* Writes a line and frees it; NULL: memory ran out. */
static ssimcu_status put(struct writer *writer, char *line, ssimcu_message *message)
{
    if (!line) return no_memory(message);
    if (writer->take) {
        const ssimcu_status status = writer->take(writer->user, line);
        free(line);
        return status == SSIMCU_OK ? status
                                   : ssimcu_fail(message, status, "a line of results was refused");
    }
    const bool written = fputs(line, writer->draft.file) >= 0 &&
                         fputc('\n', writer->draft.file) >= 0 && fflush(writer->draft.file) == 0;
    const int error = errno;
    free(line);
    return written ? SSIMCU_OK : write_error(writer, error, message);
}

ssimcu_status writer_begin(struct writer *writer, const struct header *header,
                           ssimcu_message *message)
{
    if (writer->path && ftruncate(fileno(writer->draft.file), 0) != 0)
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
    ssimcu_status status = draft_finish(&writer->draft, 0, message);
    if (status == SSIMCU_OK) status = guard_check(writer->path, "", false, message);
    if (status != SSIMCU_OK) return status; /* another file came there during the run */
    status = draft_give_name(&writer->draft, message);
    if (status == SSIMCU_OK) guard_drop(writer->resume, &guard_results);
    return status;
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
    return !writer->begun && fstat(fileno(writer->draft.file), &info) == 0 && info.st_size == 0;
}

void writer_close(struct writer *writer)
{
    if (!writer) return;
    if (writer->draft.file && !is_useless(writer))
        draft_keep(&writer->draft);
    else
        draft_drop(&writer->draft);
    free(writer->path);
    free(writer->resume);
    free(writer);
}
