/* Which pictures may be predicted from a damaged one, on packets and pictures made one by one. */
#include "check.h"
#include "video/av/file.h"

#include <string.h>

static struct video_file file = {.lock = PTHREAD_MUTEX_INITIALIZER};
static int looks; /* how often memory was looked at */

/* ---- What stands for the module's other parts ------------------------------------------------ */

bool picture_is_key(const struct video_file *of, const AVFrame *frame)
{
    cr_expect(of == &file);
    return frame->pict_type == AV_PICTURE_TYPE_I;
}

/* A part is unwritten if the memory says so. */
bool unwritten_is(const AVCodecContext *decoder, const AVFrame *frame)
{
    cr_expect(decoder == file.decoder && frame->width == 30 && frame->height == 20);
    cr_expect(frame->format == AV_PIX_FMT_GRAY8 && frame->linesize[0] == 64);
    looks++;
    return frame->buf[0]->data[0];
}

static void start(void)
{
    file.format = avformat_alloc_context();
    file.stream = avformat_new_stream(file.format, NULL);
    file.decoder = avcodec_alloc_context3(NULL);
    file.decoder->width = 30, file.decoder->height = 20;
    damage_start(&file.damage);
}

static void end(void)
{
    torn_forget(&file);
    cr_expect(file.torn.count == 0 && !file.torn.any);
    avcodec_free_context(&file.decoder);
    avformat_free_context(file.format);
    damage_end(&file.damage);
}

TestSuite(video_torn, .init = start, .fini = end);

static void set_codec(enum AVCodecID codec)
{
    file.stream->codecpar->codec_id = file.decoder->codec_id = codec;
}

/* Whether the picture of a packet may be predicted from a damaged one. A capital type: it is
 * damaged itself. */
static bool come_out(int64_t packet, char type)
{
    AVFrame frame = {.pict_type = strchr("iI", type)   ? AV_PICTURE_TYPE_I
                                  : strchr("bB", type) ? AV_PICTURE_TYPE_B
                                                       : AV_PICTURE_TYPE_P};
    char said[DAMAGE_TEXT];
    number_set_picture(&frame, packet);
    (void)damage_take(&file.damage, packet, said);
    return torn_is(&file, &frame, strchr("IPB", type) != NULL);
}

/* ---- Prediction ------------------------------------------------------------------------------ */

Test(video_torn, all_that_are_decoded_behind_it_up_to_a_key_frame)
{
    set_codec(AV_CODEC_ID_VP9);
    cr_expect(!come_out(0, 'i') && !come_out(1, 'p'));
    cr_expect_not(come_out(4, 'P'), "it is damaged itself");
    cr_expect_not(come_out(3, 'p'), "it was decoded earlier");
    cr_expect(come_out(2, 'P') == false && come_out(3, 'p'), "the earliest counts");
    cr_expect(come_out(5, 'p') && come_out(6, 'B'));
    cr_expect(!come_out(8, 'I') && !come_out(7, 'p') && come_out(9, 'p'));
    cr_expect(!come_out(10, 'i') && !come_out(11, 'p'));
}

/* Its picture comes out behind those that are predicted from it. */
Test(video_torn, one_that_has_not_come_out)
{
    set_codec(AV_CODEC_ID_H264);
    damage_note(&file.damage, 4, "slice");
    cr_expect(!come_out(0, 'i') && !come_out(3, 'p'));
    cr_expect(come_out(5, 'b') && come_out(6, 'b') && !come_out(4, 'P') && come_out(8, 'p'));
    cr_expect_not(come_out(9, 'i'));
}

Test(video_torn, no_picture_needs_b_frames_of_mpeg)
{
    static const enum AVCodecID codec[] = {AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO,
                                           AV_CODEC_ID_MPEG4, AV_CODEC_ID_VP9};
    for (int i = 0; i < 4; i++) {
        set_codec(codec[i]);
        cr_expect(!come_out(0, 'i') && !come_out(2, 'B'));
        cr_expect_eq(come_out(3, 'p'), i == 3, "%d", i);
        cr_expect_eq(come_out(4, 'P'), i == 3, "%d", i);
        cr_expect(come_out(5, 'b'));
    }
}

/* Sends a packet with this head, and tells whether the picture behind its own is torn with it. */
static bool tears(enum AVCodecID codec, const uint8_t head[8])
{
    set_codec(codec);
    file.damage.packet = 300;
    torn_send(&file, &(AVPacket){.data = (uint8_t *)(uintptr_t)head, .size = 8}, 300, false);
    cr_expect(!come_out(0, 'i') && !come_out(300, 'P'));
    return come_out(301, 'p');
}

