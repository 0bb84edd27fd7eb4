/* The list of what decoders have said: which picture a message is about, and which picture is lost.
 */
#include "check.h"
#include "video/av/damage.h"

#include <libavformat/avformat.h>
#include <stdio.h>

static struct damage damage;
static char said[DAMAGE_TEXT];

static void start(void) { damage_start(&damage); }
static void end(void) { damage_end(&damage); }

TestSuite(video_complaints, .init = start, .fini = end);

/* Sends packets with these times. */
static void send(const int64_t *pts, int count)
{
    for (int i = 0; i < count; i++) damage_next_packet(&damage, pts[i]);
}

Test(video_complaints, a_message_is_about_its_packet_alone)
{
    damage_note(&damage, 3, "first");
    damage_note(&damage, 3, "second");
    damage_note(&damage, 4, "other");
    cr_assert(!damage_take(&damage, 2, said) && !damage_take(&damage, 5, said));
    cr_assert(damage_take(&damage, 3, said));
    cr_assert_str_eq(said, "first");
    cr_assert(!damage_take(&damage, 3, said), "the second message is still there");
    cr_assert(damage_is_before(&damage, 5) && !damage_is_before(&damage, 4));
    cr_assert(damage_take(&damage, 4, said));
    cr_assert_eq(damage.count, 0);
}

Test(video_complaints, a_picture_is_lost_when_a_later_one_comes_out)
{
    send((const int64_t[]){0, 300, 100, 200}, 4);
    damage_note(&damage, 1, "late");
    damage_note(&damage, 2, "lost");
    cr_assert(!damage_take_lost(&damage, 0, 0, said));
    cr_assert(!damage_take_lost(&damage, 2, 100, said), "its own message is not about another");
    cr_assert(damage_take_lost(&damage, 3, 200, said));
    cr_assert_str_eq(said, "lost");
    cr_assert(damage_take(&damage, 1, said), "the picture at 300 may still come");
}

Test(video_complaints, without_times_it_takes_longer_to_know)
{
    for (int i = 0; i < DAMAGE_LATE + 3; i++) damage_next_packet(&damage, AV_NOPTS_VALUE);
    damage_note(&damage, 1, "lost");
    cr_assert(!damage_take_lost(&damage, DAMAGE_LATE + 1, AV_NOPTS_VALUE, said));
    cr_assert(!damage_take_lost(&damage, DAMAGE_LATE + 1, 5, said));
    cr_assert(damage_take_lost(&damage, DAMAGE_LATE + 2, AV_NOPTS_VALUE, said));
}

Test(video_complaints, times_of_packets_not_yet_read_and_long_gone_are_unknown)
{
    for (int i = 0; i < DAMAGE_TIMES + 10; i++) damage_next_packet(&damage, i);
    damage_note(&damage, DAMAGE_TIMES + 10, "to be read");
    cr_assert(!damage_take_lost(&damage, DAMAGE_TIMES + 9, DAMAGE_TIMES + 9, said));
    cr_assert(damage_take_all(&damage, said));
    damage_note(&damage, DAMAGE_TIMES + 9, "own");
    cr_assert(!damage_take_lost(&damage, DAMAGE_TIMES + 9, DAMAGE_TIMES + 9, said));
    cr_assert(damage_take_lost(&damage, DAMAGE_TIMES + 9, DAMAGE_TIMES + 10, said));
    damage_note(&damage, 5, "written over by a later packet");
    cr_assert(!damage_take_lost(&damage, DAMAGE_LATE, INT64_MAX - 1, said));
}

Test(video_complaints, a_full_list_does_not_forget)
{
    char text[16];
    for (int i = 0; i < DAMAGE_MOST; i++) { /* one message a packet, however much threads say */
        cr_assert(!damage_take_lost(&damage, 0, AV_NOPTS_VALUE, said), "not full with %d", i);
        snprintf(text, sizeof text, "%d", i);
        damage_note(&damage, 1000 + i, text);
        damage_note(&damage, 1000 + i, "more of it");
    }
    damage_note(&damage, 5000, "one too many");
    cr_assert(damage_take_lost(&damage, 0, AV_NOPTS_VALUE, said), "the lost message is forgotten");
    cr_assert_str_eq(said, "0");
}

