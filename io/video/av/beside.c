/* NAL units, the pieces of H.264 and HEVC, and what packets hold beside the picture. */
#include "video/av/file.h"

#include <libavutil/intreadwrite.h>

size_t nal_length_bytes(const AVCodecParameters *codec)
{
    const size_t at = codec->codec_id == AV_CODEC_ID_H264 ? 4 : 21;
    const uint8_t *head = codec->extradata;
    if (!head || (size_t)codec->extradata_size <= at || head[0] != 1) return 0;
    return (head[at] & 3u) + 1;
}

const uint8_t *nal_next(const AVPacket *packet, size_t length_bytes, size_t *at)
{
    const uint8_t *const data = packet->data;
    const size_t size = (size_t)packet->size;
    if (length_bytes == 0) {
        for (; *at + 3 < size; ++*at)
            if (data[*at] == 0 && data[*at + 1] == 0 && data[*at + 2] == 1) {
                *at += 3;
                return data + *at;
            }
        return NULL;
    }
    if (*at >= size || size - *at <= length_bytes) return NULL;
    size_t length = 0;
    for (size_t i = 0; i < length_bytes; i++) length = length << 8 | data[*at + i];
    const uint8_t *const nal = data + *at + length_bytes;
    const size_t left = size - *at - length_bytes;
    *at = length < left ? *at + length_bytes + length : size;
    return nal;
}

static bool has_layer(const AVStream *stream, const AVPacket *packet)
{
    const size_t length_bytes = nal_length_bytes(stream->codecpar);
    const uint8_t *nal;
    for (size_t at = 0; (nal = nal_next(packet, length_bytes, &at));)
        if ((nal[0] >> 1 & 63) < 32 && ((nal[0] & 1) || nal[1] >> 3)) return true;
    return false;
}

/* Matroska's first additional block is the codec's own: a second picture of VP8 or VP9. */
static bool has_alpha(const AVPacket *packet)
{
    size_t size;
    const uint8_t *block =
        av_packet_get_side_data(packet, AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, &size);
    return block && size > 8 && AV_RB64(block) == 1;
}

const char *beside_picture(const AVStream *stream, const AVPacket *packet)
{
    const enum AVCodecID id = stream->codecpar->codec_id;
    if (id == AV_CODEC_ID_VP8 && has_alpha(packet))
        return "has alpha that is not decoded; ffmpeg -c:v libvpx -i FILE -c:v ffv1 OUT.mkv would "
               "put it into the pictures";
    if (id == AV_CODEC_ID_VP9 && has_alpha(packet))
        return "has alpha that is not decoded; ffmpeg -c:v libvpx-vp9 -i FILE -c:v ffv1 OUT.mkv "
               "would put it into the pictures";
    if (id == AV_CODEC_ID_HEVC && has_layer(stream, packet))
        return "has a second layer (alpha or another view) that is not decoded; ffmpeg -i FILE "
               "-c:v ffv1 OUT.mkv would keep the first alone";
    return NULL;
}
