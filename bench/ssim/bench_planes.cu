/* bench_planes [RUNS] | --check: times the planes stage beside a copy that reads and writes as many
 * bytes, for each kind of samples. The library's plan says what becomes of them. Every kind is
 * first checked, with what lies between the rows, against a kernel of one thread per pixel. Floats
 * must be the same bit for bit. What is computed becomes whole numbers, which are rounded in steps.
 */
#include "common/bench.cuh"
#include "common/checks.h"
#include "common/planned.h"
#include "core/fixed.h"

#include <cuda_fp16.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace
{

using namespace bench;

constexpr int FRAMES = 8, HEIGHT = 2160;
constexpr unsigned POISON = 0xa5;
constexpr int MOST_OFF = 2; /* of whole numbers: three parts of a sum are rounded, and the sum */

struct Kind {
    const char *name;
    ssimcu_type type;
    uint32_t channels, planes;
    bool apart;          /* CHW */
    int width, row_more; /* pixels, bytes between rows */
    bool alpha, luma;
    int offset; /* bytes before the first sample */
};

constexpr ssimcu_type U8 = SSIMCU_TYPE_U8, U16 = SSIMCU_TYPE_U16, F16 = SSIMCU_TYPE_F16,
                      F32 = SSIMCU_TYPE_F32;

const Kind kinds[] = {
    {"u8 HWC3", U8, 3, 3, false, 3840, 0, false, false, 0},
    {"u8 HWC3, pitch 11776", U8, 3, 3, false, 3840, 256, false, false, 0},
    {"u8 HWC3, 3841 wide", U8, 3, 3, false, 3841, 0, false, false, 0},
    {"u8 HWC3, 1 byte off", U8, 3, 3, false, 3840, 0, false, false, 1},
    {"u8 HWC3, luma", U8, 3, 1, false, 3840, 0, false, true, 0},
    {"u8 HWC4, alpha", U8, 4, 3, false, 3840, 0, true, false, 0},
    {"u8 HWC4, alpha ignored", U8, 4, 3, false, 3840, 0, false, false, 0},
    {"u8 grey to 3 planes", U8, 1, 3, false, 3840, 0, false, false, 0},
    {"u8 CHW3", U8, 3, 3, true, 3840, 0, false, false, 0},
    {"u8 CHW3, luma", U8, 3, 1, true, 3840, 0, false, true, 0},
    {"u16 HWC3", U16, 3, 3, false, 3840, 0, false, false, 0},
    {"u16 HWC4, alpha", U16, 4, 3, false, 3840, 0, true, false, 0},
    {"u16 CHW3", U16, 3, 3, true, 3840, 0, false, false, 0},
    {"f16 HWC3", F16, 3, 3, false, 3840, 0, false, false, 0},
    {"f16 CHW3", F16, 3, 3, true, 3840, 0, false, false, 0},
    {"f32 HWC3", F32, 3, 3, false, 3840, 0, false, false, 0},
    {"f32 HWC4, alpha", F32, 4, 3, false, 3840, 0, true, false, 0},
    {"f32 CHW3", F32, 3, 3, true, 3840, 0, false, false, 0},
    {"f32 CHW3, 4 bytes off", F32, 3, 3, true, 3840, 0, false, false, 4},
};

/* Fills memory with random samples; floats are from 0 to 1. */
__global__ void fill_kernel(uint32_t *to, size_t words, uint32_t type)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words) return;
    uint32_t bits = (uint32_t)i * 2654435761u;
    bits = (bits ^ bits >> 15) * 2246822519u;
    bits ^= bits >> 13;
    if (type == F32) bits = __float_as_uint((float)(bits >> 8) / 16777216.0f);
    if (type == F16) {
        const __half2 pair =
            __floats2half2_rn((float)(bits & 65535) / 65536.0f, (float)(bits >> 16) / 65536.0f);
        bits = *reinterpret_cast<const uint32_t *>(&pair);
    }
    to[i] = bits;
}

template <typename Sample>
__device__ Sample load(const ssimcu_planes_task &task, int c, int64_t x, int64_t y)
{
    const char *row =
        static_cast<const char *>(task.samples.channel[c]) + y * task.samples.pitch_bytes;
    return reinterpret_cast<const Sample *>(row)[x * task.samples.step];
}

/* Returns what a plane holds of a value in plane units. */
__device__ float stored(const ssimcu_planes_task &task, double value)
{
    if (!task.fixed) return (float)value;
    return __int_as_float(task.unbounded ? ssimcu_fixed_any(value) : ssimcu_fixed(value));
}

