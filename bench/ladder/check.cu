/* The check of a method: the map and the score in double precision, as plainly as the definition
 * reads, and a comparison of every window. Before a method runs, its map and the floats around it
 * are filled with a pattern that no method writes. */
#include "workspace.cuh"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ladder
{
namespace
{

constexpr int THREADS = 256;
constexpr int POISON = 0xA5;
constexpr uint32_t POISON_WORD = 0xA5A5A5A5u; /* -2.9e-16 as a float */

__device__ constexpr double G_DOUBLE[TAPS] = SSIMCU_GAUSSIAN;

/* Computes one window per thread. */
__global__ void reference_kernel(const Job job, double *map, int64_t windows, int across, int down)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= windows) return;
    const int shift = job.zero_pad ? RADIUS : 0;
    const int x0 = (int)(i % across) - shift, y0 = (int)(i / across % down) - shift;
    const int64_t plane = i / across / down;
    const int64_t frame = plane / job.channels, channel = plane % job.channels;
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    for (int k = 0; k < TAPS * TAPS; k++) {
        const int y = y0 + k / TAPS, x = x0 + k % TAPS;
        if (!inside(job, y, x)) continue;
        const int64_t pixel = (frame * job.height + y) * job.width + x;
        const double a = job.hwc[REF][pixel * job.channels + channel];
        const double b = job.hwc[OUT][pixel * job.channels + channel];
        const double weight = G_DOUBLE[k / TAPS] * G_DOUBLE[k % TAPS];
        mx += weight * a;
        my += weight * b;
        xx += weight * a * a;
        yy += weight * b * b;
        xy += weight * a * b;
    }
    map[i] = (2 * mx * my + SSIMCU_C1(SSIMCU_PEAK)) *
             (2 * (xy - mx * my) + SSIMCU_C2(SSIMCU_PEAK)) /
             ((mx * mx + my * my + SSIMCU_C1(SSIMCU_PEAK)) *
              (xx - mx * mx + (yy - my * my) + SSIMCU_C2(SSIMCU_PEAK)));
}

struct RowResult {
    double map;           /* largest error of a window */
    double reference_sum; /* sum of 1 - SSIM */
    double map_sum;       /* the same of the map under test */
    long long strays;
};

__device__ void join(RowResult &a, const RowResult &b)
{
    a.map = fmax(a.map, b.map);
    a.reference_sum += b.reference_sum;
    a.map_sum += b.map_sum;
    a.strays += b.strays;
}

/* Compares one row per block: the free row before the first plane, `rows` of windows, and the free
 * row behind them. Without a map only the reference is added up. */
__global__ void row_kernel(const Job job, const double *reference, int across, int rows,
                           RowResult *results)
{
    __shared__ RowResult shared[THREADS];
    const int row = (int)blockIdx.x - 1;
    const bool windows = row >= 0 && row < rows;
    const double *expected = reference + (int64_t)row * across;
    const float *map = job.map ? job.map + row * job.map_pitch : nullptr;
    const int64_t columns = job.map ? job.map_pitch : across;
    RowResult own = {};
    for (int64_t x = threadIdx.x; x < columns; x += THREADS) {
        RowResult one = {};
        if (windows && x < across) {
            one.reference_sum = 1 - expected[x];
            if (map) {
                const double error = fabs((double)map[x] - expected[x]);
                const bool unwritten = __float_as_uint(map[x]) == POISON_WORD;
                one.map = unwritten || isnan(error) ? (double)INFINITY : error;
                one.map_sum = 1 - (double)map[x];
            }
        } else if (map) {
            one.strays = __float_as_uint(map[x]) != POISON_WORD;
        }
        join(own, one);
    }
    shared[threadIdx.x] = own;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) join(shared[threadIdx.x], shared[threadIdx.x + half]);
    }
    if (threadIdx.x == 0) results[blockIdx.x] = shared[0];
}

