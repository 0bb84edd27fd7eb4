/* What a transport stream has lost, on packets made one by one. */
#include "check.h"
#include "video/av/file.h"

static AVCodecParserContext parser, *has_parser;
static struct video_file file;

AVCodecParserContext *__wrap_av_stream_get_parser(const AVStream *stream);
AVCodecParserContext *__wrap_av_stream_get_parser(const AVStream *stream)
{
    cr_expect(stream == file.stream);
    return has_parser;
}

static void start(void)
{
    has_parser = &parser;
    file = (struct video_file){.damage = {.piece = INT64_MAX, .broken = -1}};
    file.format = avformat_alloc_context();
    file.stream = avformat_new_stream(file.format, NULL);
    file.stream->time_base = (AVRational){1, 100};
}

static void end(void) { avformat_free_context(file.format); }

TestSuite(video_lost, .init = start, .fini = end);

/* ---- Parts of packets ------------------------------------------------------------------------ */

/* Reads a packet of 10 bytes. Where a damaged piece begins behind its start, the demuxer says so
 * first. */
static bool read_packet(int64_t piece, bool flagged)
{
    if (piece >= 0 && piece < file.damage.piece) file.damage.piece = piece;
    return lost_part(&file, &(AVPacket){.size = 10, .flags = flagged ? AV_PKT_FLAG_CORRUPT : 0});
}

Test(video_lost, the_mark_is_on_the_packet_before)
{
    cr_expect_not(read_packet(-1, false));
    cr_expect_not(read_packet(10, true), "it ends where the damaged piece begins");
    cr_expect(read_packet(-1, false));
    cr_expect_not(read_packet(-1, false));
}

Test(video_lost, nothing_is_marked_for_the_first)
{
    cr_expect(read_packet(0, false));
    cr_expect_not(read_packet(-1, false));
}

Test(video_lost, a_piece_within_a_packet)
{
    cr_expect_not(read_packet(-1, false));
    cr_expect(read_packet(5, false), "two of its pieces are whole");
    cr_expect_not(read_packet(-1, false));
    cr_expect(read_packet(9, true), "its last byte, and the next one's first");
    cr_expect(read_packet(-1, false));
    cr_expect_not(read_packet(-1, false));
}

Test(video_lost, a_piece_that_begins_packets_later)
{
    cr_expect(!read_packet(20, false) && !read_packet(-1, false));
    cr_expect(read_packet(-1, false) && !read_packet(-1, false));
}

Test(video_lost, a_piece_of_several_packets)
{
    cr_expect_not(read_packet(10, true));
    cr_expect(read_packet(-1, true));
    cr_expect(read_packet(-1, false), "it begins in the piece");
    cr_expect_not(read_packet(-1, false));
}

/* The mark of the last one is on the one before, while there was a parser. */
Test(video_lost, the_last_one_comes_without_a_parser)
{
    cr_expect_not(read_packet(10, true));
    has_parser = NULL;
    cr_expect(read_packet(-1, false));
}

Test(video_lost, without_a_parser_the_mark_is_the_packets_own)
{
    has_parser = NULL;
    cr_expect(read_packet(0, true) && !read_packet(-1, false));
    has_parser = &parser;
    parser.flags = PARSER_FLAG_COMPLETE_FRAMES;
    lost_forget(&file);
    cr_expect(read_packet(0, true) && !read_packet(-1, false));
}

/* ---- Whole pictures -------------------------------------------------------------------------- */

/* Whether a picture may be missing before the one at this time. */
static bool come_out(int64_t pts, int64_t packet)
{
    AVFrame frame = {.pts = pts};
    number_set_picture(&frame, packet);
    const bool lost = lost_picture(&file, &frame);
    lost_come_out(&file, &frame);
    file.came_out++;
    file.last_pts = pts;
    return lost;
}

Test(video_lost, a_gap_of_times_near_what_is_missing)
{
    file.damage.broken = 40;
    cr_expect_not(come_out(100, 5), "there is none before the first");
    cr_expect_not(come_out(104, 6));
    cr_expect_not(come_out(112, 7), "packet 40 is far away");
    cr_expect_not(come_out(116, 38));
    cr_expect_not(come_out(125, 39), "as with 3:2 pulldown");
    cr_expect(come_out(139, 42));
    cr_expect(come_out(139, 43), "two at a time");
    cr_expect(come_out(138, 72));
    cr_expect_not(come_out(300, 73), "packet 40 is far away");
    file.damage.broken = -1;
    cr_expect_not(come_out(900, 74));
}

Test(video_lost, unknown_times_may_hide_a_gap)
{
    file.damage.broken = 1;
    cr_expect_not(come_out(0, 0));
    cr_expect(come_out(AV_NOPTS_VALUE, 1));
    cr_expect(come_out(4, 2));
    cr_expect(come_out(8, 3), "nothing says how far pictures are apart");
    cr_expect_not(come_out(12, 4));
}

Test(video_lost, the_rate_tells_the_first_step)
{
    file.damage.broken = 1;
    file.stream->avg_frame_rate = (AVRational){25, 1};
    file.sought = file.came_out = 7;
    file.last_pts = 0;
    cr_expect_not(come_out(100, 0), "a seek has gone here");
    cr_expect_not(come_out(104, 1));
    lost_forget(&file);
    cr_expect(come_out(112, 2));
}
