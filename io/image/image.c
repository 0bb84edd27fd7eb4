/* Opens a picture: file -> memory -> format by content -> header -> limits. Decodes it with the
 * format's reader. */
#define _GNU_SOURCE /* memfd_create */
#include "channels.h"
#include "declared.h"
#include "fail.h"
#include "file_memory.h"
#include "foreign.h"
#include "formats.h"
#include "holds.h"
#include "image_limits.h"
#include "pipe.h"
#include "release.h"

#include "sample_size.h"
#include "sized.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const ssimcu_codec *const codecs[] = {&ssimcu_codec_png,  &ssimcu_codec_jpeg,
                                             &ssimcu_codec_tiff, &ssimcu_codec_dpx,
                                             &ssimcu_codec_exr,  NULL};

struct ssimcu_image {
    ssimcu_file file;
    struct ssimcu_origin origin;
    const ssimcu_codec *codec;
    ssimcu_frame shape;
    struct ssimcu_file_memory *memory; /* owner of the block; may be NULL */
    struct ssimcu_file_piece *piece;   /* the file's bytes; NULL after decoding, or if a worker
                                          reads the file */
    char path[];
};

/* A message has 512 characters, so a long path must leave room for the reason. */
enum { NAME_MAX_CHARS = 300 };

/* ---- The file -------------------------------------------------------------------------------- */

static ssimcu_status too_long(const ssimcu_image *image)
{
    FAIL_FILE(&image->file, LIMIT, "file is larger than the limit of %llu bytes",
              (unsigned long long)image->file.options.max_file_bytes);
}

static ssimcu_status file_error(const ssimcu_image *image)
{
    FAIL_FILE(&image->file, FILE, "%s", strerror(errno));
}

/* Allocates room for the file, or doubles the room, up to one byte above the limit. `memory` may
 * add an eighth. */
static ssimcu_status grow(ssimcu_image *image, uint64_t size_hint)
{
    enum { FIRST_BYTES = 1 << 16 }; /* room for a pipe, whose size is unknown */
    const uint64_t limit = image->file.options.max_file_bytes;
    const size_t most = limit < SIZE_MAX ? (size_t)limit + 1 : SIZE_MAX;
    struct ssimcu_file_piece *const piece = image->piece;
    size_t wanted = size_hint ? (size_t)size_hint + 1 : FIRST_BYTES;
    if (piece) wanted = piece->size < most / 2 ? piece->size * 2 : most;
    if (wanted > most) wanted = most;
    struct ssimcu_file_piece *const grown = piece ? ssimcu_file_memory_grow(piece, wanted)
                                                  : ssimcu_file_memory_take(image->memory, wanted);
    if (!grown) FAIL_FILE(&image->file, MEMORY, "out of memory");
    image->piece = grown;
    return SSIMCU_OK;
}

