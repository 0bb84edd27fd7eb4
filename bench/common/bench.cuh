/* Errors, the clock and the head of the output, for every benchmark of device code. */
#ifndef SSIMCU_BENCH_COMMON_CUH
#define SSIMCU_BENCH_COMMON_CUH

#include <cuda_runtime_api.h>

#include <atomic>
#include <functional>
#include <vector>

#define BENCH_CUDA(call) ::bench::stop_on_error(call, #call, __FILE__, __LINE__)

namespace bench
{

/* Prints what failed and exits with 1. */
void stop_on_error(cudaError_t error, const char *call, const char *file, int line);

/* Returns a number from `low` to `high`, else -1. */
int number(const char *text, int low, int high);

struct Arguments {
    int runs;
    int pictures; /* index of REF, behind which is OUT; argc if there are none */
};

/* Reads [--runs N] [REF OUT]. Prints the usage and exits with 2 if something else was given. */
Arguments read_arguments(const char *program, int argc, char **argv, int runs);

/* Prints one line: GPU, driver, CUDA versions, date. */
void print_machine();

struct Times {
    double median, min, max; /* microseconds */
};

class Timer
{
  public:
    enum { MAX_RUNS = 1000, WARM_UP = 3 };

    explicit Timer(cudaStream_t stream);
    ~Timer();
    Timer(const Timer &) = delete;
    Timer &operator=(const Timer &) = delete;

    /* Launches WARM_UP times, then `runs` times between events. If L2 could still hold what the
     * launch before moved, it is overwritten ahead of every run, untimed. */
    Times measure(int runs, size_t bytes_moved, const std::function<void()> &launch);
    /* Copies for a while, so that the clocks are up before the first row. */
    void warm_up();
    size_t flush_below() const { return 4 * l2_bytes_; }
    size_t l2_bytes() const { return l2_bytes_; }

  private:
    cudaStream_t stream_;
    size_t l2_bytes_ = 0, flush_bytes_ = 0;
    unsigned char *flush_ = nullptr;
    std::vector<cudaEvent_t> events_;
};

/* Holds a stream up until it is opened, so that the host can queue all of its work first. It lives
 * until the stream has passed it. */
class Gate
{
  public:
    explicit Gate(cudaStream_t stream);
    Gate(const Gate &) = delete;
    Gate &operator=(const Gate &) = delete;
    void open() { open_ = true; }

  private:
    std::atomic<bool> open_{false};
};

} // namespace bench

#endif
