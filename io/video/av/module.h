/* libssimcu_video.so: the codec for files that FFmpeg's libraries read. It is a library and a
 * package of its own because of those libraries' weight and licence. libav.c opens it when it meets
 * the first such file. The two are built together and share the structs of clip_codec.h, so each
 * takes only its own version of the other. */
#ifndef SSIMCU_VIDEO_AV_MODULE_H
#define SSIMCU_VIDEO_AV_MODULE_H

#include "modules.h"
#include "video/clip_codec.h"

#include <stdio.h>

#define SSIMCU_VIDEO_MODULE_SYMBOL "ssimcu_video_module"
#define SSIMCU_VIDEO_MODULE_VERSION                                                                \
    (SSIMCU_VERSION_MAJOR * 10000 + SSIMCU_VERSION_MINOR * 100 + SSIMCU_VERSION_PATCH)

/* The place of a lent frame in shared memory, which is a file of its own. */
struct ssimcu_video_lent {
    uint64_t buffer;        /* number of the memory, which serves one frame after the other */
    uint64_t bytes;         /* size of the memory, which is sealed */
    int fd;                 /* its descriptor, which stays the module's */
    uint32_t width, height; /* pixels; those of the clip unless it takes any size */
    uint64_t offset[SSIMCU_MAX_PLANES], pitch[SSIMCU_MAX_PLANES];
};

struct ssimcu_video_module {
    uint32_t version;               /* SSIMCU_VIDEO_MODULE_VERSION */
    const ssimcu_clip_codec *codec; /* all functions except `is` */
    /* Shows where a frame of a clip with clip->fd lies, in the clip's order of samples. Errors:
     * those of ssimcu_clip_read; MEMORY. */
    ssimcu_status (*lent)(const ssimcu_clip *clip, ssimcu_clip_place place,
                          struct ssimcu_video_lent *lent, ssimcu_message *message);
    void (*progress)(void (*reads)(void)); /* has `reads` called whenever a file is read from */
};

/* Opens the module, which stays open. Returns NULL after writing why. */
static inline const struct ssimcu_video_module *ssimcu_video_module_open(const char *name,
                                                                         char *why, size_t size)
{
    const struct ssimcu_video_module *module = NULL;
    if (!ssimcu_module_find(name, SSIMCU_VIDEO_MODULE_SYMBOL, &module, why, size) ||
        module->version == SSIMCU_VIDEO_MODULE_VERSION)
        return module;
    snprintf(why, size, "%s is of another version", name);
    return NULL;
}

#endif
