/* Recognises key pictures, at which prediction restarts. */
#include "video/av/file.h"

bool picture_is_key(const struct video_file *file, const AVFrame *frame)
{
    const AVCodecDescriptor *codec = avcodec_descriptor_get(file->decoder->codec_id);
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    const bool key = frame->flags & AV_FRAME_FLAG_KEY;
#else
    const bool key = frame->key_frame;
#endif
    return codec->props & AV_CODEC_PROP_INTRA_ONLY ||
           (key && frame->pict_type == AV_PICTURE_TYPE_I);
}
