/* A module for video whose frames are said to be in the memory of the GPU that shall decode them.
 * The CPU decodes them, and fake_cuda.c is told on which device they would lie. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "fake_cuda.h"

#include "video/av/module.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct ssimcu_video_module *real;
static fake_cuda_lies_function *lies; /* NULL: the program has no fake device */

/* Returns the real module's clip, at the same frame. */
static ssimcu_clip *real_of(const ssimcu_clip *clip)
{
    ssimcu_clip *own = clip->state;
    own->frames = clip->frames;
    return own;
}

static ssimcu_status open_clip(ssimcu_clip *clip, const char *path, ssimcu_message *message)
{
    ssimcu_clip *own = clip->state = malloc(sizeof *own + strlen(clip->name) + 1);
    if (!own) return SSIMCU_ERROR_MEMORY;
    memcpy(own, clip, sizeof *own);
    strcpy(own->name, clip->name);
    own->state = NULL;
    own->gpu = -1; /* the CPU decodes */
    own->gpu_alone = false;
    if (clip->begin) clip->begin(clip->begin_user);
    const ssimcu_status status = real->codec->open(own, path, message);
    clip->format = own->format;
    clip->count = own->count;
    clip->held = own->held;
    clip->format.on_device = status == SSIMCU_OK && clip->gpu >= 0 && lies;
    return status;
}

static void close_clip(ssimcu_clip *clip)
{
    if (clip->state) real->codec->close(clip->state);
    free(clip->state);
}

static ssimcu_status next(ssimcu_clip *clip, void *data, ssimcu_clip_place *place, bool *end,
                          ssimcu_message *message)
{
    return real->codec->next(real_of(clip), data, place, end, message);
}

static bool skip(ssimcu_clip *clip, uint64_t frame)
{
    return real->codec->skip(real_of(clip), frame);
}

static uint64_t key_distance(ssimcu_clip *clip) { return real->codec->key_distance(real_of(clip)); }

static bool is_beyond(ssimcu_clip *clip, uint64_t frame)
{
    return real->codec->is_beyond(real_of(clip), frame);
}

static ssimcu_status read_frame(const ssimcu_clip *clip, ssimcu_clip_place place, void *data,
                                ssimcu_message *message)
{
    return real->codec->read(clip->state, place, data, message);
}

static ssimcu_status view(const ssimcu_clip *clip, ssimcu_clip_place place,
                          ssimcu_frame plane[SSIMCU_MAX_PLANES], ssimcu_message *message)
{
    return real->codec->view(clip->state, place, plane, message);
}

static ssimcu_status device_view(const ssimcu_clip *clip, ssimcu_clip_place place,
                                 ssimcu_view plane[SSIMCU_MAX_PLANES], ssimcu_message *message)
{
    ssimcu_frame on_host[SSIMCU_MAX_PLANES];
    const ssimcu_status status = view(clip, place, on_host, message);
    for (uint32_t p = 0; p < clip->format.planes && status == SSIMCU_OK; p++) {
        const ssimcu_frame *from = &on_host[p];
        lies(from->data, from->pitch * from->height, clip->gpu);
        plane[p] = (ssimcu_view){.struct_size = sizeof *plane,
                                 .width = from->width,
                                 .height = from->height,
                                 .channels = 1,
                                 .type = from->bits > 8 ? SSIMCU_TYPE_U16 : SSIMCU_TYPE_U8,
                                 .peak = (1u << from->bits) - 1,
                                 .pitch = (ptrdiff_t)from->pitch,
                                 .data = {from->data}};
    }
    return status;
}

static void release(const ssimcu_clip *clip, ssimcu_clip_place place)
{
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
    if (clip->format.on_device && view(clip, place, plane, NULL) == SSIMCU_OK)
        for (uint32_t p = 0; p < clip->format.planes; p++) lies(plane[p].data, 0, clip->gpu);
    real->codec->release(clip->state, place);
}

static const ssimcu_clip_codec codec = {.open = open_clip,
                                        .next = next,
                                        .read = read_frame,
                                        .skip = skip,
                                        .key_distance = key_distance,
                                        .is_beyond = is_beyond,
                                        .view = view,
                                        .device_view = device_view,
                                        .release = release,
                                        .close = close_clip};

__attribute__((visibility("default"))) struct ssimcu_video_module ssimcu_video_module;
struct ssimcu_video_module ssimcu_video_module;

/* Opens the real module while files can still be opened. */
__attribute__((constructor)) static void open_real(void)
{
    void *const library = dlopen(REAL_MODULE, RTLD_NOW | RTLD_LOCAL);
    void *const found = dlsym(RTLD_DEFAULT, FAKE_CUDA_LIES);
    *(void **)&lies = found;
    real = library ? dlsym(library, SSIMCU_VIDEO_MODULE_SYMBOL) : NULL;
    if (!real) return;
    ssimcu_video_module = *real;
    ssimcu_video_module.codec = &codec;
}
