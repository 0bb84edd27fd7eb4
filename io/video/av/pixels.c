/* FFmpeg's pixel formats, and frames whose samples lie in another order than a clip's. */
#include "video/av/file.h"

#include "fail.h"

#include <libavutil/intreadwrite.h>
#include <libavutil/pixdesc.h>
#include <stdio.h>
#include <string.h>

/* Returns the number of components except alpha: 3 for YUV and RGB, 1 for grey. */
static int colours_of(const AVPixFmtDescriptor *pixels)
{
    return pixels->nb_components - (pixels->flags & AV_PIX_FMT_FLAG_ALPHA ? 1 : 0);
}

static bool is_big(const AVPixFmtDescriptor *pixels) { return pixels->flags & AV_PIX_FMT_FLAG_BE; }

/* Returns the chroma subsampling, such as 420, for samples of 8 to 16 bits; 0 for any other
 * format. */
static uint32_t chroma_of(const AVPixFmtDescriptor *pixels)
{
    const uint64_t bad = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL |
                         AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;
    const int depth = pixels->comp[0].depth, colours = colours_of(pixels);
    if ((pixels->flags & bad) || strncmp(pixels->name, "xyz", 3) == 0) return 0;
    for (int c = 0; c < pixels->nb_components; c++)
        if (pixels->comp[c].depth != depth || pixels->comp[c].shift + depth > 16) return 0;
    if (colours == 1) return 400;
    if (colours != 3) return 0;
    switch (pixels->log2_chroma_w << 4 | pixels->log2_chroma_h) {
    case 0x00: return 444;
    case 0x10: return 422;
    case 0x11: return 420;
    case 0x20: return 411;
    default: return 0;
    }
}

/* Returns whether the samples lie as in a clip: in planes, or interleaved as R, G, B. */
static bool lies_well(const AVPixFmtDescriptor *pixels)
{
    const bool rgb = pixels->flags & AV_PIX_FMT_FLAG_RGB, own_big = AV_NE(1, 0);
    const int depth = pixels->comp[0].depth, bytes = depth > 8 ? 2 : 1;
    if (pixels->flags & AV_PIX_FMT_FLAG_ALPHA) return false;
    if (depth > 8 && is_big(pixels) != own_big) return false;
    for (int c = 0; c < pixels->nb_components; c++) {
        const AVComponentDescriptor *comp = &pixels->comp[c];
        if (comp->shift != 0 || comp->plane != (rgb ? 0 : c) ||
            comp->step != (rgb ? 3 * bytes : bytes) || comp->offset != (rgb ? c * bytes : 0))
            return false;
    }
    return true;
}

bool pixels_format(enum AVPixelFormat name, uint32_t width, uint32_t height,
                   ssimcu_clip_format *format)
{
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(name);
    const uint32_t chroma = pixels ? chroma_of(pixels) : 0;
    const bool rgb = pixels && (pixels->flags & AV_PIX_FMT_FLAG_RGB);
    if (chroma == 0 ||
        !ssimcu_clip_format_make(width, height, chroma, (uint32_t)pixels->comp[0].depth, format))
        return false;
    if (rgb) ssimcu_clip_format_make_rgb(format);
    format->lies_apart = !lies_well(pixels);
    return true;
}

void pixels_near(enum AVPixelFormat name, char near[PIXELS_NAME])
{
    static const int depths[] = {8, 9, 10, 12, 14, 16};
    const uint64_t colours = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER;
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(name);
    size_t at = 0;
    near[0] = '\0';
    if (!pixels || pixels->flags & AV_PIX_FMT_FLAG_HWACCEL) return;
    const bool xyz = strncmp(pixels->name, "xyz", 3) == 0;
    while (at + 1 < sizeof depths / sizeof *depths && depths[at] < pixels->comp[0].depth) at++;
    const char *const kind = pixels->flags & colours || xyz ? "gbrp"
                             : colours_of(pixels) == 1      ? "gray"
                                                            : "yuv444p";
    if (depths[at] > 8)
        snprintf(near, PIXELS_NAME, "%s%d", kind, depths[at]);
    else
        snprintf(near, PIXELS_NAME, "%s", kind);
}

