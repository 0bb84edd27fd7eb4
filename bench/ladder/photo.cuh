/* A pair of pictures from files, for the accuracy rows of bench_ssim. */
#ifndef SSIMCU_BENCH_PHOTO_CUH
#define SSIMCU_BENCH_PHOTO_CUH

#include "workspace.cuh"

namespace ladder
{

struct Photos {
    Shape shape;
    std::vector<uint8_t> ref, out; /* HWC */
};

/* Reads two 8-bit grey or RGB pictures of one shape. On an error it prints what is wrong and exits
 * with 1. */
Photos read_photos(const char *ref, const char *out);

} // namespace ladder

#endif
