/* NAL units, the building blocks of H.264 and HEVC, and data in packets besides the picture. */
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

/* Matroska's additional block 1 belongs to the codec: it is a second picture of VP8 or VP9. */
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
        return "has alpha that is not decoded; ffmpeg -c:v libvpx -i FILE -c:v ffv1 OUT.mkv puts "
               "it into the pictures";
    if (id == AV_CODEC_ID_VP9 && has_alpha(packet))
        return "has alpha that is not decoded; ffmpeg -c:v libvpx-vp9 -i FILE -c:v ffv1 OUT.mkv "
               "puts it into the pictures";
    if (id == AV_CODEC_ID_HEVC && has_layer(stream, packet))
        return "has a second layer (alpha or another view) that is not decoded; ffmpeg -i FILE "
               "-c:v ffv1 OUT.mkv keeps only the first layer";
    return NULL;
}

/* ---- Fields ----------------------------------------------------------------------------------
 *
 * H.264 pictures in two packets, one per field. Both get the number of the first packet, so that
 * damage in either is damage of the picture. */

bool fields_open_parser(const AVCodecParameters *codec, AVCodecParserContext **parser,
                        AVCodecContext **parsed)
{
    *parser = av_parser_init(codec->codec_id);
    *parsed = avcodec_alloc_context3(NULL);
    if (!*parser || !*parsed) return false;
    (*parser)->flags |= PARSER_FLAG_COMPLETE_FRAMES;
    return avcodec_parameters_to_context(*parsed, codec) >= 0;
}

int64_t fields_number(struct video_file *file, const AVPacket *packet)
{
    struct fields *const fields = &file->fields;
    const int64_t number = file->damage.packet;
    uint8_t *whole;
    int size;
    if (file->stream->codecpar->codec_id != AV_CODEC_ID_H264) return number;
    if (!fields->parsed &&
        !fields_open_parser(file->stream->codecpar, &fields->parser, &fields->parsed))
        return number;
    (void)av_parser_parse2(fields->parser, fields->parsed, &whole, &size, packet->data,
                           packet->size, packet->pts, packet->dts, packet->pos);
    const enum AVPictureStructure current = fields->parser->picture_structure,
                                  other = current == AV_PICTURE_STRUCTURE_TOP_FIELD
                                              ? AV_PICTURE_STRUCTURE_BOTTOM_FIELD
                                              : AV_PICTURE_STRUCTURE_TOP_FIELD;
    const bool is_field = current == AV_PICTURE_STRUCTURE_TOP_FIELD ||
                          current == AV_PICTURE_STRUCTURE_BOTTOM_FIELD,
               second = is_field && fields->open == other;
    fields->open = is_field && !second ? current : AV_PICTURE_STRUCTURE_UNKNOWN;
    if (!second) fields->first = number;
    return fields->first;
}

void fields_forget(struct video_file *file)
{
    av_parser_close(file->fields.parser);
    avcodec_free_context(&file->fields.parsed);
    file->fields = (struct fields){.parser = NULL};
}
