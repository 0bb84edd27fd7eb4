#include "video/av/file.h"

#include "fail.h"
#include "image/image_limits.h"

#include <libavutil/avstring.h>
#include <libavutil/dict.h>
#include <libavutil/pixdesc.h>
#include <stdlib.h>
#include <string.h>

/* Containers that are files of their own: none that names other files to be opened. */
#define CONTAINERS "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mxf,mpegts,mpeg"

enum {
    REORDERED = 64 /* more packets than any decoder holds back before their pictures come out */
};

static ssimcu_status fail_av(const ssimcu_clip *clip, int error, ssimcu_message *message)
{
    char text[AV_ERROR_MAX_STRING_SIZE], said[DAMAGE_TEXT] = "";
    struct file *file = clip->state;
    const bool any = damage_take_before(&file->damage, INT64_MAX, said);
    av_strerror(error, text, sizeof text);
    ssimcu_status status = SSIMCU_ERROR_DATA;
    if (error == AVERROR(ENOMEM)) status = SSIMCU_ERROR_MEMORY;
    if (error == AVERROR(ENOENT) || error == AVERROR(EACCES) || error == AVERROR(EIO))
        status = SSIMCU_ERROR_FILE;
    if (error == AVERROR_DECODER_NOT_FOUND || error == AVERROR_PATCHWELCOME ||
        error == AVERROR_DEMUXER_NOT_FOUND)
        status = SSIMCU_ERROR_UNSUPPORTED;
    return ssimcu_fail(message, status, "%.250s: %s%s%s", clip->name, text, any ? ": " : "", said);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static int interrupt(void *file)
{
    ssimcu_stopped *const stopped = ((struct file *)file)->stopped;
    return stopped && stopped();
}

int file_open_container(struct file *file, const char *path, struct damage *damage,
                        AVFormatContext **format)
{
    AVDictionary *options = NULL;
    char *const url = av_asprintf("file:%s", path);
    *format = avformat_alloc_context();
    if (!url || !*format) {
        av_free(url);
        return AVERROR(ENOMEM);
    }
    (*format)->opaque = damage;
    (*format)->error_recognition = FILE_RECOGNISE;
    (*format)->interrupt_callback = (AVIOInterruptCB){interrupt, file};
    av_dict_set(&options, "protocol_whitelist", "file", 0);
    av_dict_set(&options, "format_whitelist", CONTAINERS, 0);
    int error = avformat_open_input(format, url, NULL, &options);
    av_dict_free(&options);
    av_free(url);
    if (error >= 0) error = avformat_find_stream_info(*format, NULL);
    return error;
}

void file_choose_stream(AVFormatContext *format, int stream)
{
    for (unsigned i = 0; i < format->nb_streams; i++)
        if ((int)i != stream) format->streams[i]->discard = AVDISCARD_ALL;
}

static bool has_no_codec(const AVFormatContext *format)
{
    for (unsigned i = 0; i < format->nb_streams; i++) {
        const AVCodecParameters *codec = format->streams[i]->codecpar;
        if (codec->codec_type == AVMEDIA_TYPE_VIDEO && codec->codec_id != AV_CODEC_ID_NONE)
            return false;
    }
    return true;
}

static ssimcu_status choose_stream(ssimcu_clip *clip, const AVCodec **codec,
                                   ssimcu_message *message)
{
    struct file *file = clip->state;
    const int best = av_find_best_stream(file->format, AVMEDIA_TYPE_VIDEO, -1, -1, codec, 0);
    if (best == AVERROR_STREAM_NOT_FOUND ||
        (best >= 0 && file->format->streams[best]->disposition & AV_DISPOSITION_ATTACHED_PIC))
        return ssimcu_fail(message, SSIMCU_ERROR_DATA, "%.300s: has no video stream", clip->name);
    if (best == AVERROR_DECODER_NOT_FOUND && has_no_codec(file->format))
        return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                           "%.300s: does not say how it is coded; is it all there?", clip->name);
    if (best < 0) return fail_av(clip, best, message);
    file_choose_stream(file->format, best);
    file->stream = file->format->streams[best];
    return SSIMCU_OK;
}

/* The container, its stream and a decoder, before the first packet. */
static ssimcu_status start(ssimcu_clip *clip, ssimcu_message *message)
{
    struct file *file = clip->state;
    const AVCodec *codec = NULL;
    int error = file_open_container(file, clip->name, &file->damage, &file->format);
    if (error < 0) return fail_av(clip, error, message);
    ssimcu_status status = choose_stream(clip, &codec, message);
    if (status != SSIMCU_OK) return status;
    const AVCodecParameters *shape = file->stream->codecpar;
    if (shape->width > 0 && shape->height > 0)
        status = ssimcu_limits_check(&file->limits, clip->name, (uint32_t)shape->width,
                                     (uint32_t)shape->height, message);
    if (status != SSIMCU_OK) return status;
    if (file->nvdec) codec = nvdec_codec(shape->codec_id);
    if (!codec)
        return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED, "NVDEC is not used for %s",
                           avcodec_get_name(shape->codec_id));
    error = file_open_decoder(file, codec);
    return error < 0 ? fail_av(clip, error, message) : SSIMCU_OK;
}

