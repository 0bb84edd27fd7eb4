/* bench_ssim_types [--runs N] [REF OUT] | --check: times the SSIM stage on samples of every type,
 * read as they lie. Frames are 4K RGB, in planes or interleaved, and 4:2:0 video. Each score is
 * first checked against double precision, then timed alone and in a batch of 8. The content is
 * random texture. If REF and OUT are given, a photo and its copy (PNG or JPEG, 8 bits, RGB) come
 * too, with noise below their last bit. */
#include "common/bench.cuh"
#include "common/checks.h"
#include "common/planned.h"
#include "ladder/photo.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <cstring>

namespace
{

using bench::Timer;
using bench::Times;
using ladder::DeviceArray;

constexpr int THREADS = 256, CHANNELS = 3, MOST_FRAMES = 8, IMAGES = 2;
constexpr double LIMIT = 2e-7, SMALL_LIMIT = 1e-6; /* of 4K frames, of any */

enum class Lie { PLANES, PIXELS, VIDEO };

/* A way to keep samples. Video's chroma planes are half as wide and high; if they are a pair, their
 * samples alternate. */
struct Kind {
    const char *name, *layout;
    ssimcu_type type;
    int peak, shift; /* integers: the largest one, and the bits it is shifted up */
    Lie lie;
    bool pairs;
};

const Kind KINDS[] = {
    {"u8", "planes", SSIMCU_TYPE_U8, 255, 0, Lie::PLANES, false},
    {"u10", "planes", SSIMCU_TYPE_U16, 1023, 0, Lie::PLANES, false},
    {"u12", "planes", SSIMCU_TYPE_U16, 4095, 0, Lie::PLANES, false},
    {"u16", "planes", SSIMCU_TYPE_U16, 65535, 0, Lie::PLANES, false},
    {"10 upper bits of 16", "planes", SSIMCU_TYPE_U16, 1023, 6, Lie::PLANES, false},
    {"f32", "planes", SSIMCU_TYPE_F32, 0, 0, Lie::PLANES, false},
    {"f16", "planes", SSIMCU_TYPE_F16, 0, 0, Lie::PLANES, false},
    {"bf16", "planes", SSIMCU_TYPE_BF16, 0, 0, Lie::PLANES, false},
    {"u8", "HWC", SSIMCU_TYPE_U8, 255, 0, Lie::PIXELS, false},
    {"u10", "HWC", SSIMCU_TYPE_U16, 1023, 0, Lie::PIXELS, false},
    {"u16", "HWC", SSIMCU_TYPE_U16, 65535, 0, Lie::PIXELS, false},
    {"f16", "HWC", SSIMCU_TYPE_F16, 0, 0, Lie::PIXELS, false},
    {"bf16", "HWC", SSIMCU_TYPE_BF16, 0, 0, Lie::PIXELS, false},
    {"I420", "4:2:0", SSIMCU_TYPE_U8, 255, 0, Lie::VIDEO, false},
    {"NV12", "4:2:0", SSIMCU_TYPE_U8, 255, 0, Lie::VIDEO, true},
    {"I420, 10 lower bits", "4:2:0", SSIMCU_TYPE_U16, 1023, 0, Lie::VIDEO, false},
    {"P010", "4:2:0", SSIMCU_TYPE_U16, 1023, 6, Lie::VIDEO, true},
};
constexpr int KIND_COUNT = sizeof KINDS / sizeof *KINDS;

int sample_bytes(const Kind &kind) { return (int)ssimcu_sample_bytes((uint32_t)kind.type); }

/* The source of samples, black 0 to white 1: a photo's bytes with noise added, or texture. */
struct Source {
    const uint8_t *pixels[IMAGES]; /* interleaved pixels of a photo; NULL: texture */
    int width, height;
};

__device__ uint32_t hash(uint64_t index)
{
    uint64_t x = (index + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return (uint32_t)(x >> 32);
}

__device__ float value_of(const Source &source, int image, int64_t index, int channel, int x, int y)
{
    const float noise = (float)(hash(2 * index) & 0xffff) / 65536.0f - 0.5f;
    if (source.pixels[image]) {
        const int64_t pixel = (int64_t)(y % source.height) * source.width + x % source.width;
        const float v = (float)source.pixels[image][pixel * CHANNELS + channel] + noise;
        return fminf(fmaxf(v / 255.0f, 0.0f), 1.0f);
    }
    const float any = (float)(hash(2 * index + 1) & 0xffff) / 65535.0f;
    return fminf(fmaxf(any + (image ? noise * (12.0f / 255.0f) : 0.0f), 0.0f), 1.0f);
}

__device__ void put(void *memory, ssimcu_type type, int64_t at, float v, int peak, int shift)
{
    switch (type) {
    case SSIMCU_TYPE_U8: static_cast<uint8_t *>(memory)[at] = (uint8_t)rintf(v * peak); break;
    case SSIMCU_TYPE_U16:
        static_cast<uint16_t *>(memory)[at] = (uint16_t)((int)rintf(v * peak) << shift);
        break;
    case SSIMCU_TYPE_F16: static_cast<__half *>(memory)[at] = __float2half(v); break;
    case SSIMCU_TYPE_BF16: static_cast<__nv_bfloat16 *>(memory)[at] = __float2bfloat16(v); break;
    default: static_cast<float *>(memory)[at] = v;
    }
}

__device__ double get(const void *memory, ssimcu_type type, int64_t at)
{
    switch (type) {
    case SSIMCU_TYPE_U8: return static_cast<const uint8_t *>(memory)[at];
    case SSIMCU_TYPE_U16: return static_cast<const uint16_t *>(memory)[at];
    case SSIMCU_TYPE_F16: return (double)__half2float(static_cast<const __half *>(memory)[at]);
    case SSIMCU_TYPE_BF16:
        return (double)__bfloat162float(static_cast<const __nv_bfloat16 *>(memory)[at]);
    default: return (double)static_cast<const float *>(memory)[at];
    }
}

/* A plane of `memory`: element (x, y) lies at start + y * pitch + x * step samples. */
struct Plane {
    int64_t start, pitch;
    int step, width, height, channel, scale;
};

__global__ void fill_kernel(void *memory, ssimcu_type type, Plane plane, Source source, int image,
                            int peak, int shift)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int x = (int)(i % plane.width), y = (int)(i / plane.width);
    if (y >= plane.height) return;
    const float v = value_of(source, image, i * CHANNELS + plane.channel, plane.channel,
                             x * plane.scale, y * plane.scale);
    put(memory, type, plane.start + y * plane.pitch + (int64_t)x * plane.step, v, peak, shift);
}

/* Adds 1 - SSIM of every window inside the frame, by the definition. */
__global__ void truth_kernel(const void *ref, const void *out, ssimcu_type type, Plane plane,
                             double unit, double *sum)
{
    constexpr double tap[SSIMCU_TAPS] = SSIMCU_GAUSSIAN;
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int columns = plane.width - SSIMCU_TAPS + 1;
    const int x = (int)(i % columns), y = (int)(i / columns);
    __shared__ double block;
    if (threadIdx.x == 0) block = 0;
    __syncthreads();
    if (y < plane.height - SSIMCU_TAPS + 1) {
        double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
        for (int v = 0; v < SSIMCU_TAPS; v++)
            for (int u = 0; u < SSIMCU_TAPS; u++) {
                const int64_t at =
                    plane.start + (y + v) * plane.pitch + (int64_t)(x + u) * plane.step;
                const double p = get(ref, type, at) * unit, q = get(out, type, at) * unit;
                const double w = tap[u] * tap[v];
                a += w * p, b += w * q, aa += w * p * p, bb += w * q * q, ab += w * p * q;
            }
        const double ssim = (2 * a * b + SSIMCU_C1(SSIMCU_PEAK)) *
                            (2 * (ab - a * b) + SSIMCU_C2(SSIMCU_PEAK)) /
                            ((a * a + b * b + SSIMCU_C1(SSIMCU_PEAK)) *
                             (aa - a * a + bb - b * b + SSIMCU_C2(SSIMCU_PEAK)));
        atomicAdd(&block, 1 - ssim);
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(sum, block);
}

unsigned blocks_for(int64_t threads) { return (unsigned)((threads + THREADS - 1) / THREADS); }

/* The frames of one kind in device memory, and the launches that one submission of them makes. */
class Frames
{
  public:
    Frames(const Kind &kind, const Source &source, int frames, cudaStream_t stream)
        : kind_(kind), frames_(frames), width_(source.width), height_(source.height),
          stream_(stream), ref_(bytes()), out_(bytes()), sums_(CHANNELS * frames),
          launches_(plan_all()), work_(work_bytes())
    {
        void *const images[] = {ref_.get(), out_.get()};
        for (int frame = 0; frame < frames; frame++)
            for (int c = 0; c < CHANNELS; c++)
                for (int image = 0; image < IMAGES; image++) {
                    const Plane plane = plane_of(frame, c);
                    fill_kernel<<<blocks_for((int64_t)plane.width * plane.height), THREADS, 0,
                                  stream>>>(images[image], kind.type, plane, source, image,
                                            is_float() ? 1 : kind.peak, kind.shift);
                }
        BENCH_CUDA(cudaGetLastError());
    }

    int64_t samples() const
    {
        const int64_t luma = (int64_t)width_ * height_;
        return kind_.lie == Lie::VIDEO ? luma * 3 / 2 : luma * CHANNELS;
    }
    size_t moved() const { return IMAGES * (size_t)(samples() * frames_) * sample_bytes(kind_); }

    void launch() const
    {
        for (const Launch &one : launches_)
            BENCH_CUDA(
                planned_launch(&one.pair, work_.get(), sums_.get() + one.sum, nullptr, stream_));
    }

    /* Whether a kernel reads all samples where they lie. */
    bool are_read_as_they_lie() const
    {
        for (const Launch &one : launches_)
            if (one.pair.plan.kernel != SSIMCU_KERNEL_SAMPLES) return false;
        return true;
    }

    /* Returns the largest error of a plane's mean. */
    double error()
    {
        launch();
        const std::vector<double> got = sums_.copy(stream_);
        double worst = 0;
        for (int c = 0; c < CHANNELS; c++) {
            const Plane plane = plane_of(frames_ - 1, c);
            const double windows = (double)(plane.width - 10) * (plane.height - 10);
            DeviceArray<double> sum(1);
            sum.fill_bytes(0, stream_);
            truth_kernel<<<blocks_for((int64_t)windows), THREADS, 0, stream_>>>(
                ref_.get(), out_.get(), kind_.type, plane, 255.0 / peak(), sum.get());
            BENCH_CUDA(cudaGetLastError());
            const double want = sum.copy(stream_)[0];
            worst =
                check_worse(worst, std::fabs(got[(frames_ - 1) * CHANNELS + c] - want) / windows);
        }
        return worst;
    }

  private:
    /* A pair or a batch, and where its sums begin. */
    struct Launch {
        planned pair;
        int sum;
    };

    bool is_float() const { return ssimcu_samples_are_float((uint32_t)kind_.type); }
    double peak() const { return is_float() ? 1 : kind_.peak << kind_.shift; }
    size_t bytes() const { return (size_t)samples() * frames_ * sample_bytes(kind_); }

    Plane plane_of(int frame, int c) const
    {
        const int64_t luma = (int64_t)width_ * height_, first = frame * samples();
        if (kind_.lie == Lie::PLANES) return {first + c * luma, width_, 1, width_, height_, c, 1};
        if (kind_.lie == Lie::PIXELS)
            return {first + c, (int64_t)width_ * CHANNELS, CHANNELS, width_, height_, c, 1};
        if (c == 0) return {first, width_, 1, width_, height_, 0, 1};
        const int w = width_ / 2, h = height_ / 2;
        return kind_.pairs ? Plane{first + luma + c - 1, width_, 2, w, h, c, 2}
                           : Plane{first + luma + (c - 1) * (luma / 4), w, 1, w, h, c, 2};
    }

    Launch plan(ssimcu_view view, int64_t first, int sum) const
    {
        const ssimcu_settings settings = SSIMCU_INIT(settings);
        view.type = kind_.type;
        view.peak = peak();
        ssimcu_view out = view;
        view.data[0] = ref_.get() + first * sample_bytes(kind_);
        out.data[0] = out_.get() + first * sample_bytes(kind_);
        Launch made = {{}, sum};
        planned_make(&made.pair, &settings, &view, &out, nullptr);
        return made;
    }

    /* Plans `planes` planes of a video frame that are alike, as a batch: for chroma, U and V. */
    Launch plan_planes(int frame, int c, int planes) const
    {
        const Plane plane = plane_of(frame, c), next = plane_of(frame, (c + 1) % CHANNELS);
        ssimcu_view view = SSIMCU_INIT(view);
        view.width = (uint32_t)plane.width, view.height = (uint32_t)plane.height;
        view.channels = 1;
        view.pitch = plane.pitch * sample_bytes(kind_);
        view.pixel_stride = (size_t)plane.step * sample_bytes(kind_);
        view.frames = (uint32_t)planes;
        if (planes > 1) view.frame_stride = (next.start - plane.start) * sample_bytes(kind_);
        return plan(view, plane.start, frame * CHANNELS + c);
    }

    /* Plans one submission. A video's frames follow each other: Y, then U and V. */
    std::vector<Launch> plan_all() const
    {
        std::vector<Launch> all;
        for (int frame = 0; frame < frames_ && kind_.lie == Lie::VIDEO; frame++) {
            all.push_back(plan_planes(frame, 0, 1));
            all.push_back(plan_planes(frame, 1, 2));
        }
        if (kind_.lie == Lie::VIDEO) return all;
        ssimcu_view view = SSIMCU_INIT(view);
        view.width = (uint32_t)width_, view.height = (uint32_t)height_;
        view.channels = CHANNELS;
        view.layout = kind_.lie == Lie::PLANES ? SSIMCU_LAYOUT_CHW : SSIMCU_LAYOUT_HWC;
        view.frames = (uint32_t)frames_;
        all.push_back(plan(view, 0, 0));
        return all;
    }

    size_t work_bytes() const
    {
        size_t most = 0;
        for (const Launch &one : launches_) most = std::max(most, planned_bytes(&one.pair));
        return most;
    }

    Kind kind_;
    int frames_, width_, height_;
    cudaStream_t stream_;
    DeviceArray<uint8_t> ref_, out_;
    DeviceArray<double> sums_;
    std::vector<Launch> launches_;
    DeviceArray<unsigned char> work_;
};

struct Row {
    double error, alone, batch;
};

/* Returns the source with sides that suit every kind: rows of multiples of 16 bytes, and chroma. */
Source even(Source source)
{
    source.width &= ~15;
    source.height &= ~1;
    return source;
}

Row measure(const Kind &kind, const Source &source, Timer &timer, int runs, cudaStream_t stream)
{
    Row row = {};
    for (const int frames : {1, MOST_FRAMES}) {
        Frames made(kind, even(source), frames, stream);
        row.error = check_worse(row.error, made.error());
        const double us = timer.measure(runs, made.moved(), [&] { made.launch(); }).median;
        (frames == 1 ? row.alone : row.batch) = us / frames;
    }
    return row;
}

int measure_all(const char *content, const Source &source, Timer &timer, int runs,
                cudaStream_t stream)
{
    Row rows[KIND_COUNT];
    int wrong = 0, u8 = 0, f32 = 0;
    for (int k = 0; k < KIND_COUNT; k++) {
        rows[k] = measure(KINDS[k], source, timer, runs, stream);
        if (KINDS[k].type == SSIMCU_TYPE_F32) f32 = k;
    }
    for (int k = 0; k < KIND_COUNT; k++) {
        const bool bad = !(rows[k].error <= LIMIT);
        if (k > 0 && KINDS[k].lie != KINDS[k - 1].lie) u8 = k; /* first of each layout */
        printf("| %s | %s | %s | %.1e%s | %.1f | %.1f | %.2f / %.2f | %.2f / %.2f |\n", content,
               KINDS[k].name, KINDS[k].layout, rows[k].error, bad ? " WRONG" : "", rows[k].alone,
               rows[k].batch, rows[k].alone / rows[u8].alone, rows[k].batch / rows[u8].batch,
               rows[k].alone / rows[f32].alone, rows[k].batch / rows[f32].batch);
        wrong += bad;
    }
    return wrong;
}

int check()
{
    /* Chroma is large enough for the tensor cores as well. */
    const Source sources[] = {{{nullptr, nullptr}, 1072, 1060}, {{nullptr, nullptr}, 1090, 1058}};
    for (const Source &source : sources)
        for (const Kind &kind : KINDS)
            for (const int frames : {1, 3}) {
                Frames made(kind, source, frames, nullptr);
                const double error = made.error();
                check_that(error <= SMALL_LIMIT && made.are_read_as_they_lie(),
                           "%s, %s, %dx%d, %d frames: off by %.1e", kind.name, kind.layout,
                           source.width, source.height, frames, error);
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
    const auto [runs, at] = bench::read_arguments("bench_ssim_types", argc, argv, 50);
    int wrong = 0;
    bench::print_machine();
    cudaStream_t stream = nullptr;
    BENCH_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    {
        Timer timer(stream);
        timer.warm_up();
        printf("us per frame, alone and in a batch of %d; video frames follow each other, two "
               "launches each. Ratios, alone / batch: of the\nfirst of the same layout, of f32 "
               "planes.\n\n| content | samples | layout | error | alone | batch | of u8 | of f32 "
               "|\n|---|---|---|---|---|---|---|---|\n",
               MOST_FRAMES);
        if (argc == at + 2) {
            const ladder::Photos photos = ladder::read_photos(argv[at], argv[at + 1]);
            const size_t bytes = photos.ref.size();
            DeviceArray<uint8_t> both(2 * bytes);
            BENCH_CUDA(cudaMemcpy(both.get(), photos.ref.data(), bytes, cudaMemcpyHostToDevice));
            BENCH_CUDA(
                cudaMemcpy(both.get() + bytes, photos.out.data(), bytes, cudaMemcpyHostToDevice));
            wrong += photos.shape.channels != CHANNELS;
            if (!wrong)
                wrong += measure_all(
                    "photo",
                    {{both.get(), both.get() + bytes}, photos.shape.width, photos.shape.height},
                    timer, runs, stream);
        }
        wrong += measure_all("texture", {{nullptr, nullptr}, 3840, 2160}, timer, runs, stream);
    }
    BENCH_CUDA(cudaStreamDestroy(stream));
    if (wrong) fprintf(stderr, "bench_ssim_types: %d wrong\n", wrong);
    return wrong ? 1 : 0;
}
