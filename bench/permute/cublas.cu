/* The two transposes of cuBLAS. Both see column-major matrices: rows x cols in C's order is a
 * column-major cols x rows. */
#include "bench.cuh"

#include <cstdio>
#include <cstdlib>
#include <cublasLt.h>
#include <cublas_v2.h>

namespace bench
{
namespace
{

#define BENCH_CUBLAS(call) stop_on_cublas_error(call, #call)

void stop_on_cublas_error(cublasStatus_t status, const char *call)
{
    if (status == CUBLAS_STATUS_SUCCESS) return;
    fflush(stdout);
    fprintf(stderr, "bench_permute: %s: %s\n", call, cublasGetStatusString(status));
    exit(1);
}

std::string name_with_calls(const std::string &name, int64_t calls)
{
    return calls == 1 ? name : name + ", " + std::to_string(calls) + " calls";
}

/* C = 1 * A^T + 0 * B, a call per matrix, because geam has no batches. */
class Geam : public Implementation
{
  public:
    explicit Geam(cudaStream_t stream)
    {
        BENCH_CUBLAS(cublasCreate(&handle_));
        BENCH_CUBLAS(cublasSetStream(handle_, stream));
    }
    ~Geam() override { BENCH_CUBLAS(cublasDestroy(handle_)); }

    bool prepare(const Case &c) override
    {
        return c.type == Type::F32 && as_transpose(c, &transpose_) &&
               transpose_.rows <= INT32_MAX && transpose_.cols <= INT32_MAX;
    }

    std::string name() const override { return name_with_calls("cuBLAS geam", transpose_.batch); }

    const char *launch(void *dst, const void *src) override
    {
        const int rows = (int)transpose_.rows, cols = (int)transpose_.cols;
        const float one = 1, zero = 0;
        for (int64_t i = 0; i < transpose_.batch; i++) {
            const float *a = static_cast<const float *>(src) + i * rows * cols;
            float *to = static_cast<float *>(dst) + i * rows * cols;
            const cublasStatus_t status = cublasSgeam(handle_, CUBLAS_OP_T, CUBLAS_OP_N, rows, cols,
                                                      &one, a, cols, &zero, to, rows, to, rows);
            if (status != CUBLAS_STATUS_SUCCESS) return cublasGetStatusString(status);
        }
        return nullptr;
    }

  private:
    cublasHandle_t handle_ = nullptr;
    Transpose transpose_ = {};
};

class Layout
{
  public:
    Layout(cudaDataType_t type, cublasLtOrder_t order, int64_t rows, int64_t cols, int64_t ld)
    {
        BENCH_CUBLAS(
            cublasLtMatrixLayoutCreate(&layout_, type, (uint64_t)rows, (uint64_t)cols, ld));
        const int32_t value = order;
        set(CUBLASLT_MATRIX_LAYOUT_ORDER, &value, sizeof value);
    }
    ~Layout() { BENCH_CUBLAS(cublasLtMatrixLayoutDestroy(layout_)); }
    Layout(const Layout &) = delete;
    Layout &operator=(const Layout &) = delete;

    void set_batch(int64_t count, int64_t elements)
    {
        const int32_t value = (int32_t)count;
        set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &value, sizeof value);
        set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &elements, sizeof elements);
    }
    cublasLtMatrixLayout_t get() const { return layout_; }

  private:
    void set(cublasLtMatrixLayoutAttribute_t attribute, const void *value, size_t bytes)
    {
        BENCH_CUBLAS(cublasLtMatrixLayoutSetAttribute(layout_, attribute, value, bytes));
    }

    cublasLtMatrixLayout_t layout_ = nullptr;
};

/* The matrix stays cols x rows; its order in memory changes from column-major to row-major. For
 * groups of 32 bytes it changes to COL32, which is NC/32HW32 with pixels for rows. Bytes go as
 * int8, because 1.0f * x is exact. If cuBLAS refuses or ignores batches, there is a call per
 * matrix. */
class LtTransform : public Implementation
{
  public:
    explicit LtTransform(cudaStream_t stream) : stream_(stream)
    {
        BENCH_CUBLAS(cublasLtCreate(&handle_));
        BENCH_CUBLAS(cublasLtMatrixTransformDescCreate(&transform_, CUDA_R_32F));
    }
    ~LtTransform() override
    {
        BENCH_CUBLAS(cublasLtMatrixTransformDescDestroy(transform_));
        BENCH_CUBLAS(cublasLtDestroy(handle_));
    }

    bool prepare(const Case &c) override
    {
        if (c.to_float || !as_transpose(c, &transpose_)) return false;
        if (c.type != Type::U8 && c.type != Type::F16 && c.type != Type::F32) return false;
        element_ = bytes_of(c.type);
        type_ = element_ == 1 ? CUDA_R_8I : element_ == 2 ? CUDA_R_16F : CUDA_R_32F;
        calls_ = 1;
        lay_out();
        return true;
    }

    std::string name() const override
    {
        return name_with_calls(
            to_col32() ? "cublasLtMatrixTransform to COL32" : "cublasLtMatrixTransform", calls_);
    }

    const char *launch(void *dst, const void *src) override
    {
        const float one = 1, zero = 0;
        const int64_t bytes = transpose_.rows * transpose_.cols * element_;
        for (int64_t i = 0; i < calls_; i++) {
            const cublasStatus_t status = cublasLtMatrixTransform(
                handle_, transform_, &one, static_cast<const char *>(src) + i * bytes, from_->get(),
                &zero, nullptr, nullptr, static_cast<char *>(dst) + i * bytes, to_->get(), stream_);
            if (status != CUBLAS_STATUS_SUCCESS) return cublasGetStatusString(status);
        }
        return nullptr;
    }

    bool try_another_way() override
    {
        if (to_col32() || calls_ == transpose_.batch) return false;
        calls_ = transpose_.batch;
        lay_out();
        return true;
    }

  private:
    bool to_col32() const { return type_ == CUDA_R_8I && transpose_.rows == 32; }

    void lay_out()
    {
        const int64_t rows = transpose_.rows, cols = transpose_.cols;
        if (to_col32()) { /* the groups of 32 are one wide matrix */
            const int64_t channels = rows * transpose_.batch;
            from_ = std::make_unique<Layout>(type_, CUBLASLT_ORDER_COL, cols, channels, cols);
            to_ = std::make_unique<Layout>(type_, CUBLASLT_ORDER_COL32, cols, channels, 32 * cols);
            return;
        }
        from_ = std::make_unique<Layout>(type_, CUBLASLT_ORDER_COL, cols, rows, cols);
        to_ = std::make_unique<Layout>(type_, CUBLASLT_ORDER_ROW, cols, rows, rows);
        if (calls_ == transpose_.batch) return;
        from_->set_batch(transpose_.batch, rows * cols);
        to_->set_batch(transpose_.batch, rows * cols);
    }

    cudaStream_t stream_;
    cublasLtHandle_t handle_ = nullptr;
    cublasLtMatrixTransformDesc_t transform_ = nullptr;
    std::unique_ptr<Layout> from_, to_;
    Transpose transpose_ = {};
    cudaDataType_t type_ = CUDA_R_8I;
    int64_t element_ = 1, calls_ = 1;
};

} // namespace

std::unique_ptr<Implementation> make_geam(cudaStream_t stream)
{
    return std::make_unique<Geam>(stream);
}

std::unique_ptr<Implementation> make_lt_transform(cudaStream_t stream)
{
    return std::make_unique<LtTransform>(stream);
}

} // namespace bench
