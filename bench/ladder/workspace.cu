/* The memory of one shape and its content. Frames are made as interleaved bytes and then spread to
 * float planes. */
#include "contents.cuh"

#include <algorithm>

namespace ladder
{
namespace
{

constexpr int THREADS = 256;

/* NaN in the planes beyond the frame, so that a method that reads there is found out. */
constexpr float BEYOND = __builtin_nanf("");

int64_t round_up(int64_t value, int to) { return (value + to - 1) / to * to; }

/* Writes one element of the padded planes per thread. */
__global__ void spread_kernel(float *planes, const uint8_t *hwc, int64_t count, Shape shape,
                              int64_t pitch)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const int64_t x = i % pitch, y = i / pitch % shape.height, plane = i / pitch / shape.height;
    const int64_t frame = plane / shape.channels, channel = plane % shape.channels;
    const int64_t pixel = (frame * shape.height + y) * shape.width + x;
    planes[i] = x < shape.width ? (float)hwc[pixel * shape.channels + channel] : BEYOND;
}

int64_t samples_of(const Shape &s) { return (int64_t)s.width * s.height * s.channels * s.frames; }

int64_t pitch_of(const Shape &s) { return s.tight ? s.width : round_up(s.width, 4); }

/* Returns the floats of the largest map, with a free row before and after it. */
int64_t map_floats(const Shape &s)
{
    const int64_t rows = (int64_t)s.channels * s.frames * s.height + 2;
    return rows * (round_up(s.width, 4) + SPARE);
}

} // namespace

const char *refuses_all_but_zero_pad_map(const Job &job)
{
    return job.zero_pad && job.map ? nullptr : "zero padding and a map only";
}

Workspace::Workspace(const Shape &shape, cudaStream_t stream)
    : shape_(shape), stream_(stream), pitch_(pitch_of(shape)), plane_(pitch_ * shape.height),
      ref_(samples_of(shape)), out_(samples_of(shape)),
      ref_planes_(plane_ * shape.channels * shape.frames),
      out_planes_(plane_ * shape.channels * shape.frames), map_(map_floats(shape)),
      sums_((size_t)shape.channels * shape.frames)
{
}

size_t Workspace::bytes_for(const Shape &shape)
{
    const size_t samples = (size_t)samples_of(shape);
    const size_t planes = (size_t)pitch_of(shape) * shape.height * shape.channels * shape.frames;
    return IMAGES * (samples + planes * sizeof(float)) + (size_t)map_floats(shape) * sizeof(float);
}

void Workspace::fill(Content content)
{
    make_content(ref_.get(), out_.get(), shape_, content, stream_);
    spread();
}

void Workspace::fill(const std::vector<uint8_t> &ref, const std::vector<uint8_t> &out)
{
    for (int image = 0; image < IMAGES; image++)
        BENCH_CUDA(cudaMemcpyAsync((image == REF ? ref_ : out_).get(),
                                   (image == REF ? ref : out).data(), ref_.bytes(),
                                   cudaMemcpyHostToDevice, stream_));
    spread();
    BENCH_CUDA(cudaStreamSynchronize(stream_));
}

void Workspace::spread()
{
    const int64_t count = plane_ * shape_.channels * shape_.frames;
    for (int image = 0; image < IMAGES; image++)
        spread_kernel<<<divide_up(count, THREADS), THREADS, 0, stream_>>>(
            (image == REF ? ref_planes_ : out_planes_).get(), (image == REF ? ref_ : out_).get(),
            count, shape_, pitch_);
    BENCH_CUDA(cudaGetLastError());
}

Job Workspace::job(bool zero_pad, bool want_map, int spare) const
{
    Job job = {};
    job.width = shape_.width;
    job.height = shape_.height;
    job.channels = shape_.channels;
    job.frames = shape_.frames;
    job.zero_pad = zero_pad;
    job.hwc[REF] = ref_.get();
    job.hwc[OUT] = out_.get();
    job.planes[REF] = ref_planes_.get();
    job.planes[OUT] = out_planes_.get();
    job.pitch = pitch_;
    job.plane = plane_;
    job.sums = sums_.get();
    if (!want_map) return job;
    job.map_pitch = round_up(positions(job.width, zero_pad), 4) + spare;
    job.map_plane = job.map_pitch * positions(job.height, zero_pad);
    job.map = map_.get() + job.map_pitch;
    return job;
}

Job Workspace::frame_of(const Job &job, int frame)
{
    Job one = job;
    one.frames = 1;
    for (int image = 0; image < IMAGES; image++) {
        one.hwc[image] += (int64_t)frame * job.channels * job.width * job.height;
        one.planes[image] += frame * job.channels * job.plane;
    }
    if (job.map) one.map += frame * job.channels * job.map_plane;
    one.sums += frame * job.channels;
    return one;
}

Ready::Ready(const Method &method, const Job &job, cudaStream_t stream)
    : method_(method), job_(job), stream_(stream),
      scratch_(method.scratch_bytes ? method.scratch_bytes(job) : 0)
{
    if (method.prepare) method.prepare(job, scratch_.get(), stream);
}

void Ready::launch(const Job &job) const
{
    BENCH_CUDA(method_.launch(job, scratch_.get(), stream_));
}

} // namespace ladder
