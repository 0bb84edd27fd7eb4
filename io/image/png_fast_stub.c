/* A build without igzip: libpng reads every PNG. */
#include "png_readers.h"

bool ssimcu_png_read_fast(const ssimcu_file *file, ssimcu_frame *frame)
{
    (void)file;
    (void)frame;
    return false;
}
