/* fuzz_exr: reads an EXR through the module's one function. It is linked into the program, so
 * that OpenEXR too can have sanitizers. The EXR is decoded twice, in bands of exactly the size that
 * is needed: the samples are the same, and every one is written. */
#include "exr.h"
#include "targets.h"

#include <stdlib.h>
#include <string.h>

/* The data window, put together from bands. */
struct picture {
    const struct ssimcu_exr_facts *facts;
    const uint8_t *band;
    uint8_t *pixels;
    size_t row;   /* bytes of a row */
    int64_t next; /* row that is to come next */
    int fill;
};

static bool take(void *user, int32_t y, uint32_t rows)
{
    struct picture *const picture = user;
    const struct ssimcu_exr_window *const data = &picture->facts->data;
    FUZZ_CHECK(y == picture->next && rows > 0 && y + (int64_t)rows - 1 <= data->y1);
    FUZZ_CHECK(rows * picture->row <= picture->facts->band_bytes);
    memcpy(picture->pixels + (size_t)(y - (int64_t)data->y0) * picture->row, picture->band,
           rows * picture->row);
    memset((void *)picture->band, picture->fill, rows * picture->row);
    picture->next = y + (int64_t)rows;
    return true;
}

static size_t side(int32_t first, int32_t last) { return (size_t)((int64_t)last - first + 1); }

static ssimcu_status decode(struct ssimcu_exr_task task, int fill, uint8_t **pixels, size_t *bytes)
{
    const struct ssimcu_exr_facts facts = task.facts;
    const struct ssimcu_exr_window *const data = &facts.data;
    const size_t pixel = facts.channel_count * (facts.bits == SSIMCU_BITS_F16 ? 2u : 4u),
                 row = side(data->x0, data->x1) * pixel;
    *bytes = row * side(data->y0, data->y1);
    *pixels = malloc(*bytes);
    void *const band = malloc(facts.band_bytes);
    FUZZ_CHECK(*pixels && band);
    memset(band, fill, facts.band_bytes);
    struct picture picture = {&facts, band, *pixels, row, data->y0, fill};
    task.band = band;
    task.band_bytes = facts.band_bytes;
    task.take = take;
    task.user = &picture;
    const ssimcu_status status = ssimcu_exr_read_6(&task);
    if (status != SSIMCU_OK) FUZZ_CHECK(fuzz_is_line(task.text));
    if (status == SSIMCU_OK) FUZZ_CHECK(picture.next == (int64_t)data->y1 + 1);
    free(band);
    return status;
}

void fuzz_exr(const uint8_t *data, size_t size)
{
    struct ssimcu_exr_task task = {.bytes = data, .size = size, .max_pixels = 1 << 16};
    if (size > 0 && data[size - 1] % 4 == 0) task.channels = "R";
    const ssimcu_status status = ssimcu_exr_read_6(&task);
    if (status != SSIMCU_OK) {
        FUZZ_CHECK(fuzz_is_line(task.text));
        FUZZ_CHECK(status == SSIMCU_ERROR_DATA || status == SSIMCU_ERROR_UNSUPPORTED ||
                   status == SSIMCU_ERROR_LIMIT);
        return;
    }
    const struct ssimcu_exr_window *const display = &task.facts.display;
    FUZZ_CHECK(side(display->x0, display->x1) * side(display->y0, display->y1) <= task.max_pixels);
    uint8_t *first, *second;
    size_t bytes;
    const ssimcu_status one = decode(task, 0, &first, &bytes),
                        other = decode(task, 0xa5, &second, &bytes);
    FUZZ_CHECK(one == other);
    FUZZ_CHECK(one != SSIMCU_OK || memcmp(first, second, bytes) == 0);
    free(first);
    free(second);
}
