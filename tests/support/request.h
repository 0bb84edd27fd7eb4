/* Requests on pictures in device memory, and the frames that their tests score. */
#ifndef SSIMCU_TEST_REQUEST_H
#define SSIMCU_TEST_REQUEST_H

#include "device.h"
#include "picture.h"
#include "ssimcu_cuda.h"

/* A test that needs a CUDA device. */
#define CUDA_TEST(suite, name)                                                                     \
    static void suite##_##name(void);                                                              \
    Test(suite, name)                                                                              \
    {                                                                                              \
        if (check_has_cuda()) suite##_##name();                                                    \
    }                                                                                              \
    static void suite##_##name(void)

/* Opens a CUDA context with the default settings. */
ssimcu_context *request_context(void);

/* A picture and its copy on the device. */
struct sent {
    struct picture host;
    ssimcu_view view; /* the copy's */
    void *memory;
};
struct sent sent_make(const ssimcu_frame *frames, uint32_t count, struct picture_kind kind);
void sent_free(struct sent *sent);

/* Makes a request, or fails the test. */
ssimcu_request *request_make(ssimcu_context *context, const ssimcu_view *ref,
                             const ssimcu_view *out, const ssimcu_tiles *tiles);
void request_submit(ssimcu_request *request, const ssimcu_view *ref, const ssimcu_view *out,
                    struct CUstream_st *stream);
ssimcu_score request_score(ssimcu_request *request, uint32_t frame, ssimcu_tiles *tiles);

/* Makes FRAMES pairs of random 8-bit frames near each other, of any number of channels. */
enum { FRAMES = 5 /* one more than share the launches of MS-SSIM */ };
struct frames {
    ssimcu_frame ref[FRAMES], out[FRAMES];
};
struct frames frames_make(uint32_t width, uint32_t height, uint32_t ref_channels,
                          uint32_t out_channels, uint32_t seed);
void frames_free(struct frames *frames);

/* Every layout of every type: index 0 to 14. */
struct picture_kind request_kind(int index, size_t padding);

#endif
