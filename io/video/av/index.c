#include "video/av/index.h"

#include "video/av/file.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_LATE = 17, /* maximum number of later packets whose pictures come out earlier */
    AHEAD = 64      /* packets read beyond the wanted picture */
};

/* ---- What packets are ------------------------------------------------------------------------ */

/* Returns whether each packet of the codec is one picture, and its key frames are as index.h
 * requires. VP8 and VP9 have packets without a picture; MPEG-4 has packets of two. */
static bool is_regular(enum AVCodecID id)
{
    const AVCodecDescriptor *codec = avcodec_descriptor_get(id);
    switch (id) {
    case AV_CODEC_ID_H264:
    case AV_CODEC_ID_HEVC:
    case AV_CODEC_ID_AV1:
    case AV_CODEC_ID_VP9:
    case AV_CODEC_ID_MPEG2VIDEO:
    case AV_CODEC_ID_FFV1: return true;
    default: return codec && codec->props & AV_CODEC_PROP_INTRA_ONLY;
    }
}

/* Examines a packet's NAL units. Clears *key for an H.264 key frame that is not an IDR picture,
 * because later pictures may need earlier ones. Sets *idr if the picture numbers restart here.
 *
 * Returns false if there is no picture, or if the decoder may silently drop this picture or the
 * next. For HEVC these are reserved types, BLA, and the end of a sequence or bitstream. */
static bool check_nals(const AVCodecParameters *codec, const AVPacket *packet, bool *key, bool *idr)
{
    const bool h264 = codec->codec_id == AV_CODEC_ID_H264;
    if (!h264 && codec->codec_id != AV_CODEC_ID_HEVC) return true;
    const size_t length_bytes = nal_length_bytes(codec);
    const uint8_t *nal;
    size_t at = 0;
    bool any = false;
    while ((nal = nal_next(packet, length_bytes, &at))) {
        const int type = h264 ? nal[0] & 31 : nal[0] >> 1 & 63;
        if (h264 ? type == 5 : type == 19 || type == 20) *idr = true;
        if (!h264 &&
            ((type >= 10 && type <= 18) || (type >= 22 && type <= 31) || type == 36 || type == 37))
            return false;
        any = any || (h264 ? type >= 1 && type <= 5 : type <= 21);
    }
    *key = *key && (!h264 || *idr);
    return any;
}

/* Returns whether a VP9 packet has a picture: one frame that is shown, or several frames. */
static bool is_shown(const AVPacket *packet)
{
    if (packet->size == 0) return false;
    const uint8_t first = packet->data[0], last = packet->data[packet->size - 1];
    const uint8_t shown = (first >> 4 & 3) == 3 ? 4 | 1 : 8 | 2; /* an earlier frame, this frame */
    return (last & 0xe0) == 0xc0 || first & shown;
}

/* Returns whether the packet is a whole picture: not a field, and not a frame that is never
 * shown. */
static bool is_picture(const AVStream *stream, const AVPacket *packet)
{
    if (stream->codecpar->codec_id == AV_CODEC_ID_VP9 && !is_shown(packet)) return false;
    const AVCodecParserContext *parser = av_stream_get_parser(stream);
    return !parser || (parser->picture_structure != AV_PICTURE_STRUCTURE_TOP_FIELD &&
                       parser->picture_structure != AV_PICTURE_STRUCTURE_BOTTOM_FIELD);
}

/* Returns the picture's place in output order, by the numbers in the stream; 0 if the codec has no
 * such numbers. */
static int64_t order_of(struct picture_index *index, bool idr)
{
    const AVPacket *packet = index->packet;
    uint8_t *whole;
    int size;
    if (!index->parser) return 0;
    (void)av_parser_parse2(index->parser, index->parsed, &whole, &size, packet->data, packet->size,
                           packet->pts, packet->dts, packet->pos);
    if (idr) index->resets++;
    return index->resets * ((int64_t)1 << 33) + index->parser->output_picture_number;
}

/* ---- Entries --------------------------------------------------------------------------------- */

/* Inserts a picture by its time. Returns false if the time cannot be trusted. Another picture may
 * have the same time. The stream's picture numbers, which set the output order, may disagree. Or
 * more earlier packets may have later times than the decoder can reorder. */
