/* Fills in a clip's format from FFmpeg's description of the file and its first frame. */
#include "video/av/file.h"

#include "fail.h"

#include <libavutil/display.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/pixdesc.h>
#include <math.h>
#include <string.h>

/* Returns side data of the container; NULL if it has none of this type. */
static const void *side_data(const AVStream *stream, enum AVPacketSideDataType type)
{
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
    const AVPacketSideData *found = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
    return found ? found->data : NULL;
#else
    return av_stream_get_side_data(stream, type, NULL);
#endif
}

static int32_t rotation_of(const int32_t *matrix)
{
    const double angle = matrix ? -av_display_rotation_get(matrix) : 0;
    return isfinite(angle) ? ((int32_t)lround(angle) + 360) % 360 : 0;
}

/* Returns whether the matrix mirrors, which makes its determinant negative. */
static bool mirrors(const int32_t *matrix)
{
    return matrix && (double)matrix[0] * matrix[4] < (double)matrix[1] * matrix[3];
}

static bool is_interlaced(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return frame->flags & AV_FRAME_FLAG_INTERLACED;
#else
    return frame->interlaced_frame;
#endif
}

/* Returns which field of an interlaced frame comes first. */
static ssimcu_fields fields_of(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    const bool top = frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST;
#else
    const bool top = frame->top_field_first;
#endif
    return top ? SSIMCU_FIELDS_TOP : SSIMCU_FIELDS_BOTTOM;
}

/* Returns the Dolby Vision profile if other players show wrong colours, because the samples are
 * IPTPQc2 instead of HDR10, HLG or SDR. */
static uint32_t dolby_of(const AVStream *stream)
{
    const AVDOVIDecoderConfigurationRecord *const record = side_data(stream, AV_PKT_DATA_DOVI_CONF);
    return record && record->dv_bl_signal_compatibility_id == 0 ? record->dv_profile : 0;
}

/* Returns the name that ffmpeg's filter `scale` uses. Matrices with the same coefficients share a
 * name. */
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

/* Returns the curve's name. Curves that differ only in name share one. */
static const char *transfer_of(enum AVColorTransferCharacteristic curve)
{
    switch (curve) {
    case AVCOL_TRC_RESERVED0:
    case AVCOL_TRC_UNSPECIFIED: return NULL;
    case AVCOL_TRC_SMPTE170M:
    case AVCOL_TRC_BT2020_10:
    case AVCOL_TRC_BT2020_12: return "bt709";
    default: return av_color_transfer_name(curve);
    }
}

/* Returns the name of the primaries. Those that differ only in name share one. */
static const char *primaries_of(enum AVColorPrimaries primaries)
{
    switch (primaries) {
    case AVCOL_PRI_RESERVED0:
    case AVCOL_PRI_UNSPECIFIED: return NULL;
    case AVCOL_PRI_SMPTE240M: return "smpte170m";
    default: return av_color_primaries_name(primaries);
    }
}

/* Copies the curve and the primaries that the file names. */
static void read_colours(const AVFrame *frame, ssimcu_clip_format *format)
{
    const char *const transfer = transfer_of(frame->color_trc);
    const char *const primaries = primaries_of(frame->color_primaries);
    snprintf(format->transfer, sizeof format->transfer, "%s", transfer ? transfer : "");
    snprintf(format->primaries, sizeof format->primaries, "%s", primaries ? primaries : "");
}

static ssimcu_status fail_pixels(const ssimcu_clip *clip, enum AVPixelFormat pixels,
                                 ssimcu_message *message)
{
    const char *const name = av_get_pix_fmt_name(pixels);
    char near[PIXELS_NAME];
    pixels_near(pixels, near);
    FAIL(UNSUPPORTED,
         "%.300s: pixels are %s, expected YUV of 4:4:4, 4:2:2, 4:2:0 or 4:1:1, RGB or grey, of 8 "
         "to 16 bits%s%s%s",
         clip->name, name ? name : "unknown", near[0] ? "; ffmpeg -vf format=" : "", near,
         near[0] ? " converts both sides" : "");
}

