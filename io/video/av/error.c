#include "video/av/file.h"

#include "fail.h"

ssimcu_status error_fail(const ssimcu_clip *clip, int error, ssimcu_message *message)
{
    char text[AV_ERROR_MAX_STRING_SIZE], said[DAMAGE_TEXT] = "";
    struct video_file *file = clip->state;
    if (file->beside)
        return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED, "%.250s: %s", clip->name,
                           file->beside);
    const bool any = damage_take_all(&file->damage, said);
    av_strerror(error, text, sizeof text);
    ssimcu_status status = SSIMCU_ERROR_DATA;
    if (error == AVERROR(ENOMEM)) status = SSIMCU_ERROR_MEMORY;
    if (error == AVERROR(ENOENT) || error == AVERROR(EACCES) || error == AVERROR(EIO))
        status = SSIMCU_ERROR_FILE;
    if (error == AVERROR_DECODER_NOT_FOUND || error == AVERROR_PATCHWELCOME ||
        error == AVERROR_DEMUXER_NOT_FOUND)
        status = SSIMCU_ERROR_UNSUPPORTED;
    return ssimcu_fail(message, status, "%.250s: %s%s%s", clip->name, text, any ? ": " : "", said);
}
