#include "lines/writer.h"

#include "base/overwrite_guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "lines/lines.h"
#include "record/record.h"

#include "fail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct writer {
    struct atomic_file draft; /* FILE.partial; not open: lines go to `take` */
    writer_take *take;
    void *user;
    bool csv;
    bool begun, dropped;
    uint64_t pairs;      /* lines of pairs written */
    char *path, *resume; /* owned; NULL: lines go to `take` */
};

static ssimcu_status write_error(const struct writer *writer, int error, ssimcu_message *message)
{
    FAIL(WRITE, "%.300s: %s", writer->draft.name, strerror(error));
}

static ssimcu_status open_draft(struct writer *writer, bool resumed, ssimcu_message *message)
{
    const char *path = writer->path;
    if (!resumed) { /* resumed results were checked when they were read */
        TRY(guard_check(path, "", false, message));
        TRY(guard_check(path, ".resume", true, message));
    }
    const ssimcu_status status =
        atomic_file_open(&writer->draft, path, results_beside(path, ".partial"), &guard_results,
                         resumed ? ATOMIC_FILE_GO_ON : ATOMIC_FILE_REFUSE, message);
    return status == SSIMCU_ERROR_WRITE ? atomic_file_is_left(&writer->draft, message) : status;
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

/* Writes a line and frees it; NULL: memory ran out. `safe`: after this call no kill loses it. */
static ssimcu_status put(struct writer *writer, char *line, bool safe, ssimcu_message *message)
{
    if (!line) return no_memory(message);
    if (writer->take) {
        const ssimcu_status status = writer->take(writer->user, line);
        free(line);
        return status == SSIMCU_OK ? status
                                   : ssimcu_fail(message, status, "a line of results was refused");
    }
    const bool written = fputs(line, writer->draft.file) >= 0 &&
                         fputc('\n', writer->draft.file) >= 0 &&
                         (!safe || fflush(writer->draft.file) == 0);
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
    return put(writer, writer->csv ? record_csv_names() : header_to_json(header), true, message);
}

ssimcu_status writer_add(struct writer *writer, const struct record *record,
                         ssimcu_message *message)
{
    const bool in_shot = record->kind == RECORD_CHECKED && !record->last; /* a whole shot is safe */
    writer->pairs++;
    return put(writer, writer->csv ? record_to_csv(record) : record_to_json(record), !in_shot,
               message);
}

/* Renames the finished file. It is synced first: a power cut must not leave half a file under the
 * final name. */
static ssimcu_status give_name(struct writer *writer, ssimcu_message *message)
{
    TRY(atomic_file_finish(&writer->draft, 0, message));
    TRY(guard_check(writer->path, "", false, message)); /* a file may have been created since */
    TRY(atomic_file_give_name(&writer->draft, message));
    guard_drop(writer->resume, &guard_results);
    return SSIMCU_OK;
}

ssimcu_status writer_end(struct writer *writer, const struct summary *summary,
                         const struct verdict *verdict, ssimcu_message *message)
{
    if (!writer->csv) TRY(put(writer, summary_to_json(summary, verdict), true, message));
    return writer->path && summary->complete ? give_name(writer, message) : SSIMCU_OK;
}

void writer_drop(struct writer *writer)
{
    if (writer) writer->dropped = true;
}

/* Returns whether the file has nothing to resume. */
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
        atomic_file_keep(&writer->draft);
    else
        atomic_file_drop(&writer->draft);
    free(writer->path);
    free(writer->resume);
    free(writer);
}