static bool insert(struct picture_index *index, struct index_entry entry, uint64_t reordered)
{
    if (index->count == index->room) {
        const uint64_t room = index->room ? 2 * index->room : 1024;
        struct index_entry *more = realloc(index->entry, room * sizeof *more);
        if (!more) return false;
        index->entry = more;
        index->room = room;
    }
    uint64_t at = index->count;
    while (at > 0 && index->entry[at - 1].pts > entry.pts) at--;
    if (index->count - at > reordered || (at > 0 && index->entry[at - 1].pts == entry.pts))
        return false;
    if ((at > 0 && index->entry[at - 1].order > entry.order) ||
        (at < index->count && index->entry[at].order < entry.order))
        return false;
    memmove(index->entry + at + 1, index->entry + at, (index->count - at) * sizeof *index->entry);
    index->entry[at] = entry;
    const uint32_t last = index->entry[index->count++].packet;
    return index->packets - last <= MOST_LATE + 1; /* otherwise its time belongs to a later
                                                      picture */
}

static bool add(struct picture_index *index, const struct video_file *file)
{
    const AVPacket *packet = index->packet;
    if (packet->stream_index != file->stream->index) return true;
    const AVStream *stream = index->format->streams[packet->stream_index];
    const uint32_t number = index->packets++;
    const int64_t earlier = index->dts;
    bool key = packet->flags & AV_PKT_FLAG_KEY, idr = false;
    index->dts = packet->dts;
    /* MXF with a damaged index table gives packets the times of others */
    if (number > 0 && packet->dts != AV_NOPTS_VALUE && packet->dts <= earlier) return false;
    if (packet->flags & AV_PKT_FLAG_CORRUPT || number == UINT32_MAX ||
        !is_picture(stream, packet) || !check_nals(stream->codecpar, packet, &key, &idr))
        return false;
    const int64_t order = order_of(index, idr);
    if (packet->flags & AV_PKT_FLAG_DISCARD) return true; /* decoded but not output */
    return packet->pts != AV_NOPTS_VALUE &&
           insert(index, (struct index_entry){packet->pts, packet->pos, number, order, key},
                  (uint64_t)file->decoder->has_b_frames);
}

static bool open_index(struct picture_index *index, struct video_file *file, const char *path)
{
    const int stream = file->stream->index;
    const enum AVCodecID id = file->stream->codecpar->codec_id;
    if (!is_regular(id) ||
        strcmp(file->format->iformat->name, "mpeg") == 0 || /* its times are not those of its
                                                               packets */
        file->timeless)
        return false;
    damage_start(&index->damage);
    index->opened = true;
    index->packet = av_packet_alloc();
    if (!index->packet || container_open(file, path, true, &index->damage, &index->format) < 0)
        return false;
    if (stream >= (int)index->format->nb_streams) return false;
    const AVCodecParameters *const codec = index->format->streams[stream]->codecpar;
    if (codec->codec_id != id) return false;
    container_choose_stream(index->format, stream);
    return (id != AV_CODEC_ID_H264 && id != AV_CODEC_ID_HEVC) ||
           fields_open_parser(codec, &index->parser, &index->parsed);
}

bool index_reach(struct picture_index *index, struct video_file *file, const char *path,
                 uint64_t picture)
{
    if (!index->broken && !index->opened) index->broken = !open_index(index, file, path);
    while (!index->broken && !index->ended && index->count < picture + 1 + AHEAD) {
        const int error = av_read_frame(index->format, index->packet);
        index->ended = error == AVERROR_EOF;
        index->broken = error < 0 ? !index->ended || file->cut : !add(index, file);
        if (index->damage.count > 0 || index->damage.broken >= 0) index->broken = true;
        av_packet_unref(index->packet);
    }
    return !index->broken && picture < index->count;
}

void index_close(struct picture_index *index)
{
    av_packet_free(&index->packet);
    av_parser_close(index->parser);
    avcodec_free_context(&index->parsed);
    container_close(&index->format);
    if (index->opened) damage_end(&index->damage);
    free(index->entry);
    *index = (struct picture_index){.broken = true};
}
