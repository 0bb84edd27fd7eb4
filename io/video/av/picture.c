/* Decodes the pictures of a clip one after the other. */
#include "video/av/file.h"

#include "fail.h"

#include <math.h>
#include <stdlib.h>

/* Records damage of the next packet. Fails if the first packet holds more than its picture. In
 * later packets that is damage. */
static int check_packet(struct video_file *file, const AVPacket *packet, int64_t number)
{
    const char *const beside = beside_picture(file->stream, packet);
    if (lost_part(file, packet)) damage_note(&file->damage, number, "a packet is damaged");
    if (file->cut && avio_feof(file->format->pb))
        damage_note(&file->damage, number, "the file is truncated here");
    if (!beside) return 0;
    damage_note(&file->damage, number, beside);
    if (file->sent > 0) return 0;
    file->beside = beside;
    return AVERROR_PATCHWELCOME;
}

/* Gives the packet the number of its picture, and records what is known about it. */
static int note_packet(struct video_file *file, AVPacket *packet)
{
    const int64_t packet_number = file->damage.packet, number = fields_number(file, packet);
    const bool second = number != packet_number;
    uint32_t *const bytes = &file->packet_bytes[(uint64_t)number % DAMAGE_TIMES];
    if (second) damage_move(&file->damage, packet_number, number);
    torn_send(file, packet, number, second);
    const int error = check_packet(file, packet, number);
    number_packet(file->decoder, &file->damage, packet, number);
    *bytes = (uint32_t)packet->size + (second ? *bytes : 0);
    damage_next_packet(&file->damage, packet->pts);
    if (!second) file->sent++;
    if (packet->pts == file->key_pts) file->key_position = packet->pos;
    return error;
}

/* Reads the stream's next packet from the container. */
static int read_packet(struct video_file *file, AVPacket *packet)
{
    int error;
    do {
        av_packet_unref(packet);
        error = av_read_frame(file->format, packet);
    } while (error >= 0 && packet->stream_index != file->stream->index);
    if (error < 0 && file->cut)
        damage_note(&file->damage, file->damage.packet, "the file is truncated");
    return error;
}

/* Finds out whether the packet to be sent is the last one of a cut file. FFmpeg 7 reads a short
 * stream to its end when it opens it, so that the place in the file says nothing about a packet. */
static void read_ahead(struct video_file *file)
{
    if (!file->cut || !file->read_whole) return;
    file->next.error = read_packet(file, file->next.packet);
    file->next.any = true;
    if (file->next.error == AVERROR_EOF)
        damage_note(&file->damage, number_of_current(file->decoder), "the file is truncated here");
}

static int take_packet(struct video_file *file)
{
    if (!file->next.any) return read_packet(file, file->packet);
    file->next.any = false;
    av_packet_move_ref(file->packet, file->next.packet);
    return file->next.error;
}

/* Sends the next packet to the decoder, or signals the end. */
static int send_packet(struct video_file *file)
{
    int error = take_packet(file);
    if (error == AVERROR_EOF) {
        file->drained = true;
        return avcodec_send_packet(file->decoder, NULL);
    }
    if (error < 0) return error;
    error = note_packet(file, file->packet);
    if (error == 0) read_ahead(file);
    if (error == 0) error = avcodec_send_packet(file->decoder, file->packet);
    av_packet_unref(file->packet);
    return error;
}

static int receive(struct video_file *file, AVFrame *frame)
{
    int error;
    while ((error = avcodec_receive_frame(file->decoder, frame)) == AVERROR(EAGAIN)) {
        error = file->drained ? AVERROR_BUG : send_packet(file);
        if (error < 0) return error;
    }
    return error;
}

/* Returns whether frame threads have met damaged H.264, so that their result depends on timing. A
 * thread may lose the damage mark, or predict from a picture before it is concealed. At the start
 * of a recording, pictures before the first one may be missing. */
