/* The module's codec: clips whose frames FFmpeg's libraries decode and the caller borrows. */
#include "video/av/module.h"
#include "video/av/file.h"
#include "video/av/shared.h"

#include "fail.h"

static ssimcu_status open_clip(ssimcu_clip *clip, const char *path, ssimcu_message *message)
{
    TRY(file_open(clip, path, message));
    const struct video_file *file = clip->state;
    clip->count = file->stream->nb_frames > 0 ? file->stream->nb_frames : -1;
    clip->held = decoder_held(clip);
    return SSIMCU_OK;
}

static ssimcu_status next(ssimcu_clip *clip, void *data, ssimcu_clip_place *place, bool *end,
                          ssimcu_message *message)
{
    struct picture *picture;
    (void)data;
    const ssimcu_status status = file_next(clip, &picture, message);
    const struct video_file *file = clip->state;
    *end = !picture && (status == SSIMCU_OK || file->emptied);
    place->held = picture;
    if (picture) place->coded = picture->coded;
    return status;
}

/* The first picture defines the clip's format, so it has no separate one. */
static const ssimcu_clip_format *format_of(const ssimcu_clip *clip, const struct picture *picture)
{
    return picture->format.planes > 0 ? &picture->format : &clip->format;
}

static ssimcu_status view(const ssimcu_clip *clip, ssimcu_clip_place place,
                          ssimcu_frame plane[SSIMCU_MAX_PLANES], ssimcu_message *message)
{
    const struct picture *picture = place.held;
    if (picture->status != SSIMCU_OK)
        return ssimcu_fail(message, picture->status, "%s", picture->why.text);
    if (clip->format.on_device) FAIL(INTERNAL, "the frame is in device memory");
    const ssimcu_clip_format *const format = format_of(clip, picture);
    for (uint32_t p = 0; p < format->planes; p++) {
        plane[p] = format->plane[p];
        plane[p].data = picture->frame->data[p];
        plane[p].pitch = (size_t)picture->frame->linesize[p];
    }
    return SSIMCU_OK;
}

static ssimcu_status device_view(const ssimcu_clip *clip, ssimcu_clip_place place,
                                 ssimcu_view plane[SSIMCU_MAX_PLANES], ssimcu_message *message)
{
    const struct picture *picture = place.held;
    if (picture->status != SSIMCU_OK)
        return ssimcu_fail(message, picture->status, "%s", picture->why.text);
    pixels_view(clip, picture->frame, plane);
    return nvdec_wait(picture->file->nvdec, message);
}

static ssimcu_status read_frame(const ssimcu_clip *clip, ssimcu_clip_place place, void *data,
                                ssimcu_message *message)
{
    const struct picture *const picture = place.held;
    ssimcu_frame from[SSIMCU_MAX_PLANES];
    TRY(view(clip, place, from, message));
    if (!clip->format.lies_apart) return ssimcu_clip_copy(clip, from, data, message);
    return pixels_read(clip, &clip->format, picture->frame, data, message);
}

static void release(const ssimcu_clip *clip, ssimcu_clip_place place)
{
    (void)clip;
    picture_free(place.held);
}

static ssimcu_status borrow(const ssimcu_clip *clip, ssimcu_clip_place place,
                            struct ssimcu_video_borrowed *borrowed, ssimcu_message *message)
{
    struct picture *const picture = place.held;
    if (picture->status != SSIMCU_OK)
        return ssimcu_fail(message, picture->status, "%s", picture->why.text);
    return shared_borrow(clip, picture, borrowed, message);
}

static const ssimcu_clip_codec codec = {
    .open = open_clip,
    .next = next,
    .skip = seek_skip,
    .key_distance = seek_key_distance,
    .key_before = seek_key_before,
    .is_beyond = seek_is_beyond,
    .read = read_frame,
    .view = view,
    .device_view = device_view,
    .release = release,
    .close = file_close,
};

SSIMCU_API ssimcu_module_reads_function ssimcu_module_reads;
const char *ssimcu_module_reads(void)
{
    static char text[64];
    snprintf(text, sizeof text, "FFmpeg %s", av_version_info());
    return text;
}

SSIMCU_API extern const struct ssimcu_video_module ssimcu_video_module;
const struct ssimcu_video_module ssimcu_video_module = {SSIMCU_VIDEO_MODULE_VERSION, &codec, borrow,
                                                        container_tell};
