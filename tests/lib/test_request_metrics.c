/* Metrics beside SSIM of pairs in device memory: those that the CPU computes of the same pairs. */
#include "request.h"

#include <math.h>

enum {
    PSNR = 1u << SSIMCU_METRIC_PSNR,
    MS_SSIM = 1u << SSIMCU_METRIC_MS_SSIM,
    SSIMULACRA2 = 1u << SSIMCU_METRIC_SSIMULACRA2,
    ALL = PSNR | MS_SSIM | SSIMULACRA2
};

static void check_scores(const ssimcu_score *got, const ssimcu_score *expected, const char *what)
{
    static const double tolerance[SSIMCU_METRICS] = {1e-6, 1e-6, 2e-6, 2e-3};
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        check_near(got->metric[m], expected->metric[m], tolerance[m], "%s: metric %d", what, m);
        for (uint32_t c = 0; c < got->channels && m <= SSIMCU_METRIC_MS_SSIM; c++)
            check_near(got->metric_channel[m][c], expected->metric_channel[m][c], 2 * tolerance[m],
                       "%s: metric %d, channel %u", what, m, c);
    }
    check_near(got->mse, expected->mse, 1e-7 * expected->mse, "%s: mse", what);
}

/* Scores a batch, whose pairs must have the metrics that each has alone on the CPU. */
static void check_batch(ssimcu_context *cuda, ssimcu_context *cpu, const struct frames *frames,
                        struct picture_kind kind, uint32_t tile)
{
    struct sent ref = sent_make(frames->ref, FRAMES, kind),
                out = sent_make(frames->out, FRAMES, kind);
    const ssimcu_tiles tiles = {.struct_size = sizeof tiles, .width = tile, .height = tile};
    struct CUstream_st *stream = device_stream();
    ssimcu_request *batch = request_make(cuda, &ref.view, &out.view, tile ? &tiles : NULL);
    request_submit(batch, &ref.view, &out.view, stream);
    for (uint32_t f = 0; f < FRAMES; f++) {
        char what[80];
        struct picture host[] = {picture_make(&frames->ref[f], 1, kind),
                                 picture_make(&frames->out[f], 1, kind)};
        const ssimcu_score expected = picture_compare(cpu, &host[0], &host[1]),
                           got = request_score(batch, f, NULL);
        snprintf(what, sizeof what, "%ux%u, layout %d, type %d, tile %u, frame %u",
                 frames->ref->width, frames->ref->height, (int)kind.layout, (int)kind.type, tile,
                 f);
        check_scores(&got, &expected, what);
        picture_free(&host[0]), picture_free(&host[1]);
    }
    ssimcu_request_destroy(&batch);
    device_stream_free(stream);
    sent_free(&ref), sent_free(&out);
}

/* Holds the mean squares of a batch against the CPU's. */
static void check_squares(ssimcu_context *cuda, ssimcu_context *cpu, const struct frames *frames,
                          struct picture_kind kind)
{
    struct sent ref = sent_make(frames->ref, FRAMES, kind),
                out = sent_make(frames->out, FRAMES, kind);
    struct CUstream_st *stream = device_stream();
    ssimcu_request *batch = request_make(cuda, &ref.view, &out.view, NULL);
    request_submit(batch, &ref.view, &out.view, stream);
    for (uint32_t f = 0; f < FRAMES; f++) {
        struct picture host[] = {picture_make(&frames->ref[f], 1, kind),
                                 picture_make(&frames->out[f], 1, kind)};
        const ssimcu_score expected = picture_compare(cpu, &host[0], &host[1]),
                           got = request_score(batch, f, NULL);
        check_near(got.mse, expected.mse, 1e-14 * expected.mse, "%ux%u, layout %d, frame %u: mse",
                   frames->ref->width, frames->ref->height, (int)kind.layout, f);
        check_near(got.score, expected.score, 1e-6, "%ux%u, layout %d, frame %u",
                   frames->ref->width, frames->ref->height, (int)kind.layout, f);
        picture_free(&host[0]), picture_free(&host[1]);
    }
    ssimcu_request_destroy(&batch);
    device_stream_free(stream);
    sent_free(&ref), sent_free(&out);
}

