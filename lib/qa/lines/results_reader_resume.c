/* Reads the results of a run to resume, and keeps them in case this run is stopped, too. */
#include "base/overwrite_guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "lines/results_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool write_lines(const struct results_reader *earlier, const char *header, FILE *to)
{
    bool good = fprintf(to, "%s\n", header) > 0;
    for (size_t i = 0; good && i < earlier->count; i++) {
        if (!earlier->line[i].scored && !earlier->header.check) continue;
        char *text = results_reader_text(earlier, i);
        good = text && fprintf(to, "%s\n", text) > 0;
        free(text);
    }
    return good;
}

static ssimcu_status replace_file(const struct results_reader *earlier, const char *header,
                                  const char *name, ssimcu_message *message)
{
    struct atomic_file draft;
    ssimcu_status status = atomic_file_open(&draft, name, results_beside(name, ".tmp"),
                                            &guard_results, ATOMIC_FILE_REPLACE, message);
    if (status == SSIMCU_OK)
        status =
            atomic_file_end(&draft, write_lines(earlier, header, draft.file) ? 0 : errno, message);
    atomic_file_drop(&draft);
    return status;
}

ssimcu_status results_reader_save(const struct results_reader *earlier, const char *path,
                                  ssimcu_message *message)
{
    if (!earlier->unfinished || !earlier->header.contract) return SSIMCU_OK;
    char *name = results_beside(path, ".resume");
    struct header whole = earlier->header;
    whole.shards = 0; /* a frame is the same in any share */
    char *header = header_to_json(&whole);
    const ssimcu_status status =
        name && header ? replace_file(earlier, header, name, message) : no_memory(message);
    free(name), free(header);
    return status;
}

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && info.st_size > 0;
}

ssimcu_status results_reader_resume(struct results_reader *earlier, const char *path,
                                    ssimcu_message *message)
{
    static const char *const endings[] = {"", ".resume", ".partial"}; /* the oldest first */
    ssimcu_status status = SSIMCU_OK;
    for (size_t i = 0; status == SSIMCU_OK && i < 3; i++) {
        char *name = results_beside(path, endings[i]);
        if (!name) return no_memory(message);
        if (exists(name)) status = results_reader_add(earlier, name, true, message);
        if (status == SSIMCU_OK &&
            !guard_allows_results(name, i > 0)) /* its only line is incomplete and was dropped */
            status = results_reader_bad_line(name, 1, message);
        earlier->unfinished = earlier->unfinished || (i > 0 && exists(name));
        free(name);
    }
    return status;
}
