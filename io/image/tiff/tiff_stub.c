/* A build without libtiff 4.5 or later: TIFF is recognised and refused. */
#include "tiff.h"

const char ssimcu_tiff_library[] = "";

ssimcu_status ssimcu_tiff_read(ssimcu_file *file, ssimcu_frame *frame)
{
    (void)frame;
    file->reader = "";
    return ssimcu_file_fail(file, SSIMCU_ERROR_UNSUPPORTED,
                            "is a TIFF picture: this build has no reader for it (libtiff 4.5)");
}
