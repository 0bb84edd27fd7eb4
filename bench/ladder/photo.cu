/* Pictures, read by the library's own decoders. */
#include "photo.cuh"

#include "ssimcu.h"
extern "C" {
#include "ssimcu_io.h"
}

#include <cstdio>
#include <cstdlib>

namespace ladder
{
namespace
{

void stop_unless(bool fine, const char *why)
{
    if (fine) return;
    fprintf(stderr, "bench_ssim: %s\n", why);
    exit(1);
}

/* Reads a picture and returns its shape. Stops on bits other than 8 and on alpha. */
Shape read(const char *path, std::vector<uint8_t> *pixels)
{
    ssimcu_message message = {};
    ssimcu_image *image = nullptr;
    stop_unless(ssimcu_image_open(path, nullptr, &image, &message) == SSIMCU_OK, message.text);
    ssimcu_frame frame = ssimcu_image_shape(image);
    stop_unless(frame.bits == 8 && frame.channels % 2 == 1, "8-bit grey or RGB pictures only");
    frame.pitch = (size_t)frame.width * frame.channels;
    pixels->resize(frame.pitch * frame.height);
    frame.data = pixels->data();
    stop_unless(ssimcu_image_decode(image, &frame, &message) == SSIMCU_OK, message.text);
    ssimcu_image_close(&image);
    return {(int)frame.width, (int)frame.height, (int)frame.channels, 1, false};
}

} // namespace

Photos read_photos(const char *ref, const char *out)
{
    Photos photos;
    photos.shape = read(ref, &photos.ref);
    const Shape other = read(out, &photos.out);
    stop_unless(photos.shape.width == other.width && photos.shape.height == other.height &&
                    photos.shape.channels == other.channels,
                "the two pictures differ in size or channels");
    stop_unless(other.width >= SSIMCU_TAPS && other.height >= SSIMCU_TAPS,
                "the pictures are smaller than the window");
    return photos;
}

} // namespace ladder
