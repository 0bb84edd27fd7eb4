/* A case, the buffers, the checks, and the interface of the library and its peers, for the parts of
 * bench_permute. */
#ifndef SSIMCU_BENCH_PERMUTE_CUH
#define SSIMCU_BENCH_PERMUTE_CUH

#include "common/bench.cuh"
#include "kernels.h"

#include <memory>
#include <string>
#include <vector>

namespace bench
{

constexpr int MAX_RANK = 5;
constexpr size_t GUARD = 4096; /* poisoned bytes before and after every destination */

/* F16 and F32 are filled with ordinary numbers, because some peers do arithmetic (1 * x). The
 * others are filled with random bits. */
enum class Type { U8, U16, F16, F32, BYTES8, BYTES16 };

int bytes_of(Type type);

struct Case {
    const char *name;
    Type type;
    int rank;
    int64_t size[MAX_RANK]; /* sizes of the source, outermost first */
    int order[MAX_RANK];    /* the destination's dimension i is the source's order[i] */
    bool to_float;          /* the destination holds floats, made from u8 on the way */
};

const std::vector<Case> &all_cases();

int64_t count_of(const Case &c);
size_t src_bytes_of(const Case &c);
size_t dst_bytes_of(const Case &c);

/* The case's dimensions as a caller of the library gives them, in the source's order. */
struct Move {
    int rank;
    int64_t count;
    ssimcu_permute_dim dim[MAX_RANK];
};

Move move_of(int rank, const int64_t *size, const int *order);

/* `batch` matrices of rows x cols, row after row, each to be transposed. */
struct Transpose {
    int64_t batch, rows, cols;
};

/* Tells whether the case is a transpose: leading dimensions stay, the others are rotated. */
bool as_transpose(const Case &c, Transpose *transpose);

/* Memory, allocated once for everything that one run measures. dst() and src() are 256-byte
 * aligned. */
class Buffers
{
  public:
    explicit Buffers(size_t capacity);
    ~Buffers();
    Buffers(const Buffers &) = delete;
    Buffers &operator=(const Buffers &) = delete;

    unsigned char *src() const { return src_; }
    unsigned char *dst() const { return dst_ + GUARD; }
    unsigned char *expected() const { return expected_ + GUARD; }
    size_t capacity() const { return capacity_; }
    cudaStream_t stream() const { return stream_; }

    void fill_src(size_t bytes, Type type);
    void poison_dst(size_t bytes);
    void poison_expected(size_t bytes);
    /* Compares `bytes` bytes of dst() and both guards with the expected ones, and waits. */
    bool dst_is_right(size_t bytes);

  private:
    size_t capacity_;
    unsigned char *src_ = nullptr, *dst_ = nullptr, *expected_ = nullptr;
    unsigned long long *wrong_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

/* Permutes by brute force: a thread per element, 64-bit offsets straight from the caller's
 * dimensions. */
void reference(const Move &move, int element, bool to_float, void *dst, const void *src,
               cudaStream_t stream);

/* Fills index[destination offset] with the source offset. */
void gather_index(const Move &move, int32_t *index, cudaStream_t stream);

/* Times a copy of half of `bytes_moved`, which reads and writes as many bytes as the case. */
Times measure_copy(Timer &timer, const Buffers &buffers, int runs, size_t bytes_moved);

/* The library or one of its peers. */
class Implementation
{
  public:
    virtual ~Implementation() = default;
    /* Does once what need not be repeated per launch. Returns false if it cannot do the case. */
    virtual bool prepare(const Case &c) = 0;
    virtual std::string name() const = 0; /* name of the prepared case */
    /* Queues the prepared case. Returns NULL, or why it was refused. */
    virtual const char *launch(void *dst, const void *src) = 0;
    /* Returns true after a refusal or a wrong result if there is another way to try. */
    virtual bool try_another_way() { return false; }
    virtual bool may_refuse() const { return true; }
};

std::unique_ptr<Implementation> make_library(cudaStream_t stream);
std::unique_ptr<Implementation> make_textbook(cudaStream_t stream);
std::unique_ptr<Implementation> make_geam(cudaStream_t stream);
std::unique_ptr<Implementation> make_lt_transform(cudaStream_t stream);
std::unique_ptr<Implementation> make_gather(cudaStream_t stream);

/* Times `shapes` random permutes of 16 to 48 MiB. Prints the worst and a histogram per path, and
 * returns how many were wrong. */
constexpr size_t SWEEP_MAX_BYTES = (size_t)48 << 20;
int run_sweep(Timer &timer, Buffers &buffers, int shapes);
/* Checks them alone. */
void check_sweep(Buffers &buffers, int shapes);

} // namespace bench

#endif
