/* image_pixels FILE...: prints what io/ reads of picture files, for scripts that know what it
 * should be. For each file it prints a line "WIDTH HEIGHT CHANNELS BITS READER" and the rows
 * without padding, samples in the machine's order; or a line "! STATUS MESSAGE". */
#include "ssimcu_io.h"

#include <stdio.h>

static int print(const char *path)
{
    ssimcu_image *image = NULL;
    ssimcu_message why = {{0}};
    ssimcu_status status = ssimcu_image_open(path, NULL, &image, &why);
    ssimcu_frame frame = ssimcu_image_shape(image);
    if (status == SSIMCU_OK) status = ssimcu_frame_alloc(&frame, &why);
    if (status == SSIMCU_OK) status = ssimcu_image_decode(image, &frame, &why);
    if (status == SSIMCU_OK) {
        const size_t row =
            (size_t)frame.width * frame.channels * ((frame.bits % SSIMCU_BITS_FLOAT + 7) / 8);
        printf("%u %u %u %u %s\n", (unsigned)frame.width, (unsigned)frame.height,
               (unsigned)frame.channels, (unsigned)frame.bits, ssimcu_image_reader(image));
        for (uint32_t y = 0; y < frame.height; y++)
            fwrite((const char *)frame.data + y * frame.pitch, row, 1, stdout);
    } else {
        printf("! %s %s\n", ssimcu_status_name(status), why.text);
    }
    ssimcu_frame_free(&frame);
    ssimcu_image_close(&image);
    return ferror(stdout);
}

int main(int count, char **paths)
{
    for (int i = 1; i < count; i++)
        if (print(paths[i])) return 1;
    return fflush(stdout) != 0;
}