/* Compares a job with the reference, plane by plane. A free row counts as part of the plane beside
 * it. */
std::vector<RowResult> compare(const Job &job, const double *reference, cudaStream_t stream)
{
    const int across = positions(job.width, job.zero_pad);
    const int down = positions(job.height, job.zero_pad);
    const int planes = plane_count(job), rows = planes * down;
    const DeviceArray<RowResult> device((size_t)rows + 2);
    row_kernel<<<rows + 2, THREADS, 0, stream>>>(job, reference, across, rows, device.get());
    BENCH_CUDA(cudaGetLastError());
    const std::vector<RowResult> row = device.copy(stream);
    std::vector<RowResult> result((size_t)planes);
    for (int i = 0; i < rows + 2; i++) {
        RowResult &to = result[std::min(std::max(i - 1, 0) / down, planes - 1)];
        to.map = std::max(to.map, row[i].map);
        to.reference_sum += row[i].reference_sum;
        to.map_sum += row[i].map_sum;
        to.strays += row[i].strays;
    }
    return result;
}

__global__ void difference_kernel(const uint32_t *a, const uint32_t *b, int64_t count,
                                  unsigned long long *words)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < count && a[i] != b[i]) atomicAdd(words, 1ull);
}

} // namespace

Reference::Reference(const Job &job, cudaStream_t stream)
    : stream_(stream), down_(positions(job.height, job.zero_pad)),
      across_(positions(job.width, job.zero_pad)), planes_(plane_count(job)),
      channels_(job.channels), map_((size_t)planes_ * down_ * across_)
{
    const int64_t windows = (int64_t)planes_ * down_ * across_;
    reference_kernel<<<divide_up(windows, THREADS), THREADS, 0, stream>>>(job, map_.get(), windows,
                                                                          across_, down_);
    BENCH_CUDA(cudaGetLastError());
    Job without_map = job;
    without_map.map = nullptr;
    for (const RowResult &plane : compare(without_map, map_.get(), stream))
        sum_.push_back(plane.reference_sum);
}

Reference::Errors Reference::check(const Method &method, const Job &job,
                                   const Workspace &workspace) const
{
    constexpr double NONE = std::numeric_limits<double>::infinity();
    workspace.map().fill_bytes(POISON, stream_);
    workspace.sums().fill_bytes(0xff, stream_); /* NaN */
    Ready(method, job, stream_).launch();
    const std::vector<RowResult> found = compare(job, map_.get(), stream_);
    const std::vector<double> sums = workspace.sums().copy(stream_);
    Errors errors;
    errors.highest = -NONE;
    for (int first = 0; first < planes_; first += channels_) {
        double expected = 0, sum = 0;
        for (int plane = first; plane < first + channels_; plane++) {
            errors.map = std::max(errors.map, found[plane].map);
            errors.strays += found[plane].strays;
            expected += sum_[plane];
            sum += method.gives_sums ? sums[plane] : found[plane].map_sum;
        }
        const double windows = (double)channels_ * down_ * across_;
        const double error = std::fabs(sum - expected) / windows;
        errors.score = std::max(errors.score, std::isnan(error) ? NONE : error);
        errors.highest = std::max(errors.highest, 1 - sum / windows);
    }
    return errors;
}

Difference::Difference(cudaStream_t stream) : stream_(stream), words_(1)
{
    words_.fill_bytes(0, stream);
}

void Difference::add(const void *a, const void *b, size_t bytes)
{
    const int64_t count = (int64_t)(bytes / sizeof(uint32_t));
    difference_kernel<<<divide_up(count, THREADS), THREADS, 0, stream_>>>(
        static_cast<const uint32_t *>(a), static_cast<const uint32_t *>(b), count, words_.get());
    BENCH_CUDA(cudaGetLastError());
}

unsigned long long Difference::words() const { return words_.copy(stream_)[0]; }

} // namespace ladder
