/* bench_metrics_device REF OUT | --check: times the metrics of ssimcu_settings.metrics on an 8-bit
 * RGB pair in device memory, interleaved and planar, one pair and a batch of eight, as a Markdown
 * table. SSIM is always computed, so each row is SSIM and what it names.
 *
 * Every value is first checked against the CPU's. Times are taken by events around a request, with
 * L2 overwritten before it. They are medians of 21 runs. */
#include "common/bench.cuh"
#include "common/checks.h"
#include "common/common.h"
#include "ladder/photo.cuh"

#include "ssimcu_cuda.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using bench::Timer;
using bench::Times;

namespace
{

constexpr int RUNS = 21, BATCH = 8, COLOURS = 3;
constexpr uint32_t PSNR = 1u << SSIMCU_METRIC_PSNR, MS_SSIM = 1u << SSIMCU_METRIC_MS_SSIM,
                   SSIMULACRA2 = 1u << SSIMCU_METRIC_SSIMULACRA2;

const struct {
    const char *name;
    uint32_t metrics;
} ROWS[] = {{"SSIM", 0},
            {"and PSNR", PSNR},
            {"and MS-SSIM", MS_SSIM},
            {"and SSIMULACRA2", SSIMULACRA2},
            {"all four", PSNR | MS_SSIM | SSIMULACRA2}};

/* How far a device may be from the CPU, by ssimcu_metric. Both may be off. */
constexpr double TOLERANCE[4] = {1e-6, 1e-9, 2e-6, 2e-3};

ssimcu_context *open_device(ssimcu_device device, uint32_t metrics)
{
    ssimcu_settings settings = {};
    settings.struct_size = sizeof settings;
    settings.device = device;
    settings.metrics = metrics;
    ssimcu_context *context = nullptr;
    ssimcu_message why = {};
    stop_unless(ssimcu_open(&settings, &context, &why), &why);
    return context;
}

/* A batch of the same pair. */
struct Batch {
    ssimcu_view ref, out;
};

ssimcu_view make_view(const ladder::Photos &photos, bool planar, const std::vector<uint8_t> &from)
{
    const size_t pixels = (size_t)photos.shape.width * photos.shape.height;
    std::vector<uint8_t> host(pixels * COLOURS);
    for (size_t i = 0; i < pixels; i++)
        for (int c = 0; c < COLOURS; c++)
            host[planar ? c * pixels + i : i * COLOURS + c] = from[i * COLOURS + c];
    void *memory = nullptr;
    BENCH_CUDA(cudaMalloc(&memory, BATCH * host.size()));
    for (int i = 0; i < BATCH; i++)
        BENCH_CUDA(cudaMemcpy(static_cast<uint8_t *>(memory) + i * host.size(), host.data(),
                              host.size(), cudaMemcpyHostToDevice));
    ssimcu_view view = {};
    view.struct_size = sizeof view;
    view.width = (uint32_t)photos.shape.width, view.height = (uint32_t)photos.shape.height;
    view.channels = COLOURS;
    view.layout = planar ? SSIMCU_LAYOUT_CHW : SSIMCU_LAYOUT_HWC;
    view.frame_stride = host.size();
    view.data[0] = memory;
    return view;
}

ssimcu_score score_on_cpu(const ladder::Photos &photos)
{
    ssimcu_context *cpu = open_device(SSIMCU_DEVICE_CPU, PSNR | MS_SSIM | SSIMULACRA2);
    ssimcu_view ref = {}, out;
    ref.struct_size = sizeof ref;
    ref.width = (uint32_t)photos.shape.width, ref.height = (uint32_t)photos.shape.height;
    ref.channels = COLOURS;
    out = ref;
    ref.data[0] = const_cast<uint8_t *>(photos.ref.data());
    out.data[0] = const_cast<uint8_t *>(photos.out.data());
    ssimcu_score score = {};
    score.struct_size = sizeof score;
    ssimcu_message why = {};
    stop_unless(ssimcu_compare_views(cpu, &ref, &out, &score, nullptr, nullptr, &why), &why);
    ssimcu_close(&cpu);
    return score;
}

/* Counts the metrics of all frames that are not the CPU's, and says so. */
int count_wrong(ssimcu_request *request, uint32_t frames, uint32_t metrics,
                const ssimcu_score &expected)
{
    int wrong = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        ssimcu_score score = {};
        score.struct_size = sizeof score;
        ssimcu_message why = {};
        stop_unless(ssimcu_request_score(request, frame, &score, nullptr, &why), &why);
        for (int m = 0; m < 4; m++) {
            if (m != SSIMCU_METRIC_SSIM && !(metrics >> m & 1)) continue;
            if (std::fabs(score.metric[m] - expected.metric[m]) <= TOLERANCE[m]) continue;
            fprintf(stderr, "bench_metrics_device: metric %d is %.9f, expected %.9f\n", m,
                    score.metric[m], expected.metric[m]);
            wrong++;
        }
    }
    return wrong;
}

void stop_if_wrong(ssimcu_request *request, uint32_t frames, uint32_t metrics,
                   const ssimcu_score &expected)
{
    if (count_wrong(request, frames, metrics, expected) > 0) exit(1);
}

