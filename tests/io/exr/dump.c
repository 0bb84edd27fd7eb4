/* dump FILE [LAYER|-] [CHANNELS|-] [THREADS]: prints the samples of a picture as they are
 * decoded, raw, behind a line with width, height, channels and bits. On an error it prints the
 * error's line to standard error, and exits with its status. */
#include "ssimcu_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *argument(int argc, char **argv, int i)
{
    return i < argc && strcmp(argv[i], "-") != 0 ? argv[i] : NULL;
}

int main(int argc, char **argv)
{
    ssimcu_image_options options = SSIMCU_INIT(image_options);
    ssimcu_frame frame;
    ssimcu_message why = {{0}};
    options.layer = argument(argc, argv, 2);
    options.channels = argument(argc, argv, 3);
    options.threads = argc > 4 ? (uint32_t)atoi(argv[4]) : 0;
    const ssimcu_status status = ssimcu_image_read(argv[1], &options, &frame, &why);
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
