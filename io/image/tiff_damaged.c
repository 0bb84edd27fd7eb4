#include "tiff_page.h"

#include "fail.h"

ssimcu_status ssimcu_tiff_damaged(const ssimcu_tiff *t, const char *text)
{
    return ssimcu_fail(t->message, SSIMCU_ERROR_DATA, "%s: damaged TIFF (%s)", t->file->name,
                       t->complaint[0] ? t->complaint : text);
}
