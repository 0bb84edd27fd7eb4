#include "options/internal.h"

#include "base/overwrite_guard.h"
#include "base/refuse.h"

#include <string.h>
#include <sys/stat.h>

/* Returns true, to go on, for a picture file that is not an EXR. The contents of a pipe, a
 * directory and a list are unknown. */
static bool is_flat(void *user, const char *role, const char *path)
{
    struct stat info;
    const bool told = stat(path, &info) == 0 && S_ISREG(info.st_mode);
    const char *const kind = told ? guard_picture(path) : NULL;
    (void)user, (void)role;
    return kind && strcmp(kind, "EXR") != 0;
}

/* Returns whether a side is a directory or pattern of pictures. */
static bool has_pictures(const struct source *source)
{
    for (uint32_t side = 0; side <= source->outs && source->kind->files; side++)
        if (source->kind->files(source, side)->count > 0) return true;
    return false;
}

ssimcu_status kinds_check(const struct options *options, const struct source *source,
                          ssimcu_message *message)
{
    const bool video = source_is_video(source);
    const char *const unfit = options->unfit[video ? KIND_VIDEO : KIND_PICTURES];
    const char *const flat = options->unfit[KIND_FLAT];
    if (unfit && video && !has_pictures(source))
        FAIL(ARGUMENT, "--%s is for pictures, but REF is video", unfit);
    if (unfit && !video)
        FAIL(ARGUMENT, "--%s is for video, but REF is %s", unfit,
             source_is_one_pair(source->input) ? "a picture" : "pictures");
    if (flat && !video && source_visit_files(source, is_flat, NULL))
        FAIL(ARGUMENT, "--%s is for EXR, but neither REF nor OUT is one", flat);
    return SSIMCU_OK;
}
