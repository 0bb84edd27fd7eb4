#include "video/av/file.h"
#include "video/av/shared.h"

#include "fail.h"
#include "image/image_limits.h"

#include <stdlib.h>

/* ---- Opening --------------------------------------------------------------------------------- */

/* Opens the container and its video stream, and finds the decoder of the CPU. */
static ssimcu_status open_stream(ssimcu_clip *clip, const AVCodec **codec, ssimcu_message *message)
{
    struct video_file *file = clip->state;
    const int error = container_open(file, clip->name, false, &file->damage, &file->format);
    if (error < 0) return error_fail(clip, error, message);
    file->read_whole = avio_tell(file->format->pb) >= avio_size(file->format->pb);
    file->cut = cut_is(file->format);
    if (damage_take_all(&file->damage, file->opening)) file->cut = true;
    file->timeless = !container_has_times(file->format);
    TRY(stream_choose(clip, codec, message));
    const AVCodecParameters *shape = file->stream->codecpar;
    if (shape->width == 0 || shape->height == 0) return SSIMCU_OK;
    return ssimcu_limits_check(&file->limits, clip->name, (uint32_t)shape->width,
                               (uint32_t)shape->height, message);
}

/* Returns whether pictures of the codec may change size anywhere. In VP9 and AV1 they may be
 * predicted from a picture of another size, which FFmpeg's NVDEC decoders lose when they
 * restart. */
static bool changes_size(enum AVCodecID id)
{
    return id == AV_CODEC_ID_VP8 || id == AV_CODEC_ID_VP9 || id == AV_CODEC_ID_AV1;
}

/* Opens the container, its video stream and a decoder, but reads no packet. `on_gpu` also opens
 * NVDEC unless it is open. The container comes first: probing H.264 takes time in which other clips
 * may use the GPU. */
static ssimcu_status start(ssimcu_clip *clip, bool on_gpu, ssimcu_message *message)
{
    struct video_file *file = clip->state;
    const AVCodec *codec = NULL;
    TRY(open_stream(clip, &codec, message));
    if (on_gpu && clip->any_size && changes_size(codec->id))
        FAIL(UNSUPPORTED, "NVDEC is not used for scaled %s, because its frames may change size",
             avcodec_get_name(codec->id));
    if (on_gpu && !file->nvdec) TRY(nvdec_open((uint32_t)clip->gpu, &file->nvdec, message));
    if (on_gpu) codec = nvdec_codec(file->stream->codecpar->codec_id);
    if (!codec)
        FAIL(UNSUPPORTED, "NVDEC is not used for %s",
             avcodec_get_name(file->stream->codecpar->codec_id));
    const int error = decoder_open(file, codec);
    return error < 0 ? error_fail(clip, error, message) : SSIMCU_OK;
}

static void stop(struct video_file *file)
{
    picture_free(file->ready);
    file->ready = NULL;
    avcodec_free_context(&file->decoder);
    container_close(&file->format);
}

/* Closes everything except the NVDEC engine, and discards the decoding state. */
static void reset(struct video_file *file)
{
    stop(file);
    damage_forget(&file->damage);
    torn_forget(file);
    lost_forget(file);
    fields_forget(file);
    file->drained = file->next.any = false;
    file->sent = file->came_out = file->sought = 0;
    file->reordered = 0;
}

/* ---- Beginning anew -------------------------------------------------------------------------- */

/* Restarts where decoding began: at the first packet or at the target of a seek. Drops the pictures
 * that the caller already has. */
static ssimcu_status restart(ssimcu_clip *clip, ssimcu_message *message)
{
    struct video_file *file = clip->state;
    struct picture *picture;
    ssimcu_status status = SSIMCU_OK;
    const bool found = !file->position_lost && file->sought > 0 && seek_key(file, file->sought);
    if (!found) {
        reset(file);
        status = start(clip, file->nvdec != NULL, message);
    }
    file->position_lost = false;
    for (uint64_t i = file->sought; i < clip->frames && status == SSIMCU_OK; i++) {
        status = picture_decode(clip, &picture, message);
        if (status == SSIMCU_OK && !picture) break;
        picture_free(picture);
    }
    return status;
}

