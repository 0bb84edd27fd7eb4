/* A file's decoder, on threads of the CPU or on NVDEC. */
#include "video/av/file.h"
#include "video/av/shared.h"

#include <libavutil/avstring.h>
#include <libavutil/pixdesc.h>
#include <stddef.h>

enum {
    MOST_THREADS = 16,   /* FFmpeg's documentation: more threads gain little */
    PER_THREAD = 2,      /* measured: pictures that a decoder holds per thread */
    MOST_BYTES = 1 << 30 /* budget of a decoder; two threads are always allowed */
};

/* Estimates the bytes of a picture before there is one. */
static uint64_t picture_bytes(const struct video_file *file)
{
    const AVCodecParameters *codec = file->stream->codecpar;
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(codec->format);
    const uint64_t area = (uint64_t)codec->width * (uint64_t)codec->height;
    return area * (uint64_t)(pixels ? av_get_padded_bits_per_pixel(pixels) : 24) / 8;
}

/* Returns how many pictures a decoder keeps to predict others from. */
static uint64_t count_references(const struct video_file *file)
{
    const AVCodecDescriptor *codec = avcodec_descriptor_get(file->stream->codecpar->codec_id);
    return codec && codec->props & AV_CODEC_PROP_INTRA_ONLY ? 1 : 8;
}

/* Returns 1 for MPEG-4 part 2: with frame threads and strict errors, FFmpeg 5.1's decoder aborts
 * the process on damage. */
static int count_threads(const struct video_file *file)
{
    if (file->one_thread || file->stream->codecpar->codec_id == AV_CODEC_ID_MPEG4) return 1;
    const uint64_t bytes = picture_bytes(file), references = count_references(file);
    const uint64_t fit = bytes > 0 ? MOST_BYTES / bytes : UINT32_MAX;
    const uint64_t room = fit > references + 4 ? (fit - references) / PER_THREAD : 2;
    uint64_t threads = file->limits.threads > 1 ? file->limits.threads : 1;
    if (threads > room) threads = room;
    return (int)(threads < MOST_THREADS ? threads : MOST_THREADS);
}

uint64_t decoder_held(const ssimcu_clip *clip)
{
    const struct video_file *file = clip->state;
    if (file->nvdec) return 0; /* pictures are in GPU memory */
    const uint64_t pictures =
        PER_THREAD * (uint64_t)file->decoder->thread_count + count_references(file);
    return pictures * clip->format.frame_bytes;
}

/* Returns whether the decoder should output damaged pictures and report them. A transport stream
 * loses whole packets; without their pictures, later ones could not be numbered. Elsewhere decoding
 * stops at damage, because a seek would meet other damage than a run from the start. A strict TIFF
 * decoder refuses every unknown tag, such as the resolution unit, which all writers store. */
static bool appends_in_place(const struct video_file *file, enum AVCodecID codec)
{
    return codec == AV_CODEC_ID_TIFF || (av_match_name("mpegts", file->format->iformat->name) &&
                                         (codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC ||
                                          codec == AV_CODEC_ID_MPEG2VIDEO));
}

/* Allocates a picture's memory: shared in a worker, otherwise by FFmpeg's default. */
static int get_buffer(AVCodecContext *decoder, AVFrame *frame, int flags)
{
    struct video_file *const file = (struct video_file *)((char *)numbers_damage(decoder) -
                                                          offsetof(struct video_file, damage));
    int error = file->shared ? shared_get_buffer(file->shared, decoder, frame, flags)
                             : avcodec_default_get_buffer2(decoder, frame, flags);
    if (error >= 0) unwritten_mark(decoder, frame);
    if (error >= 0) error = torn_watch(file, decoder, frame);
    return error;
}

static void watch_memory(const struct video_file *file, AVCodecContext *decoder)
{
    if (!file->shared && !unwritten_knows(decoder->codec_id)) return;
    decoder->get_buffer2 = get_buffer;
#if LIBAVCODEC_VERSION_MAJOR < 60 /* later versions always assume it */
#    pragma GCC diagnostic push
#    pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    decoder->thread_safe_callbacks = 1;
#    pragma GCC diagnostic pop
#endif
}

int decoder_open(struct video_file *file, const AVCodec *codec)
{
    AVCodecContext *decoder = file->decoder = avcodec_alloc_context3(codec);
    if (!decoder) return AVERROR(ENOMEM);
    int error = avcodec_parameters_to_context(decoder, file->stream->codecpar);
    if (error < 0) return error;
    if (file->reordered > decoder->has_b_frames) decoder->has_b_frames = file->reordered;
    decoder->pkt_timebase = file->stream->time_base;
    decoder->thread_count = count_threads(file);
    decoder->thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE;
    decoder->flags |= AV_CODEC_FLAG_UNALIGNED; /* crops the left side exactly, as NVDEC does */
    decoder->err_recognition = CONTAINER_RECOGNISE;
    if (!file->nvdec && appends_in_place(file, codec->id))
        decoder->err_recognition &= ~AV_EF_EXPLODE;
    decoder->max_pixels = (int64_t)file->limits.max_pixels;
    numbers_start(decoder, &file->damage);
    watch_memory(file, decoder);
    error = file->nvdec ? nvdec_use(file->nvdec, decoder) : 0;
    if (error >= 0) error = avcodec_open2(decoder, codec, NULL);
    const bool frames = decoder->active_thread_type & FF_THREAD_FRAME;
    if (!file->one_thread) file->ahead = frames ? (uint64_t)decoder->thread_count : 1;
    return error;
}

int decoder_reopen(struct video_file *file)
{
    const AVCodec *const codec = file->decoder->codec;
    avcodec_free_context(&file->decoder);
    return decoder_open(file, codec);
}
