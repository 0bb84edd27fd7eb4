/* PNG: the format's row of the table, and the choice between its two readers. */
#include "image/release.h"
#include "png_readers.h"

static bool is_png(const ssimcu_file *file)
{
    return ssimcu_file_begins(file, "\x89PNG\r\n\x1A\n", SSIMCU_PNG_SIGNATURE);
}

/* Refuses an animation: a score of its first frame would say nothing of the others. A decoder has
 * found the chunks whole. An animation of one frame is a picture. */
static ssimcu_status check_single(const ssimcu_file *file)
{
    ssimcu_png_chunk chunk = {.next = SSIMCU_PNG_SIGNATURE};
    while (ssimcu_png_chunk_at(file, chunk.next, &chunk) && chunk.type != SSIMCU_PNG_IDAT)
        if (chunk.type == SSIMCU_PNG_acTL && chunk.size == 8 && ssimcu_png_u32(chunk.data) > 1)
            return ssimcu_file_fail(
                file, SSIMCU_ERROR_UNSUPPORTED,
                "animated PNG of %u frames: only a single picture can be compared",
                ssimcu_png_u32(chunk.data));
    return SSIMCU_OK;
}

static ssimcu_status read_by_either(ssimcu_file *file, ssimcu_frame *frame)
{
    file->reader = "igzip";
    if (ssimcu_png_read_fast(file, frame)) return SSIMCU_OK;
    file->reader = "libpng";
    const ssimcu_status status = ssimcu_release_undo(file);
    return status != SSIMCU_OK ? status : ssimcu_png_read_libpng(file, frame);
}

static ssimcu_status read_png(ssimcu_file *file, ssimcu_frame *frame)
{
    const ssimcu_status status = read_by_either(file, frame);
    return status != SSIMCU_OK || frame->data ? status : check_single(file);
}

const ssimcu_codec ssimcu_codec_png = {
    .name = "PNG",
    .library = ssimcu_png_libraries,
    .extension = (const char *const[]){".png", NULL},
    .is = is_png,
    .read = read_png,
};