static bool is_doubtful(const struct video_file *file, int error, const AVFrame *frame)
{
    const bool any = file->came_out > file->sought;
    const int64_t first = any ? file->first_packet : error == 0 ? number_of_picture(frame) : 0;
    if (file->decoder->codec_id != AV_CODEC_ID_H264 ||
        !(file->decoder->active_thread_type & FF_THREAD_FRAME) || error == AVERROR_EXIT)
        return false;
    return atomic_load(&file->damage.complained) || atomic_load(&file->damage.gap) > first ||
           (error < 0 && error != AVERROR_EOF);
}

/* Flips a picture whose rows are stored from the bottom up. */
static int turn_up(AVFrame *frame)
{
    AVFrame *copy = av_frame_alloc();
    if (!copy) return AVERROR(ENOMEM);
    copy->format = frame->format;
    copy->width = frame->width;
    copy->height = frame->height;
    int error = av_frame_get_buffer(copy, 0);
    if (error >= 0) error = av_frame_copy(copy, frame);
    if (error >= 0) error = av_frame_copy_props(copy, frame);
    if (error >= 0) {
        av_frame_unref(frame);
        av_frame_move_ref(frame, copy);
    }
    av_frame_free(&copy);
    return error;
}

/* Returns whether a picture lost at the end of a cut file may belong before this one, whose number
 * would then be wrong. With the lost packets the decoder would have held this picture back. */
static bool is_unsure(const struct video_file *file)
{
    return file->cut && file->came_out + (uint64_t)file->decoder->has_b_frames >= file->sent;
}

/* Decides whether this picture can be compared. */
static void judge(const ssimcu_clip *clip, struct picture *picture)
{
    struct video_file *file = clip->state;
    const AVFrame *frame = picture->frame;
    char said[DAMAGE_TEXT];
    const char *kind = "damaged: ", *wrong = NULL;
    if (damage_take(&file->damage, number_of_picture(frame), said))
        wrong = said;
    else if (frame->decode_error_flags || (frame->flags & AV_FRAME_FLAG_CORRUPT))
        wrong = "the decoder concealed missing data";
    else if (unwritten_is(file->decoder, frame))
        wrong = "it was decoded only in part";
    const bool torn = torn_is(file, frame, wrong != NULL);
    if (!wrong && file->came_out == 0 && file->opening[0]) wrong = file->opening;
    if (!wrong && is_unsure(file)) {
        kind = "";
        wrong = "the file is truncated, and a picture before this one may be missing";
    } else if (!wrong && torn) {
        kind = "";
        wrong = "a picture that it may be predicted from is damaged";
    }
    if (wrong)
        picture->status =
            ssimcu_fail(&picture->why, SSIMCU_ERROR_DATA, "%.300s: %s%s", clip->name, kind, wrong);
    else if (file->pixels != AV_PIX_FMT_NONE)
        picture->status = shape_check(clip, frame, &picture->format, &picture->why);
}

/* Returns the time of a picture in seconds after the first. Containers such as Matroska round the
 * times of a constant rate to their clock. This makes them exact again. */
static double time_of(const struct video_file *file, int64_t pts)
{
    const AVRational rate = file->stream->avg_frame_rate;
    const double unit = av_q2d(file->stream->time_base);
    if (pts == AV_NOPTS_VALUE || file->first_pts == AV_NOPTS_VALUE || file->timeless) return NAN;
    const double time = (double)(pts - file->first_pts) * unit;
    if (rate.num <= 0 || rate.den <= 0) return time;
    const double even = round(time * av_q2d(rate)) / av_q2d(rate);
    return fabs(even - time) <= unit ? even : time;
}

/* Records what the container knows about a picture. */
static void note_coded(struct video_file *file, struct picture *picture)
{
    const AVFrame *frame = picture->frame;
    const uint64_t packet = (uint64_t)number_of_picture(frame);
    if (file->came_out == 0) file->first_pts = frame->best_effort_timestamp;
    picture->coded = (ssimcu_clip_coded){.known = true,
                                         .bytes = file->packet_bytes[packet % DAMAGE_TIMES],
                                         .time = time_of(file, frame->best_effort_timestamp)};
}

