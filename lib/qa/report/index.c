#include "report/index.h"
#include "report/folder/contents.h"
#include "report/folder/folder.h"
#include "report/frames/collect.h"
#include "report/page/page_index.h"

#include "base/text.h"
#include "fail.h"

#include <stdlib.h>
#include <sys/stat.h>

static ssimcu_status no_memory(ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory for the report");
}

/* Returns whether there is a file of the page's name. */
static bool exists(const char *directory, bool *memory)
{
    struct stat info;
    char *name = text_join(directory, "/", CONTENTS_PAGE, "");
    *memory = name != NULL;
    const bool is = name && lstat(name, &info) == 0;
    free(name);
    return is;
}

ssimcu_status index_check(const char *directory, ssimcu_message *message)
{
    bool memory;
    const bool there = exists(directory, &memory);
    if (!memory) return no_memory(message);
    if (!there || contents_have_mark(directory, CONTENTS_INDEX_MARK)) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                       "--report %.300s: the " CONTENTS_PAGE
                       " there is no page over several OUTs, and is left alone",
                       directory);
}

static ssimcu_status replace(const char *directory, folder_put *put, const void *user,
                             ssimcu_message *message)
{
    struct draft draft;
    ssimcu_status status = folder_make(directory, &draft, message);
    if (status != SSIMCU_OK) return status;
    status = folder_write_page(directory, &draft, put, user, message);
    if (status == SSIMCU_OK) status = folder_commit_page(directory, &draft, message);
    folder_close(&draft);
    return status;
}

static void put_index(FILE *to, const void *user) { page_index(to, user); }

ssimcu_status index_write(const char *directory, const struct index *index, ssimcu_message *message)
{
    const ssimcu_status status = index_check(directory, message);
    return status != SSIMCU_OK ? status : replace(directory, put_index, index, message);
}

static void put_withdrawn(FILE *to, const void *user) { page_index_withdrawn(to, user); }

ssimcu_status index_withdraw(const char *directory, const char *why, ssimcu_message *message)
{
    if (!contents_have_mark(directory, CONTENTS_INDEX_MARK)) return SSIMCU_OK;
    return replace(directory, put_withdrawn, why, message);
}
