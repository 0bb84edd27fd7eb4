/* For builds without igzip: libpng reads every PNG. */
#include "png_readers.h"

#include <png.h>

const char ssimcu_png_libraries[] = "libpng " PNG_LIBPNG_VER_STRING;

bool ssimcu_png_read_fast(const ssimcu_file *file, ssimcu_frame *frame)
{
    (void)file;
    (void)frame;
    return false;
}
