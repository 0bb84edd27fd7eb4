/* bench_planes [RUNS]: times the planes stage beside a copy that reads and writes as many bytes,
 * for each kind of samples. Every kind is first checked bit for bit, with what lies between the
 * rows, against a kernel of one thread per pixel. */
#include "common/bench.cuh"
#include "kernels.h"

#include <cuda_fp16.h>

#include <cstdio>
#include <cstdlib>

namespace
{

using namespace bench;

constexpr int FRAMES = 8, HEIGHT = 2160, ROW_FLOATS = 32; /* ROW_FLOATS: pitch is a multiple */
constexpr unsigned POISON = 0xa5;

struct Kind {
    const char *name;
    uint32_t type, channels, planes;
    bool apart;          /* CHW */
    int width, row_more; /* pixels, bytes between rows */
    bool alpha, luma;
    int offset; /* bytes before the first sample */
};

constexpr uint32_t U8 = SSIMCU_SAMPLE_U8, U16 = SSIMCU_SAMPLE_U16, F16 = SSIMCU_SAMPLE_F16,
                   F32 = SSIMCU_SAMPLE_F32;

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

__global__ void reference_kernel(const ssimcu_planes_task task)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t x = i % task.width, y = i / task.width;
    uint32_t whole[4] = {};
    float real[4] = {}, value[3] = {};
    if (y >= task.height) return;
    for (uint32_t c = 0; c < task.rule.channels; c++) {
        switch (task.samples.type) {
        case SSIMCU_SAMPLE_U8: whole[c] = load<uint8_t>(task, c, x, y); break;
        case SSIMCU_SAMPLE_U16: whole[c] = load<uint16_t>(task, c, x, y); break;
        case SSIMCU_SAMPLE_F16: real[c] = __half2float(load<__half>(task, c, x, y)); break;
        default: real[c] = load<float>(task, c, x, y);
        }
    }
    if (ssimcu_samples_are_float(task.samples.type))
        ssimcu_sample_convert(&task.rule, task.samples.scale, real, value);
    else
        ssimcu_pixel_convert(&task.rule, whole, value);
    for (uint32_t c = 0; c < task.rule.planes; c++)
        task.dst[c * task.dst_plane_floats + y * task.dst_pitch_floats + x] = value[c];
}

__global__ void compare_kernel(const uint32_t *a, const uint32_t *b, size_t words,
                               unsigned long long *wrong)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < words && a[i] != b[i]) atomicAdd(wrong, 1ull);
}

unsigned blocks_of(size_t words) { return (unsigned)((words + 255) / 256); }

class Stage
{
  public:
    Stage(const Kind &kind, cudaStream_t stream) : kind_(kind), stream_(stream)
    {
        const int64_t sample = ssimcu_sample_bytes(kind.type);
        row_ = kind.width * sample * (kind.apart ? 1 : kind.channels) + kind.row_more;
        plane_ = row_ * HEIGHT;
        frame_ = plane_ * (kind.apart ? kind.channels : 1);
        pitch_ = (kind.width + ROW_FLOATS - 1) / ROW_FLOATS * ROW_FLOATS;
        BENCH_CUDA(cudaMalloc(&src_, src_bytes()));
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
        const size_t pixels = (size_t)kind_.width * HEIGHT;
        return pixels * (kind_.channels * ssimcu_sample_bytes(kind_.type) + 4 * kind_.planes);
    }

    /* Launches once for each frame, as the library does. */
    void run(int frames)
    {
        for (int f = 0; f < frames; f++) {
            const ssimcu_planes_task task = task_of(f, dst_);
            BENCH_CUDA(ssimcu_planes_cuda(&task, stream_));
        }
    }
    void copy(int frames)
    {
        BENCH_CUDA(cudaMemcpyAsync(other_, dst_, moved_bytes() * frames / 2,
                                   cudaMemcpyDeviceToDevice, stream_));
    }