static void count_out(struct video_file *file, const AVFrame *frame)
{
    if (file->came_out == file->sought) file->first_packet = number_of_picture(frame);
    lost_come_out(file, frame);
    file->came_out++;
    file->last_pts = frame->pts;
    file->last_packet = number_of_picture(frame);
}

/* Returns whether the picture has come out before. FFmpeg's H.264 decoder outputs the last one
 * again if it has no memory for the next. */
static bool is_again(const struct video_file *file, const AVFrame *frame)
{
    return file->came_out > 0 && number_of_picture(frame) == file->last_packet &&
           frame->pts == file->last_pts;
}

/* Fails with DATA if a damaged picture should have come out before `frame` or, if that is NULL,
 * before the end. */
static ssimcu_status check_lost(const ssimcu_clip *clip, const AVFrame *frame,
                                ssimcu_message *message)
{
    char said[DAMAGE_TEXT] = "the decoder returned a picture twice";
    struct video_file *file = clip->state;
    if (frame && number_of_picture(frame) == NUMBER_UNKNOWN)
        FAIL(UNSUPPORTED, "%.250s: the decoder does not report which packet a frame comes from",
             clip->name);
    const bool again = frame && is_again(file, frame);
    const bool lost = frame && !again ? damage_take_lost(&file->damage, number_of_picture(frame),
                                                         frame->pts, said)
                                      : damage_take_all(&file->damage, said);
    if (frame && !again && !lost && lost_picture(file, frame))
        FAIL(DATA, "%.250s: damaged, and a picture may be missing: the times have a gap",
             clip->name);
    if (!again && !lost) return SSIMCU_OK;
    FAIL(DATA, "%.250s: damaged, and a picture may be missing: %s", clip->name, said);
}

/* Makes room for a picture. On NVDEC waits for a picture to be returned if too many are
 * borrowed. */
static struct picture *make_picture(struct video_file *file)
{
    struct picture *picture = calloc(1, sizeof *picture);
    if (!picture) return NULL;
    pthread_mutex_lock(&file->lock);
    while (file->nvdec && file->borrowed_count == NVDEC_MOST_BORROWED)
        pthread_cond_wait(&file->given_back, &file->lock);
    file->borrowed_count++;
    pthread_mutex_unlock(&file->lock);
    picture->file = file;
    picture->frame = av_frame_alloc();
    return picture;
}

ssimcu_status picture_decode(ssimcu_clip *clip, struct picture **picture, ssimcu_message *message)
{
    struct video_file *file = clip->state;
    *picture = NULL;
    file->doubtful = false;
    if (ssimcu_is_stopped(file->stop)) return SSIMCU_OK;
    struct picture *made = make_picture(file);
    int error = made && made->frame ? 0 : AVERROR(ENOMEM);
    if (error == 0) error = receive(file, made->frame);
    file->emptied = error == AVERROR_EOF;
    if (error == 0) nvdec_crop(made->frame);
    if (error == 0 && made->frame->linesize[0] < 0) error = turn_up(made->frame);
    ssimcu_status status = SSIMCU_OK;
    file->doubtful = made && made->frame && is_doubtful(file, error, made->frame);
    if (file->doubtful)
        status = SSIMCU_ERROR_DATA;
    else if (error == AVERROR_EOF)
        status = check_lost(clip, NULL, message);
    else if (error < 0 && error != AVERROR_EXIT)
        status = error_fail(clip, error, message);
    else if (error == 0)
        status = check_lost(clip, made->frame, message);
    if (error == 0 && status == SSIMCU_OK) {
        judge(clip, made);
        note_coded(file, made);
        count_out(file, made->frame);
        *picture = made;
    } else {
        picture_free(made);
    }
    return status;
}

void picture_free(struct picture *picture)
{
    if (!picture) return;
    struct video_file *file = picture->file;
    av_buffer_unref(&picture->copy);
    av_frame_free(&picture->frame);
    free(picture);
    pthread_mutex_lock(&file->lock);
    file->borrowed_count--;
    pthread_cond_signal(&file->given_back);
    pthread_mutex_unlock(&file->lock);
}
