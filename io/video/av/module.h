/* libssimcu_video.so: the codec for files that FFmpeg's libraries read. It is a library and a
 * package of its own because of those libraries' weight and licence. libav.c opens it when it meets
 * the first such file. The two are built together and share the structs of clip_codec.h, so each
 * takes only its own version of the other. */
#ifndef SSIMCU_VIDEO_AV_MODULE_H
#define SSIMCU_VIDEO_AV_MODULE_H

#include "video/clip_codec.h"

#define SSIMCU_VIDEO_MODULE_SYMBOL "ssimcu_video_module"
#define SSIMCU_VIDEO_MODULE_VERSION                                                                \
    (SSIMCU_VERSION_MAJOR * 10000 + SSIMCU_VERSION_MINOR * 100 + SSIMCU_VERSION_PATCH)

struct ssimcu_video_module {
    uint32_t version;               /* SSIMCU_VIDEO_MODULE_VERSION */
    const ssimcu_clip_codec *codec; /* all functions except `is` */
};

#endif
