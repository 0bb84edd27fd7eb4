/* The shape of a clip: its planes, its name, and the limits on its size. */
#include "fail.h"
#include "image/image_limits.h"
#include "video/clip_codec.h"

#include <stdio.h>
#include <string.h>

bool ssimcu_clip_format_number(const char **text, uint32_t *number)
{
    const char *digit = *text;
    uint32_t value = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        value = value * 10 + (uint32_t)(*digit - '0');
        if (value >= 1u << 24) return false;
    }
    const bool any = digit != *text;
    *text = digit;
    *number = value;
    return any;
}

uint32_t ssimcu_clip_across(const ssimcu_clip_format *format)
{
    switch (format->chroma) {
    case 400:
    case 444: return 1;
    case 420:
    case 422: return 2;
    case 411: return 4;
    default: return 0;
    }
}

uint32_t ssimcu_clip_down(const ssimcu_clip_format *format)
{
    return format->chroma == 420 ? 2 : 1;
}

ssimcu_status ssimcu_clip_copy(const ssimcu_clip *clip, const ssimcu_frame *from, void *data,
                               ssimcu_message *message)
{
    const ssimcu_frame *const first = &clip->format.plane[0];
    ssimcu_frame to[SSIMCU_MAX_PLANES];
    if (from[0].width != first->width || from[0].height != first->height)
        FAIL(MISMATCH, "%.300s: this frame is %ux%u, the first is %ux%u", clip->name, from[0].width,
             from[0].height, first->width, first->height);
    ssimcu_clip_planes(&clip->format, data, to);
    for (uint32_t p = 0; p < clip->format.planes; p++)
        for (uint32_t y = 0; y < to[p].height; y++)
            memcpy((uint8_t *)to[p].data + y * to[p].pitch,
                   (const uint8_t *)from[p].data + y * from[p].pitch, to[p].pitch);
    return SSIMCU_OK;
}

ssimcu_status ssimcu_clip_no_stream(const ssimcu_clip *clip, uint32_t streams,
                                    ssimcu_message *message)
{
    char found[64] = "one video stream, number 0";
    if (streams > 1)
        snprintf(found, sizeof found, "%u video streams, numbers 0 to %u", streams, streams - 1);
    FAIL(DATA, "%.300s: --stream %u: the file has %s", clip->name, clip->stream, found);
}

static const struct {
    const char *name;
    double red, blue;
} known[] = {{"bt601", 0.299, 0.114}, {"bt709", 0.2126, 0.0722}, {"bt2020", 0.2627, 0.0593}};

const char *ssimcu_clip_hdr(const ssimcu_clip_format *format)
{
    if (strcmp(format->transfer, "smpte2084") == 0) return "PQ";
    return strcmp(format->transfer, "arib-std-b67") == 0 ? "HLG" : NULL;
}

/* Returns the index of the matrix to assume if a file names none. */
static size_t guess_matrix(const ssimcu_clip_format *format)
{
    enum {
        SD_WIDTH = 1024,
        SD_HEIGHT = 576
    }; /* players assume that larger video is high
          definition */
    enum { BT2020 = 2 };
    const ssimcu_frame *luma = &format->plane[0];
    if (ssimcu_clip_hdr(format)) return BT2020;
    return luma->width > SD_WIDTH || luma->height > SD_HEIGHT;
}

const char *ssimcu_clip_matrix(const ssimcu_clip_format *format)
{
    return format->matrix ? format->matrix : known[guess_matrix(format)].name;
}

bool ssimcu_clip_yuv(const ssimcu_clip_format *format, ssimcu_yuv *yuv)
{
    size_t at = guess_matrix(format);
    bool is_known = !format->matrix;
    for (size_t i = 0; format->matrix && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(format->matrix, known[i].name) == 0) at = i, is_known = true;
    *yuv = (ssimcu_yuv){known[at].red, known[at].blue, format->range != SSIMCU_RANGE_FULL,
                        format->siting};
    return is_known;
}

void ssimcu_clip_name(const ssimcu_clip_format *format, char *name, size_t size)
{
    const uint32_t bits = format->plane[0].bits;
    char depth[12] = "";
    if (bits > 8) snprintf(depth, sizeof depth, "%u", bits);
    if (format->rgb)
        snprintf(name, size, "gbrp%s", depth);
    else if (format->chroma == 400)
        snprintf(name, size, "gray%s", depth);
    else
        snprintf(name, size, "yuv%up%s", format->chroma, depth);
}

bool ssimcu_clip_format_make(uint32_t width, uint32_t height, uint32_t chroma, uint32_t bits,
                             ssimcu_clip_format *format)
{
    *format = (ssimcu_clip_format){.planes = chroma == 400 ? 1 : 3, .chroma = chroma};
    const uint32_t across = ssimcu_clip_across(format), down = ssimcu_clip_down(format);
    if (across == 0 || bits < 8 || bits > 16 || width == 0 || height == 0) return false;
    for (uint32_t p = 0; p < format->planes; p++) {
        ssimcu_frame *plane = &format->plane[p];
        plane->width = p == 0 ? width : (width + across - 1) / across;
        plane->height = p == 0 ? height : (height + down - 1) / down;
        plane->channels = 1;
        plane->bits = bits;
        plane->pitch = (size_t)plane->width * (bits > 8 ? 2 : 1);
        format->frame_bytes += plane->pitch * plane->height;
    }
    return true;
}

bool ssimcu_clip_format_as(const ssimcu_clip_format *format, uint32_t width, uint32_t height,
                           uint32_t bits, ssimcu_clip_format *as)
{
    ssimcu_clip_format made;
    if (!ssimcu_clip_format_make(width, height, format->chroma, bits, &made)) return false;
    if (format->rgb) ssimcu_clip_format_make_rgb(&made);
    *as = *format;
    as->frame_bytes = made.frame_bytes;
    memcpy(as->plane, made.plane, sizeof as->plane);
    return true;
}

void ssimcu_clip_format_make_rgb(ssimcu_clip_format *format)
{
    format->rgb = true;
    format->planes = 1;
    format->plane[0].channels = 3;
    format->plane[0].pitch *= 3;
}

void ssimcu_clip_planes(const ssimcu_clip_format *format, void *data,
                        ssimcu_frame plane[SSIMCU_MAX_PLANES])
{
    uint8_t *at = data;
    for (uint32_t p = 0; p < format->planes; p++) {
        plane[p] = format->plane[p];
        plane[p].data = at;
        at += plane[p].pitch * plane[p].height;
    }
}

ssimcu_status ssimcu_clip_format_check_size(const ssimcu_clip *clip, ssimcu_message *message)
{
    const ssimcu_frame *luma = &clip->format.plane[0];
    return ssimcu_limits_check(&clip->limits, clip->name, luma->width, luma->height, message);
}
