/* Memory with content for the methods, their errors against a double-precision reference, and what
 * their kernels need of an SM. */
#ifndef SSIMCU_BENCH_WORKSPACE_CUH
#define SSIMCU_BENCH_WORKSPACE_CUH

#include "common/bench.cuh"
#include "ladder.cuh"

#include <cstddef>
#include <string>
#include <vector>

namespace ladder
{

template <typename T>
class DeviceArray
{
  public:
    explicit DeviceArray(size_t count) : bytes_(count * sizeof(T))
    {
        BENCH_CUDA(cudaMalloc(&data_, bytes_ ? bytes_ : 1));
    }
    ~DeviceArray() { BENCH_CUDA(cudaFree(data_)); }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;

    T *get() const { return data_; }
    size_t bytes() const { return bytes_; }
    void fill_bytes(int value, cudaStream_t stream) const
    {
        BENCH_CUDA(cudaMemsetAsync(data_, value, bytes_, stream));
    }
    /* Copies to the host and waits. */
    std::vector<T> copy(cudaStream_t stream) const
    {
        std::vector<T> host(bytes_ / sizeof(T));
        BENCH_CUDA(cudaMemcpyAsync(host.data(), data_, bytes_, cudaMemcpyDeviceToHost, stream));
        BENCH_CUDA(cudaStreamSynchronize(stream));
        return host;
    }

  private:
    size_t bytes_;
    T *data_ = nullptr;
};

/* Kinds of pairs that show different weaknesses of a method in floats. The bytes are the same on
 * every machine. */
enum class Content {
    TEXTURE,  /* random bytes, the other frame up to 6 away */
    TEXT,     /* black letters on white, against a coder's version of them */
    CARTOON,  /* large cells of one colour and dark lines, against a coder's version */
    DARK,     /* grain around 16, the other frame up to 2 away */
    GRADIENT, /* a smooth ramp, the other frame up to 1 higher */
    PATCHES,  /* 13 x 11 pixels of one level each, the other frame up to 4 away */
    DOTS,     /* flat 250 against dots of 251 */
    SAME      /* random bytes twice */
};

struct Shape {
    int width, height, channels, frames;
    bool tight; /* rows of the float planes follow each other without padding */
};

/* The memory of one shape. Float planes that are not tight start their rows at multiples of 16
 * bytes and hold NaN beyond the frame. */
class Workspace
{
  public:
    Workspace(const Shape &shape, cudaStream_t stream);

    void fill(Content content);
    void fill(const std::vector<uint8_t> &ref,
              const std::vector<uint8_t> &out); /* one frame, HWC */
    /* Returns a job on this memory, under either padding, with or without a map. A map has a free
     * row before and after it, and `spare` free columns after each row. A check looks there for
     * stray writes. */
    Job job(bool zero_pad, bool want_map, int spare = 0) const;
    /* Returns the job of one frame alone. */
    static Job frame_of(const Job &job, int frame);

    const DeviceArray<float> &map() const { return map_; }
    const DeviceArray<double> &sums() const { return sums_; }
    cudaStream_t stream() const { return stream_; }
    static size_t bytes_for(const Shape &shape);

  private:
    void spread();

    Shape shape_;
    cudaStream_t stream_;
    int64_t pitch_, plane_;
    DeviceArray<uint8_t> ref_, out_;
    DeviceArray<float> ref_planes_, out_planes_;
    DeviceArray<float> map_;
    DeviceArray<double> sums_;
};

constexpr int SPARE = 4; /* columns of a checked map's rows */

/* The double-precision scores and maps of a workspace's content: 121 taps per window, from the
 * bytes, five moments. */
class Reference
{
  public:
    explicit Reference(const Job &job, cudaStream_t stream);

    struct Errors {
        double map = 0;       /* largest error of a window; infinite: NaN or not written */
        double score = 0;     /* largest error of a frame's score */
        double highest = 0;   /* largest score of a frame, as the method gives it */
        long long strays = 0; /* floats written outside the map */
    };

    /* Runs the method once over a poisoned map and compares. The job has the same content and
     * padding; its map, if any, has SPARE free columns. */
    Errors check(const Method &method, const Job &job, const Workspace &workspace) const;

  private:
    cudaStream_t stream_;
    int down_, across_, planes_, channels_;
    DeviceArray<double> map_;
    std::vector<double> sum_; /* sum of 1 - SSIM, per plane */
};

/* A method's prepared scratch memory, and its launch. */
class Ready
{
  public:
    Ready(const Method &method, const Job &job, cudaStream_t stream);

    void launch() const { launch(job_); }
    void launch(const Job &job) const; /* same shape; results may lie elsewhere */

  private:
    const Method &method_;
    Job job_;
    cudaStream_t stream_;
    DeviceArray<unsigned char> scratch_;
};

/* A count of the 4-byte words that differ, over all arrays added. */
class Difference
{
  public:
    explicit Difference(cudaStream_t stream);

    void add(const void *a, const void *b, size_t bytes); /* does not wait */
    unsigned long long words() const;

  private:
    cudaStream_t stream_;
    DeviceArray<unsigned long long> words_;
};

/* The resources of a kernel, and how much of an SM it fills, as text for a table: registers per
 * thread and so on. Slashes separate several kernels. */
struct Resources {
    std::string registers, local_bytes, shared_bytes, occupancy;
};

Resources resources_of(const Ready &ready, cudaStream_t stream);

} // namespace ladder

#endif
