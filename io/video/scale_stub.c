/* Scaling in a build without zimg. */
#include "video/scale.h"

#include "fail.h"

ssimcu_status ssimcu_scaler_open(const ssimcu_clip_format *from, uint32_t width, uint32_t height,
                                 ssimcu_scaler_name name, ssimcu_scaler **scaler,
                                 ssimcu_message *message)
{
    (void)from, (void)width, (void)height, (void)name;
    *scaler = NULL;
    FAIL(UNSUPPORTED, "--scale needs a build with zimg");
}

void ssimcu_scaler_close(ssimcu_scaler **scaler) { (void)scaler; }

size_t ssimcu_scaler_bytes(const ssimcu_scaler *scaler)
{
    (void)scaler;
    return 0;
}

ssimcu_status ssimcu_scaler_run(const ssimcu_scaler *scaler, void *memory,
                                ssimcu_frame plane[SSIMCU_MAX_PLANES], ssimcu_message *message)
{
    (void)scaler, (void)memory, (void)plane;
    FAIL(INTERNAL, "this build has no scaler");
}