/* NVDEC stores samples of more than 8 bits in the upper bits of 16. */
void pixels_view(const ssimcu_clip *clip, const AVFrame *frame,
                 ssimcu_view plane[SSIMCU_MAX_PLANES])
{
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(nvdec_pixels(frame));
    for (uint32_t p = 0; p < clip->format.planes; p++) {
        const AVComponentDescriptor *comp = &pixels->comp[p];
        const ssimcu_frame *shape = &clip->format.plane[p];
        const bool deep = shape->bits > 8;
        plane[p] = (ssimcu_view){
            .struct_size = sizeof *plane,
            .width = shape->width,
            .height = shape->height,
            .channels = 1,
            .type = deep ? SSIMCU_TYPE_U16 : SSIMCU_TYPE_U8,
            .peak = deep ? ((1u << shape->bits) - 1) << (16 - shape->bits) : UINT8_MAX,
            .pitch = (size_t)frame->linesize[comp->plane],
            .data = {frame->data[comp->plane] + comp->offset},
            .pixel_stride = (size_t)comp->step,
        };
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The samples of one component in one row of a frame. */
struct samples {
    const uint8_t *at;
    int step; /* bytes from one sample to the next */
    int depth, shift;
    bool big;
};

static struct samples samples_of(const AVFrame *frame, int c, uint32_t y)
{
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(frame->format);
    const AVComponentDescriptor *comp = &pixels->comp[c];
    const uint8_t *row = frame->data[comp->plane] + (ptrdiff_t)y * frame->linesize[comp->plane];
    return (struct samples){row + comp->offset, comp->step, comp->depth, comp->shift,
                            is_big(pixels)};
}

static uint32_t sample_at(const struct samples *from, uint32_t x)
{
    const uint8_t *at = from->at + (size_t)x * (size_t)from->step;
    const uint32_t word = from->big ? AV_RB16(at) : AV_RL16(at);
    return (word >> from->shift) & ((1u << from->depth) - 1);
}

/* Copies `count` samples to places `apart` samples from each other. */
static void copy_row(const struct samples *from, void *to, uint32_t apart, uint32_t count)
{
    uint8_t *bytes = to;
    uint16_t *words = to;
    if (from->depth == 8)
        for (uint32_t x = 0; x < count; x++)
            bytes[(size_t)x * apart] = from->at[(size_t)x * (size_t)from->step];
    else
        for (uint32_t x = 0; x < count; x++)
            words[(size_t)x * apart] = (uint16_t)sample_at(from, x);
}

static bool is_opaque(const AVFrame *frame, int c)
{
    for (uint32_t y = 0; y < (uint32_t)frame->height; y++) {
        const struct samples from = samples_of(frame, c, y);
        const uint32_t most = (1u << from.depth) - 1;
        uint32_t all = most;
        for (uint32_t x = 0; x < (uint32_t)frame->width; x++)
            all &= from.depth == 8 ? from.at[(size_t)x * (size_t)from.step] : sample_at(&from, x);
        if (all != most) return false;
    }
    return true;
}

ssimcu_status pixels_read(const ssimcu_clip *clip, const ssimcu_clip_format *format,
                          const AVFrame *frame, void *data, ssimcu_message *message)
{
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(frame->format);
    const int colours = colours_of(pixels);
    const bool rgb = format->rgb;
    ssimcu_frame to[SSIMCU_MAX_PLANES];
    if (pixels->nb_components > colours && !is_opaque(frame, colours))
        FAIL(UNSUPPORTED, "%.300s: expected opaque video, found transparent pixels in this frame",
             clip->name);
    ssimcu_clip_planes(format, data, to);
    for (int c = 0; c < colours; c++) {
        const ssimcu_frame *plane = &to[rgb ? 0 : c];
        const size_t first = rgb ? (size_t)c * (plane->bits > 8 ? 2 : 1) : 0;
        for (uint32_t y = 0; y < plane->height; y++) {
            const struct samples from = samples_of(frame, c, y);
            copy_row(&from, (uint8_t *)plane->data + y * plane->pitch + first, plane->channels,
                     plane->width);
        }
    }
    return SSIMCU_OK;
}
