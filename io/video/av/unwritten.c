/* Finds parts of a picture that its decoder has not written. Damaged HEVC often ends a slice too
 * early, and damaged TIFF a strip. libavcodec does not report that, and leaves old memory in the
 * rest of the picture. So this file puts marks into the memory of each picture's first plane. A
 * mark that survives decoding reveals the damage. */
#include "video/av/file.h"

#include <libavutil/pixdesc.h>
#include <string.h>

static const uint8_t MARK[8] = {0xB3, 0xF9, 0x1C, 0xE7, 0x52, 0xFD, 0x0A, 0xC5};

/* Positions of marks in a plane. */
struct marks {
    int down;      /* rows between marks */
    size_t across; /* bytes */
    size_t width;  /* bytes of a row */
};

/* Marks are 8 samples apart, the side of the smallest HEVC coding block. For TIFF they are in every
 * row. */
static struct marks marks_of(const AVCodecContext *decoder, const AVFrame *frame)
{
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(frame->format);
    const size_t bytes = pixels && pixels->comp[0].step > 0 ? (size_t)pixels->comp[0].step : 1;
    return (struct marks){decoder->codec_id == AV_CODEC_ID_HEVC ? 8 : 1, 8 * bytes,
                          (size_t)frame->width * bytes};
}

/* Pictures start at the start of their memory, because cropping comes later. */
void unwritten_mark(const AVCodecContext *decoder, const AVFrame *frame)
{
    if (!unwritten_knows(decoder->codec_id) || frame->hw_frames_ctx) return;
    const struct marks marks = marks_of(decoder, frame);
    for (int y = 0; y < frame->height; y += marks.down)
        for (size_t x = 0; x < marks.width; x += marks.across)
            memcpy(frame->buf[0]->data + y * (ptrdiff_t)frame->linesize[0] + x, MARK, sizeof MARK);
}

/* A picture that is cropped at the left or top starts after the first marks. */
bool unwritten_is(const AVCodecContext *decoder, const AVFrame *frame)
{
    if (!unwritten_knows(decoder->codec_id) || frame->hw_frames_ctx) return false;
    const struct marks marks = marks_of(decoder, frame);
    const uint8_t *const memory = frame->buf[0]->data;
    const size_t start = frame->data[0] > memory ? (size_t)(frame->data[0] - memory) : 0;
    const size_t row = (size_t)frame->linesize[0], left = start % row / marks.across * marks.across;
    const int top = (int)(start / row) / marks.down * marks.down;
    for (int y = top; y < (int)(start / row) + frame->height; y += marks.down)
        for (size_t x = left; x < start % row + marks.width; x += marks.across)
            if (memcmp(memory + (size_t)y * row + x, MARK, sizeof MARK) == 0) return true;
    return false;
}