static void stop(struct file *file)
{
    lent_free(file->ready);
    file->ready = NULL;
    avcodec_free_context(&file->decoder);
    avformat_close_input(&file->format);
}

/* Decodes the first picture: what the clip is like is known by it alone. */
static ssimcu_status open_first(ssimcu_clip *clip, ssimcu_message *message)
{
    struct file *file = clip->state;
    struct lent *lent;
    file->pixels = AV_PIX_FMT_NONE;
    ssimcu_status status = file_decode(clip, &lent, message);
    if (status != SSIMCU_OK) return status;
    if (!lent)
        return ssimcu_fail(message, SSIMCU_ERROR_DATA, "%.300s: holds no picture", clip->name);
    file->ready = lent;
    file->pixels = nvdec_pixels(lent->frame);
    return shape_read(clip, lent->frame, message);
}

/* On NVDEC; where that cannot be done, the clip says why. */
static bool open_on_gpu(ssimcu_clip *clip)
{
    struct file *file = clip->state;
    ssimcu_message why = {{0}};
    ssimcu_status status = nvdec_open((uint32_t)clip->gpu, &file->nvdec, &why);
    if (status == SSIMCU_OK) status = start(clip, &why);
    if (status == SSIMCU_OK) status = open_first(clip, &why);
    if (status == SSIMCU_OK) return true;
    stop(file);
    nvdec_close(&file->nvdec);
    damage_forget(&file->damage);
    file->drained = false;
    file->sent = 0;
    file->damage.packet = 0;
    clip->why_not_gpu = why;
    return false;
}

ssimcu_status file_open(ssimcu_clip *clip, const char *path, const ssimcu_image_options *limits,
                        ssimcu_stopped *stopped, ssimcu_message *message)
{
    struct file *file = clip->state = calloc(1, sizeof *file);
    (void)path; /* the clip's name: standard input is no video file */
    if (!file) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    damage_start(&file->damage);
    damage_listen();
    file->stopped = stopped;
    file->limits = *limits;
    pthread_mutex_init(&file->lock, NULL);
    pthread_cond_init(&file->given_back, NULL);
    file->packet = av_packet_alloc();
    if (!file->packet) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    const bool on_gpu = clip->gpu >= 0 && open_on_gpu(clip);
    ssimcu_status status = on_gpu ? SSIMCU_OK : start(clip, message);
    if (!on_gpu && status == SSIMCU_OK) status = open_first(clip, message);
    return status == SSIMCU_OK ? ssimcu_clip_check_size(clip, limits, message) : status;
}

void file_close(ssimcu_clip *clip)
{
    struct file *file = clip->state;
    if (!file) return;
    stop(file);
    index_close(&file->index);
    av_packet_free(&file->packet);
    nvdec_close(&file->nvdec);
    pthread_cond_destroy(&file->given_back);
    pthread_mutex_destroy(&file->lock);
    damage_end(&file->damage);
    free(file);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Hands the next packet to the decoder, or tells it that there are none. */
static int send_packet(struct file *file)
{
    AVPacket *packet = file->packet;
    int error = av_read_frame(file->format, packet);
    if (error == AVERROR_EOF) {
        file->drained = true;
        return avcodec_send_packet(file->decoder, NULL);
    }
    if (error < 0) return error;
    if (packet->stream_index == file->stream->index) {
        if (packet->flags & AV_PKT_FLAG_CORRUPT)
            damage_note(&file->damage, file->damage.packet, "a packet is damaged");
        file->decoder->reordered_opaque = file->damage.packet++;
        file->sent++;
        if (packet->pts == file->key_pts) file->key_position = packet->pos;
        error = avcodec_send_packet(file->decoder, packet);
    }
    av_packet_unref(packet);
    return error;
}

static int receive(struct file *file, AVFrame *frame)
{
    int error;
    while ((error = avcodec_receive_frame(file->decoder, frame)) == AVERROR(EAGAIN)) {
        error = file->drained ? AVERROR_BUG : send_packet(file);
        if (error < 0) return error;
    }
    return error;
}

/* Rows from the bottom up become rows from the top down. */
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

/* Whether parts of the picture are not its own, or of one that it may be predicted from. */
static bool is_torn(struct file *file, const AVFrame *frame)
{
    if (unwritten_is(file->decoder, frame))
        file->torn = true;
    else if (file_is_key(file, frame))
        file->torn = false;
    return file->torn;
}

/* Whether this very picture can be compared. */
static void judge(const ssimcu_clip *clip, struct lent *lent)
{
    struct file *file = clip->state;
    const AVFrame *frame = lent->frame;
    char said[DAMAGE_TEXT];
    const bool torn = is_torn(file, frame);
    if (damage_take(&file->damage, frame->reordered_opaque, said))
        lent->status =
            ssimcu_fail(&lent->why, SSIMCU_ERROR_DATA, "%.300s: damaged: %s", clip->name, said);
    else if (frame->decode_error_flags || (frame->flags & AV_FRAME_FLAG_CORRUPT))
        lent->status =
            ssimcu_fail(&lent->why, SSIMCU_ERROR_DATA,
                        "%.300s: damaged: the decoder has filled in what it lacks", clip->name);
    else if (torn)
        lent->status = ssimcu_fail(&lent->why, SSIMCU_ERROR_DATA,
                                   "%.300s: damaged: not all of this picture, or of one before "
                                   "it, was decoded",
                                   clip->name);
    else if (file->pixels != AV_PIX_FMT_NONE)
        lent->status = shape_check(clip, frame, &lent->why);
}

/* Whether a damaged picture should have come out by now. */
static ssimcu_status check_lost(const ssimcu_clip *clip, int64_t before, ssimcu_message *message)
{
    char said[DAMAGE_TEXT];
    struct file *file = clip->state;
    if (!damage_take_before(&file->damage, before, said)) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                       "%.250s: damaged, and a picture may be missing: %s", clip->name, said);
}

