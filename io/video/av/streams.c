/* Selects the video stream of a file, and names codecs that cannot be read. */
#include "video/av/file.h"

#include "fail.h"

#include <string.h>

/* Returns whether the stream is video, and not a cover picture or thumbnail. */
static bool counts(const AVStream *stream)
{
    enum { BESIDE = AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS };
    return stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !(stream->disposition & BESIDE);
}

/* ---- What nothing decodes -------------------------------------------------------------------- */

/* Codecs that the oldest FFmpeg does not know, by the container's four-letter tag or Matroska
 * name. */
static const struct {
    const char *called, *name;
} NEWER[] = {{"vvc1", "VVC, H.266"}, {"vvi1", "VVC, H.266"},  {"V_MPEGI/ISO/VVC", "VVC, H.266"},
             {"apv1", "APV"},        {"evc1", "EVC, MPEG-5"}, {"lvc1", "LCEVC, MPEG-5"}};

/* Writes the container's name of a codec that FFmpeg does not know; "": none. */
static void name_codec(const struct video_file *file, const AVCodecParameters *codec, char *name,
                       size_t size)
{
    char tag[AV_FOURCC_MAX_STRING_SIZE] = "";
    if (codec->codec_tag != 0) av_fourcc_make_string(tag, codec->codec_tag);
    const char *const called = tag[0] ? tag : file->damage.codec;
    snprintf(name, size, "%.100s", called);
    for (size_t i = 0; i < sizeof NEWER / sizeof *NEWER; i++)
        if (strcmp(called, NEWER[i].called) == 0)
            snprintf(name, size, "%s (%s)", NEWER[i].name, called);
}

/* Returns whether a decoder that only later versions of FFmpeg have may miss damage. */
static bool is_untested(enum AVCodecID id) { return id == AV_CODEC_ID_VVC; }

static ssimcu_status undecoded(const ssimcu_clip *clip, const AVCodecParameters *codec,
                               ssimcu_message *message)
{
    const struct video_file *const file = clip->state;
    char name[128] = "";
    if (codec->codec_id != AV_CODEC_ID_NONE)
        snprintf(name, sizeof name, "%s", avcodec_get_name(codec->codec_id));
    else
        name_codec(file, codec, name, sizeof name);
    if (!name[0]) FAIL(DATA, "%.300s: names no codec; is the file complete?", clip->name);
    if (is_untested(codec->codec_id))
        FAIL(UNSUPPORTED,
             "%.250s: is coded as %s, which is not read, because its decoder may miss damage; "
             "convert it: ffmpeg -i FILE -c:v ffv1 FILE.mkv",
             clip->name, name);
    FAIL(UNSUPPORTED,
         "%.250s: is coded as %s, which FFmpeg %.20s does not decode; convert it with one that "
         "does: ffmpeg -i FILE -c:v ffv1 FILE.mkv",
         clip->name, name, av_version_info());
}

/* ---- Choosing -------------------------------------------------------------------------------- */

ssimcu_status stream_choose(ssimcu_clip *clip, const AVCodec **codec, ssimcu_message *message)
{
    struct video_file *const file = clip->state;
    uint32_t streams = 0;
    file->stream = NULL;
    for (unsigned i = 0; i < file->format->nb_streams; i++)
        if (counts(file->format->streams[i]) && streams++ == clip->stream)
            file->stream = file->format->streams[i];
    if (streams == 0) FAIL(DATA, "%.300s: has no video stream", clip->name);
    if (!file->stream) return ssimcu_clip_no_stream(clip, streams, message);
    file->streams = streams;
    *codec = avcodec_find_decoder(file->stream->codecpar->codec_id);
    if (!*codec || is_untested(file->stream->codecpar->codec_id))
        return undecoded(clip, file->stream->codecpar, message);
    container_choose_stream(file->format, file->stream->index);
    return SSIMCU_OK;
}
