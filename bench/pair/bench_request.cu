/* bench_request [PAIRS] | --check: times what a submission of device frames costs the GPU.
 *
 * Kinds: a 4K RGB pair of each type and layout on one stream.
 * Treatments: the same under curves, luma and alpha, with tiles and without.
 * Streams: pairs one after the other on one stream, and shared out over two. Small frames leave
 * most of the GPU idle, so two streams finish sooner; a 4K frame fills it by itself. The last table
 * shows the start and the end of each stream's share on one clock. The shares overlap if each
 * starts before the other ends.
 *
 * Every score is first checked against the CPU's. Times are taken by events on the streams, from
 * the moment all is queued to the last end. They are medians of 11 runs with the lowest and the
 * highest. All pairs of a table row are the same one: 50 MB for 4K bytes, about what L2 holds, more
 * for every other type. */
#include "common/bench.cuh"
#include "common/checks.h"
#include "common/common.h"

#include "ssimcu_cuda.h"

#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using bench::Times;

namespace
{

constexpr int STREAMS = 2, RUNS = 11, COLOURS = 3;
constexpr int MOST_PAIRS = 64; /* a stream takes about a thousand launches before it blocks */

/* How pairs are compared. */
struct Treatment {
    const char *name = "";
    ssimcu_type type = SSIMCU_TYPE_U8;
    ssimcu_transfer transfer = SSIMCU_TRANSFER_NONE;
    ssimcu_color color = SSIMCU_COLOR_RGB;
    bool alpha = false; /* a fourth channel, over black */
};

ssimcu_context *open_device(ssimcu_device device, const Treatment &treatment)
{
    ssimcu_settings settings = {};
    settings.struct_size = sizeof settings;
    settings.device = device;
    settings.transfer = treatment.transfer;
    settings.color = treatment.color;
    settings.alpha = SSIMCU_ALPHA_BLACK;
    ssimcu_context *context = nullptr;
    ssimcu_message why = {};
    stop_unless(ssimcu_open(&settings, &context, &why), &why);
    return context;
}

/* One stream and the requests that are submitted on it. */
struct Lane {
    cudaStream_t stream;
    std::vector<ssimcu_request *> requests; /* one for each pair in flight */
    cudaEvent_t start, end;
};

struct Pair {
    ssimcu_view ref, out;
    double expected;
};

double score_on_cpu(const Pair &pair, const Treatment &treatment)
{
    ssimcu_context *cpu = open_device(SSIMCU_DEVICE_CPU, treatment);
    ssimcu_score score = {};
    score.struct_size = sizeof score;
    ssimcu_message why = {};
    stop_unless(ssimcu_compare_views(cpu, &pair.ref, &pair.out, &score, nullptr, nullptr, &why),
                &why);
    ssimcu_close(&cpu);
    return score.score;
}

size_t sample_bytes(ssimcu_type type)
{
    return type == SSIMCU_TYPE_U8 ? 1 : type == SSIMCU_TYPE_F32 ? 4 : 2;
}

/* Stores byte `v` as a sample of the type, scaled to its range. */
void put(std::vector<uint8_t> &to, size_t at, ssimcu_type type, uint8_t v)
{
    const uint16_t word = (uint16_t)(v * 257);
    const __half half = __float2half((float)v / 256);
    const float single = (float)v / 255;
    const void *const from[] = {&v, &word, &half, &single};
    std::memcpy(&to[at * sample_bytes(type)], from[type], sample_bytes(type));
}

/* Makes two random frames near each other on the device, and their score by the CPU. */
Pair make_pair(uint32_t width, uint32_t height, ssimcu_layout layout, const Treatment &treatment)
{
    const ssimcu_type type = treatment.type;
    const int channels = COLOURS + treatment.alpha;
    const size_t pixels = (size_t)width * height, bytes = pixels * channels * sample_bytes(type);
    std::vector<uint8_t> host[2] = {std::vector<uint8_t>(bytes), std::vector<uint8_t>(bytes)};
    unsigned seed = width;
    for (size_t i = 0; i < pixels; i++)
        for (int c = 0; c < channels; c++) {
            seed = seed * 1664525u + 1013904223u;
            const uint8_t v = (uint8_t)((i % width / 32 + (seed >> 28)) & 127);
            const size_t at = layout == SSIMCU_LAYOUT_HWC ? i * channels + c : c * pixels + i;
            put(host[0], at, type, v);
            put(host[1], at, type, (uint8_t)(v + (seed >> 24 & 15)));
        }
    Pair pair = {};
    pair.ref.struct_size = sizeof pair.ref;
    pair.ref.width = width, pair.ref.height = height, pair.ref.channels = (uint32_t)channels;
    pair.ref.type = type, pair.ref.layout = layout;
    if (type == SSIMCU_TYPE_F16) pair.ref.peak = 255.0 / 256;
    pair.out = pair.ref;
    pair.ref.data[0] = host[0].data(), pair.out.data[0] = host[1].data();
    pair.expected = score_on_cpu(pair, treatment);
    ssimcu_view *const side[] = {&pair.ref, &pair.out};
    for (int i = 0; i < 2; i++) {
        void *memory;
        BENCH_CUDA(cudaMalloc(&memory, bytes));
        BENCH_CUDA(cudaMemcpy(memory, host[i].data(), bytes, cudaMemcpyHostToDevice));
        side[i]->data[0] = memory;
    }
    return pair;
}

/* Gives the pairs to the lanes in turn. They start when all are queued, so that the host's part is
 * not in the times. */
void submit_all(std::vector<Lane> &lanes, int used, int pairs, const Pair &pair)
{
    ssimcu_message why = {};
    bench::Gate gate(lanes[0].stream);
    BENCH_CUDA(cudaEventRecord(lanes[0].start, lanes[0].stream));
    for (int l = 1; l < used; l++) {
        BENCH_CUDA(cudaStreamWaitEvent(lanes[l].stream, lanes[0].start, 0));
        BENCH_CUDA(cudaEventRecord(lanes[l].start, lanes[l].stream));
    }
    for (int i = 0; i < pairs; i++) {
        Lane &lane = lanes[i % used];
        stop_unless(
            ssimcu_request_submit(lane.requests[i / used], &pair.ref, &pair.out, lane.stream, &why),
            &why);
    }
    for (int l = 0; l < used; l++) BENCH_CUDA(cudaEventRecord(lanes[l].end, lanes[l].stream));
    gate.open();
    for (int l = 0; l < used; l++) BENCH_CUDA(cudaEventSynchronize(lanes[l].end));
}

double since(const Lane &first, cudaEvent_t event)
{
    float ms = 0;
    BENCH_CUDA(cudaEventElapsedTime(&ms, first.start, event));
    return ms;
}

Times measure(std::vector<Lane> &lanes, int used, int pairs, const Pair &pair)
{
    std::vector<double> us;
    for (int run = -3; run < RUNS; run++) {
        submit_all(lanes, used, pairs, pair);
        double last = 0;
        for (int l = 0; l < used; l++) last = std::max(last, since(lanes[0], lanes[l].end));
        if (run >= 0) us.push_back(last * 1e3 / pairs);
    }
    std::sort(us.begin(), us.end());
    return {us[RUNS / 2], us.front(), us.back()};
}

/* Scores a pair untimed, because CUDA loads a kernel at its first use and may wait for the device
 * then. */
void load_kernels(Lane &lane, const Pair &pair)
{
    ssimcu_message why = {};
    stop_unless(ssimcu_request_submit(lane.requests[0], &pair.ref, &pair.out, lane.stream, &why),
                &why);
    BENCH_CUDA(cudaStreamSynchronize(lane.stream));
}

/* Returns the largest error of a score. */
double worst_error(std::vector<Lane> &lanes, int pairs, const Pair &pair)
{
    double worst = 0;
    submit_all(lanes, STREAMS, pairs, pair);
    for (int i = 0; i < pairs; i++) {
        ssimcu_score score = {};
        score.struct_size = sizeof score;
        ssimcu_message why = {};
        stop_unless(ssimcu_request_score(lanes[i % STREAMS].requests[i / STREAMS], 0, &score,
                                         nullptr, &why),
                    &why);
        worst = check_worse(worst, std::fabs(score.score - pair.expected));
    }
    return worst;
}

constexpr double LIMIT = 1e-6;

/* Makes the requests of all lanes and returns the largest error of their scores. */
double make_requests(ssimcu_context *context, int pairs, const Pair &pair, std::vector<Lane> &lanes,
                     bool has_tiles = false, bool has_features = false)
{
    ssimcu_message why = {};
    ssimcu_tiles tiles = {};
    static double asked; /* nothing is written: scores are asked for without tiles */
    if (has_features) tiles.feature[SSIMCU_FEATURE_TEXTURE] = &asked;
    tiles.struct_size = sizeof tiles;
    tiles.width = tiles.height = 64;
    for (Lane &lane : lanes)
        for (int i = 0; i < pairs; i++) {
            ssimcu_request *request = nullptr;
            stop_unless(ssimcu_request_create(context, &pair.ref, &pair.out,
                                              has_tiles ? &tiles : nullptr, &request, &why),
                        &why);
            lane.requests.push_back(request);
        }
    load_kernels(lanes[0], pair);
    return worst_error(lanes, pairs, pair);
}

void stop_if_wrong(double error)
{
    if (error <= LIMIT) return;
    std::fprintf(stderr, "bench_request: a score is off by %g\n", error);
    std::exit(1);
}

void destroy_requests(std::vector<Lane> &lanes)
{
    for (Lane &lane : lanes) {
        for (ssimcu_request *&request : lane.requests) ssimcu_request_destroy(&request);
        lane.requests.clear();
    }
}

void free_pair(const Pair &pair)
{
    BENCH_CUDA(cudaFree(const_cast<void *>(pair.ref.data[0])));
    BENCH_CUDA(cudaFree(const_cast<void *>(pair.out.data[0])));
}

void bench_kinds(ssimcu_context *context, std::vector<Lane> &lanes)
{
    static const char *const type_name[] = {"u8", "u16", "f16", "f32"};
    const int pairs = 8; /* their planes take 1.6 GB for each lane */
    std::printf("\n4K RGB pairs in device memory on one stream, us per pair\n\n"
                "| type | HWC | CHW |\n|---|---|---|\n");
    for (int type = SSIMCU_TYPE_U8; type <= SSIMCU_TYPE_F32; type++) {
        std::printf("| %s |", type_name[type]);
        for (int layout = SSIMCU_LAYOUT_HWC; layout <= SSIMCU_LAYOUT_CHW; layout++) {
            Treatment treatment;
            treatment.type = (ssimcu_type)type;
            const Pair pair = make_pair(3840, 2160, (ssimcu_layout)layout, treatment);
            stop_if_wrong(make_requests(context, pairs, pair, lanes));
            const Times times = measure(lanes, 1, pairs, pair);
            std::printf(" %.1f (%.1f..%.1f) |", times.median, times.min, times.max);
            destroy_requests(lanes);
            free_pair(pair);
        }
        std::printf("\n");
    }
}

/* Times a pair of interleaved samples without tiles, with, and with their features. */
void bench_treatment(const Treatment &treatment, std::vector<Lane> &lanes)
{
    const int pairs = 4;
    ssimcu_context *context = open_device(SSIMCU_DEVICE_CUDA, treatment);
    const Pair pair = make_pair(3840, 2160, SSIMCU_LAYOUT_HWC, treatment);
    std::printf("| %s |", treatment.name);
    for (const int extras : {0, 1, 2}) {
        stop_if_wrong(make_requests(context, pairs, pair, lanes, extras > 0, extras > 1));
        const Times times = measure(lanes, 1, pairs, pair);
        std::printf(" %.1f (%.1f..%.1f) |", times.median, times.min, times.max);
        destroy_requests(lanes);
    }
    std::printf("\n");
    free_pair(pair);
    ssimcu_close(&context);
}

const Treatment treatments[] = {
    {"u8", SSIMCU_TYPE_U8},
    {"u8, Y709", SSIMCU_TYPE_U8, SSIMCU_TRANSFER_NONE, SSIMCU_COLOR_Y709},
    {"u8, alpha", SSIMCU_TYPE_U8, SSIMCU_TRANSFER_NONE, SSIMCU_COLOR_RGB, true},
    {"u16, alpha", SSIMCU_TYPE_U16, SSIMCU_TRANSFER_NONE, SSIMCU_COLOR_RGB, true},
    {"f16", SSIMCU_TYPE_F16},
    {"f32", SSIMCU_TYPE_F32},
    {"f32, Y709", SSIMCU_TYPE_F32, SSIMCU_TRANSFER_NONE, SSIMCU_COLOR_Y709},
    {"f32, alpha", SSIMCU_TYPE_F32, SSIMCU_TRANSFER_NONE, SSIMCU_COLOR_RGB, true},
    {"f32, sRGB", SSIMCU_TYPE_F32, SSIMCU_TRANSFER_SRGB},
    {"f32, sRGB, Y709", SSIMCU_TYPE_F32, SSIMCU_TRANSFER_SRGB, SSIMCU_COLOR_Y709},
    {"f32, PU21, Y709", SSIMCU_TYPE_F32, SSIMCU_TRANSFER_PU21, SSIMCU_COLOR_Y709},
    {"f32, sRGB, alpha", SSIMCU_TYPE_F32, SSIMCU_TRANSFER_SRGB, SSIMCU_COLOR_RGB, true},
    {"f32, Hable", SSIMCU_TYPE_F32, SSIMCU_TRANSFER_HABLE},
    {"f32, PU21", SSIMCU_TYPE_F32, SSIMCU_TRANSFER_PU21},
};

void bench_treatments(std::vector<Lane> &lanes)
{
    std::printf("\n4K pairs in device memory on one stream, us per pair\n\n"
                "| samples | score | with tiles of 64 | and features |\n|---|---|---|---|\n");
    for (const Treatment &treatment : treatments) bench_treatment(treatment, lanes);
}

void bench_size(ssimcu_context *context, uint32_t width, uint32_t height, int pairs,
                std::vector<Lane> &lanes, std::vector<double> &spans)
{
    const Pair pair = make_pair(width, height, SSIMCU_LAYOUT_HWC, Treatment());
    stop_if_wrong(make_requests(context, pairs, pair, lanes));
    const Times one = measure(lanes, 1, pairs, pair), two = measure(lanes, STREAMS, pairs, pair);
    std::printf("| %ux%u | %.1f (%.1f..%.1f) | %.1f (%.1f..%.1f) | %.2f |\n", width, height,
                one.median, one.min, one.max, two.median, two.min, two.max,
                one.median / two.median);
    for (const Lane &lane : lanes) { /* times of the last run */
        spans.push_back(since(lanes[0], lane.start));
        spans.push_back(since(lanes[0], lane.end));
    }
    destroy_requests(lanes);
    free_pair(pair);
}

void bench_streams(ssimcu_context *context, int pairs, std::vector<Lane> &lanes)
{
    const uint32_t sizes[][2] = {{320, 180},  {640, 360},   {960, 540},
                                 {1280, 720}, {1920, 1080}, {3840, 2160}};
    std::vector<double> spans;
    std::printf("\n%d pairs of 8-bit RGB frames in device memory, us per pair\n\n", pairs);
    std::printf("| size | one stream | two streams | one / two |\n|---|---|---|---|\n");
    for (const auto &size : sizes) bench_size(context, size[0], size[1], pairs, lanes, spans);
    std::printf("\nThe two streams' shares of one run, ms after the first start\n\n"
                "| size | first | second | overlap |\n|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const double *s = &spans[4 * i];
        std::printf("| %ux%u | %.3f..%.3f | %.3f..%.3f | %.3f |\n", sizes[i][0], sizes[i][1], s[0],
                    s[1], s[2], s[3], std::min(s[1], s[3]) - std::max(s[0], s[2]));
    }
}

/* Checks one treatment of a small pair with tiles and without, on both lanes. */
void check_treatment(const Treatment &treatment, uint32_t width, uint32_t height,
                     ssimcu_layout layout, std::vector<Lane> &lanes)
{
    const int pairs = STREAMS;
    ssimcu_context *context = open_device(SSIMCU_DEVICE_CUDA, treatment);
    const Pair pair = make_pair(width, height, layout, treatment);
    for (const int extras : {0, 1, 2}) {
        const double error = make_requests(context, pairs, pair, lanes, extras > 0, extras > 1);
        check_that(error <= LIMIT, "%s, %ux%u, layout %d, extras %d: off by %.1e", treatment.name,
                   width, height, (int)layout, extras, error);
        destroy_requests(lanes);
    }
    free_pair(pair);
    ssimcu_close(&context);
}

int check(std::vector<Lane> &lanes)
{
    for (const Treatment &treatment : treatments)
        for (int layout = SSIMCU_LAYOUT_HWC; layout <= SSIMCU_LAYOUT_CHW; layout++)
            for (int i = 1; i < CHECK_SIZES; i++)
                check_treatment(treatment, check_sizes[i].width, check_sizes[i].height,
                                (ssimcu_layout)layout, lanes);
    return check_end();
}

} // namespace

int main(int argc, char **argv)
{
    const bool only_check = check_asked(argc, argv);
    const int pairs = !only_check && argc > 1 ? bench::number(argv[1], STREAMS, MOST_PAIRS) : 32;
    if (pairs < 0)
        return std::fprintf(stderr, "usage: bench_request [PAIRS, 2 to 64] | --check\n"), 2;
    if (only_check) check_needs_cuda();
    std::vector<Lane> lanes(STREAMS);
    for (Lane &lane : lanes) {
        BENCH_CUDA(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
        BENCH_CUDA(cudaEventCreate(&lane.start));
        BENCH_CUDA(cudaEventCreate(&lane.end));
    }
    if (only_check) return check(lanes);
    bench::print_machine();
    ssimcu_context *context = open_device(SSIMCU_DEVICE_CUDA, Treatment());
    bench_kinds(context, lanes);
    bench_treatments(lanes);
    bench_streams(context, pairs, lanes);
    for (Lane &lane : lanes) {
        BENCH_CUDA(cudaEventDestroy(lane.start));
        BENCH_CUDA(cudaEventDestroy(lane.end));
        BENCH_CUDA(cudaStreamDestroy(lane.stream));
    }
    ssimcu_close(&context);
    return 0;
}
