/* The index of pictures, on packets made one by one. What FFmpeg's libraries would read of a file,
 * these functions give instead. */
#include "check.h"
#include "video/av/file.h"

#include <string.h>

enum { MOST = 200, NOT_SENT = AVERROR_EOF };

/* A packet. Its decoding time is its number, unless `late` says otherwise. */
struct sent {
    int64_t pts;
    int flags;
    int late;         /* subtracted from the decoding time */
    int stream;       /* 0: the video's */
    int number;       /* number that the stream itself gives the picture */
    size_t size;      /* bytes; 0: eight, without a NAL unit */
    uint8_t bytes[8]; /* the packet */
};

static struct sent sent[MOST];
static int count, at, end;        /* packets, packets read, and what is read behind them */
static const char *complaint;     /* what the container says at the end; NULL: nothing */
static enum AVCodecID in_second;  /* codec of the container opened for the index; 0: the same */
static bool empty_second;         /* it has no stream */
static AVCodecParserContext *own; /* what av_stream_get_parser returns */
static struct video_file file;
static struct picture_index *const pictures = &file.index;

/* ---- What stands for FFmpeg's libraries and container.c -------------------------------------- */

int __wrap_av_read_frame(AVFormatContext *format, AVPacket *packet);
int __wrap_av_read_frame(AVFormatContext *format, AVPacket *packet)
{
    (void)format;
    cr_expect_null(packet->data, "packet %d is still held: a whole film would fill the memory", at);
    if (at == count && complaint) damage_note(&pictures->damage, 0, complaint);
    if (at == count) return end;
    struct sent *const from = &sent[at];
    packet->pts = from->pts;
    packet->dts = at - from->late;
    packet->pos = 1000 + at;
    packet->flags = from->flags;
    packet->stream_index = from->stream;
    packet->data = from->bytes;
    packet->size = (int)from->size;
    at++;
    return 0;
}

int __wrap_av_parser_parse2(AVCodecParserContext *parser, AVCodecContext *decoder, uint8_t **whole,
                            int *size, const uint8_t *data, int bytes, int64_t pts, int64_t dts,
                            int64_t pos);
int __wrap_av_parser_parse2(AVCodecParserContext *parser, AVCodecContext *decoder, uint8_t **whole,
                            int *size, const uint8_t *data, int bytes, int64_t pts, int64_t dts,
                            int64_t pos)
{
    (void)decoder, (void)whole, (void)size, (void)data, (void)bytes, (void)pts, (void)dts;
    parser->output_picture_number = sent[pos - 1000].number;
    return 0;
}

struct AVCodecParserContext *__wrap_av_stream_get_parser(const AVStream *stream);
struct AVCodecParserContext *__wrap_av_stream_get_parser(const AVStream *stream)
{
    (void)stream;
    return own;
}

static AVFormatContext *make_container(enum AVCodecID codec)
{
    AVFormatContext *const format = avformat_alloc_context();
    cr_assert(format && avformat_new_stream(format, NULL));
    format->streams[0]->codecpar->codec_id = codec;
    format->iformat = av_find_input_format("mp4");
    return format;
}

int container_open(struct video_file *of, const char *path, bool for_index, struct damage *damage,
                   AVFormatContext **format)
{
    (void)path, (void)for_index, (void)damage;
    *format = empty_second ? avformat_alloc_context()
                           : make_container(in_second ? in_second : of->stream->codecpar->codec_id);
    return 0;
}

void container_choose_stream(AVFormatContext *format, int stream) { (void)format, (void)stream; }

void container_close(AVFormatContext **format) { avformat_free_context(*format); }

/* ---- Files ----------------------------------------------------------------------------------- */

/* Makes a file of `packets` packets whose times grow by one. */
static void start(enum AVCodecID codec, int packets)
{
    file.format = make_container(codec);
    file.stream = file.format->streams[0];
    file.decoder = avcodec_alloc_context3(NULL);
    memset(sent, 0, sizeof sent);
    at = 0, count = packets, end = AVERROR_EOF;
    complaint = NULL, own = NULL, in_second = AV_CODEC_ID_NONE, empty_second = false;
    for (int i = 0; i < packets; i++) {
        sent[i].pts = sent[i].number = i;
        sent[i].size = sizeof sent[i].bytes;
        /* a NAL unit of H.264 or HEVC: a picture that others may be predicted from */
        memcpy(sent[i].bytes, (uint8_t[]){0, 0, 1, codec == AV_CODEC_ID_H264 ? 1 : 1 << 1}, 4);
    }
}

