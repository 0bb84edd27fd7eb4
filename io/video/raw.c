/* Headerless planar YUV: its size and format come from the user, in ffmpeg's words. */
#include "video/stream.h"

#include "fail.h"

#include <string.h>

/* "" is 8 bits, "10" or "10le" is 10. */
static bool parse_depth(const char *text, uint32_t *bits)
{
    *bits = 8;
    if (*text == '\0') return true;
    if (!ssimcu_clip_number(&text, bits) || *bits < 9) return false;
    return *text == '\0' || strcmp(text, "le") == 0;
}

bool ssimcu_raw_parse(const char *size, const char *name, ssimcu_clip_format *format)
{
    static const struct {
        const char *name;
        uint32_t chroma;
    } formats[] = {
        {"yuv420p", 420}, {"yuv422p", 422}, {"yuv444p", 444}, {"yuv411p", 411}, {"gray", 400}};
    uint32_t width, height, bits;
    if (!ssimcu_clip_number(&size, &width) || *size++ != 'x') return false;
    if (!ssimcu_clip_number(&size, &height) || *size != '\0') return false;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const size_t length = strlen(formats[i].name);
        if (strncmp(name, formats[i].name, length) != 0) continue;
        return parse_depth(name + length, &bits) &&
               ssimcu_clip_make_format(width, height, formats[i].chroma, bits, format);
    }
    return false;
}

static ssimcu_status open_raw(ssimcu_clip *clip, const char *path,
                              const ssimcu_image_options *limits, ssimcu_stopped *stopped,
                              ssimcu_message *message)
{
    ssimcu_status status = ssimcu_stream_open(clip, path, stopped, message);
    if (status == SSIMCU_OK) status = ssimcu_clip_check_size(clip, limits, message);
    if (status != SSIMCU_OK) return status;
    const ssimcu_stream *stream = clip->state;
    const size_t bytes = clip->format.frame_bytes;
    if (!stream->is_file || (stream->size > 0 && (uint64_t)stream->size % bytes == 0))
        return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                       "%.300s: %lld bytes are not a whole number of frames of %zu bytes (check "
                       "--size and --format)",
                       clip->name, (long long)stream->size, bytes);
}

const ssimcu_clip_codec ssimcu_codec_raw = {
    .open = open_raw,
    .count = ssimcu_stream_count,
    .next = ssimcu_stream_next,
    .read = ssimcu_stream_read,
    .close = ssimcu_stream_close,
};
