/* The number of a packet comes out of FFmpeg's own decoders with its picture and their messages. */
#include "check.h"
#include "video/av/damage.h"

enum { PACKETS = 40, FIRST = 1000, THREADS = 4 };

static AVPacket *packet[PACKETS];
static int64_t pts[PACKETS]; /* times of the packets */
static AVCodecParameters *parameters;
static struct damage damage;

static AVFrame *make_frame(enum AVPixelFormat pixels, int64_t time)
{
    AVFrame *const frame = av_frame_alloc();
    frame->format = pixels, frame->width = 64, frame->height = 48, frame->pts = time;
    cr_assert_eq(av_frame_get_buffer(frame, 0), 0);
    for (int y = 0; y < 48; y++)
        for (int x = 0; x < 64; x++)
            frame->data[0][y * frame->linesize[0] + x] = (uint8_t)(x * y + 7 * time);
    for (int p = 1; p < 3 && frame->data[p]; p++)
        memset(frame->data[p], 99, (size_t)(24 * frame->linesize[p]));
    return frame;
}

/* Makes the packets. B frames are decoded after later frames. */
static void encode(enum AVCodecID codec, enum AVPixelFormat pixels, int b_frames)
{
    AVCodecContext *encoder = avcodec_alloc_context3(avcodec_find_encoder(codec));
    encoder->width = 64, encoder->height = 48, encoder->pix_fmt = pixels;
    encoder->time_base = (AVRational){1, 25};
    encoder->max_b_frames = b_frames;
    cr_assert_eq(avcodec_open2(encoder, NULL, NULL), 0);
    parameters = avcodec_parameters_alloc();
    cr_assert(avcodec_parameters_from_context(parameters, encoder) >= 0);
    for (int sent = 0, count = 0; count < PACKETS;) {
        AVFrame *frame = sent < PACKETS ? make_frame(pixels, sent) : NULL;
        cr_assert_eq(avcodec_send_frame(encoder, frame), 0);
        av_frame_free(&frame);
        sent++;
        do {
            packet[count] = packet[count] ? packet[count] : av_packet_alloc();
            if (avcodec_receive_packet(encoder, packet[count]) < 0) break;
            pts[count] = packet[count]->pts;
        } while (++count < PACKETS);
    }
    avcodec_free_context(&encoder);
}

/* Decodes the packets on frame threads, and expects the number of every picture. Damaged packets
 * may have none. */
static int decode(void)
{
    AVCodecContext *decoder = avcodec_alloc_context3(avcodec_find_decoder(parameters->codec_id));
    AVFrame *frame = av_frame_alloc();
    int sent = 0, out = 0, error;
    damage_start(&damage);
    damage_listen();
    numbers_start(decoder, &damage);
    cr_assert(avcodec_parameters_to_context(decoder, parameters) >= 0);
    decoder->thread_count = THREADS, decoder->thread_type = FF_THREAD_FRAME;
    decoder->err_recognition = AV_EF_CRCCHECK;
    cr_assert_eq(avcodec_open2(decoder, NULL, NULL), 0);
    cr_expect_eq(decoder->active_thread_type, FF_THREAD_FRAME);
    while ((error = avcodec_receive_frame(decoder, frame)) != AVERROR_EOF) {
        if (error == AVERROR(EAGAIN) && sent < PACKETS) {
            number_packet(decoder, &damage, packet[sent], FIRST + sent);
            damage_next_packet(&damage, packet[sent]->pts);
            (void)avcodec_send_packet(decoder, packet[sent++]); /* or an earlier packet's error */
        } else if (error == AVERROR(EAGAIN)) {
            cr_assert_eq(avcodec_send_packet(decoder, NULL), 0);
        } else if (error == 0) {
            const int64_t number = number_of_picture(frame);
            cr_assert(number >= FIRST && number < FIRST + PACKETS);
            cr_expect_eq(frame->pts, pts[number - FIRST], "%d", out);
            out++;
        }
    }
    av_frame_free(&frame);
    avcodec_free_context(&decoder);
    avcodec_parameters_free(&parameters);
    for (int i = 0; i < PACKETS; i++) av_packet_free(&packet[i]);
    return out;
}

Test(video_numbers, pictures_that_are_delayed_have_their_own)
{
    encode(AV_CODEC_ID_MPEG4, AV_PIX_FMT_YUV420P, 2);
    cr_expect(pts[1] > pts[2] && pts[20] != 20);
    cr_expect_eq(decode(), PACKETS);
    cr_expect_eq(damage.count, 0);
    damage_end(&damage);
}

/* PNG reports wrong checksums in messages, from threads that work ahead. */
Test(video_numbers, messages_of_threads_have_their_own)
{
    static const int broken[] = {0, PACKETS / 2, PACKETS - 1};
    char said[DAMAGE_TEXT];
    encode(AV_CODEC_ID_PNG, AV_PIX_FMT_GRAY8, 0);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(av_packet_make_writable(packet[broken[i]]), 0);
        packet[broken[i]]->data[packet[broken[i]]->size / 2] ^= 0x55;
    }
    cr_expect(decode() >= PACKETS - 3);
    cr_expect_eq(damage.count, 3);
    for (int i = 0; i < 3; i++)
        cr_expect(damage_take(&damage, FIRST + broken[i], said), "%d", broken[i]);
    damage_end(&damage);
}
