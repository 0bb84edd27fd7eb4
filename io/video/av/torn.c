/* Finds pictures that may be predicted from a damaged one: all that are decoded after it, up to a
 * key frame. They may come out before it. A picture that is not a reference damages no other. */
#include "video/av/file.h"

/* ---- What no other picture needs ------------------------------------------------------------- */

/* Reads the header of the first slice. An HEVC picture that its temporal layer does not need may be
 * needed by a higher one. */
static bool is_disposable(struct torn *torn, const AVStream *stream, const AVPacket *packet)
{
    const enum AVCodecID id = stream->codecpar->codec_id;
    const size_t length_bytes = nal_length_bytes(stream->codecpar);
    const uint8_t *nal;
    if (id != AV_CODEC_ID_H264 && id != AV_CODEC_ID_HEVC) return false;
    for (size_t at = 0; (nal = nal_next(packet, length_bytes, &at));) {
        const int type = id == AV_CODEC_ID_H264 ? nal[0] & 31 : nal[0] >> 1 & 63;
        if (id == AV_CODEC_ID_H264 && type >= 1 && type <= 5) return (nal[0] & 0x60) == 0;
        if (id == AV_CODEC_ID_H264 || type > 31) continue;
        torn->layered = torn->layered || (nal[1] & 7) > 1;
        return !torn->layered && type < 16 && type % 2 == 0;
    }
    return false;
}

void torn_send(struct video_file *file, const AVPacket *packet, int64_t number, bool second)
{
    bool *const disposable = &file->torn.disposable[(uint64_t)number % DAMAGE_TIMES];
    const bool current = is_disposable(&file->torn, file->stream, packet);
    *disposable = current && (!second || *disposable);
}

static bool is_needed(const struct video_file *file, const AVFrame *frame)
{
    switch (file->decoder->codec_id) {
    case AV_CODEC_ID_MPEG1VIDEO:
    case AV_CODEC_ID_MPEG2VIDEO:
    case AV_CODEC_ID_MPEG4: return frame->pict_type != AV_PICTURE_TYPE_B;
    default: return !file->torn.disposable[(uint64_t)number_of_picture(frame) % DAMAGE_TIMES];
    }
}

/* ---- Pictures in the decoder that have an unwritten part ------------------------------------- */

static void unwatch(struct torn *torn, uint32_t i)
{
    av_frame_free(&torn->watched[i].frame);
    torn->watched[i] = torn->watched[--torn->count];
}

int torn_watch(struct video_file *file, const AVCodecContext *decoder, const AVFrame *frame)
{
    struct torn *const torn = &file->torn;
    if (decoder->codec_id != AV_CODEC_ID_HEVC || frame->hw_frames_ctx) return 0;
    AVFrame *kept = av_frame_alloc();
    if (kept) kept->buf[0] = av_buffer_ref(frame->buf[0]);
    if (!kept || !kept->buf[0]) {
        av_frame_free(&kept);
        return AVERROR(ENOMEM);
    }
    kept->format = frame->format;
    kept->width = decoder->width;
    kept->height = decoder->height;
    kept->linesize[0] = frame->linesize[0];
    pthread_mutex_lock(&file->lock);
    if (torn->count == TORN_MOST) unwatch(torn, 0);
    torn->watched[torn->count++] = (struct watched){number_of_current(decoder), kept};
    pthread_mutex_unlock(&file->lock);
    return 0;
}

/* Returns whether a picture of an earlier packet has an unwritten part. Those pictures have been
 * decoded. */
static bool is_unwritten_before(struct video_file *file, int64_t packet)
{
    struct torn *const torn = &file->torn;
    bool is = false;
    pthread_mutex_lock(&file->lock);
    for (uint32_t i = torn->count; i-- > 0;) {
        struct watched *const watched = &torn->watched[i];
        if (watched->packet < packet && watched->frame &&
            !unwritten_is(file->decoder, watched->frame))
            av_frame_free(&watched->frame);
        is = is || (watched->packet < packet && watched->frame);
        if (watched->packet == packet || watched->packet < packet - DAMAGE_LATE) unwatch(torn, i);
    }
    pthread_mutex_unlock(&file->lock);
    return is;
}

/* ---- Pictures that come out ------------------------------------------------------------------ */

bool torn_is(struct video_file *file, const AVFrame *frame, bool damaged)
{
    struct torn *const torn = &file->torn;
    const int64_t packet = number_of_picture(frame);
    const bool unwritten = is_unwritten_before(file, packet), key = picture_is_key(file, frame);
    if (key) torn->any = false;
    const bool is = !key && (unwritten || (torn->any && torn->from < packet) ||
                             damage_is_before(&file->damage, packet));
    if (damaged && is_needed(file, frame)) {
        if (!torn->any || packet < torn->from) torn->from = packet;
        torn->any = true;
    }
    return is;
}

void torn_forget(struct video_file *file)
{
    pthread_mutex_lock(&file->lock);
    while (file->torn.count > 0) unwatch(&file->torn, file->torn.count - 1);
    file->torn.any = false;
    pthread_mutex_unlock(&file->lock);
}
