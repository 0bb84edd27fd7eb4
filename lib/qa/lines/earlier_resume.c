/* What a run that resumes another reads, and keeps in case it is stopped, too. */
#include "base/guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "lines/earlier.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool write_lines(const struct earlier_results *earlier, const char *header, FILE *to)
{
    bool good = fprintf(to, "%s\n", header) > 0;
    for (size_t i = 0; good && i < earlier->count; i++)
        if (earlier->line[i].scored) good = fprintf(to, "%s\n", earlier->line[i].text) > 0;
    return good;
}

static ssimcu_status replace_file(const struct earlier_results *earlier, const char *header,
                                  const char *name, ssimcu_message *message)
{
    struct draft draft;
    ssimcu_status status = draft_open(&draft, name, results_beside(name, ".tmp"), &guard_results,
                                      DRAFT_REPLACE, message);
    if (status == SSIMCU_OK)
        status = draft_end(&draft, write_lines(earlier, header, draft.file) ? 0 : errno, message);
    draft_drop(&draft);
    return status;
}

ssimcu_status earlier_save(const struct earlier_results *earlier, const char *path,
                           ssimcu_message *message)
{
    if (!earlier->unfinished || !earlier->header.contract) return SSIMCU_OK;
    char *name = results_beside(path, ".resume");
    struct header whole = earlier->header;
    whole.shards = 0;
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

ssimcu_status earlier_resume(struct earlier_results *earlier, const char *path,
                             ssimcu_message *message)
{
    static const char *const endings[] = {"", ".resume", ".partial"}; /* the oldest first */
    ssimcu_status status = SSIMCU_OK;
    for (size_t i = 0; status == SSIMCU_OK && i < 3; i++) {
        char *name = results_beside(path, endings[i]);
        if (!name) return no_memory(message);
        if (exists(name)) status = earlier_add(earlier, name, true, message);
        if (status == SSIMCU_OK &&
            !guard_allows_results(name, i > 0)) /* its only line has no end and was dropped */
            status = earlier_bad_line(name, 1, message);
        earlier->unfinished = earlier->unfinished || (i > 0 && exists(name));
        free(name);
    }
    return status;
}