    bool is_right()
    {
        unsigned long long *wrong, count = 0;
        BENCH_CUDA(cudaMalloc(&wrong, sizeof *wrong));
        BENCH_CUDA(cudaMemsetAsync(wrong, 0, sizeof *wrong, stream_));
        BENCH_CUDA(cudaMemsetAsync(dst_, POISON, dst_bytes(), stream_));
        for (int f = 0; f < FRAMES; f++) {
            const ssimcu_planes_task task = task_of(f, dst_);
            reference_kernel<<<blocks_of(task.width * task.height), 256, 0, stream_>>>(task);
        }
        BENCH_CUDA(cudaMemcpyAsync(other_, dst_, dst_bytes(), cudaMemcpyDeviceToDevice, stream_));
        BENCH_CUDA(cudaMemsetAsync(dst_, POISON, dst_bytes(), stream_));
        run(FRAMES);
        compare_kernel<<<blocks_of(dst_bytes() / 4), 256, 0, stream_>>>(
            reinterpret_cast<uint32_t *>(dst_), reinterpret_cast<uint32_t *>(other_),
            dst_bytes() / 4, wrong);
        BENCH_CUDA(cudaMemcpyAsync(&count, wrong, sizeof count, cudaMemcpyDeviceToHost, stream_));
        BENCH_CUDA(cudaStreamSynchronize(stream_));
        BENCH_CUDA(cudaFree(wrong));
        if (count) std::printf("%s: %llu floats differ\n", kind_.name, count);
        return count == 0;
    }

  private:
    size_t src_bytes() const { return (size_t)(frame_ * FRAMES + kind_.offset + 3) / 4 * 4; }
    size_t dst_bytes() const
    {
        const size_t planes = (size_t)pitch_ * HEIGHT * kind_.planes * FRAMES * sizeof(float);
        return planes > moved_bytes() * FRAMES / 2 ? planes : moved_bytes() * FRAMES / 2;
    }

    ssimcu_planes_task task_of(int frame, float *dst) const
    {
        const int64_t sample = ssimcu_sample_bytes(kind_.type);
        const int64_t apart = kind_.apart ? plane_ : sample;
        ssimcu_planes_task task = {};
        task.rule.channels = kind_.channels;
        task.rule.planes = kind_.planes;
        task.rule.bits = kind_.type == U16 ? 16 : 8;
        task.rule.peak = kind_.type == U16 ? 65535 : 255;
        task.rule.widen = 1;
        task.rule.unit = kind_.type == U16                      ? 1.0f / 256
                         : ssimcu_samples_are_float(kind_.type) ? 256
                                                                : 1;
        task.rule.alpha = kind_.alpha;
        task.rule.background = task.rule.peak;
        if (kind_.luma) task.rule.luma[0] = 2126, task.rule.luma[1] = 7152, task.rule.luma[2] = 722;
        task.samples.type = kind_.type;
        task.samples.step = kind_.apart ? 1 : kind_.channels;
        task.samples.pitch_bytes = row_;
        task.samples.scale = 255;
        for (uint32_t c = 0; c < kind_.channels; c++)
            task.samples.channel[c] = src_ + kind_.offset + frame * frame_ + c * apart;
        task.width = kind_.width;
        task.height = HEIGHT;
        task.dst = dst + (size_t)frame * pitch_ * HEIGHT * kind_.planes;
        task.dst_pitch_floats = pitch_;
        task.dst_plane_floats = pitch_ * HEIGHT;
        return task;
    }

    const Kind &kind_;
    cudaStream_t stream_;
    int64_t row_, plane_, frame_, pitch_; /* pitch_: floats; the others: bytes of the source */
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

} // namespace

int main(int argc, char **argv)
{
    const int runs = argc > 1 ? number(argv[1], 1, Timer::MAX_RUNS) : 50;
    if (runs < 0) return std::fprintf(stderr, "usage: bench_planes [RUNS, 1 to 1000]\n"), 2;
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
        Stage stage(kind, stream);
        if (!stage.is_right()) {
            right = false;
            continue;
        }
        for (const int frames : {1, FRAMES}) print_row(timer, stage, kind.name, frames, runs);
    }
    BENCH_CUDA(cudaStreamDestroy(stream));
    return right ? 0 : 1;
}