static void open_both(ssimcu_settings settings, ssimcu_context *context[2])
{
    settings.struct_size = sizeof settings;
    settings.metrics = ALL;
    settings.device = SSIMCU_DEVICE_CUDA;
    context[0] = check_open(&settings);
    settings.device = SSIMCU_DEVICE_CPU;
    settings.threads = 4;
    context[1] = check_open(&settings);
}

/* Each kernel's size, with and without tiles, and planes unevenly apart. */
CUDA_TEST(request_metrics, every_kind)
{
    static const uint32_t size[][2] = {{163, 167}, {363, 241}, {705, 417}};
    for (size_t s = 0; s < sizeof size / sizeof size[0]; s++)
        for (uint32_t channels = 1; channels <= 3; channels += 2) {
            ssimcu_context *context[2];
            open_both((ssimcu_settings){.pad = channels == 1 ? SSIMCU_PAD_ZERO : SSIMCU_PAD_VALID},
                      context);
            struct frames frames = frames_make(size[s][0], size[s][1], channels, channels, 5);
            for (int i = 0; i < 15; i++)
                check_batch(context[0], context[1], &frames,
                            request_kind(i, (size_t)(i * 5 + (int)s) % 4), i % 4 == 1 ? 32 : 0);
            frames_free(&frames);
            ssimcu_close(&context[0]), ssimcu_close(&context[1]);
        }
}

CUDA_TEST(request_metrics, alpha_and_luma)
{
    for (int color = SSIMCU_COLOR_RGB; color <= SSIMCU_COLOR_Y709; color++)
        for (int alpha = SSIMCU_ALPHA_WORST; alpha <= SSIMCU_ALPHA_WHITE; alpha++) {
            ssimcu_context *context[2];
            open_both((ssimcu_settings){.color = (ssimcu_color)color, .alpha = (ssimcu_alpha)alpha},
                      context);
            struct frames frames = frames_make(197, 173, 4, 4, 6);
            for (int i = 0; i < 15; i++)
                check_batch(context[0], context[1], &frames, request_kind(i, 2), 0);
            frames_free(&frames);
            ssimcu_close(&context[0]), ssimcu_close(&context[1]);
        }
}

CUDA_TEST(request_metrics, curves)
{
    for (int transfer = SSIMCU_TRANSFER_SRGB; transfer <= SSIMCU_TRANSFER_HABLE;
         transfer += SSIMCU_TRANSFER_HABLE - SSIMCU_TRANSFER_SRGB) {
        ssimcu_context *context[2];
        open_both((ssimcu_settings){.transfer = (ssimcu_transfer)transfer}, context);
        for (uint32_t channels = 3; channels <= 4; channels++) {
            struct frames frames = frames_make(705, 417, channels, channels, 7);
            for (int i = 6; i < 15; i++)
                check_batch(context[0], context[1], &frames, request_kind(i, 0), 0);
            frames_free(&frames);
        }
        ssimcu_close(&context[0]), ssimcu_close(&context[1]);
    }
}

/* Turns frames into flat squares of two levels, with a few pixels off: warps then often do a tile
 * again. */
static void flatten(struct frames *frames, uint32_t seed)
{
    check_random random = {seed};
    for (int f = 0; f < FRAMES; f++)
        for (uint32_t y = 0; y < frames->ref[f].height; y++)
            for (uint32_t x = 0; x < frames->ref[f].width; x++)
                for (uint32_t c = 0; c < frames->ref[f].channels; c++) {
                    const uint32_t level = (x / 24 + y / 40) % 2 ? 255 : 1;
                    const uint32_t off = check_between(&random, 0, 150) ? 0 : 1;
                    check_set_sample(&frames->ref[f], x, y, c, level);
                    check_set_sample(&frames->out[f], x, y, c,
                                     level > 1 ? level - off : level + off);
                }
}

/* SSIM's kernel counts squares of bytes if nothing but PSNR is wanted beside. They are integers, so
 * that a pixel too many or too few shows. */
