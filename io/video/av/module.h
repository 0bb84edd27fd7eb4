/* libssimcu_video.so: the codec that reads what FFmpeg's libraries read. A library of its own, in a
 * package of its own, for the weight and the licence of those libraries; libav.c opens it when the
 * first such file is met. The two are built together and share the structs of clip_codec.h, so each
 * takes only its own version of the other. */
#ifndef SSIMCU_VIDEO_AV_MODULE_H
#define SSIMCU_VIDEO_AV_MODULE_H

#include "video/clip_codec.h"

#define SSIMCU_VIDEO_MODULE_SYMBOL "ssimcu_video_module"
#define SSIMCU_VIDEO_MODULE_VERSION                                                                \
    (SSIMCU_VERSION_MAJOR * 10000 + SSIMCU_VERSION_MINOR * 100 + SSIMCU_VERSION_PATCH)

struct ssimcu_video_module {
    uint32_t version;               /* SSIMCU_VIDEO_MODULE_VERSION */
    const ssimcu_clip_codec *codec; /* without `is` */
};

#endif