Test(video_torn, heads_say_what_no_picture_needs)
{
    const enum AVCodecID h264 = AV_CODEC_ID_H264, hevc = AV_CODEC_ID_HEVC;
    cr_expect_not(tears(h264, (const uint8_t[8]){0, 0, 1, 0x01}));
    cr_expect(tears(h264, (const uint8_t[8]){0, 0, 1, 0x21}));
    cr_expect(tears(h264, (const uint8_t[8]){0, 0, 1, 0x09, 0, 0, 1, 0x65}));
    cr_expect_not(tears(h264, (const uint8_t[8]){0, 0, 1, 0x09, 0, 0, 1, 0x05}));
    cr_expect(tears(h264, (const uint8_t[8]){0, 0, 1, 0x09}), "it has lost its slices");
    cr_expect(tears(AV_CODEC_ID_VP9, (const uint8_t[8]){0, 0, 1, 0x01}));
    cr_expect_not(tears(hevc, (const uint8_t[8]){0, 0, 1, 8 << 1, 1}));
    cr_expect(tears(hevc, (const uint8_t[8]){0, 0, 1, 9 << 1, 1}));
    cr_expect(tears(hevc, (const uint8_t[8]){0, 0, 1, 20 << 1, 1}));
    cr_expect_not(tears(hevc, (const uint8_t[8]){35 << 1, 0, 0, 1, 0, 1}));
    cr_expect(tears(hevc, (const uint8_t[8]){0, 0, 1, 1 << 1, 2}));
    cr_expect(tears(hevc, (const uint8_t[8]){0, 0, 1, 0, 1}), "a higher layer may need it");
}

/* ---- Memory of pictures ---------------------------------------------------------------------- */

/* The decoder takes memory for the picture of a packet. */
static AVBufferRef *take_memory(int64_t packet, bool unwritten)
{
    AVFrame frame = {.format = AV_PIX_FMT_GRAY8, .width = 32, .height = 32, .linesize = {64}};
    frame.buf[0] = av_buffer_allocz(64);
    frame.buf[0]->data[0] = unwritten;
    number_packet(file.decoder, &file.damage, &(AVPacket){.size = 0}, packet);
    cr_assert_eq(torn_watch(&file, file.decoder, &frame), 0);
    return frame.buf[0];
}

Test(video_torn, a_part_is_unwritten_of_one_that_has_not_come_out)
{
    AVBufferRef *memory[3];
    set_codec(AV_CODEC_ID_HEVC);
    for (int i = 0; i < 3; i++) memory[i] = take_memory(i + 1, i == 1);
    cr_expect(!come_out(1, 'p') && looks == 0);
    cr_expect(come_out(3, 'p') && come_out(4, 'p') && looks == 2);
    memory[1]->data[0] = 0;
    cr_expect(!come_out(5, 'p') && !come_out(6, 'p') && looks == 3, "once, if all is written");
    cr_expect_not(come_out(2, 'p'));
    cr_expect_eq(file.torn.count, 0);
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(av_buffer_get_ref_count(memory[i]), 1);
        av_buffer_unref(&memory[i]);
    }
}

Test(video_torn, what_never_comes_out_is_forgotten)
{
    AVBufferRef *memory[TORN_MOST + 1];
    set_codec(AV_CODEC_ID_HEVC);
    for (int i = 0; i <= TORN_MOST; i++) memory[i] = take_memory(i, false);
    cr_expect_eq(file.torn.count, TORN_MOST);
    come_out(DAMAGE_LATE + 50, 'i');
    cr_expect_eq(file.torn.count, TORN_MOST - 50 + 1);
    torn_forget(&file);
    for (int i = 0; i <= TORN_MOST; i++) {
        cr_expect_eq(av_buffer_get_ref_count(memory[i]), 1);
        av_buffer_unref(&memory[i]);
    }
}

Test(video_torn, only_hevc_is_watched_and_lost_memory_is_an_error)
{
    AVBufferRef *memory = (set_codec(AV_CODEC_ID_H264), take_memory(1, true));
    cr_expect_eq(file.torn.count, 0);
    set_codec(AV_CODEC_ID_HEVC);
    av_max_alloc(1);
    const AVFrame frame = {.buf = {memory}};
    cr_expect_eq(torn_watch(&file, file.decoder, &frame), AVERROR(ENOMEM));
    av_max_alloc(INT32_MAX);
    cr_expect_eq(file.torn.count, 0);
    av_buffer_unref(&memory);
}
