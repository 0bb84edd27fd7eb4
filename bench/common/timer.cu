/* The clock: CUDA events around each launch. All launches are queued before the host waits, so that
 * the time to launch hides behind the work ahead of it. */
#include "bench.cuh"

#include <algorithm>
#include <thread>

namespace bench
{

Timer::Timer(cudaStream_t stream) : stream_(stream), events_(2 * MAX_RUNS)
{
    int device = 0, l2 = 0;
    BENCH_CUDA(cudaGetDevice(&device));
    BENCH_CUDA(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
    l2_bytes_ = (size_t)l2;
    flush_bytes_ = std::max((size_t)256 << 20, flush_below());
    BENCH_CUDA(cudaMalloc(&flush_, flush_bytes_));
    for (cudaEvent_t &event : events_) BENCH_CUDA(cudaEventCreate(&event));
}

Timer::~Timer()
{
    for (cudaEvent_t event : events_) BENCH_CUDA(cudaEventDestroy(event));
    BENCH_CUDA(cudaFree(flush_));
}

Times Timer::measure(int runs, size_t bytes_moved, const std::function<void()> &launch)
{
    const bool flush = bytes_moved < flush_below();
    for (int run = -WARM_UP; run < runs; run++) {
        if (flush) BENCH_CUDA(cudaMemsetAsync(flush_, run & 0xff, flush_bytes_, stream_));
        if (run >= 0) BENCH_CUDA(cudaEventRecord(events_[2 * run], stream_));
        launch();
        if (run >= 0) BENCH_CUDA(cudaEventRecord(events_[2 * run + 1], stream_));
    }
    BENCH_CUDA(cudaGetLastError());
    BENCH_CUDA(cudaStreamSynchronize(stream_));
    std::vector<double> us(runs);
    for (int run = 0; run < runs; run++) {
        float ms = 0;
        BENCH_CUDA(cudaEventElapsedTime(&ms, events_[2 * run], events_[2 * run + 1]));
        us[run] = 1e3 * ms;
    }
    std::sort(us.begin(), us.end());
    return {us[runs / 2], us.front(), us.back()};
}

void Timer::warm_up()
{
    constexpr double ENOUGH_US = 500e3;
    const size_t half = flush_bytes_ / 2;
    for (double spent = 0; spent < ENOUGH_US;) {
        const Times times = measure(100, flush_bytes_, [&] {
            BENCH_CUDA(
                cudaMemcpyAsync(flush_, flush_ + half, half, cudaMemcpyDeviceToDevice, stream_));
        });
        spent += 100 * std::max(times.median, 1.0);
    }
}

static void CUDART_CB wait_until_open(void *open)
{
    while (!static_cast<std::atomic<bool> *>(open)->load()) std::this_thread::yield();
}

Gate::Gate(cudaStream_t stream) { BENCH_CUDA(cudaLaunchHostFunc(stream, wait_until_open, &open_)); }

} // namespace bench