ssimcu_status shape_read(ssimcu_clip *clip, const AVFrame *frame, ssimcu_message *message)
{
    const struct video_file *file = clip->state;
    /* NVDEC may store 12 bits in 16, so the decoder's format counts. */
    const enum AVPixelFormat stored = nvdec_has(frame) ? file->decoder->sw_pix_fmt : frame->format;
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(stored);
    const char *name = pixels ? pixels->name : "unknown";
    const AVRational rate = file->stream->avg_frame_rate;
    ssimcu_clip_format *format = &clip->format;
    if (!pixels_format(stored, (uint32_t)frame->width, (uint32_t)frame->height, format))
        return fail_pixels(clip, stored, message);
    if (nvdec_has(frame) && format->rgb) FAIL(UNSUPPORTED, "NVDEC is not used for RGB");
    const bool full = frame->color_range == AVCOL_RANGE_JPEG || strncmp(name, "yuvj", 4) == 0;
    if (!format->rgb && full) format->range = SSIMCU_RANGE_FULL;
    if (!format->rgb && frame->color_range == AVCOL_RANGE_MPEG)
        format->range = SSIMCU_RANGE_LIMITED;
    if (!format->rgb && format->chroma != 400) format->matrix = matrix_of(frame->colorspace);
    read_colours(frame, format);
    format->timeless = file->timeless;
    if (rate.num > 0 && rate.den > 0 && !format->timeless) {
        format->rate[0] = (uint32_t)rate.num;
        format->rate[1] = (uint32_t)rate.den;
    }
    format->on_device = nvdec_has(frame);
    format->scan = is_interlaced(frame) ? SSIMCU_SCAN_INTERLACED : SSIMCU_SCAN_PROGRESSIVE;
    if (is_interlaced(frame)) format->fields = fields_of(frame);
    format->grain = file->decoder->properties & FF_CODEC_PROPERTY_FILM_GRAIN;
    format->dolby = dolby_of(file->stream);
    /* H.264 and HEVC decoders report left even if the stream names nothing. */
    if (frame->chroma_location == AVCHROMA_LOC_CENTER) format->siting = SSIMCU_SITING_CENTER;
    if (frame->chroma_location == AVCHROMA_LOC_TOPLEFT) format->siting = SSIMCU_SITING_TOP_LEFT;
    format->siting_named = format->siting != SSIMCU_SITING_LEFT;
    /* The 3 x 3 matrix by which players turn or mirror the frame; may be NULL. */
    const int32_t *const matrix = side_data(file->stream, AV_PKT_DATA_DISPLAYMATRIX);
    format->rotation = rotation_of(matrix);
    format->mirrored = mirrors(matrix);
    format->coding = avcodec_get_name(file->stream->codecpar->codec_id);
    format->stream = clip->stream;
    format->streams = file->streams;
    return SSIMCU_OK;
}

/* Returns advice for a frame of another size. Neither RGB nor NVDEC's frames are scaled. */
static const char *advice_for(const ssimcu_clip *clip)
{
    if (clip->format.rgb) return "; ffmpeg -vf scale gives all frames one size";
    return "; --scale with --decode auto or cpu gives all frames one size";
}

ssimcu_status shape_check(const ssimcu_clip *clip, const AVFrame *frame, ssimcu_clip_format *format,
                          ssimcu_message *message)
{
    const struct video_file *file = clip->state;
    const ssimcu_frame *luma = &clip->format.plane[0];
    const uint32_t width = (uint32_t)frame->width, height = (uint32_t)frame->height;
    const bool same = width == luma->width && height == luma->height,
               kind = nvdec_pixels(frame) == file->pixels &&
                      nvdec_has(frame) == clip->format.on_device,
               scaled = clip->any_size && !clip->format.rgb && !clip->format.on_device &&
                        (file->shared || !clip->format.lies_apart);
    *format = clip->format;
    if (kind && same) return SSIMCU_OK;
    if (kind && scaled && ssimcu_clip_format_as(&clip->format, width, height, luma->bits, format))
        return SSIMCU_OK;
    const char *const now = av_get_pix_fmt_name(nvdec_pixels(frame));
    const char *const then = av_get_pix_fmt_name(file->pixels);
    FAIL(MISMATCH, "%.300s: this frame is %dx%d %s, the first is %ux%u %s%s", clip->name,
         frame->width, frame->height, now ? now : "of unknown pixels", luma->width, luma->height,
         then ? then : "of unknown pixels", kind ? advice_for(clip) : "");
}
