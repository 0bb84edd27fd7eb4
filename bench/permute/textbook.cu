/* The transpose that every course teaches, here for a batch of matrices. It uses 32 x 32 tiles in
 * shared memory with one column of padding, 32 x 8 threads, and an element per access. */
#include "bench.cuh"

namespace bench
{
namespace
{

constexpr int SIDE = 32;
constexpr int ROWS = 8;

template <typename Out, typename In>
__global__ void textbook_kernel(Out *dst, const In *src, int64_t rows, int64_t cols,
                                unsigned tiles_x, unsigned tiles_y)
{
    __shared__ In tile[SIDE][SIDE + 1];
    /* One grid dimension, because the other two end at 65535 blocks. */
    const unsigned tile_row = blockIdx.x / tiles_x, batch = tile_row / tiles_y;
    const int64_t x0 = (int64_t)(blockIdx.x % tiles_x) * SIDE;
    const int64_t y0 = (int64_t)(tile_row % tiles_y) * SIDE;
    src += batch * rows * cols;
    dst += batch * rows * cols;
    for (int i = threadIdx.y; i < SIDE; i += ROWS)
        if (x0 + threadIdx.x < cols && y0 + i < rows)
            tile[i][threadIdx.x] = src[(y0 + i) * cols + x0 + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < SIDE; i += ROWS)
        if (y0 + threadIdx.x < rows && x0 + i < cols)
            dst[(x0 + i) * rows + y0 + threadIdx.x] = static_cast<Out>(tile[threadIdx.x][i]);
}

class Textbook : public Implementation
{
  public:
    explicit Textbook(cudaStream_t stream) : stream_(stream) {}

    bool prepare(const Case &c) override
    {
        element_ = bytes_of(c.type);
        to_float_ = c.to_float;
        return as_transpose(c, &transpose_);
    }

    std::string name() const override { return "textbook 32 x 33 tile"; }

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
        const cudaError_t error = cudaGetLastError();
        return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
    }

  private:
    template <typename Out, typename In>
    void run(void *dst, const void *src) const
    {
        const int64_t x = (transpose_.cols + SIDE - 1) / SIDE;
        const int64_t y = (transpose_.rows + SIDE - 1) / SIDE;
        textbook_kernel<Out, In>
            <<<(unsigned)(x * y * transpose_.batch), dim3(SIDE, ROWS), 0, stream_>>>(
                static_cast<Out *>(dst), static_cast<const In *>(src), transpose_.rows,
                transpose_.cols, (unsigned)x, (unsigned)y);
    }

    cudaStream_t stream_;
    int element_ = 1;
    bool to_float_ = false;
    Transpose transpose_ = {};
};

} // namespace

std::unique_ptr<Implementation> make_textbook(cudaStream_t stream)
{
    return std::make_unique<Textbook>(stream);
}

} // namespace bench
