/* A build without libtiff 4.5 or later: TIFF is recognised and refused. */
#include "tiff.h"

#include "fail.h"

const char ssimcu_tiff_library[] = "";

ssimcu_status ssimcu_tiff_read(const ssimcu_file *file, ssimcu_frame *frame, const char **reader,
                               ssimcu_message *message)
{
    (void)frame;
    *reader = "";
    return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                       "%s: is a TIFF picture: this build has no reader for it (libtiff 4.5)",
                       file->name);
}

uint64_t ssimcu_tiff_holds(const ssimcu_file *file)
{
    (void)file;
    return 0;
}
