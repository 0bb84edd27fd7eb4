/* Planes of video frames as decoders hand them out: interleaved chroma samples, and samples in
 * the upper bits of 16. */
#include "request.h"

/* NV12 and P010 first, then other interleaved kinds. */
static const struct picture_kind KINDS[] = {
    {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 255, 0},   {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U16, 65280, 0},
    {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 255, 6},   {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U16, 65280, 4},
    {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 255, 3},   {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U16, 65280, 1},
    {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U16, 1020, 2}, {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_F32, 1, 0},
    {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_BF16, 255, 2}};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

/* Returns one of the two channels of a picture as a view. */
static ssimcu_view channel_of(const struct picture *picture, uint32_t channel)
{
    ssimcu_view view = picture->view;
    view.channels = 1;
    view.data[0] = (const char *)view.data[0] + channel * view.pixel_stride / 2;
    return view;
}

static void check_chroma(ssimcu_context *context, const ssimcu_frame *ref, const ssimcu_frame *out,
                         struct picture_kind kind, const char *label)
{
    struct picture a = picture_make(ref, 1, kind), b = picture_make(out, 1, kind);
    const ssimcu_view x[] = {channel_of(&a, 0), channel_of(&a, 1), channel_of(&a, 1)};
    const ssimcu_view y[] = {channel_of(&b, 0), channel_of(&b, 1), channel_of(&b, 0)};
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_compare_planes(context, x, y, 3, &score, NULL, &why), SSIMCU_OK, "%s",
                 why.text);
    for (uint32_t p = 0; p < 3; p++) {
        ssimcu_frame one = check_channel(ref, p > 0), other = check_channel(out, p == 1);
        check_near(score.channel[p], check_compare(context, &one, &other).score, 1e-6,
                   "%s, %ux%u, type %d, peak %g, plane %u", label, ref->width, ref->height,
                   (int)kind.type, kind.peak, p);
        ssimcu_frame_free(&one), ssimcu_frame_free(&other);
    }
    cr_assert_eq(ssimcu_compare_planes(context, x, x, 2, &score, NULL, &why), SSIMCU_OK, "%s",
                 why.text);
    cr_assert_eq(score.score, 1.0);
    picture_free(&a), picture_free(&b);
}

BACKEND_TEST(chroma, samples_in_turn)
{
    static const uint32_t size[][2] = {{1, 1},   {10, 10},   {11, 11},
                                       {37, 53}, {640, 430}, {961, 540}};
    check_random random = {31};
    for (size_t s = 0; s < sizeof size / sizeof size[0]; s++)
        for (int pad = s < 2 ? SSIMCU_PAD_ZERO : SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
            const ssimcu_settings settings = check_settings_for(device, (ssimcu_pad)pad);
            ssimcu_frame ref = check_noise(&random, size[s][0], size[s][1], 2, 8);
            ssimcu_frame out = check_damaged(&random, &ref);
            ssimcu_context *context = check_open(&settings);
            for (int k = 0; k < KIND_COUNT; k++)
                check_chroma(context, &ref, &out, KINDS[k], pad ? "zero" : "valid");
            ssimcu_close(&context);
            ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
        }
}

/* U and V in device memory, as a batch of two frames, score as each does alone and on the host. */
CUDA_TEST(chroma, both_in_one_request)
{
    ssimcu_context *context = request_context();
    struct frames frames = frames_make(641, 530, 2, 2, 3);
    struct CUstream_st *stream = device_stream();
    for (int k = 0; k < KIND_COUNT; k++) {
        struct sent ref = sent_make(frames.ref, 1, KINDS[k]),
                    out = sent_make(frames.out, 1, KINDS[k]);
        const size_t sample = ref.view.pixel_stride / 2;
        ssimcu_view a = ref.view, b = out.view;
        a.channels = b.channels = 1, a.frames = b.frames = 2;
        a.frame_stride = b.frame_stride = sample;
        ssimcu_request *both = request_make(context, &a, &b, NULL);
        request_submit(both, &a, &b, stream);
        for (uint32_t c = 0; c < 2; c++) {
            const ssimcu_view x = channel_of(&ref.host, c), y = channel_of(&out.host, c);
            ssimcu_score score = SSIMCU_INIT(score);
            cr_assert_eq(ssimcu_compare_views(context, &x, &y, &score, NULL, NULL, NULL),
                         SSIMCU_OK);
            cr_assert_eq(request_score(both, c, NULL).score, score.score, "kind %d, channel %u", k,
                         c);
        }
        ssimcu_request_destroy(&both);
        sent_free(&ref), sent_free(&out);
    }
    device_stream_free(stream);
    frames_free(&frames);
    ssimcu_close(&context);
}

/* Either side of a comparison may lie in host or in device memory. */
CUDA_TEST(chroma, memory_of_either_side)
{
    ssimcu_context *context = request_context();
    struct frames frames = frames_make(641, 530, 2, 2, 5);
    for (int k = 0; k < KIND_COUNT; k++) {
        struct sent ref = sent_make(frames.ref, 1, KINDS[k]),
                    out = sent_make(frames.out, 1, KINDS[k]);
        double first = 0;
        for (int on_device = 0; on_device < 4; on_device++) {
            ssimcu_view x = channel_of(&ref.host, 0), y = channel_of(&out.host, 0);
            ssimcu_score score = SSIMCU_INIT(score);
            if (on_device & 1) x.data[0] = ref.view.data[0];
            if (on_device & 2) y.data[0] = out.view.data[0];
            cr_assert_eq(ssimcu_compare_views(context, &x, &y, &score, NULL, NULL, NULL),
                         SSIMCU_OK);
            if (on_device == 0) first = score.score;
            cr_assert_eq(score.score, first, "kind %d, sides %d", k, on_device);
        }
        sent_free(&ref), sent_free(&out);
    }
    frames_free(&frames);
    ssimcu_close(&context);
}

/* The depth of a score is that of the samples, whichever bits of 16 hold them. */
BACKEND_TEST(chroma, depth_of_a_peak)
{
    static const struct {
        double peak;
        uint32_t bits;
    } of[] = {{1023, 10},  {65472, 10}, {4095, 12}, {65520, 12}, {65408, 9},
              {65535, 16}, {1022, 0},   {65471, 0}, {65280, 0},  {255, 8}};
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    ssimcu_frame ref, out;
    check_reference_pair(16, 12, &ref, &out);
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        const struct picture_kind kind = {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U16, of[i].peak, 0};
        struct picture a = picture_make(&ref, 1, kind), b = picture_make(&out, 1, kind);
        cr_assert_eq(picture_compare(context, &a, &b).bits, of[i].bits, "peak %g", of[i].peak);
        picture_free(&a), picture_free(&b);
    }
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
    ssimcu_close(&context);
}
