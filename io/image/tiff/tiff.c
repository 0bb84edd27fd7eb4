/* TIFF: the format's row of the table. */
#include "tiff.h"

static bool is_tiff(const ssimcu_file *file)
{
    static const char magic[4][4] = {"II*", "MM\0*", "II+", "MM\0+"}; /* II+ and MM+: BigTIFF */
    for (int i = 0; i < 4; i++)
        if (ssimcu_file_begins(file, magic[i], 4)) return true;
    return false;
}

const ssimcu_codec ssimcu_codec_tiff = {
    .name = "TIFF",
    .library = ssimcu_tiff_library,
    .extension = (const char *const[]){".tif", ".tiff", NULL},
    .is = is_tiff,
    .read = ssimcu_tiff_read,
};
