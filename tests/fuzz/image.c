#include "ssimcu_io.h"
#include "targets.h"

#include <stdlib.h>
#include <string.h>

static void remark(void *user, const char *line)
{
    (void)user;
    FUZZ_CHECK(fuzz_is_line(line));
}

static const ssimcu_image_options options = {
    .struct_size = sizeof options, .max_pixels = 1 << 16, .remark = remark};

static size_t row_bytes(const ssimcu_frame *frame)
{
    return (size_t)frame->width * frame->channels * ((frame->bits % SSIMCU_BITS_FLOAT + 7) / 8);
}

/* Decodes again in two steps, to memory of exactly the size that is needed. */
static void decode(const char *path, const ssimcu_frame *wanted, size_t padding)
{
    ssimcu_image *image = NULL;
    FUZZ_CHECK(ssimcu_image_open(path, &options, &image, NULL) == SSIMCU_OK);
    ssimcu_frame frame = ssimcu_image_shape(image);
    const size_t row = row_bytes(&frame);
    FUZZ_CHECK(frame.width == wanted->width && frame.height == wanted->height &&
               frame.channels == wanted->channels && frame.bits == wanted->bits);
    frame.pitch = row + padding * ((frame.bits % SSIMCU_BITS_FLOAT + 7) / 8);
    frame.data = malloc(frame.pitch * (frame.height - 1) + row);
    FUZZ_CHECK(frame.data && ssimcu_image_decode(image, &frame, NULL) == SSIMCU_OK);
    for (uint32_t y = 0; y < frame.height; y++)
        FUZZ_CHECK(memcmp((char *)frame.data + y * frame.pitch,
                          (char *)wanted->data + y * wanted->pitch, row) == 0);
    free(frame.data);
    ssimcu_image_close(&image);
}

void fuzz_image(const uint8_t *data, size_t size)
{
    struct fuzz_file file = fuzz_file_open(data, size);
    ssimcu_frame frame;
    ssimcu_message why = {{0}};
    const ssimcu_status status = ssimcu_image_read(file.path, &options, &frame, &why);
    if (status == SSIMCU_OK) {
        FUZZ_CHECK(frame.width >= 1 && frame.height >= 1 && frame.channels >= 1 &&
                   frame.channels <= 4 && frame.bits >= 8 && frame.bits <= SSIMCU_BITS_F32);
        FUZZ_CHECK((uint64_t)frame.width * frame.height <= options.max_pixels);
        decode(file.path, &frame, size % 5);
        ssimcu_frame_free(&frame);
    } else {
        FUZZ_CHECK(fuzz_is_line(why.text) && strncmp(why.text, file.path, strlen(file.path)) == 0);
        FUZZ_CHECK(!frame.data && frame.width == 0);
        FUZZ_CHECK(status == SSIMCU_ERROR_DATA || status == SSIMCU_ERROR_UNSUPPORTED ||
                   status == SSIMCU_ERROR_LIMIT);
    }
    fuzz_file_close(&file);
}
