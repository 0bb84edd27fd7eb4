/* fuzz_exr: reads an EXR through the module's one function. It is linked into the program, so
 * that OpenEXR too can have sanitizers. The EXR is decoded twice, to memory of exactly the size
 * that is needed: the samples are the same, and every one is written. */
#include "exr.h"
#include "targets.h"

#include <stdlib.h>
#include <string.h>

static ssimcu_status decode(struct ssimcu_exr_task task, size_t bytes, int fill, uint8_t **pixels)
{
    *pixels = malloc(bytes);
    FUZZ_CHECK(*pixels);
    memset(*pixels, fill, bytes);
    task.pixels = *pixels;
    const ssimcu_status status = ssimcu_exr_read_1(&task);
    if (status != SSIMCU_OK) FUZZ_CHECK(fuzz_is_line(task.text));
    return status;
}

void fuzz_exr(const uint8_t *data, size_t size)
{
    struct ssimcu_exr_task task = {.bytes = data, .size = size, .max_pixels = 1 << 16};
    if (size > 0 && data[size - 1] % 4 == 0) task.channels = "R";
    const ssimcu_status status = ssimcu_exr_read_1(&task);
    if (status != SSIMCU_OK) {
        FUZZ_CHECK(fuzz_is_line(task.text));
        FUZZ_CHECK(status == SSIMCU_ERROR_DATA || status == SSIMCU_ERROR_UNSUPPORTED ||
                   status == SSIMCU_ERROR_LIMIT);
        return;
    }
    const size_t width = (size_t)((int64_t)task.display.x1 - task.display.x0 + 1),
                 height = (size_t)((int64_t)task.display.y1 - task.display.y0 + 1);
    FUZZ_CHECK(width * height <= task.max_pixels);
    task.pitch = width * task.channel_count * (task.bits == SSIMCU_BITS_F16 ? 2 : 4);
    uint8_t *first, *second;
    const ssimcu_status one = decode(task, task.pitch * height, 0, &first),
                        other = decode(task, task.pitch * height, 0xa5, &second);
    FUZZ_CHECK(one == other);
    FUZZ_CHECK(one != SSIMCU_OK || memcmp(first, second, task.pitch * height) == 0);
    free(first);
    free(second);
}