/* Whether there is an index with the picture; ends the file. */
static bool reaches(uint64_t picture)
{
    const bool found = index_reach(pictures, &file, "", picture);
    index_close(pictures);
    avcodec_free_context(&file.decoder);
    avformat_free_context(file.format);
    file = (struct video_file){.fd = -1};
    return found;
}

Test(video_index, pictures_are_ordered_by_their_times)
{
    static const uint32_t order[] = {0, 2, 3, 1, 4};
    start(AV_CODEC_ID_MPEG2VIDEO, 5);
    sent[1].pts = 3, sent[2].pts = 1, sent[3].pts = 2;
    sent[0].flags = sent[4].flags = AV_PKT_FLAG_KEY;
    file.decoder->has_b_frames = 1;
    cr_assert(index_reach(pictures, &file, "", 4));
    for (uint64_t i = 0; i < 5; i++) {
        cr_expect_eq(pictures->entry[i].packet, order[i]);
        cr_expect_eq(pictures->entry[i].pts, (int64_t)i);
        cr_expect_eq(pictures->entry[i].position, 1000 + order[i]);
        cr_expect_eq(pictures->entry[i].key, i % 4 == 0);
    }
    cr_expect_not(index_reach(pictures, &file, "", 5), "there are five");
    cr_expect(pictures->ended && !pictures->broken);
    cr_expect(reaches(4));
}

Test(video_index, reads_no_further_than_it_must)
{
    start(AV_CODEC_ID_MPEG2VIDEO, MOST);
    cr_assert(index_reach(pictures, &file, "", 0));
    cr_expect_eq(at, 65);
    cr_expect(index_reach(pictures, &file, "", 10));
    cr_expect_eq(at, 75);
    cr_expect(reaches(MOST - 1));
}

/* Each of these packets, as the third of four, leaves the file without an index. */
Test(video_index, a_packet_that_is_not_one_picture_breaks_it)
{
    static const struct sent bad[] = {{.pts = 2, .flags = AV_PKT_FLAG_CORRUPT},
                                      {.pts = AV_NOPTS_VALUE},
                                      {.pts = 1},
                                      {.pts = 0},
                                      {.pts = 2, .late = 1},
                                      {.pts = 2, .late = 2}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        start(AV_CODEC_ID_MPEG2VIDEO, 4);
        sent[2] = bad[i];
        cr_expect_not(reaches(1), "%zu", i);
    }
    for (int structure = 0; structure < 4; structure++) {
        AVCodecParserContext parser = {.picture_structure = structure};
        start(AV_CODEC_ID_MPEG2VIDEO, 4);
        own = &parser;
        cr_expect_eq(reaches(1), structure == AV_PICTURE_STRUCTURE_UNKNOWN ||
                                     structure == AV_PICTURE_STRUCTURE_FRAME);
    }
}

Test(video_index, packets_of_others_and_discarded_ones_are_no_pictures)
{
    start(AV_CODEC_ID_MPEG2VIDEO, 4);
    sent[1].stream = 1, sent[1].flags = AV_PKT_FLAG_CORRUPT;
    sent[2].flags = AV_PKT_FLAG_DISCARD;
    cr_assert(index_reach(pictures, &file, "", 1));
    cr_expect_eq(pictures->count, 2);
    cr_expect_eq(pictures->entry[1].pts, 3);
    cr_expect_eq(pictures->entry[1].packet, 2, "the discarded one is sent to the decoder");
    cr_expect(reaches(1));
}

/* A time may be later than those of as many packets as the decoder reorders, and no more. */
Test(video_index, times_can_be_trusted_only_as_far_as_decoders_reorder)
{
    for (int reordered = 0; reordered < 4; reordered++) {
        start(AV_CODEC_ID_MPEG2VIDEO, 8);
        for (int i = 0; i < 3; i++) sent[i].pts = 10 + i;
        for (int i = 3; i < 8; i++) sent[i].pts = 10 + i;
        sent[3].pts = 1;
        file.decoder->has_b_frames = reordered;
        cr_expect_eq(reaches(7), reordered >= 3, "%d", reordered);
    }
    for (int late = 16; late < 20; late++) {
        start(AV_CODEC_ID_MPEG2VIDEO, late + 1);
        sent[0].pts = 100;
        file.decoder->has_b_frames = 2;
        cr_expect_eq(reaches(0), late <= 17, "%d", late);
    }
}

