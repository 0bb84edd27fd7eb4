/* bench_features [RUNS] | --check: times requests without tiles, with tiles of 64 x 64 pixels, and
 * with their features, for pairs of 4K and 1080p in device memory: one pair, a batch of eight, and
 * planes of video.
 *
 * Features are first checked against the CPU's. Four requests follow each other on a stream, and
 * start when all are queued, so that the host's part is not in the times. The three kinds take
 * turns in each run. Printed are medians of the times per pair, and of the runs' ratios. */
#include "common/bench.cuh"
#include "common/checks.h"
#include "common/common.h"

#include "ssimcu_cuda.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace
{

constexpr uint32_t TILE = 64;
constexpr int REQUESTS = 4, WARM_UP = 3;

enum Kind { SCORE, TILES, FEATURES, KINDS };

ssimcu_context *open_device(ssimcu_device device)
{
    ssimcu_settings settings = {};
    settings.struct_size = sizeof settings;
    settings.device = device;
    ssimcu_context *context = nullptr;
    ssimcu_message why = {};
    stop_unless(ssimcu_open(&settings, &context, &why), &why);
    return context;
}

/* Memory for all numbers of the tiles of a pair. */
struct Numbers {
    std::vector<double> memory;
    ssimcu_tiles tiles = {};

    Numbers(ssimcu_context *context, const ssimcu_view &ref, const ssimcu_view &out)
    {
        ssimcu_message why = {};
        tiles.struct_size = sizeof tiles;
        tiles.width = tiles.height = TILE;
        stop_unless(ssimcu_views_layout(context, &ref, &out, nullptr, &tiles, &why), &why);
        const size_t all = (size_t)tiles.columns * tiles.rows * ref.channels;
        memory.resize(SSIMCU_FEATURES * all);
        for (int f = 0; f < SSIMCU_FEATURES; f++) tiles.feature[f] = &memory[f * all];
    }
};

struct Pair {
    const char *name;
    ssimcu_view ref, out;
    double score;                 /* by the CPU */
    std::vector<double> expected; /* features, by the CPU */
};

/* Kinds of pairs, in the order of the table. */
const struct Subject {
    const char *name;
    ssimcu_layout layout;
    ssimcu_type type;
    uint32_t channels, frames;
} SUBJECTS[] = {{"RGB bytes", SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 3, 1},
                {"RGB bytes, 8 in a batch", SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 3, 8},
                {"planes of bytes", SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_U8, 3, 1},
                {"luma of video", SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 1, 1},
                {"luma of video, 8 in a batch", SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 1, 8},
                {"RGB floats", SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_F32, 3, 1}};

/* Makes a batch of frames that are alike on the device: waves from dark to bright under noise. */
Pair make_pair(const Subject &subject, uint32_t width, uint32_t height)
{
    const uint32_t channels = subject.channels, frames = subject.frames;
    const size_t size = subject.type == SSIMCU_TYPE_U8 ? 1 : 4;
    const size_t samples = (size_t)width * height * channels, bytes = samples * size;
    std::vector<uint8_t> host[2] = {std::vector<uint8_t>(bytes), std::vector<uint8_t>(bytes)};
    std::vector<float> across(width), down(height);
    for (uint32_t x = 0; x < width; x++) across[x] = sinf((float)x / 190);
    for (uint32_t y = 0; y < height; y++) down[y] = cosf((float)y / 130);
    unsigned seed = 1;
    for (size_t i = 0; i < samples; i++) {
        const bool planar = subject.layout == SSIMCU_LAYOUT_CHW;
        const size_t pixel = planar ? i % ((size_t)width * height) : i / channels;
        seed = seed * 1664525u + 1013904223u;
        const int value =
            120 + (int)(100 * across[pixel % width] * down[pixel / width]) + (int)(seed >> 29);
        const uint8_t v[2] = {(uint8_t)value, (uint8_t)(value + (int)(seed >> 24 & 7) - 3)};
        for (int side = 0; side < 2; side++) {
            const float single = (float)v[side] / 255;
            std::memcpy(&host[side][i * size], size == 1 ? (const void *)&v[side] : &single, size);
        }
    }
    Pair pair = {};
    pair.name = subject.name;
    pair.ref.struct_size = sizeof pair.ref;
    pair.ref.width = width, pair.ref.height = height, pair.ref.channels = channels;
    pair.ref.type = subject.type, pair.ref.layout = subject.layout;
    pair.out = pair.ref;
    pair.ref.data[0] = host[0].data(), pair.out.data[0] = host[1].data();
    ssimcu_context *cpu = open_device(SSIMCU_DEVICE_CPU);
    Numbers numbers(cpu, pair.ref, pair.out);
    ssimcu_score score = {};
    score.struct_size = sizeof score;
    ssimcu_message why = {};
    stop_unless(
        ssimcu_compare_views(cpu, &pair.ref, &pair.out, &score, nullptr, &numbers.tiles, &why),
        &why);
    ssimcu_close(&cpu);
    pair.score = score.score;
    pair.expected = numbers.memory;
    ssimcu_view *const side[] = {&pair.ref, &pair.out};
    for (int i = 0; i < 2; i++) {
        char *memory;
        BENCH_CUDA(cudaMalloc(&memory, bytes * frames));
        for (uint32_t frame = 0; frame < frames; frame++)
            BENCH_CUDA(
                cudaMemcpy(memory + frame * bytes, host[i].data(), bytes, cudaMemcpyHostToDevice));
        side[i]->data[0] = memory;
        side[i]->frames = frames, side[i]->frame_stride = bytes;
    }
    return pair;
}

struct Lane {
    cudaStream_t stream;
    cudaEvent_t start, end;
    std::vector<ssimcu_request *> requests[KINDS];
};

double run(Lane &lane, Kind kind, const Pair &pair)
{
    ssimcu_message why = {};
    bench::Gate gate(lane.stream);
    BENCH_CUDA(cudaEventRecord(lane.start, lane.stream));
    for (ssimcu_request *request : lane.requests[kind])
        stop_unless(ssimcu_request_submit(request, &pair.ref, &pair.out, lane.stream, &why), &why);
    BENCH_CUDA(cudaEventRecord(lane.end, lane.stream));
    gate.open();
    BENCH_CUDA(cudaEventSynchronize(lane.end));
    float ms = 0;
    BENCH_CUDA(cudaEventElapsedTime(&ms, lane.start, lane.end));
    return ms * 1e3 / (REQUESTS * pair.ref.frames);
}

/* Scores a pair untimed, because CUDA loads a kernel at its first use and may wait for the device
 * then. */
void load_kernels(Lane &lane, const Pair &pair)
{
    ssimcu_message why = {};
    for (int kind = SCORE; kind < KINDS; kind++)
        stop_unless(
            ssimcu_request_submit(lane.requests[kind][0], &pair.ref, &pair.out, lane.stream, &why),
            &why);
    BENCH_CUDA(cudaStreamSynchronize(lane.stream));
}

/* Returns how far the features of the last frame are from the CPU's. Bright waves under little
 * noise lie far from the origin of the tensor cores. When all windows counted, features were off by
 * 0.045 level of pixels and 0.14 of planes; those of every other window are off by 0.0001. */
constexpr double MOST_OFF = 0.2;
double error_of_features(ssimcu_context *context, const Lane &lane, const Pair &pair)
{
    ssimcu_view ref = pair.ref, out = pair.out;
    ref.frames = out.frames = 1;
    Numbers numbers(context, ref, out);
    ssimcu_score score = {};
    score.struct_size = sizeof score;
    ssimcu_message why = {};
    stop_unless(ssimcu_request_score(lane.requests[FEATURES][0], pair.ref.frames - 1, &score,
                                     &numbers.tiles, &why),
                &why);
    double worst = 0;
    for (size_t i = 0; i < numbers.memory.size(); i++)
        worst = check_worse(worst, std::fabs(numbers.memory[i] - pair.expected[i]));
    return worst;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void make_requests(ssimcu_context *context, Lane &lane, const Pair &pair, int count)
{
    ssimcu_message why = {};
    static double asked; /* nothing is written: scores are asked for without tiles */
    for (int kind = SCORE; kind < KINDS; kind++)
        for (int i = 0; i < count; i++) {
            ssimcu_tiles tiles = {};
            tiles.struct_size = sizeof tiles;
            tiles.width = tiles.height = TILE;
            if (kind == FEATURES) tiles.feature[SSIMCU_FEATURE_TEXTURE] = &asked;
            ssimcu_request *request = nullptr;
            stop_unless(ssimcu_request_create(context, &pair.ref, &pair.out,
                                              kind == SCORE ? nullptr : &tiles, &request, &why),
                        &why);
            lane.requests[kind].push_back(request);
        }
    load_kernels(lane, pair);
}

void free_all(Lane &lane, const Pair &pair)
{
    for (int kind = SCORE; kind < KINDS; kind++) {
        for (ssimcu_request *&request : lane.requests[kind]) ssimcu_request_destroy(&request);
        lane.requests[kind].clear();
    }
    BENCH_CUDA(cudaFree(const_cast<void *>(pair.ref.data[0])));
    BENCH_CUDA(cudaFree(const_cast<void *>(pair.out.data[0])));
}

/* Ends the program if features are wrong. */
void bench_pair(ssimcu_context *context, Lane &lane, const Pair &pair, int runs)
{
    make_requests(context, lane, pair, REQUESTS);
    const double worst = error_of_features(context, lane, pair);
    if (!(worst <= MOST_OFF)) {
        std::fprintf(stderr, "bench_features: %s: off by %g\n", pair.name, worst);
        std::exit(1);
    }
    std::printf("| %s | %.2g |", pair.name, worst);
    std::vector<double> us[KINDS], ratio;
    for (int i = -WARM_UP; i < runs; i++) {
        double now[KINDS];
        for (int kind = SCORE; kind < KINDS; kind++) now[kind] = run(lane, (Kind)kind, pair);
        if (i < 0) continue;
        for (int kind = SCORE; kind < KINDS; kind++) us[kind].push_back(now[kind]);
        ratio.push_back(now[FEATURES] / now[TILES]);
    }
    for (int kind = SCORE; kind < KINDS; kind++) std::printf(" %.1f |", median(us[kind]));
    std::printf(" %.3f |\n", median(ratio));
    std::fflush(stdout);
    free_all(lane, pair);
}

/* Scores of all kinds and features, of a size for the tensor cores and of one that is not. */
int check(ssimcu_context *context, Lane &lane)
{
    constexpr uint32_t SIZES[][2] = {{655, 467}, {97, 211}};
    for (const auto &size : SIZES)
        for (const Subject &subject : SUBJECTS) {
            const Pair pair = make_pair(subject, size[0], size[1]);
            make_requests(context, lane, pair, 1);
            for (int kind = SCORE; kind < KINDS; kind++) {
                ssimcu_score score = SSIMCU_INIT(score);
                ssimcu_message why = {};
                stop_unless(ssimcu_request_score(lane.requests[kind][0], subject.frames - 1, &score,
                                                 nullptr, &why),
                            &why);
                check_that(std::fabs(score.score - pair.score) <= 1e-6,
                           "%s, %ux%u, kind %d: %.9f, expected %.9f", pair.name, size[0], size[1],
                           kind, score.score, pair.score);
            }
            const double worst = error_of_features(context, lane, pair);
            check_that(worst <= MOST_OFF, "%s, %ux%u: features off by %g", pair.name, size[0],
                       size[1], worst);
            free_all(lane, pair);
        }
    return check_end();
}

} // namespace

int main(int argc, char **argv)
{
    const bool only_check = check_asked(argc, argv);
    const int runs = !only_check && argc > 1 ? bench::number(argv[1], 1, 1000) : 21;
    if (runs < 0)
        return std::fprintf(stderr, "usage: bench_features [RUNS, 1 to 1000] | --check\n"), 2;
    if (only_check) check_needs_cuda();
    ssimcu_context *context = open_device(SSIMCU_DEVICE_CUDA);
    Lane lane;
    BENCH_CUDA(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
    BENCH_CUDA(cudaEventCreate(&lane.start));
    BENCH_CUDA(cudaEventCreate(&lane.end));
    if (only_check) return check(context, lane);
    bench::print_machine();
    for (const uint32_t height : {2160u, 1080u}) {
        std::printf(
            "\nPairs of %u rows in device memory on one stream, us per pair\n\n| pair | features "
            "off by | score | with tiles | and features | features / tiles "
            "|\n|---|---|---|---|---|---|\n",
            height);
        for (const Subject &subject : SUBJECTS)
            bench_pair(context, lane, make_pair(subject, height * 16 / 9, height), runs);
    }
    ssimcu_close(&context);
    return 0;
}