/* Returns the picture after those that the caller has. If frame threads meet damage, one thread
 * takes over, because its result is the same in every run. */
static ssimcu_status decode(ssimcu_clip *clip, struct picture **picture, ssimcu_message *message)
{
    struct video_file *file = clip->state;
    ssimcu_status status = SSIMCU_OK;
    *picture = NULL;
    if (file->position_lost) status = restart(clip, message);
    if (status == SSIMCU_OK) status = picture_decode(clip, picture, message);
    if (!file->doubtful) return status;
    file->one_thread = true;
    TRY(restart(clip, message));
    return picture_decode(clip, picture, message);
}

/* ---- Clips ----------------------------------------------------------------------------------- */

/* Decodes the first picture, because only it reveals the clip's format. */
static ssimcu_status open_first(ssimcu_clip *clip, ssimcu_message *message)
{
    struct video_file *file = clip->state;
    struct picture *picture;
    file->pixels = AV_PIX_FMT_NONE;
    TRY(decode(clip, &picture, message));
    if (!picture) FAIL(DATA, "%.300s: contains no picture", clip->name);
    file->ready = picture;
    file->pixels = nvdec_pixels(picture->frame);
    return shape_read(clip, picture->frame, message);
}

/* Opens the clip on NVDEC. On failure cleans up and sets clip->why_not_gpu. */
static bool open_on_gpu(ssimcu_clip *clip)
{
    struct video_file *file = clip->state;
    ssimcu_message why = {{0}};
    ssimcu_status status = start(clip, true, &why);
    if (status == SSIMCU_OK && clip->begin) clip->begin(clip->begin_user);
    if (status == SSIMCU_OK) status = open_first(clip, &why);
    if (status == SSIMCU_OK) return true;
    reset(file);
    nvdec_close(&file->nvdec);
    file->damage.packet = 0;
    clip->why_not_gpu = why;
    return false;
}

ssimcu_status file_open(ssimcu_clip *clip, const char *path, ssimcu_message *message)
{
    struct video_file *file = clip->state = calloc(1, sizeof *file);
    (void)path; /* clip->name is the path, because standard input is never a video file */
    if (!file) FAIL(MEMORY, "%.300s: out of memory", clip->name);
    damage_start(&file->damage);
    damage_listen();
    file->stop = clip->stop;
    file->fd = clip->fd;
    file->limits = clip->limits;
    pthread_mutex_init(&file->lock, NULL);
    pthread_cond_init(&file->given_back, NULL);
    file->packet = av_packet_alloc();
    file->next.packet = av_packet_alloc();
    if (clip->fd >= 0) file->shared = shared_make();
    if (!file->packet || !file->next.packet || (clip->fd >= 0 && !file->shared))
        FAIL(MEMORY, "%.300s: out of memory", clip->name);
    const bool on_gpu = clip->gpu >= 0 && open_on_gpu(clip);
    if (!on_gpu && clip->gpu_alone) return SSIMCU_ERROR_UNSUPPORTED;
    ssimcu_status status = on_gpu ? SSIMCU_OK : start(clip, false, message);
    if (!on_gpu && status == SSIMCU_OK) status = open_first(clip, message);
    return status == SSIMCU_OK ? ssimcu_clip_format_check_size(clip, message) : status;
}

void file_close(ssimcu_clip *clip)
{
    struct video_file *file = clip->state;
    if (!file) return;
    stop(file);
    torn_forget(file);
    fields_forget(file);
    index_close(&file->index);
    av_packet_free(&file->packet);
    av_packet_free(&file->next.packet);
    shared_free(file->shared);
    nvdec_close(&file->nvdec);
    pthread_cond_destroy(&file->given_back);
    pthread_mutex_destroy(&file->lock);
    damage_end(&file->damage);
    free(file);
}

ssimcu_status file_next(ssimcu_clip *clip, struct picture **picture, ssimcu_message *message)
{
    struct video_file *file = clip->state;
    if (file->position_lost || !file->ready) return decode(clip, picture, message);
    *picture = file->ready;
    file->ready = NULL;
    return SSIMCU_OK;
}
