/* A module for video that comes to the ends of killing.h at the tenth frame of a clip of twice the
 * width. All else the real one does. */
#include "killing.h"

#include "video/av/module.h"

#include <dlfcn.h>
#include <stddef.h>

enum { TENTH = 9 };

static const struct ssimcu_video_module *real;
static ssimcu_clip_codec codec;

static ssimcu_status next(ssimcu_clip *clip, void *data, ssimcu_clip_place *place, bool *end,
                          ssimcu_message *message)
{
    if (clip->frames == TENTH) killing_at(clip->format.plane[0].width / 2);
    return real->codec->next(clip, data, place, end, message);
}

__attribute__((visibility("default"))) struct ssimcu_video_module ssimcu_video_module;
struct ssimcu_video_module ssimcu_video_module;

/* Opens the real module while files can still be opened. */
__attribute__((constructor)) static void open_real(void)
{
    void *const library = dlopen(REAL_MODULE, RTLD_NOW | RTLD_LOCAL);
    real = library ? dlsym(library, SSIMCU_VIDEO_MODULE_SYMBOL) : NULL;
    if (!real) return;
    ssimcu_video_module = *real;
    codec = *real->codec;
    codec.next = next;
    ssimcu_video_module.codec = &codec;
}
