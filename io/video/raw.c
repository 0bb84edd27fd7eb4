/* Planar YUV without a header. The user gives its size and format in ffmpeg's terms. */
#include "video/stream.h"

#include "fail.h"

#include <stdio.h>
#include <string.h>

/* Parses the depth at the end of a format's name: "" is 8 bits, "10" and "10le" are 10. */
static bool parse_depth(const char *text, uint32_t *bits)
{
    *bits = 8;
    if (*text == '\0') return true;
    if (!ssimcu_clip_format_number(&text, bits) || *bits < 9) return false;
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
    if (!ssimcu_clip_format_number(&size, &width) || *size++ != 'x') return false;
    if (!ssimcu_clip_format_number(&size, &height) || *size != '\0') return false;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const size_t length = strlen(formats[i].name);
        if (strncmp(name, formats[i].name, length) != 0) continue;
        return parse_depth(name + length, &bits) &&
               ssimcu_clip_format_make(width, height, formats[i].chroma, bits, format);
    }
    return false;
}

/* Adds to `text` a value that would split the file into whole frames. Adds at most three. */
static void suggest(const char *option, const char *value, int64_t bytes, size_t frame_bytes,
                    char *text, size_t size, int *count)
{
    const size_t used = strlen(text);
    if (bytes <= 0 || frame_bytes == 0 || bytes % (int64_t)frame_bytes != 0) return;
    if (++*count <= 3)
        snprintf(text + used, size - used, "%s %lld of --%s %s", used ? "," : "; it holds",
                 (long long)(bytes / (int64_t)frame_bytes), option, value);
}

/* Suggests formats for this size, and sizes for this format, that fit the file. */
static void suggest_all(const ssimcu_clip_format *format, int64_t bytes, char *text, size_t size)
{
    static const char *const formats[] = {"yuv420p", "yuv420p10", "yuv422p", "yuv422p10",
                                          "yuv444p", "yuv444p10", "yuv411p", "gray",
                                          "gray10",  NULL};
    static const char *const sizes[] = {"7680x4320", "4096x2160", "3840x2160", "2048x1080",
                                        "1920x1080", "1280x720",  "720x576",   "720x480",
                                        "640x480",   "640x360",   "352x288",   NULL};
    ssimcu_clip_format other;
    char given[2][32];
    int count = 0;
    snprintf(given[0], sizeof given[0], "%ux%u", format->plane[0].width, format->plane[0].height);
    ssimcu_clip_name(format, given[1], sizeof given[1]);
    for (int i = 0; formats[i]; i++)
        if (ssimcu_raw_parse(given[0], formats[i], &other))
            suggest("format", formats[i], bytes, other.frame_bytes, text, size, &count);
    count = 0;
    for (int i = 0; sizes[i]; i++)
        if (ssimcu_raw_parse(sizes[i], given[1], &other))
            suggest("size", sizes[i], bytes, other.frame_bytes, text, size, &count);
    if (text[0] == '\0')
        snprintf(text, size, "; no usual size or format fits; is the file complete?");
}

static ssimcu_status open_raw(ssimcu_clip *clip, const char *path, ssimcu_message *message)
{
    TRY(ssimcu_stream_open(clip, path, message));
    TRY(ssimcu_stream_check(clip, message));
    const ssimcu_stream *stream = clip->state;
    const size_t bytes = clip->format.frame_bytes;
    if (!stream->is_file || (stream->size > 0 && (uint64_t)stream->size % bytes == 0))
        return SSIMCU_OK;
    char fits[256] = "";
    suggest_all(&clip->format, stream->size, fits, sizeof fits);
    FAIL(DATA, "%.180s: %lld bytes are not a whole number of frames of %zu bytes%s", clip->name,
         (long long)stream->size, bytes, fits);
}

const ssimcu_clip_codec ssimcu_codec_raw = {
    .open = open_raw,
    .next = ssimcu_stream_next,
    .read = ssimcu_stream_read,
    .close = ssimcu_stream_close,
};
