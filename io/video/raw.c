/* Headerless planar YUV: its size and format come from the user, in ffmpeg's words. */
#include "video/clip.h"

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
