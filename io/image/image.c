/* Opening: file -> memory -> format by content -> header -> limits. Decoding: the format's reader.
 */
#define _POSIX_C_SOURCE 200809L /* fstat, O_CLOEXEC */
#include "image/codec.h"

#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <jconfig.h> /* libjpeg-turbo's version */
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct codec {
    const char *name;
    ssimcu_read *read;
    size_t magic_size;
    uint8_t magic[8];
} codec;

static const codec codecs[] = {
    {"PNG", ssimcu_read_png, 8, {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'}},
    {"JPEG", ssimcu_read_jpeg, 3, {0xFF, 0xD8, 0xFF}},
};

struct ssimcu_image {
    ssimcu_file source;
    const codec *codec;
    ssimcu_frame shape;
    uint8_t *bytes; /* the file; NULL once it has been decoded */
    char path[];
};

/* A message has 512 characters: a longer path must not push the reason out of it. */
enum { NAME_MAX_CHARS = 300 };

/* ---- The file -------------------------------------------------------------------------------- */

static ssimcu_status too_long(const ssimcu_image *image, ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_LIMIT,
                       "%s: file is larger than the limit of %llu bytes", image->source.name,
                       (unsigned long long)image->source.options.max_file_bytes);
}

static ssimcu_status file_error(const ssimcu_image *image, int error, ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_FILE, "%s: %s", image->source.name, strerror(error));
}

/* Makes room for at least one byte more, and never for more than one byte above the limit. */
static ssimcu_status grow(ssimcu_image *image, size_t *capacity, ssimcu_message *message)
{
    const uint64_t most = image->source.options.max_file_bytes + 1;
    const size_t wanted = *capacity < most / 2 ? *capacity * 2 : (size_t)most;
    uint8_t *const bytes = realloc(image->bytes, wanted);
    if (!bytes)
        return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "%s: out of memory", image->source.name);
    image->bytes = bytes;
    *capacity = wanted;
    return SSIMCU_OK;
}

