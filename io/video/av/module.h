/* libssimcu_video.so: the codec for files that FFmpeg's libraries read. It is a separate library
 * and package because of the size and the licence of those libraries. libav.c opens it for the
 * first such file. The two share the structs of clip_codec.h, so both must come from the same
 * build. */
#pragma once

#include "modules.h"
#include "video/clip_codec.h"

#include <stdio.h>

#define SSIMCU_VIDEO_MODULE_SYMBOL "ssimcu_video_module"
#define SSIMCU_VIDEO_MODULE_VERSION                                                                \
    (SSIMCU_VERSION_MAJOR * 10000 + SSIMCU_VERSION_MINOR * 100 + SSIMCU_VERSION_PATCH)

/* The place of a borrowed frame in shared memory, which is a file. */
struct ssimcu_video_borrowed {
    uint64_t buffer;        /* number of the memory, which is reused for later frames */
    uint64_t bytes;         /* size of the memory, which is sealed */
    int fd;                 /* its descriptor, owned by the module */
    uint32_t width, height; /* pixels; the clip's size unless it allows any size */
    uint64_t offset[SSIMCU_MAX_PLANES], pitch[SSIMCU_MAX_PLANES];
};

struct ssimcu_video_module {
    uint32_t version;               /* SSIMCU_VIDEO_MODULE_VERSION */
    const ssimcu_clip_codec *codec; /* all functions except `is` */
    /* Locates a frame of a clip with clip->fd; its samples have the clip's order. Errors: those of
     * ssimcu_clip_read; MEMORY. */
    ssimcu_status (*borrowed)(const ssimcu_clip *clip, ssimcu_clip_place place,
                              struct ssimcu_video_borrowed *borrowed, ssimcu_message *message);
    void (*progress)(void (*reads)(void)); /* sets a function to call whenever a file is read */
};

/* Opens the module, which stays open. On failure writes the reason and returns NULL. */
static inline const struct ssimcu_video_module *ssimcu_video_module_open(const char *name,
                                                                         char *why, size_t size)
{
    const struct ssimcu_video_module *module = NULL;
    if (!ssimcu_module_find(name, SSIMCU_VIDEO_MODULE_SYMBOL, &module, why, size) ||
        module->version == SSIMCU_VIDEO_MODULE_VERSION)
        return module;
    snprintf(why, size, "%s has another version", name);
    return NULL;
}
