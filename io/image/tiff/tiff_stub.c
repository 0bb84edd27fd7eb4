/* For builds without libtiff 4.5 or later: TIFF is recognised and refused. */
#include "tiff.h"

const char ssimcu_tiff_library[] = "";

ssimcu_status ssimcu_tiff_read(ssimcu_file *file, ssimcu_frame *frame)
{
    (void)frame;
    file->reader = "";
    FAIL_FILE(file, UNSUPPORTED, "TIFF needs a build with libtiff 4.5");
}