/* Times one cell: a request for each run, because one that is under way takes no other. */
Times measure(Batch batch, uint32_t frames, uint32_t metrics, const ssimcu_score &expected,
              Timer &timer, cudaStream_t stream)
{
    ssimcu_context *context = open_device(SSIMCU_DEVICE_CUDA, metrics);
    ssimcu_message why = {};
    std::vector<ssimcu_request *> requests(RUNS + Timer::WARM_UP);
    batch.ref.frames = batch.out.frames = frames;
    for (ssimcu_request *&request : requests)
        stop_unless(ssimcu_request_create(context, &batch.ref, &batch.out, nullptr, &request, &why),
                    &why);
    size_t next = 0;
    const auto submit = [&] {
        stop_unless(ssimcu_request_submit(requests[next++], &batch.ref, &batch.out, stream, &why),
                    &why);
    };
    submit(); /* CUDA loads kernels at their first use */
    stop_if_wrong(requests[0], frames, metrics, expected);
    next = 0;
    const Times times = timer.measure(RUNS, 0, submit);
    stop_if_wrong(requests.back(), frames, metrics, expected);
    for (ssimcu_request *&request : requests) ssimcu_request_destroy(&request);
    ssimcu_close(&context);
    return times;
}

void time_all(const ladder::Photos &photos, const ssimcu_score &expected, cudaStream_t stream)
{
    Timer timer(stream);
    timer.warm_up();
    printf("\nus per pair: median (min .. max), and the median as a multiple of SSIM's\n\n"
           "| metrics | HWC | HWC, eight | planes | planes, eight |\n|---|---|---|---|---|\n");
    const Batch layouts[] = {
        {make_view(photos, false, photos.ref), make_view(photos, false, photos.out)},
        {make_view(photos, true, photos.ref), make_view(photos, true, photos.out)}};
    double alone[4] = {};
    for (const auto &row : ROWS) {
        printf("| %s |", row.name);
        for (int column = 0; column < 4; column++) {
            const uint32_t frames = column % 2 ? BATCH : 1;
            const Times times =
                measure(layouts[column / 2], frames, row.metrics, expected, timer, stream);
            if (!row.metrics) alone[column] = times.median;
            printf(" %.1f (%.1f .. %.1f), %.3f |", times.median / frames, times.min / frames,
                   times.max / frames, times.median / alone[column]);
        }
        printf("\n");
        fflush(stdout);
    }
}

/* A pair that check_frame makes. */
ladder::Photos make_photos(uint32_t width, uint32_t height)
{
    ladder::Photos photos;
    photos.shape = {(int)width, (int)height, COLOURS, 1, false};
    std::vector<uint8_t> *const side[] = {&photos.ref, &photos.out};
    for (int i = 0; i < 2; i++) {
        ssimcu_frame frame = check_frame(width, height, COLOURS, 8, i);
        for (uint32_t y = 0; y < height; y++) {
            const uint8_t *row = static_cast<const uint8_t *>(frame.data) + y * frame.pitch;
            side[i]->insert(side[i]->end(), row, row + width * COLOURS);
        }
        ssimcu_frame_free(&frame);
    }
    return photos;
}

void check_batch(Batch batch, uint32_t frames, uint32_t metrics, const ssimcu_score &expected,
                 const char *what)
{
    ssimcu_context *context = open_device(SSIMCU_DEVICE_CUDA, metrics);
    ssimcu_request *request = nullptr;
    ssimcu_message why = {};
    batch.ref.frames = batch.out.frames = frames;
    stop_unless(ssimcu_request_create(context, &batch.ref, &batch.out, nullptr, &request, &why),
                &why);
    stop_unless(ssimcu_request_submit(request, &batch.ref, &batch.out, nullptr, &why), &why);
    check_that(count_wrong(request, frames, metrics, expected) == 0, "%ux%u, %s, %u frames",
               batch.ref.width, batch.ref.height, what, frames);
    ssimcu_request_destroy(&request);
    ssimcu_close(&context);
}

/* Sizes that MS-SSIM takes, of which one is for the tensor cores. */
int check()
{
    constexpr uint32_t SIZES[][2] = {{655, 467}, {161, 211}};
    for (const auto &size : SIZES) {
        const ladder::Photos photos = make_photos(size[0], size[1]);
        const ssimcu_score expected = score_on_cpu(photos);
        for (const bool planar : {false, true}) {
            const Batch batch = {make_view(photos, planar, photos.ref),
                                 make_view(photos, planar, photos.out)};
            for (const auto &row : ROWS)
                for (const uint32_t frames : {1, 5, BATCH})
                    check_batch(batch, frames, row.metrics, expected, row.name);
            BENCH_CUDA(cudaFree(const_cast<void *>(batch.ref.data[0])));
            BENCH_CUDA(cudaFree(const_cast<void *>(batch.out.data[0])));
        }
    }
    return check_end();
}

} // namespace

int main(int argc, char **argv)
{
    if (check_asked(argc, argv)) {
        check_needs_cuda();
        return check();
    }
    if (argc != 3) return fprintf(stderr, "usage: bench_metrics_device REF OUT | --check\n"), 2;
    const ladder::Photos photos = ladder::read_photos(argv[1], argv[2]);
    if (photos.shape.channels != COLOURS)
        return fprintf(stderr, "bench_metrics_device: RGB pictures only\n"), 1;
    bench::print_machine();
    const ssimcu_score expected = score_on_cpu(photos);
    printf("%dx%d: SSIM %.9f, PSNR %.9f, MS-SSIM %.9f, SSIMULACRA2 %.6f\n", photos.shape.width,
           photos.shape.height, expected.metric[SSIMCU_METRIC_SSIM],
           expected.metric[SSIMCU_METRIC_PSNR], expected.metric[SSIMCU_METRIC_MS_SSIM],
           expected.metric[SSIMCU_METRIC_SSIMULACRA2]);
    cudaStream_t stream = nullptr;
    BENCH_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    time_all(photos, expected, stream);
    BENCH_CUDA(cudaStreamDestroy(stream));
    return 0;
}
