/* PNG: the format's row of the table, and the choice between its two readers. */
#include "png_readers.h"
#include "release.h"

#include "fail.h"

#include <string.h>

static bool is_png(const ssimcu_file *file)
{
    static const uint8_t magic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    return file->size >= sizeof magic && memcmp(file->bytes, magic, sizeof magic) == 0;
}

/* Refuses an animation: a score of its first frame would say nothing of the others. A decoder has
 * found the chunks whole. An animation of one frame is a picture. */
static ssimcu_status check_single(const ssimcu_file *file, ssimcu_message *message)
{
    ssimcu_png_chunk chunk = {.next = SSIMCU_PNG_SIGNATURE};
    while (ssimcu_png_chunk_at(file, chunk.next, &chunk) && chunk.type != SSIMCU_PNG_IDAT)
        if (chunk.type == SSIMCU_PNG_acTL && chunk.size == 8 && ssimcu_png_u32(chunk.data) > 1)
            return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                               "%s: animated PNG of %u frames: only a single picture can be "
                               "compared",
                               file->name, ssimcu_png_u32(chunk.data));
    return SSIMCU_OK;
}

static ssimcu_status read_by_either(const ssimcu_file *file, ssimcu_frame *frame,
                                    const char **reader, ssimcu_message *message)
{
    *reader = "igzip";
    if (ssimcu_png_read_fast(file, frame)) return SSIMCU_OK;
    *reader = "libpng";
    const ssimcu_status status = ssimcu_release_undo(file, message);
    return status != SSIMCU_OK ? status : ssimcu_png_read_libpng(file, frame, message);
}

static ssimcu_status read_png(const ssimcu_file *file, ssimcu_frame *frame, const char **reader,
                              ssimcu_message *message)
{
    const ssimcu_status status = read_by_either(file, frame, reader, message);
    return status != SSIMCU_OK || frame->data ? status : check_single(file, message);
}

const ssimcu_codec ssimcu_codec_png = {
    .name = "PNG",
    .library = ssimcu_png_libraries,
    .extension = (const char *const[]){".png", NULL},
    .is = is_png,
    .read = read_png,
};