Test(video_index, the_streams_own_numbers_must_agree)
{
    for (int idr = 0; idr < 2; idr++) { /* numbers begin anew at an IDR picture alone */
        start(AV_CODEC_ID_H264, 4);
        sent[2].number = 0, sent[3].number = 1;
        if (idr) sent[2].bytes[3] = 5;
        cr_expect_eq(reaches(3), idr);
    }
    for (int numbers = 0; numbers < 2; numbers++) { /* the third is shown before the second */
        start(AV_CODEC_ID_H264, 4);
        sent[1].pts = 2, sent[2].pts = 1;
        if (numbers) sent[1].number = 2, sent[2].number = 1;
        file.decoder->has_b_frames = 2;
        cr_expect_eq(reaches(3), numbers);
    }
}

static bool is_picture_of(bool h264, int type)
{
    return h264 ? type >= 1 && type <= 5 : type <= 9 || (type >= 19 && type <= 21);
}

Test(video_index, every_type_of_nal_unit)
{
    for (int h264 = 0; h264 < 2; h264++)
        for (int type = 0; type < (h264 ? 32 : 64); type++) {
            start(h264 ? AV_CODEC_ID_H264 : AV_CODEC_ID_HEVC, 4);
            sent[1].bytes[3] = (uint8_t)(h264 ? type : type << 1);
            sent[1].flags = AV_PKT_FLAG_KEY;
            const bool good = is_picture_of(h264, type),
                       found = index_reach(pictures, &file, "", 3);
            cr_expect_eq(found, good, "H.264 %d, type %d", h264, type);
            if (found) cr_expect_eq(pictures->entry[1].key, !h264 || type == 5, "%d", type);
            (void)reaches(0);
        }
}

/* VP9 has frames that are never shown, in packets of their own or with the next one. */
Test(video_index, packets_of_vp9_that_show_nothing_break_it)
{
    static const struct {
        uint8_t bytes[2], size;
        bool shown;
    } cases[] = {{{0x80, 0}, 0, false},   {{0x82, 0}, 2, true},     {{0x80, 0}, 2, false},
                 {{0x81, 0}, 2, false},   {{0x84, 0}, 2, false},    {{0x88, 0}, 2, true},
                 {{0x80, 0xC1}, 2, true}, {{0x80, 0xE0}, 2, false}, {{0xB0, 0}, 2, false},
                 {{0xB1, 0}, 2, true},    {{0xB4, 0}, 2, true},     {{0xBA, 0}, 2, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(AV_CODEC_ID_VP9, 2);
        sent[0].bytes[0] = 0x82;
        memcpy(sent[1].bytes, cases[i].bytes, 2);
        sent[1].size = cases[i].size;
        cr_expect_eq(reaches(1), cases[i].shown, "%zu", i);
    }
}

Test(video_index, files_that_are_damaged_or_unknown_have_none)
{
    start(AV_CODEC_ID_MPEG2VIDEO, 4);
    end = AVERROR(EIO);
    cr_expect_not(reaches(1), "a read fails");
    start(AV_CODEC_ID_MPEG2VIDEO, 4);
    file.cut = true;
    cr_expect_not(reaches(1), "the file is cut");
    start(AV_CODEC_ID_MPEG2VIDEO, 4);
    complaint = "damaged";
    cr_expect_not(reaches(1), "the container complains");
    start(AV_CODEC_ID_MPEG2VIDEO, 4);
    in_second = AV_CODEC_ID_H264;
    cr_expect_not(reaches(1), "the file has changed");
    start(AV_CODEC_ID_MPEG2VIDEO, 4);
    empty_second = true;
    cr_expect_not(reaches(1), "its stream is gone");
    start(AV_CODEC_ID_MPEG2VIDEO, 4);
    file.format->iformat = av_find_input_format("mpeg");
    cr_expect_not(reaches(1), "a program stream");
    for (int intra = 0; intra < 2; intra++) {
        start(intra ? AV_CODEC_ID_PRORES : AV_CODEC_ID_MPEG4, 4);
        cr_expect_eq(reaches(1), intra);
    }
}
