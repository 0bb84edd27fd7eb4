/* dump FILE [LAYER|-] [CHANNELS|-] [THREADS [ROWS]]: prints the samples of a picture as they are
 * decoded, raw, behind a line with width, height, channels and bits. With ROWS it is decoded in
 * strips of so many, and CHANNELS may be any number. On an error it prints the error's line to
 * standard error, and exits with its status. */
#include "image/channels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *argument(int argc, char **argv, int i)
{
    return i < argc && strcmp(argv[i], "-") != 0 ? argv[i] : NULL;
}

/* Reads a picture in strips, the lowest first. */
static ssimcu_status read_strips(const char *path, const ssimcu_image_options *options,
                                 uint32_t rows, ssimcu_frame *frame, ssimcu_message *why)
{
    ssimcu_image *image = NULL;
    ssimcu_status status =
        ssimcu_image_open_many(NULL, path, options, options->channels, &image, why);
    *frame = ssimcu_image_shape(image);
    frame->pitch = (size_t)frame->width * frame->channels * (frame->bits % SSIMCU_BITS_FLOAT) / 8;
    ssimcu_frame grey = {
        .width = (uint32_t)frame->pitch, .height = frame->height, .channels = 1, .bits = 8};
    if (status == SSIMCU_OK) status = ssimcu_frame_alloc(&grey, why);
    frame->data = grey.data;
    frame->pitch = grey.pitch;
    if (status == SSIMCU_OK) memset(frame->data, 0xa5, frame->pitch * frame->height);
    for (uint32_t end = frame->height; end > 0 && status == SSIMCU_OK;) {
        const uint32_t y = end > rows ? end - rows : 0;
        ssimcu_frame strip = *frame;
        strip.height = end - y;
        strip.data = (char *)frame->data + y * frame->pitch;
        status = ssimcu_image_decode_strip(image, y, &strip, why);
        end = y;
    }
    ssimcu_image_close(&image);
    return status;
}

int main(int argc, char **argv)
{
    ssimcu_image_options options = SSIMCU_INIT(image_options);
    ssimcu_frame frame;
    ssimcu_message why = {{0}};
    options.layer = argument(argc, argv, 2);
    options.channels = argument(argc, argv, 3);
    options.threads = argc > 4 ? (uint32_t)atoi(argv[4]) : 0;
    const ssimcu_status status =
        argc > 5 ? read_strips(argv[1], &options, (uint32_t)atoi(argv[5]), &frame, &why)
                 : ssimcu_image_read(argv[1], &options, &frame, &why);
    if (status != SSIMCU_OK) {
        fprintf(stderr, "%s\n", why.text);
        return (int)status;
    }
    printf("%u %u %u %u\n", frame.width, frame.height, frame.channels, frame.bits);
    for (uint32_t y = 0; y < frame.height; y++)
        fwrite((char *)frame.data + y * frame.pitch,
               (size_t)frame.width * frame.channels * (frame.bits % SSIMCU_BITS_FLOAT) / 8, 1,
               stdout);
    ssimcu_frame_free(&frame);
    return 0;
}