CUDA_TEST(request_metrics, squares)
{
    static const uint32_t size[][2] = {{705, 417}, {1027, 521}, {536, 1031}, {682, 906}};
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
        ssimcu_settings settings = SSIMCU_INIT(settings, .pad = (ssimcu_pad)pad, .metrics = PSNR,
                                               .device = SSIMCU_DEVICE_CUDA);
        ssimcu_context *const cuda = check_open(&settings);
        settings.device = SSIMCU_DEVICE_CPU;
        settings.metrics |= 1u << SSIMCU_METRIC_SSIM; /* it scores nothing that is not wanted */
        ssimcu_context *const cpu = check_open(&settings);
        for (size_t s = 0; s < sizeof size / sizeof size[0]; s++)
            for (int i = 0; i < 12; i++) {
                const uint32_t channels = i % 2 ? 3 : 1;
                struct frames frames = frames_make(size[s][0], size[s][1], channels, channels, 9);
                if (i % 4 >= 2) flatten(&frames, (uint32_t)s);
                check_squares(cuda, cpu, &frames, request_kind(i % 3, (size_t)i));
                frames_free(&frames);
            }
        ssimcu_context *context[] = {cuda, cpu};
        ssimcu_close(&context[0]), ssimcu_close(&context[1]);
    }
}

/* Planes of 10 bits have a kernel of their own. */
CUDA_TEST(request_metrics, ten_bits)
{
    const struct picture_kind kind = {
        .layout = SSIMCU_LAYOUT_CHW, .type = SSIMCU_TYPE_U16, .peak = 1023};
    ssimcu_context *context[2];
    open_both((ssimcu_settings){0}, context);
    struct frames frames = frames_make(705, 417, 3, 3, 8);
    check_batch(context[0], context[1], &frames, kind, 0);
    frames_free(&frames);
    ssimcu_close(&context[0]), ssimcu_close(&context[1]);
}

/* Rows are 2,160 bytes apart, so that only the address of one side is unaligned. */
CUDA_TEST(request_metrics, one_side_is_unaligned)
{
    ssimcu_context *context[2];
    open_both((ssimcu_settings){0}, context);
    const struct picture_kind kind = request_kind(0, 0);
    const ssimcu_tiles tiles = SSIMCU_INIT(tiles, .width = 32, .height = 32);
    struct frames frames = frames_make(720, 417, 3, 3, 11);
    for (int side = 0; side < 2; side++) {
        struct sent sent[] = {sent_make(frames.ref, 1, kind), sent_make(frames.out, 1, kind)};
        struct picture host[] = {picture_make(frames.ref, 1, kind),
                                 picture_make(frames.out, 1, kind)};
        for (int i = 0; i < 2; i++) {
            sent[i].view.width = host[i].view.width = 719;
            if (i != side) continue;
            sent[i].view.data[0] = (const char *)sent[i].view.data[0] + 3;
            host[i].view.data[0] = (const char *)host[i].view.data[0] + 3;
        }
        ssimcu_request *request = request_make(context[0], &sent[0].view, &sent[1].view, &tiles);
        request_submit(request, &sent[0].view, &sent[1].view, NULL);
        const ssimcu_score got = request_score(request, 0, NULL),
                           expected = picture_compare(context[1], &host[0], &host[1]);
        check_scores(&got, &expected, side ? "OUT is unaligned" : "REF is unaligned");
        ssimcu_request_destroy(&request);
        for (int i = 0; i < 2; i++) sent_free(&sent[i]), picture_free(&host[i]);
    }
    frames_free(&frames);
    ssimcu_close(&context[0]), ssimcu_close(&context[1]);
}

/* Lower scales of which some take the tensor cores and others do not, of pairs that share their
 * launches. */
CUDA_TEST(request_metrics, scales)
{
    static const uint32_t size[][2] = {{1043, 1044}, {1044, 1042}};
    ssimcu_context *context[2];
    open_both((ssimcu_settings){0}, context);
    for (int s = 0; s < 2; s++) {
        struct frames frames = frames_make(size[s][0], size[s][1], 3, 3, 10);
        check_batch(context[0], context[1], &frames, request_kind(s, 1), 0);
        frames_free(&frames);
    }
    ssimcu_close(&context[0]), ssimcu_close(&context[1]);
}