/* Reads to the end of the file. The size is only a hint: a pipe has none, and a file may grow. */
static ssimcu_status read_all(ssimcu_image *image, int fd, uint64_t size_hint)
{
    const uint64_t limit = image->file.options.max_file_bytes;
    if (size_hint > limit) {
        const ssimcu_status status = ssimcu_foreign_check_file(image->path, image->file.message);
        return status != SSIMCU_OK ? status : too_long(image);
    }
    size_t size = 0;
    for (;;) {
        if (!image->piece || size == image->piece->size) TRY(grow(image, size_hint));
        const ssize_t got = read(fd, image->piece->bytes + size, image->piece->size - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return file_error(image);
        if (got == 0) break;
        size += (size_t)got;
        if (size > limit) return too_long(image);
    }
    image->file.bytes = image->piece->bytes;
    image->file.size = size;
    return SSIMCU_OK;
}

/* Releases the file, so that it cannot be decoded again. Callers hold many images and close them
 * late. */
static void drop_file(ssimcu_image *image)
{
    ssimcu_file_memory_give(image->memory, image->piece);
    image->piece = NULL;
    if (image->file.fd >= 0) close(image->file.fd);
    image->file.fd = -1;
}

static bool has_file(const ssimcu_image *image) { return image->piece || image->file.fd >= 0; }

/* Returns the format whose worker should read the file; NULL if this process should read it. */
static const ssimcu_codec *find_apart(int fd)
{
    for (const ssimcu_codec *const *codec = codecs; *codec; codec++)
        if ((*codec)->is_apart && (*codec)->is_apart(fd)) return *codec;
    return NULL;
}

/* Passes the bytes of a pipe to a worker in a file in memory. Only pipes need this copy. */
static ssimcu_status move_apart(ssimcu_image *image)
{
    const int fd = memfd_create("ssimcu-file", MFD_CLOEXEC);
    size_t written = 0;
    while (fd >= 0 && written < image->file.size) {
        const ssize_t put = write(fd, image->file.bytes + written, image->file.size - written);
        if (put < 0 && errno != EINTR) break;
        if (put > 0) written += (size_t)put;
    }
    if (written == image->file.size && image->codec->is_apart(fd)) {
        drop_file(image);
        image->file.fd = fd;
        image->file.bytes = NULL;
        return SSIMCU_OK;
    }
    if (fd >= 0) close(fd);
    return written == image->file.size
               ? SSIMCU_OK /* there are no workers */
               : ssimcu_file_fail(&image->file, SSIMCU_ERROR_MEMORY, "out of memory");
}

static ssimcu_status load(ssimcu_image *image)
{
    const int fd = ssimcu_pipe_open(image->path);
    if (fd < 0) return file_error(image);
    struct stat *const info = &image->origin.seen;
    ssimcu_status status = SSIMCU_OK;
    if (fstat(fd, info) != 0)
        status = file_error(image);
    else if (S_ISDIR(info->st_mode))
        status = ssimcu_file_fail(&image->file, SSIMCU_ERROR_FILE, "is a directory");
    else if (S_ISREG(info->st_mode) &&
             (uint64_t)info->st_size <= image->file.options.max_file_bytes)
        image->codec = find_apart(fd);
    if (image->codec) {
        image->file.fd = fd;
        image->file.size = (size_t)info->st_size;
        return SSIMCU_OK;
    }
    if (status == SSIMCU_OK) status = read_all(image, fd, (uint64_t)info->st_size);
    close(fd);
    return status;
}

/* ---- The header ------------------------------------------------------------------------------ */

static ssimcu_status sniff(ssimcu_image *image)
{
    const ssimcu_file *const file = &image->file;
    if (image->codec) return SSIMCU_OK;
    if (file->size == 0) FAIL_FILE(file, DATA, "file is empty");
    for (const ssimcu_codec *const *codec = codecs; *codec; codec++)
        if ((*codec)->is(file)) {
            image->codec = *codec;
            return (*codec)->is_apart ? move_apart(image) : SSIMCU_OK;
        }
    TRY(ssimcu_foreign_check(file->name, file->bytes, file->size, file->message));
    FAIL_FILE(file, DATA, "not a " SSIMCU_IMAGE_FORMATS " file");
}

/* Reads as much of the file as its shape needs. */
static ssimcu_status examine(ssimcu_image *image)
{
    ssimcu_file *const file = &image->file;
    TRY(load(image));
    TRY(sniff(image));
    TRY(image->codec->read(file, &image->shape));
    return ssimcu_limits_check(&file->options, file->name, image->shape.width, image->shape.height,
                               file->message);
}

static ssimcu_image *new_image(const char *path, const ssimcu_image_options *options)
{
    const size_t length = strlen(path);
    ssimcu_image *const image = calloc(1, sizeof *image + length + 1);
    if (!image) return NULL;
    memcpy(image->path, path, length);
    ssimcu_file *const file = &image->file;
    file->name = image->path + (length > NAME_MAX_CHARS ? length - NAME_MAX_CHARS : 0);
    file->options = ssimcu_limits_fill(options);
    file->fd = -1;
    image->origin.path = image->path;
    return image;
}

ssimcu_status ssimcu_image_open_many(struct ssimcu_file_memory *memory, const char *path,
                                     const ssimcu_image_options *options, const char *channels,
                                     ssimcu_image **image, ssimcu_message *message)
{
    if (!image) FAIL(ARGUMENT, "image is NULL");
    *image = NULL;
    if (!path) FAIL(ARGUMENT, "path is NULL");
    ssimcu_image_options copied = {0};
    if (options)
        TRY(ssimcu_sized_read(&copied, sizeof copied, SSIMCU_IMAGE_OPTIONS_OLDEST, options,
                              "options", message));
    ssimcu_image *opened = new_image(path, &copied);
    if (!opened) return ssimcu_no_memory(message, NULL);
    opened->memory = memory;
    opened->file.many = channels;
    opened->file.message = message;
    const ssimcu_status status = examine(opened);
    opened->file.message = NULL;
    *image = opened;
    if (status != SSIMCU_OK) ssimcu_image_close(image);
    return status;
}

ssimcu_status ssimcu_image_open_in(struct ssimcu_file_memory *memory, const char *path,
                                   const ssimcu_image_options *options, ssimcu_image **image,
                                   ssimcu_message *message)
{
    return ssimcu_image_open_many(memory, path, options, NULL, image, message);
}

ssimcu_status ssimcu_image_open(const char *path, const ssimcu_image_options *options,
                                ssimcu_image **image, ssimcu_message *message)
{
    return ssimcu_image_open_many(NULL, path, options, NULL, image, message);
}

ssimcu_frame ssimcu_image_shape(const ssimcu_image *image)
{
    return image ? image->shape : (ssimcu_frame){0};
}

uint64_t ssimcu_image_holds(const ssimcu_image *image)
{
    return image && has_file(image) ? image->file.holds : 0;
}

struct ssimcu_image_windows ssimcu_image_windows(const ssimcu_image *image)
{
    return image && has_file(image) ? image->file.windows
                                    : (struct ssimcu_image_windows){.known = false};
}

struct ssimcu_image_colours ssimcu_image_colours(const ssimcu_image *image)
{
    return image ? image->file.colours : (struct ssimcu_image_colours){{0}, {0}};
}

const char *ssimcu_image_declared(const ssimcu_image *image, enum ssimcu_declared property)
{
    if (property == SSIMCU_DECLARED_FORMAT) return image->codec->name;
    if (property == SSIMCU_DECLARED_TRANSFER) return image->file.colours.transfer;
    if (property == SSIMCU_DECLARED_PRIMARIES) return image->file.colours.primaries;
    return image->file.declared[property];
}

void ssimcu_image_colours_differ(const ssimcu_image *ref, const ssimcu_image *out,
                                 ssimcu_message *text)
{
    const struct ssimcu_image_colours ref_colours = ssimcu_image_colours(ref),
                                      other = ssimcu_image_colours(out);
    if (text) ssimcu_colours_differ(&ref_colours, &other, text);
}

void ssimcu_image_release_early(ssimcu_image *image)
{
    if (S_ISREG(image->origin.seen.st_mode)) image->file.origin = &image->origin;
}

const char *ssimcu_image_channels(const ssimcu_image *image)
{
    return image ? image->file.channels : NULL;
}

const char *ssimcu_image_format(const ssimcu_image *image)
{
    return image ? image->codec->name : "";
}

const char *ssimcu_image_reader(const ssimcu_image *image)
{
    return image ? image->file.reader : "";
}

/* ---- The pixels ------------------------------------------------------------------------------ */

/* Decodes into a frame that has `height` rows of the image's shape. */
static ssimcu_status decode(ssimcu_image *image, uint32_t height, ssimcu_frame *frame,
                            ssimcu_message *message)
{
    if (!frame || !frame->data)
        FAIL(ARGUMENT, "%s: %s is NULL", image->file.name, frame ? "frame: data" : "frame");
    const char *const name = image->file.name;
    if (!has_file(image)) FAIL(ARGUMENT, "%s: already decoded", name);
    const ssimcu_frame *const shape = &image->shape;
    const size_t row = (size_t)shape->width * shape->channels * ssimcu_sample_size(shape->bits);
    ssimcu_frame target = *frame;
    if (target.pitch == 0) target.pitch = row;
    if (frame->width != shape->width || frame->height != height ||
        frame->channels != shape->channels || frame->bits != shape->bits || target.pitch < row)
        FAIL(ARGUMENT, "%s: expected a frame of the image's size, channels and bits", name);

    image->file.message = message;
    ssimcu_status status = image->codec->read(&image->file, &target);
    if (status == SSIMCU_OK && image->file.fd >= 0 && S_ISREG(image->origin.seen.st_mode))
        status = ssimcu_release_check(&image->file, &image->origin);
    image->file.message = NULL;
    frame->linear = shape->linear;
    if (!image->file.strip) drop_file(image);
    return status;
}

ssimcu_status ssimcu_image_decode(ssimcu_image *image, ssimcu_frame *frame, ssimcu_message *message)
{
    if (!image) FAIL(ARGUMENT, "image is NULL");
    image->file.strip = false;
    return decode(image, image->shape.height, frame, message);
}

ssimcu_status ssimcu_image_decode_strip(ssimcu_image *image, uint32_t row, ssimcu_frame *strip,
                                        ssimcu_message *message)
{
    if (image->codec != &ssimcu_codec_exr || strip->height == 0 || row >= image->shape.height ||
        strip->height > image->shape.height - row)
        FAIL(UNSUPPORTED, "%s: the strip is not inside the image", image->file.name);
    image->file.strip = true;
    image->file.first_row = row;
    return decode(image, strip->height, strip, message);
}

void ssimcu_image_close(ssimcu_image **image)
{
    if (!image || !*image) return;
    drop_file(*image);
    free((*image)->file.channels);
    free(*image);
    *image = NULL;
}

/* ---- Reading in one call --------------------------------------------------------------------- */

ssimcu_status ssimcu_image_read(const char *path, const ssimcu_image_options *options,
                                ssimcu_frame *frame, ssimcu_message *message)
{
    if (!frame) FAIL(ARGUMENT, "frame is NULL");
    *frame = (ssimcu_frame){0};
    ssimcu_image *image = NULL;
    TRY(ssimcu_image_open(path, options, &image, message));
    ssimcu_frame decoded = image->shape;
    ssimcu_status status = ssimcu_frame_alloc(&decoded, NULL);
    if (status == SSIMCU_OK)
        status = ssimcu_image_decode(image, &decoded, message);
    else /* frame_alloc's message would not name the file */
        (void)ssimcu_fail(message, status, "%s: %ux%u pixels do not fit in memory",
                          image->file.name, decoded.width, decoded.height);
    ssimcu_image_close(&image);
    if (status == SSIMCU_OK)
        *frame = decoded;
    else
        ssimcu_frame_free(&decoded);
    return status;
}

/* ---- Formats --------------------------------------------------------------------------------- */

const char *ssimcu_image_extension(size_t index)
{
    for (const ssimcu_codec *const *codec = codecs; *codec; codec++)
        for (const char *const *extension = (*codec)->extension; *extension; extension++)
            if (index-- == 0) return *extension;
    return NULL;
}

const char *ssimcu_image_kind(const void *start, size_t size)
{
    const ssimcu_file file = {.name = "", .bytes = start, .size = size, .fd = -1};
    for (const ssimcu_codec *const *codec = codecs; *codec; codec++)
        if ((*codec)->is(&file)) return (*codec)->name;
    return NULL;
}

static char libraries[256];

static void list_libraries(void)
{
    size_t used = 0;
    for (const ssimcu_codec *const *codec = codecs; *codec && used < sizeof libraries; codec++)
        if ((*codec)->library[0])
            used += (size_t)snprintf(libraries + used, sizeof libraries - used, "%s%s",
                                     used ? ", " : "", (*codec)->library);
}

const char *ssimcu_image_libraries(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, list_libraries);
    return libraries;
}
