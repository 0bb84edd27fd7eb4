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

/* Pictures start at the start of their memory; any cropping comes later. */
void unwritten_mark(const AVCodecContext *decoder, const AVFrame *frame)
{
    if (decoder->codec_id != AV_CODEC_ID_HEVC || frame->hw_frames_ctx) return;
    const size_t bytes = bytes_per_sample(frame);
    for (int y = 0; y < frame->height; y += APART)
        for (size_t x = 0; x < (size_t)frame->width * bytes; x += APART * bytes)
            memcpy(frame->buf[0]->data + y * (ptrdiff_t)frame->linesize[0] + x, MARK, sizeof MARK);
}

bool unwritten_is(const AVCodecContext *decoder, const AVFrame *frame)
{
    if (decoder->codec_id != AV_CODEC_ID_HEVC || frame->hw_frames_ctx) return false;
    const size_t bytes = bytes_per_sample(frame);
    for (int y = 0; y < frame->height; y += APART)
        for (size_t x = 0; x < (size_t)frame->width * bytes; x += APART * bytes)
            if (memcmp(frame->buf[0]->data + y * (ptrdiff_t)frame->linesize[0] + x, MARK,
                       sizeof MARK) == 0)
                return true;
    return false;
}