__global__ void reference_kernel(const ssimcu_planes_task task)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t x = i % task.width, y = i / task.width;
    uint32_t whole[4] = {};
    float real[4] = {}, value[3] = {};
    double exact[3] = {};
    if (y >= task.height) return;
    for (uint32_t c = 0; c < task.rule.channels; c++) {
        switch (task.samples.type) {
        case SSIMCU_SAMPLE_U8: whole[c] = load<uint8_t>(task, c, x, y); break;
        case SSIMCU_SAMPLE_U16: whole[c] = load<uint16_t>(task, c, x, y); break;
        case SSIMCU_SAMPLE_F16: real[c] = __half2float(load<__half>(task, c, x, y)); break;
        default: real[c] = load<float>(task, c, x, y);
        }
    }
    const bool is_float = ssimcu_samples_are_float(task.samples.type);
    if (task.fixed && is_float)
        ssimcu_sample_convert_exactly(&task.rule, task.samples.scale, real, exact);
    else if (task.fixed)
        ssimcu_pixel_convert_exactly(&task.rule, whole, exact);
    else if (is_float)
        ssimcu_sample_convert(&task.rule, task.samples.scale, real, value);
    else
        ssimcu_pixel_convert(&task.rule, whole, value);
    for (uint32_t c = 0; c < task.rule.planes; c++)
        task.dst[c * task.dst_plane_floats + y * task.dst_pitch_floats + x] =
            stored(task, task.fixed ? exact[c] : (double)value[c]);
}

__global__ void compare_kernel(const int32_t *a, const int32_t *b, size_t words, int most_off,
                               unsigned long long *wrong)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < words && llabs((long long)a[i] - b[i]) > most_off) atomicAdd(wrong, 1ull);
}

unsigned blocks_of(size_t words) { return (unsigned)((words + 255) / 256); }

class Stage
{
  public:
    Stage(const Kind &kind, int height, cudaStream_t stream)
        : kind_(kind), height_(height), stream_(stream)
    {
        const int64_t sample = ssimcu_sample_bytes(kind.type);
        row_ = kind.width * sample * (kind.apart ? 1 : kind.channels) + kind.row_more;
        plane_ = row_ * height;
        frame_ = plane_ * (kind.apart ? kind.channels : 1);
        BENCH_CUDA(cudaMalloc(&src_, src_bytes()));
        plan();
        BENCH_CUDA(cudaMalloc(&dst_, dst_bytes()));
        BENCH_CUDA(cudaMalloc(&other_, dst_bytes()));
        fill_kernel<<<blocks_of(src_bytes() / 4), 256, 0, stream>>>(
            reinterpret_cast<uint32_t *>(src_), src_bytes() / 4, kind.type);
        BENCH_CUDA(cudaGetLastError());
    }
    ~Stage()
    {
        BENCH_CUDA(cudaFree(src_));
        BENCH_CUDA(cudaFree(dst_));
        BENCH_CUDA(cudaFree(other_));
    }
    Stage(const Stage &) = delete;
    Stage &operator=(const Stage &) = delete;

    /* Returns the bytes that a frame must at least move. Ignored alpha counts, because it lies
     * beside its pixel. */
    size_t moved_bytes() const
    {
        const size_t pixels = (size_t)kind_.width * height_;
        return pixels * (kind_.channels * ssimcu_sample_bytes(kind_.type) + 4 * kind_.planes);
    }

    /* Launches once for each frame, as the library does. */
    void run(int frames)
    {
        for (int f = 0; f < frames; f++) {
            const ssimcu_planes_task task = task_of(f);
            BENCH_CUDA(ssimcu_planes_cuda(&task, stream_));
        }
    }
    void copy(int frames)
    {
        BENCH_CUDA(cudaMemcpyAsync(other_, dst_, moved_bytes() * frames / 2,
                                   cudaMemcpyDeviceToDevice, stream_));
    }

    /* Returns how many floats of all frames are not what the plan says, or not as they were. */
    unsigned long long count_wrong()
    {
        unsigned long long *wrong, count = 0;
        BENCH_CUDA(cudaMalloc(&wrong, sizeof *wrong));
        BENCH_CUDA(cudaMemsetAsync(wrong, 0, sizeof *wrong, stream_));
        BENCH_CUDA(cudaMemsetAsync(dst_, POISON, dst_bytes(), stream_));
        for (int f = 0; f < FRAMES; f++) {
            const ssimcu_planes_task task = task_of(f);
            reference_kernel<<<blocks_of(task.width * task.height), 256, 0, stream_>>>(task);
        }
        BENCH_CUDA(cudaMemcpyAsync(other_, dst_, dst_bytes(), cudaMemcpyDeviceToDevice, stream_));
        BENCH_CUDA(cudaMemsetAsync(dst_, POISON, dst_bytes(), stream_));
        run(FRAMES);
        compare_kernel<<<blocks_of(dst_bytes() / 4), 256, 0, stream_>>>(
            reinterpret_cast<int32_t *>(dst_), reinterpret_cast<int32_t *>(other_), dst_bytes() / 4,
            planned_.plan.fixed ? MOST_OFF : 0, wrong);
        BENCH_CUDA(cudaMemcpyAsync(&count, wrong, sizeof count, cudaMemcpyDeviceToHost, stream_));
        BENCH_CUDA(cudaStreamSynchronize(stream_));
        BENCH_CUDA(cudaFree(wrong));
        return count;
    }

