#include "report/index.h"
#include "report/folder/contents.h"
#include "report/folder/folder.h"
#include "report/frames/collect.h"
#include "report/page/page_index.h"

#include "base/text.h"
#include "fail.h"

#include <stdlib.h>
#include <sys/stat.h>

ssimcu_status index_check(const char *directory, ssimcu_message *message)
{
    struct stat info;
    char *const name = text_join(directory, "/", CONTENTS_PAGE, "");
    if (!name) return folder_no_memory(message);
    const bool there = lstat(name, &info) == 0;
    free(name);
    if (!there || contents_have_mark(directory, CONTENTS_INDEX_MARK)) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                       "--report %.300s: the " CONTENTS_PAGE
                       " there is no page over several OUTs, and is left alone",
                       directory);
}

static void put_index(FILE *to, const void *user) { page_index(to, user); }

ssimcu_status index_write(const char *directory, const struct index *index, ssimcu_message *message)
{
    const ssimcu_status status = index_check(directory, message);
    if (status != SSIMCU_OK) return status;
    return folder_replace_page(directory, put_index, index, message);
}

static void put_withdrawn(FILE *to, const void *user) { page_index_withdrawn(to, user); }

ssimcu_status index_withdraw(const char *directory, const char *why, ssimcu_message *message)
{
    if (!contents_have_mark(directory, CONTENTS_INDEX_MARK)) return SSIMCU_OK;
    return folder_replace_page(directory, put_withdrawn, why, message);
}
