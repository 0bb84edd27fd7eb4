/* thrust::gather with an index made beforehand. It does any permute. The index, 4 more bytes read
 * per element, does not count as moved. */
#include "bench.cuh"

#include <thrust/gather.h>
#include <thrust/system/cuda/execution_policy.h>

namespace bench
{
namespace
{

class Gather : public Implementation
{
  public:
    explicit Gather(cudaStream_t stream) : stream_(stream) {}
    ~Gather() override { BENCH_CUDA(cudaFree(index_)); }

    bool prepare(const Case &c) override
    {
        const Move move = move_of(c.rank, c.size, c.order);
        if (move.count > INT32_MAX) return false;
        element_ = bytes_of(c.type);
        to_float_ = c.to_float;
        count_ = move.count;
        if (count_ > capacity_) {
            BENCH_CUDA(cudaFree(index_));
            BENCH_CUDA(cudaMalloc(&index_, (size_t)count_ * sizeof *index_));
            capacity_ = count_;
        }
        gather_index(move, index_, stream_);
        return true;
    }

    std::string name() const override { return "thrust::gather, ready index"; }

    const char *launch(void *dst, const void *src) override
    {
        if (to_float_)
            run<float, uint8_t>(dst, src);
        else if (element_ == 1)
            run<uint8_t, uint8_t>(dst, src);
        else if (element_ == 2)
            run<uint16_t, uint16_t>(dst, src);
        else if (element_ == 4)
            run<uint32_t, uint32_t>(dst, src);
        else if (element_ == 8)
            run<uint2, uint2>(dst, src);
        else
            run<uint4, uint4>(dst, src);
        return nullptr; /* Thrust throws */
    }

  private:
    template <typename Out, typename In>
    void run(void *dst, const void *src) const
    {
        thrust::gather(thrust::cuda::par_nosync.on(stream_), index_, index_ + count_,
                       static_cast<const In *>(src), static_cast<Out *>(dst));
    }

    cudaStream_t stream_;
    int element_ = 1;
    bool to_float_ = false;
    int64_t count_ = 0, capacity_ = 0;
    int32_t *index_ = nullptr;
};

} // namespace

std::unique_ptr<Implementation> make_gather(cudaStream_t stream)
{
    return std::make_unique<Gather>(stream);
}

} // namespace bench