  private:
    size_t src_bytes() const { return (size_t)(frame_ * FRAMES + kind_.offset + 3) / 4 * 4; }
    size_t frame_floats() const
    {
        return (size_t)planned_.plan.planes_pitch * height_ * kind_.planes;
    }
    size_t dst_bytes() const
    {
        return FRAMES * std::max(frame_floats() * sizeof(float), moved_bytes() / 2);
    }

    /* Grey fills three planes if the other side has colours. */
    void plan()
    {
        ssimcu_settings settings = SSIMCU_INIT(settings);
        settings.pad = SSIMCU_PAD_ZERO; /* takes any size */
        settings.alpha = kind_.alpha ? SSIMCU_ALPHA_WHITE : SSIMCU_ALPHA_IGNORE;
        settings.color = kind_.luma ? SSIMCU_COLOR_Y709 : SSIMCU_COLOR_RGB;
        ssimcu_view view = SSIMCU_INIT(view);
        view.width = (uint32_t)kind_.width, view.height = (uint32_t)height_;
        view.channels = kind_.channels;
        view.type = kind_.type;
        view.layout = kind_.apart ? SSIMCU_LAYOUT_CHW : SSIMCU_LAYOUT_HWC;
        view.pitch = row_;
        view.frames = FRAMES;
        view.data[0] = src_ + kind_.offset;
        ssimcu_view other = view;
        if (kind_.channels < kind_.planes) other.channels = 3, other.pitch = 0;
        planned_make(&planned_, &settings, &view, &other, nullptr);
    }

    ssimcu_planes_task task_of(int frame) const
    {
        return planned_pixels(&planned_, SSIMCU_REF, (uint32_t)frame,
                              dst_ + frame * frame_floats());
    }

    const Kind kind_;
    int height_;
    cudaStream_t stream_;
    int64_t row_, plane_, frame_; /* bytes of the source */
    planned planned_;
    unsigned char *src_ = nullptr;
    float *dst_ = nullptr, *other_ = nullptr;
};

void print_row(Timer &timer, Stage &stage, const char *name, int frames, int runs)
{
    const size_t moved = stage.moved_bytes() * frames;
    const Times copy = timer.measure(runs, moved, [&] { stage.copy(frames); });
    const Times own = timer.measure(runs, moved, [&] { stage.run(frames); });
    std::printf("| %s | %d | %.1f | %.1f (%.1f..%.1f) | %.1f %% |\n", name, frames, copy.median,
                own.median, own.min, own.max, 100 * copy.median / own.median);
    std::fflush(stdout);
}

/* All kinds in a ragged width, and in one of whole blocks. */
int check()
{
    for (Kind kind : kinds)
        for (const int width : {1024, 1037, 13}) {
            constexpr int ROWS = 37;
            kind.width = width;
            Stage stage(kind, ROWS, nullptr);
            const unsigned long long wrong = stage.count_wrong();
            check_that(wrong == 0, "%s, %d wide: %llu floats differ", kind.name, width, wrong);
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
    const int runs = argc > 1 ? number(argv[1], 1, Timer::MAX_RUNS) : 50;
    if (runs < 0)
        return std::fprintf(stderr, "usage: bench_planes [RUNS, 1 to 1000] | --check\n"), 2;
    cudaStream_t stream;
    BENCH_CUDA(cudaStreamCreate(&stream));
    Timer timer(stream);
    bool right = true;
    print_machine();
    std::printf(
        "4K frames to float planes, us for all frames, a launch for each; of copy: against a "
        "copy that reads and\nwrites as many bytes.\n\n"
        "| samples | frames | copy | planes | of copy |\n|---|---|---|---|---|\n");
    timer.warm_up();
    for (const Kind &kind : kinds) {
        Stage stage(kind, HEIGHT, stream);
        if (const unsigned long long wrong = stage.count_wrong()) {
            std::printf("| %s | WRONG: %llu floats differ | | | |\n", kind.name, wrong);
            right = false;
            continue;
        }
        for (const int frames : {1, FRAMES}) print_row(timer, stage, kind.name, frames, runs);
    }
    BENCH_CUDA(cudaStreamDestroy(stream));
    return right ? 0 : 1;
}
