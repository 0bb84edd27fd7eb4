#include "tiff_page.h"

#include "fail.h"

#include <errno.h>

/* libtiff says in words alone that memory ran out, and in many of them; malloc leaves ENOMEM. */
ssimcu_status ssimcu_tiff_damaged(const ssimcu_tiff *t, const char *text)
{
    if (errno == ENOMEM)
        return ssimcu_fail(t->message, SSIMCU_ERROR_MEMORY, "%s: out of memory", t->file->name);
    return ssimcu_fail(t->message, SSIMCU_ERROR_DATA, "%s: damaged TIFF (%s)", t->file->name,
                       t->complaint[0] ? t->complaint : text);
}
