/* PNG: the format's row of the table, and the choice between its two readers. */
#include "png_readers.h"
#include "release.h"

#include <string.h>

static bool is_png(const ssimcu_file *file)
{
    static const uint8_t magic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    return file->size >= sizeof magic && memcmp(file->bytes, magic, sizeof magic) == 0;
}

static ssimcu_status read_png(const ssimcu_file *file, ssimcu_frame *frame, const char **reader,
                              ssimcu_message *message)
{
    *reader = "igzip";
    if (ssimcu_png_read_fast(file, frame)) return SSIMCU_OK;
    *reader = "libpng";
    const ssimcu_status status = ssimcu_release_undo(file, message);
    return status != SSIMCU_OK ? status : ssimcu_png_read_libpng(file, frame, message);
}

const ssimcu_codec ssimcu_codec_png = {
    .name = "PNG",
    .library = ssimcu_png_libraries,
    .extension = (const char *const[]){".png", NULL},
    .is = is_png,
    .read = read_png,
};