/* Room for a picture. On NVDEC the decoder has only so many: one must be given back first. */
static struct lent *make_lent(struct file *file)
{
    struct lent *lent = calloc(1, sizeof *lent);
    if (!lent) return NULL;
    pthread_mutex_lock(&file->lock);
    while (file->nvdec && file->lent == NVDEC_LENT)
        pthread_cond_wait(&file->given_back, &file->lock);
    file->lent++;
    pthread_mutex_unlock(&file->lock);
    lent->file = file;
    lent->frame = av_frame_alloc();
    return lent;
}

ssimcu_status file_decode(ssimcu_clip *clip, struct lent **lent, ssimcu_message *message)
{
    struct file *file = clip->state;
    *lent = NULL;
    if (file->stopped && file->stopped()) return SSIMCU_OK;
    struct lent *made = make_lent(file);
    int error = made && made->frame ? 0 : AVERROR(ENOMEM);
    if (error == 0) error = receive(file, made->frame);
    if (error == 0) nvdec_crop(made->frame);
    if (error == 0 && made->frame->linesize[0] < 0) error = turn_up(made->frame);
    ssimcu_status status = SSIMCU_OK;
    if (error == AVERROR_EOF)
        status = check_lost(clip, INT64_MAX, message);
    else if (error < 0 && error != AVERROR_EXIT)
        status = fail_av(clip, error, message);
    else if (error == 0)
        status = check_lost(clip, made->frame->reordered_opaque - REORDERED, message);
    if (error == 0 && status == SSIMCU_OK) {
        judge(clip, made);
        file->last_pts = made->frame->pts;
        *lent = made;
    } else {
        lent_free(made);
    }
    return status;
}

/* From the first packet on: the pictures that have been lent are decoded again, and dropped. */
static ssimcu_status restart(ssimcu_clip *clip, ssimcu_message *message)
{
    struct file *file = clip->state;
    struct lent *lent;
    file->astray = file->torn = false;
    stop(file);
    damage_forget(&file->damage);
    file->drained = false;
    file->sent = 0;
    ssimcu_status status = start(clip, message);
    for (uint64_t i = 0; i < clip->frames && status == SSIMCU_OK; i++) {
        status = file_decode(clip, &lent, message);
        if (status == SSIMCU_OK && !lent) break;
        lent_free(lent);
    }
    return status;
}

ssimcu_status file_next(ssimcu_clip *clip, struct lent **lent, ssimcu_message *message)
{
    struct file *file = clip->state;
    ssimcu_status status = SSIMCU_OK;
    *lent = NULL;
    if (file->astray) status = restart(clip, message);
    if (status != SSIMCU_OK) return status;
    *lent = file->ready;
    file->ready = NULL;
    return *lent ? SSIMCU_OK : file_decode(clip, lent, message);
}

void lent_free(struct lent *lent)
{
    if (!lent) return;
    struct file *file = lent->file;
    av_frame_free(&lent->frame);
    free(lent);
    pthread_mutex_lock(&file->lock);
    file->lent--;
    pthread_cond_signal(&file->given_back);
    pthread_mutex_unlock(&file->lock);
}
