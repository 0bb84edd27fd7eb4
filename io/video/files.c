/* An image sequence as a clip: each picture is a frame. */
#include "video/clip_codec.h"

#include "fail.h"
#include "image/file_memory.h"
#include "sample_size.h"

#include <stdlib.h>
#include <string.h>

/* The state of a clip. */
struct files {
    struct ssimcu_file_memory memory;
    const ssimcu_sequence *sequence;
    ssimcu_image_options limits;
};

/* Takes the first picture's shape if it is grey or RGB of 8 to 16 bits, as in video. */
static ssimcu_status take_shape(ssimcu_clip *clip, const char *path, const ssimcu_frame *shape,
                                ssimcu_message *message)
{
    ssimcu_clip_format *format = &clip->format;
    if (shape->bits > 16)
        FAIL(UNSUPPORTED, "%.300s: linear light cannot be compared with video", path);
    if (!ssimcu_clip_format_make(shape->width, shape->height, shape->channels < 3 ? 400 : 444,
                                 shape->bits, format))
        FAIL(UNSUPPORTED, "%.300s: cannot be a frame of video", path);
    if (shape->channels >= 3)
        ssimcu_clip_format_make_rgb(format);
    else
        format->range = SSIMCU_RANGE_FULL;
    format->plane[0].channels = shape->channels;
    format->plane[0].pitch =
        (size_t)shape->width * shape->channels * ssimcu_sample_size(shape->bits);
    format->frame_bytes = format->plane[0].pitch * shape->height;
    return SSIMCU_OK;
}

static ssimcu_status check_numbers(const ssimcu_clip *clip, const ssimcu_sequence *sequence,
                                   ssimcu_message *message)
{
    const struct ssimcu_sequence_file *file = sequence->file;
    if (!sequence->numbered)
        FAIL(MISMATCH,
             "%.300s: expected a different number in each picture's name, because the other side "
             "is video",
             clip->name);
    for (size_t i = 1; i < sequence->count; i++)
        if (file[i].number != file[i - 1].number + 1)
            FAIL(MISMATCH,
                 "%.200s: picture %lld is missing; frame n of the video needs the n-th picture",
                 clip->name, (long long)file[i - 1].number + 1);
    return SSIMCU_OK;
}

static ssimcu_status next(ssimcu_clip *clip, void *data, ssimcu_clip_place *place, bool *end,
                          ssimcu_message *message)
{
    (void)data, (void)message;
    *end = (int64_t)clip->frames >= clip->count;
    place->offset = (int64_t)clip->frames;
    return SSIMCU_OK;
}

/* Returns whether alpha is opaque everywhere, so that it can be ignored. */
static bool is_opaque(const ssimcu_frame *frame)
{
    const uint32_t channels = frame->channels, most = (1u << frame->bits) - 1;
    const size_t samples = (size_t)frame->width * channels;
    for (uint32_t y = 0; y < frame->height && channels % 2 == 0; y++) {
        const uint8_t *row = (const uint8_t *)frame->data + y * frame->pitch;
        const uint16_t *words = (const void *)row;
        for (size_t i = channels - 1; i < samples; i += channels)
            if ((frame->bits > 8 ? words[i] : row[i]) != most) return false;
    }
    return true;
}

static ssimcu_status check_shape(const ssimcu_clip *clip, const char *path,
                                 const ssimcu_frame *shape, ssimcu_message *message)
{
    const ssimcu_frame *first = &clip->format.plane[0];
    if (shape->width == first->width && shape->height == first->height &&
        shape->channels == first->channels && shape->bits == first->bits)
        return SSIMCU_OK;
    FAIL(MISMATCH,
         "%.300s: is %ux%u with %u channels of %u bits, the first picture is %ux%u with %u of %u",
         path, shape->width, shape->height, shape->channels, shape->bits, first->width,
         first->height, first->channels, first->bits);
}

static ssimcu_status read_frame(const ssimcu_clip *clip, ssimcu_clip_place place, void *data,
                                ssimcu_message *message)
{
    struct files *files = clip->state;
    const char *path = files->sequence->file[place.offset].path;
    ssimcu_frame frame = {0};
    ssimcu_image *image = NULL;
    ssimcu_status status =
        ssimcu_image_open_in(&files->memory, path, &files->limits, &image, message);
    if (status == SSIMCU_OK) {
        frame = ssimcu_image_shape(image);
        status = check_shape(clip, path, &frame, message);
    }
    if (status == SSIMCU_OK) {
        frame = clip->format.plane[0];
        frame.data = data;
        status = ssimcu_image_decode(image, &frame, message);
    }
    ssimcu_image_close(&image);
    if (status == SSIMCU_OK && !is_opaque(&frame))
        status = ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                             "%.300s: expected an opaque picture, because the other side is video",
                             path);
    return status;
}

static void close_files(ssimcu_clip *clip)
{
    struct files *files = clip->state;
    if (files) ssimcu_file_memory_end(&files->memory);
    free(files);
}

static const ssimcu_clip_codec codec = {.next = next, .read = read_frame, .close = close_files};

static ssimcu_status open_first(ssimcu_clip *clip, const ssimcu_sequence *sequence,
                                const ssimcu_image_options *limits, ssimcu_message *message)
{
    struct files *files = clip->state = calloc(1, sizeof *files);
    const char *path = sequence->file[0].path;
    ssimcu_image *image = NULL;
    if (!files) return ssimcu_no_memory(message, NULL);
    ssimcu_file_memory_start(&files->memory);
    files->sequence = sequence;
    clip->count = (int64_t)sequence->count;
    if (limits) files->limits = *limits;
    files->limits.struct_size = sizeof files->limits;
    ssimcu_status status = check_numbers(clip, sequence, message);
    if (status == SSIMCU_OK) status = ssimcu_image_open(path, limits, &image, message);
    if (status == SSIMCU_OK) {
        const ssimcu_frame shape = ssimcu_image_shape(image);
        status = take_shape(clip, path, &shape, message);
    }
    ssimcu_image_close(&image);
    return status;
}

ssimcu_status ssimcu_clip_open_files(const char *name, const ssimcu_sequence *sequence,
                                     const ssimcu_image_options *limits, ssimcu_clip **clip,
                                     ssimcu_message *message)
{
    ssimcu_clip *const made = *clip = calloc(1, sizeof *made + strlen(name) + 1);
    if (!made) return ssimcu_no_memory(message, NULL);
    strcpy(made->name, name);
    made->codec = &codec;
    made->fd = -1;
    const ssimcu_status status = open_first(made, sequence, limits, message);
    if (status != SSIMCU_OK) ssimcu_clip_close(clip);
    return status;
}