Test(video_complaints, nothing_is_left_after_forgetting)
{
    damage_note(&damage, 1, "gone");
    damage_forget(&damage);
    cr_assert(!damage_take_all(&damage, said));
    damage_note(&damage, 2, "kept");
    cr_assert(damage_take_all(&damage, said));
    cr_assert_str_eq(said, "kept");
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* What FFmpeg says of concealment and lost pictures is no error to it. It goes no further than the
 * decoder's own thread, so it is not what the user reads. */
Test(video_complaints, messages_of_a_decoder)
{
    static const struct {
        const char *text;
        int level;
        bool complained, gap, noted;
    } cases[] = {
        {"concealing %d DC, 7 AC, 7 MV errors in P frame\n", AV_LOG_INFO, true, false, true},
        {"Frame num gap %d 5\n", AV_LOG_DEBUG, false, true, false},
        {"Increasing reorder buffer to %d\n", AV_LOG_WARNING, false, false, false},
        {"not concealing %d\n", AV_LOG_INFO, false, false, false},
        {"Packet corrupt (stream = %d, dts = 9)", AV_LOG_WARNING, false, false, false},
        {"decode_slice_header error\n", AV_LOG_ERROR, true, false, true}};
    AVCodecContext *decoder = avcodec_alloc_context3(NULL);
    numbers_start(decoder, &damage);
    number_packet(decoder, &damage, &(AVPacket){.size = 0}, 7);
    damage_listen();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        damage_forget(&damage);
        cr_expect(!damage.complained && damage.gap == -1);
        av_log(decoder, cases[i].level, cases[i].text, 7);
        cr_expect_eq(damage.complained, cases[i].complained, "%s", cases[i].text);
        cr_expect_eq(damage.gap, cases[i].gap ? 7 : -1, "%s", cases[i].text);
        cr_expect_eq(damage_take(&damage, 7, said), cases[i].noted, "%s", cases[i].text);
    }
    cr_expect_str_eq(said, "decode_slice_header error");
    avcodec_free_context(&decoder);
}

Test(video_complaints, what_is_said_at_the_opening_is_about_no_packet)
{
    AVCodecContext *decoder = avcodec_alloc_context3(NULL);
    numbers_start(decoder, &damage);
    damage_listen();
    av_log(decoder, AV_LOG_ERROR, "no extradata\n");
    cr_expect(numbers_damage(decoder) == &damage && number_of_current(decoder) == NUMBER_UNKNOWN);
    cr_expect(!damage_take(&damage, 0, said) && damage_take(&damage, NUMBER_UNKNOWN, said));
    avcodec_free_context(&decoder);
}

/* A frame thread copies `opaque` with its packet. It may complain after more packets were sent. */
Test(video_complaints, each_thread_complains_of_its_own_packet)
{
    enum { THREADS = DAMAGE_TIMES };
    AVCodecContext *thread[THREADS], *decoder = avcodec_alloc_context3(NULL);
    numbers_start(decoder, &damage);
    damage_listen();
    for (int i = 0; i < 3 * THREADS; i++) {
        number_packet(decoder, &damage, &(AVPacket){.size = 0}, 1000 + i);
        damage_next_packet(&damage, i);
        if (i < 2 * THREADS) continue;
        thread[i % THREADS] = avcodec_alloc_context3(NULL);
        thread[i % THREADS]->opaque = decoder->opaque;
    }
    for (int i = 0; i < THREADS; i++) {
        av_log(thread[i], AV_LOG_ERROR, "slice\n");
        cr_expect(damage.count == 1 && damage_take(&damage, 1000 + 2 * THREADS + i, said), "%d", i);
        avcodec_free_context(&thread[i]);
    }
    avcodec_free_context(&decoder);
}

Test(video_complaints, a_container_is_no_decoder)
{
    AVFormatContext *container = avformat_alloc_context();
    container->opaque = &damage;
    damage_listen();
    damage_next_packet(&damage, 0);
    av_log(container, AV_LOG_ERROR, "no more of it\n");
    cr_expect_not(damage.complained);
    cr_expect(damage_take(&damage, 1, said));
    avformat_free_context(container);
}

/* A transport stream's demuxer says by the way what is damaged or missing, and of which stream.
 * What it says of others is dropped. */
Test(video_complaints, pieces_of_a_transport_stream)
{
    static const char damaged[] = "Packet corrupt (stream = %d, dts = %s)";
    static const char missing[] = "Continuity check failed for pid %d expected %d got %d\n";
    AVFormatContext *container = avformat_alloc_context();
    container->opaque = &damage;
    for (int i = 0; i < 2; i++) avformat_new_stream(container, NULL)->id = 256 + i;
    container->streams[0]->discard = AVDISCARD_ALL;
    damage_listen();
    for (int i = 0; i < 5; i++) damage_next_packet(&damage, i);
    av_log(container, AV_LOG_WARNING, damaged, 0, "7");
    av_log(container, AV_LOG_DEBUG, missing, 256, 1, 2);
    cr_expect(damage.piece == INT64_MAX && damage.broken == -1);
    av_log(container, AV_LOG_DEBUG, missing, 257, 1, 2);
    cr_expect(damage.piece == INT64_MAX && damage.broken == 5);
    damage_forget_container(&damage);
    cr_expect(damage.piece == INT64_MAX && damage.broken == -1);
    av_log(container, AV_LOG_WARNING, damaged, 1, "7");
    cr_expect(damage.piece == 0 && damage.broken == 5, "there is no parser yet");
    cr_expect(!damage.complained && damage.count == 0);
    avformat_free_context(container);
}

Test(video_complaints, of_others_are_dropped)
{
    AVCodecContext *decoder = avcodec_alloc_context3(NULL);
    damage_listen();
    av_log(decoder, AV_LOG_ERROR, "error\n");
    av_log(NULL, AV_LOG_ERROR, "error\n");
    cr_expect(!damage.complained && damage.count == 0);
    avcodec_free_context(&decoder);
}
