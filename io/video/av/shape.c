/* Pixel formats and facts of FFmpeg -> the format of a clip. */
#include "video/av/file.h"

#include "fail.h"

#include <libavutil/display.h>
#include <libavutil/pixdesc.h>
#include <math.h>
#include <string.h>

/* 400, 420 and so on for planes without alpha, in words of the machine's order; 0: anything else.
 */
static uint32_t chroma_of(const AVPixFmtDescriptor *pixels)
{
    const uint64_t bad = AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                         AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;
    const int depth = pixels->comp[0].depth, step = depth > 8 ? 2 : 1;
    if (pixels->flags & bad) return 0;
    const bool big = pixels->flags & AV_PIX_FMT_FLAG_BE, own_big = AV_NE(1, 0);
    if (depth > 8 && big != own_big) return 0;
    for (int c = 0; c < pixels->nb_components; c++)
        if (pixels->comp[c].step != step || pixels->comp[c].shift != 0 ||
            pixels->comp[c].offset != 0 || pixels->comp[c].depth != depth)
            return 0;
    if (pixels->nb_components == 1) return 400;
    if (pixels->nb_components != 3 || !(pixels->flags & AV_PIX_FMT_FLAG_PLANAR)) return 0;
    switch (pixels->log2_chroma_w << 4 | pixels->log2_chroma_h) {
    case 0x00: return 444;
    case 0x10: return 422;
    case 0x11: return 420;
    case 0x20: return 411;
    default: return 0;
    }
}

static int32_t rotation_of(const AVStream *stream)
{
    const uint8_t *matrix = NULL;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
    const AVPacketSideData *found =
        av_packet_side_data_get(stream->codecpar->coded_side_data,
                                stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    if (found) matrix = found->data;
#else
    matrix = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, NULL);
#endif
    const double angle = matrix ? -av_display_rotation_get((const int32_t *)matrix) : 0;
    return isfinite(angle) ? ((int32_t)lround(angle) + 360) % 360 : 0;
}

static bool is_interlaced(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return frame->flags & AV_FRAME_FLAG_INTERLACED;
#else
    return frame->interlaced_frame;
#endif
}

/* As ffmpeg's filter `scale` calls it; two names of the same numbers are one. */
static const char *matrix_of(enum AVColorSpace space)
{
    switch (space) {
    case AVCOL_SPC_UNSPECIFIED: return NULL;
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M: return "bt601";
    case AVCOL_SPC_BT2020_NCL: return "bt2020";
    default: return av_color_space_name(space);
    }
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

ssimcu_status shape_read(ssimcu_clip *clip, const AVFrame *frame, ssimcu_message *message)
{
    const struct file *file = clip->state;
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(frame->format);
    const char *name = pixels ? pixels->name : "unknown";
    const uint32_t chroma = pixels ? chroma_of(pixels) : 0;
    const AVRational rate = file->stream->avg_frame_rate;
    ssimcu_clip_format *format = &clip->format;
    if (chroma == 0 || !ssimcu_clip_make_format((uint32_t)frame->width, (uint32_t)frame->height,
                                                chroma, (uint32_t)pixels->comp[0].depth, format))
        return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                           "%.300s: pixels are %s; planar YUV, RGB and grey without alpha can be "
                           "compared",
                           clip->name, name);
    format->rgb = pixels->flags & AV_PIX_FMT_FLAG_RGB;
    const bool full = frame->color_range == AVCOL_RANGE_JPEG || starts_with(name, "yuvj");
    if (!format->rgb && full) format->range = SSIMCU_RANGE_FULL;
    if (!format->rgb && frame->color_range == AVCOL_RANGE_MPEG)
        format->range = SSIMCU_RANGE_LIMITED;
    if (!format->rgb && chroma != 400) format->matrix = matrix_of(frame->colorspace);
    if (rate.num > 0 && rate.den > 0) {
        format->rate[0] = (uint32_t)rate.num;
        format->rate[1] = (uint32_t)rate.den;
    }
    format->interlaced = is_interlaced(frame);
    format->rotation = rotation_of(file->stream);
    format->coding = avcodec_get_name(file->stream->codecpar->codec_id);
    return SSIMCU_OK;
}

ssimcu_status shape_check(const ssimcu_clip *clip, const AVFrame *frame, ssimcu_message *message)
{
    const struct file *file = clip->state;
    const ssimcu_frame *luma = &clip->format.plane[0];
    if (frame->format == file->pixels && (uint32_t)frame->width == luma->width &&
        (uint32_t)frame->height == luma->height)
        return SSIMCU_OK;
    const char *const now = av_get_pix_fmt_name(frame->format);
    const char *const then = av_get_pix_fmt_name(file->pixels);
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "%.300s: this frame is %dx%d %s, the first is %ux%u %s", clip->name,
                       frame->width, frame->height, now ? now : "of unknown pixels", luma->width,
                       luma->height, then ? then : "of unknown pixels");
}
