/* bench_planes [RUNS]: the planes stage beside a copy that reads and writes as many bytes, and
 * beside the kernels that it replaced, for each kind of samples. Every kind is checked first: new
 * and old give the same bits, and write the same places. */
#include "common/bench.cuh"
#include "kernels.h"
#include "planes/old.cuh"

#include <cuda_fp16.h>

#include <cstdio>
#include <cstdlib>

namespace
{

using namespace bench;

constexpr int FRAMES = 8, HEIGHT = 2160, ROW_FLOATS = 32; /* the library's planes' pitch */
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

/* Random samples; floats from 0 to 1. */
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

    /* What a frame must at least move; alpha that does not count is beside its pixel, or apart. */
    size_t moved_bytes() const
    {
        const size_t pixels = (size_t)kind_.width * HEIGHT;
        return pixels * (kind_.channels * ssimcu_sample_bytes(kind_.type) + 4 * kind_.planes);
    }

    /* A launch for each frame, as the library does. */
    void run(int frames)
    {
        for (int f = 0; f < frames; f++) {
            const ssimcu_planes_task task = task_of(f, dst_);
            BENCH_CUDA(ssimcu_planes_cuda(&task, stream_));
        }
    }
    void run_old(int frames)
    {
        for (int f = 0; f < frames; f++) run_old_frame(f);
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
        run_old(FRAMES);
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

    /* By the kernel that the library took. */
    void run_old_frame(int frame)
    {
        const ssimcu_planes_task task = task_of(frame, dst_);
        const bool dense = !kind_.apart && kind_.row_more == 0 && kind_.type <= U16;
        if (!dense || (uintptr_t)task.samples.channel[0] % 16 != 0) {
            BENCH_CUDA(old_planes_cuda(&task, stream_));
            return;
        }
        old_interleaved_task old = {};
        old.rule = task.rule;
        old.width = task.width;
        old.height = task.height;
        old.frames = 1;
        old.src = task.samples.channel[0];
        old.src_bytes = (size_t)frame_;
        old.dst = task.dst;
        old.dst_pitch_floats = task.dst_pitch_floats;
        old.dst_plane_floats = task.dst_plane_floats;
        BENCH_CUDA(old_interleaved_cuda(&old, stream_));
    }

    const Kind &kind_;
    cudaStream_t stream_;
    int64_t row_, plane_, frame_, pitch_; /* bytes of the source; floats */
    unsigned char *src_ = nullptr;
    float *dst_ = nullptr, *other_ = nullptr;
};

/* Old and new in turn, twice: the spread between equals is what a difference must exceed. */
void print_row(Timer &timer, Stage &stage, const char *name, int frames, int runs)
{
    const size_t moved = stage.moved_bytes() * frames;
    const auto time = [&](void (Stage::*what)(int)) {
        return timer.measure(runs, moved, [&] { (stage.*what)(frames); }).median;
    };
    const double copy = time(&Stage::copy);
    double before[2], after[2];
    for (int i = 0; i < 2; i++) {
        before[i] = time(&Stage::run_old);
        after[i] = time(&Stage::run);
    }
    std::printf("| %s | %d | %.1f | %.1f / %.1f | %.1f / %.1f | %.1f %% | %.1f %% |\n", name,
                frames, copy, before[0], before[1], after[0], after[1], 100 * copy / before[0],
                100 * copy / after[0]);
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
        "copy that reads and\nwrites as many bytes. Old and new were timed in turn.\n\n"
        "| samples | frames | copy | old | new | old of copy | new of copy |\n"
        "|---|---|---|---|---|---|---|\n");
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
