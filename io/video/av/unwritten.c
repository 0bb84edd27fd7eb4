/* Finds parts of a picture that its decoder has not written. Damaged HEVC often ends a slice too
 * early. libavcodec does not report that; the rest of the picture is whatever the memory held
 * before. So this file puts marks into the memory of each luma plane. A mark that is still there
 * when the picture comes out shows the damage. */
#include "video/av/file.h"

#include <libavutil/pixdesc.h>
#include <string.h>

enum { APART = 8 /* samples between marks: the side of the smallest coding block */ };

static const uint8_t MARK[8] = {0xB3, 0xF9, 0x1C, 0xE7, 0x52, 0xFD, 0x0A, 0xC5};

static size_t bytes_per_sample(const AVFrame *frame)
{
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(frame->format);
    return pixels && pixels->comp[0].depth > 8 ? 2 : 1;
}

/* Marks the memory of a new picture. Pictures start at the start of their memory; any cropping
 * comes later. */
static int get_buffer(AVCodecContext *decoder, AVFrame *frame, int flags)
{
    const int error = avcodec_default_get_buffer2(decoder, frame, flags);
    if (error < 0 || frame->hw_frames_ctx) return error;
    const size_t bytes = bytes_per_sample(frame);
    for (int y = 0; y < frame->height; y += APART)
        for (size_t x = 0; x < (size_t)frame->width * bytes; x += APART * bytes)
            memcpy(frame->buf[0]->data + y * (ptrdiff_t)frame->linesize[0] + x, MARK, sizeof MARK);
    return error;
}

void unwritten_watch(AVCodecContext *decoder)
{
    if (decoder->codec_id != AV_CODEC_ID_HEVC) return;
    decoder->get_buffer2 = get_buffer;
#if LIBAVCODEC_VERSION_MAJOR < 60 /* later versions always assume it */
#    pragma GCC diagnostic push
#    pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    decoder->thread_safe_callbacks = 1;
#    pragma GCC diagnostic pop
#endif
}

bool unwritten_is(const AVCodecContext *decoder, const AVFrame *frame)
{
    if (decoder->get_buffer2 != get_buffer || frame->hw_frames_ctx) return false;
    const size_t bytes = bytes_per_sample(frame);
    for (int y = 0; y < frame->height; y += APART)
        for (size_t x = 0; x < (size_t)frame->width * bytes; x += APART * bytes)
            if (memcmp(frame->buf[0]->data + y * (ptrdiff_t)frame->linesize[0] + x, MARK,
                       sizeof MARK) == 0)
                return true;
    return false;
}
