#include "avi_maker.h"
#include "check.h"

#include <libavformat/avformat.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_stream(AVFormatContext *format)
{
    AVStream *const stream = avformat_new_stream(format, NULL);
    AVCodecParameters *const codec = stream->codecpar;
    codec->codec_type = AVMEDIA_TYPE_VIDEO;
    codec->codec_id = AV_CODEC_ID_RAWVIDEO;
    codec->width = codec->height = AVI_SIDE;
    codec->format = AV_PIX_FMT_BGR24;
    codec->bits_per_coded_sample = 24;
    stream->time_base = (AVRational){1, 25};
}

void avi_make(char *path)
{
    static uint8_t pixels[AVI_BYTES + AV_INPUT_BUFFER_PADDING_SIZE];
    AVFormatContext *format = NULL;
    AVPacket *packet = av_packet_alloc();
    close(mkstemp(path));
    av_log_set_level(AV_LOG_QUIET);
    cr_assert(avformat_alloc_output_context2(&format, NULL, "avi", path) >= 0);
    add_stream(format), add_stream(format);
    cr_assert(avio_open(&format->pb, path, AVIO_FLAG_WRITE) >= 0);
    cr_assert(avformat_write_header(format, NULL) >= 0);
    for (int i = 0; i < 2 * AVI_FRAMES; i++) {
        memset(pixels, i / 2, sizeof pixels);
        packet->data = pixels, packet->size = AVI_BYTES;
        packet->stream_index = i % 2;
        packet->pts = packet->dts = i / 2;
        packet->flags = AV_PKT_FLAG_KEY;
        cr_assert(av_write_frame(format, packet) >= 0);
    }
    cr_assert(av_write_trailer(format) >= 0);
    packet->data = NULL;
    av_packet_free(&packet);
    avio_closep(&format->pb);
    avformat_free_context(format);
}
