#include "video/av/file.h"

#include "fail.h"

#include <errno.h>

/* Returns whether the machine failed, and not the file. */
static bool is_of_machine(int error)
{
    static const int errors[] = {ENOENT, EACCES, EPERM,  EIO,       EMFILE,
                                 ENFILE, ESTALE, ENODEV, EREMOTEIO, ETIMEDOUT};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (error == AVERROR(errors[i])) return true;
    return false;
}

ssimcu_status error_fail(const ssimcu_clip *clip, int error, ssimcu_message *message)
{
    char text[AV_ERROR_MAX_STRING_SIZE], said[DAMAGE_TEXT] = "";
    struct video_file *file = clip->state;
    if (file->beside) FAIL(UNSUPPORTED, "%.250s: %s", clip->name, file->beside);
    const bool any = damage_take_all(&file->damage, said);
    av_strerror(error, text, sizeof text);
    ssimcu_status status = SSIMCU_ERROR_DATA;
    if (error == AVERROR(ENOMEM)) status = SSIMCU_ERROR_MEMORY;
    if (is_of_machine(error)) status = SSIMCU_ERROR_FILE;
    if (error == AVERROR_DECODER_NOT_FOUND || error == AVERROR_PATCHWELCOME ||
        error == AVERROR_DEMUXER_NOT_FOUND)
        status = SSIMCU_ERROR_UNSUPPORTED;
    return ssimcu_fail(message, status, "%.250s: %s%s%s", clip->name, text, any ? ": " : "", said);
}