/* Reads to the end of the file, whose size is only a hint: a pipe has none and a file may grow. */
static ssimcu_status read_all(ssimcu_image *image, int fd, uint64_t size_hint,
                              ssimcu_message *message)
{
    const uint64_t limit = image->source.options.max_file_bytes;
    if (size_hint > limit) return too_long(image, message);
    size_t capacity = size_hint ? size_hint / 2 + 1 : 1 << 15; /* grow doubles it */
    size_t size = 0;
    for (;;) {
        if (!image->bytes || size == capacity) {
            const ssimcu_status status = grow(image, &capacity, message);
            if (status != SSIMCU_OK) return status;
        }
        const ssize_t got = read(fd, image->bytes + size, capacity - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return file_error(image, errno, message);
        if (got == 0) break;
        size += (size_t)got;
        if (size > limit) return too_long(image, message);
    }
    image->source.bytes = image->bytes;
    image->source.size = size;
    return SSIMCU_OK;
}

static ssimcu_status load(ssimcu_image *image, ssimcu_message *message)
{
    const int fd = open(image->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return file_error(image, errno, message);
    struct stat info;
    ssimcu_status status;
    if (fstat(fd, &info) != 0)
        status = file_error(image, errno, message);
    else if (S_ISDIR(info.st_mode))
        status = ssimcu_fail(message, SSIMCU_ERROR_FILE, "%s: is a directory", image->source.name);
    else
        status = read_all(image, fd, (uint64_t)info.st_size, message);
    close(fd);
    return status;
}

/* ---- The header ------------------------------------------------------------------------------ */

static ssimcu_status sniff(ssimcu_image *image, ssimcu_message *message)
{
    const ssimcu_file *const source = &image->source;
    if (source->size == 0)
        return ssimcu_fail(message, SSIMCU_ERROR_DATA, "%s: file is empty", source->name);
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (source->size >= codecs[i].magic_size &&
            memcmp(source->bytes, codecs[i].magic, codecs[i].magic_size) == 0) {
            image->codec = &codecs[i];
            return SSIMCU_OK;
        }
    return ssimcu_fail(message, SSIMCU_ERROR_DATA, "%s: not a PNG or JPEG file", source->name);
}

static ssimcu_status check_size(const ssimcu_image *image, ssimcu_message *message)
{
    const ssimcu_image_options *const limit = &image->source.options;
    const uint32_t width = image->shape.width, height = image->shape.height;
    if (width > limit->max_side || height > limit->max_side)
        return ssimcu_fail(message, SSIMCU_ERROR_LIMIT,
                           "%s: %ux%u pixels, the limit is %u on a side", image->source.name, width,
                           height, limit->max_side);
    if ((uint64_t)width * height > limit->max_pixels)
        return ssimcu_fail(message, SSIMCU_ERROR_LIMIT,
                           "%s: %ux%u pixels, the limit is %llu in all", image->source.name, width,
                           height, (unsigned long long)limit->max_pixels);
    return SSIMCU_OK;
}

static ssimcu_image *new_image(const char *path, const ssimcu_image_options *options)
{
    const size_t length = strlen(path);
    ssimcu_image *const image = calloc(1, sizeof *image + length + 1);
    if (!image) return NULL;
    memcpy(image->path, path, length);
    ssimcu_file *const source = &image->source;
    source->name = image->path + (length > NAME_MAX_CHARS ? length - NAME_MAX_CHARS : 0);
    if (options) source->options = *options;
    ssimcu_image_options *const limit = &source->options;
    if (!limit->max_side) limit->max_side = SSIMCU_IMAGE_MAX_SIDE;
    if (!limit->max_pixels) limit->max_pixels = SSIMCU_IMAGE_MAX_PIXELS;
    if (!limit->max_file_bytes) limit->max_file_bytes = SSIMCU_IMAGE_MAX_FILE_BYTES;
    return image;
}

ssimcu_status ssimcu_image_open(const char *path, const ssimcu_image_options *options,
                                ssimcu_image **image, ssimcu_message *message)
{
    if (!image) return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "image is NULL");
    *image = NULL;
    if (!path) return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "path is NULL");
    if (options && options->struct_size != sizeof *options)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "options: struct_size is %zu, expected %zu", options->struct_size,
                           sizeof *options);

    ssimcu_image *opened = new_image(path, options);
    if (!opened) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    ssimcu_status status = load(opened, message);
    if (status == SSIMCU_OK) status = sniff(opened, message);
    if (status == SSIMCU_OK) status = opened->codec->read(&opened->source, &opened->shape, message);
    if (status == SSIMCU_OK) status = check_size(opened, message);
    if (status != SSIMCU_OK)
        ssimcu_image_close(&opened);
    else
        *image = opened;
    return status;
}

ssimcu_frame ssimcu_image_shape(const ssimcu_image *image)
{
    return image ? image->shape : (ssimcu_frame){0};
}

const char *ssimcu_image_format(const ssimcu_image *image)
{
    return image ? image->codec->name : "";
}

/* ---- The pixels ------------------------------------------------------------------------------ */

ssimcu_status ssimcu_image_decode(ssimcu_image *image, ssimcu_frame *frame, ssimcu_message *message)
{
    if (!image) return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "image is NULL");
    if (!frame || !frame->data)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "%s: %s is NULL", image->source.name,
                           frame ? "frame: data" : "frame");
    const char *const name = image->source.name;
    if (!image->bytes)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "%s: already decoded", name);
    const ssimcu_frame *const shape = &image->shape;
    const size_t row = (size_t)shape->width * shape->channels * (shape->bits / 8);
    if (frame->width != shape->width || frame->height != shape->height ||
        frame->channels != shape->channels || frame->bits != shape->bits || frame->pitch < row)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "%s: frame is not of the image's shape",
                           name);

    const ssimcu_status status = image->codec->read(&image->source, frame, message);
    free(image->bytes); /* now, since callers hold many images and close them late */
    image->bytes = NULL;
    return status;
}

void ssimcu_image_close(ssimcu_image **image)
{
    if (!image || !*image) return;
    free((*image)->bytes);
    free(*image);
    *image = NULL;
}

const char *ssimcu_image_libraries(void)
{
    return "libpng " PNG_LIBPNG_VER_STRING ", libjpeg-turbo " SSIMCU_TEXT(LIBJPEG_TURBO_VERSION);
}
