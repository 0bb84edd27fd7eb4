/* Seeks to a picture without decoding all pictures before it. A seek only saves time and is never
 * trusted. Every picture from the key frame to the wanted one must be undamaged and match the
 * index. Otherwise the file is read again from its beginning, without further seeks. */
#include "video/av/file.h"

/* Returns how many packets in the decoder a seek discards. Packets of frame threads count even
 * after one thread has replaced these because of damage. When that happens varies between runs, and
 * the choice to seek must not. */
static uint64_t in_flight(const struct video_file *file)
{
    return (uint64_t)file->decoder->has_b_frames + file->ahead;
}

/* Returns how many packets have been sent, or would have been sent without damage. */
static uint64_t count_sent(const struct video_file *file)
{
    return file->sent + (file->one_thread ? file->ahead - 1 : 0);
}

static int seek_container(struct video_file *file, const struct index_entry *key)
{
    if (!(file->format->iformat->flags & AVFMT_TS_DISCONT))
        return avformat_seek_file(file->format, file->stream->index, INT64_MIN, key->pts, key->pts,
                                  0);
    /* Seeking by time in a transport stream may land anywhere. */
    return av_seek_frame(file->format, file->stream->index, key->position, AVSEEK_FLAG_BYTE);
}

/* Decodes pictures `from` to `to` and checks each against the index. Leaves the last one ready. */
static bool decode_run(ssimcu_clip *clip, uint64_t from, uint64_t to)
{
    struct video_file *file = clip->state;
    const struct index_entry *entry = file->index.entry;
    const int reordered = file->decoder->has_b_frames;
    for (uint64_t i = from; i <= to;) {
        struct picture *picture;
        if (picture_decode(clip, &picture, NULL) != SSIMCU_OK || !picture) return false;
        const AVFrame *frame = picture->frame;
        const bool leading = frame->pts < entry[from].pts;
        const bool good = frame->pts == entry[i].pts && picture->status != SSIMCU_ERROR_DATA &&
                          (i > from || picture_is_key(file, frame));
        if (good && i++ == to)
            file->ready = picture;
        else
            picture_free(picture);
        if (!good && !leading) return false;
    }
    return file->decoder->has_b_frames == reordered;
}

/* Prepares the decoder for another place. A flush makes FFmpeg's H.264 decoder reopen NVDEC, which
 * takes as long as some hundred pictures. That decoder can also jump from one IDR picture to
 * another without a flush. Its remaining pictures, with older times, then come out first.
 *
 * On the CPU the decoder conceals damage with older pictures, even after a flush. */
static bool leave(struct video_file *file)
{
    const bool h264 = file->decoder->codec_id == AV_CODEC_ID_H264;
    if (h264 && !file->nvdec) return decoder_reopen(file) >= 0;
    if (!h264 || file->drained) avcodec_flush_buffers(file->decoder);
    return true;
}

bool seek_key(struct video_file *file, uint64_t key)
{
    const struct index_entry *entry = &file->index.entry[key];
    const int error = seek_container(file, entry);
    const bool left = leave(file);
    damage_forget(&file->damage);
    torn_forget(file);
    lost_forget(file);
    fields_forget(file);
    file->drained = file->next.any = false;
    file->sent = entry->packet;
    file->came_out = file->sought = key;
    file->key_pts = entry->pts;
    file->key_position = -1;
    return error >= 0 && left;
}

static bool try_seek(ssimcu_clip *clip, uint64_t key, uint64_t picture)
{
    struct video_file *file = clip->state;
    /* AVI packets have no times, so only the place identifies the right packet. */
    return seek_key(file, key) && decode_run(clip, key, picture) &&
           file->key_position == file->index.entry[key].position;
}

/* Frame threads may meet damage after the picture, so one thread tries again. */
static bool seek(ssimcu_clip *clip, uint64_t key, uint64_t picture)
{
    struct video_file *file = clip->state;
    picture_free(file->ready);
    file->ready = NULL;
    file->reordered = file->decoder->has_b_frames;
    const bool good = try_seek(clip, key, picture);
    if (!file->doubtful) return good;
    file->one_thread = true;
    return try_seek(clip, key, picture);
}

bool seek_skip(ssimcu_clip *clip, uint64_t frame)
{
    struct video_file *file = clip->state;
    struct picture_index *index = &file->index;
    const uint64_t out = clip->frames + (file->ready ? 1 : 0); /* pictures that have come out */
    if (file->position_lost || index->broken || frame - clip->frames <= in_flight(file))
        return false;
    if (!index_reach(index, file, clip->name, frame)) return false;
    uint64_t key = frame;
    while (key > 0 && !index->entry[key].key) key--;
    if (index->entry[key].packet <= count_sent(file) + in_flight(file)) return false;
    /* The index must agree with the last picture that came out. */
    index->broken = out == 0 || index->entry[out - 1].pts != file->last_pts;
    if (index->broken || seek(clip, key, frame)) return !index->broken;
    index_close(index);
    file->position_lost = true;
    return false;
}

uint64_t seek_key_distance(ssimcu_clip *clip)
{
    enum { FAR = 1000 }; /* more frames than encoders leave between key frames by default */
    struct video_file *file = clip->state;
    struct picture_index *index = &file->index;
    for (uint64_t i = 1; i < FAR && index_reach(index, file, clip->name, i); i++)
        if (index->entry[i].key) return i;
    return 0;
}

uint64_t seek_key_before(ssimcu_clip *clip, uint64_t frame)
{
    struct video_file *file = clip->state;
    struct picture_index *index = &file->index;
    if (file->position_lost || !index_reach(index, file, clip->name, frame)) return 0;
    while (frame > 0 && !index->entry[frame].key) frame--;
    return frame;
}

bool seek_is_beyond(ssimcu_clip *clip, uint64_t frame)
{
    struct video_file *file = clip->state;
    struct picture_index *index = &file->index;
    return !file->position_lost && !index_reach(index, file, clip->name, frame) && !index->broken &&
           index->ended;
}
