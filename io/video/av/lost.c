/* Detects losses of a transport stream. Its demuxer reports damaged pieces. A parser makes packets
 * from pieces, and marks the packet that ends where the damaged piece is read. If each picture is
 * one piece, this is the packet before the damaged one, or none for the first. The parser is gone
 * when the last packet comes. */
#include "video/av/file.h"

#include <stdlib.h>

enum { NEAR = 32 /* more packets than a decoder reorders and a parser holds back */ };

bool lost_part(struct video_file *file, const AVPacket *packet)
{
    struct lost *const lost = &file->lost;
    const AVCodecParserContext *const parser = av_stream_get_parser(file->stream);
    const bool flagged = packet->flags & AV_PKT_FLAG_CORRUPT, before = lost->flagged;
    if (parser && parser->flags & PARSER_FLAG_COMPLETE_FRAMES) return flagged;
    const bool within = file->damage.piece < packet->size;
    if (within)
        file->damage.piece = INT64_MAX;
    else if (file->damage.piece < INT64_MAX)
        file->damage.piece -= packet->size;
    lost->flagged = flagged && parser;
    return before || within;
}

/* Returns the largest expected time between two pictures; 0: unknown. */
static int64_t expected_step(const struct video_file *file)
{
    const struct lost *const lost = &file->lost;
    const AVRational rate = file->stream->avg_frame_rate;
    const int64_t most = lost->step[0] > lost->step[1] ? lost->step[0] : lost->step[1];
    if (most > 0 || rate.num <= 0 || rate.den <= 0) return most;
    return av_rescale_q(1, av_inv_q(rate), file->stream->time_base);
}

/* The missing data may hold a whole picture. The times of the other pictures reveal that. */
bool lost_picture(const struct video_file *file, const AVFrame *frame)
{
    const int64_t broken = file->damage.broken;
    if (broken < 0 || llabs(number_of_picture(frame) - broken) > NEAR) return false;
    if (file->came_out == file->sought) return false;
    if (frame->pts == AV_NOPTS_VALUE || file->last_pts == AV_NOPTS_VALUE) return true;
    const double step = (double)frame->pts - (double)file->last_pts; /* damaged times may have any
                                                                        value */
    return step <= 0 || 2 * step > 3 * (double)expected_step(file);
}

void lost_come_out(struct video_file *file, const AVFrame *frame)
{
    struct lost *const lost = &file->lost;
    const bool known = frame->pts != AV_NOPTS_VALUE && file->last_pts != AV_NOPTS_VALUE &&
                       file->came_out > file->sought;
    lost->step[0] = lost->step[1];
    lost->step[1] = known ? frame->pts - file->last_pts : 0;
}

void lost_forget(struct video_file *file) { file->lost = (struct lost){.flagged = false}; }
