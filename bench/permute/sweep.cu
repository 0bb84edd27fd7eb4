/* Random permutes, so that no shape is fast only because it was tuned for. They are seeded: the
 * same shapes on every machine. */
#include "bench.cuh"
#include "common/checks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

namespace bench
{
namespace
{

enum { RUNS = 10, WORST = 5, MAX_OFFSET = 15 };
constexpr size_t MIN_BYTES = (size_t)16 << 20;

class Random
{
  public:
    uint64_t next()
    {
        state_ += 0x9e3779b97f4a7c15ull;
        uint64_t x = state_;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
        return x ^ (x >> 31);
    }
    int below(int end) { return (int)(next() % (uint64_t)end); }
    double unit() { return (double)(next() >> 11) * 0x1p-53; }

  private:
    uint64_t state_ = 20260101;
};

struct Shape {
    int element, rank;
    int64_t size[MAX_RANK];
    int order[MAX_RANK];
    int src_offset, dst_offset; /* elements; they break the alignment of the bases */
};

struct Result {
    double percent; /* speed, as percent of a copy of the same bytes */
    std::string path, text;
};

int64_t next_prime(int64_t n)
{
    for (n = std::max<int64_t>(n, 2);; n++) {
        bool prime = true;
        for (int64_t d = 2; prime && d * d <= n; d++) prime = n % d != 0;
        if (prime) return n;
    }
}

/* Returns a size near 2^log2_size: as it comes, odd, prime, or a multiple of 8. */
int64_t random_size(Random &random, double log2_size)
{
    const int64_t near = std::max<int64_t>(1, std::llround(std::exp2(log2_size)));
    switch (random.below(4)) {
    case 0: return near;
    case 1: return near | 1;
    case 2: return next_prime(near);
    default: return near < 8 ? near : near / 8 * 8;
    }
}

/* Splits the logarithm of the element count at random, so that sides of all sizes come up. */
void draw_sizes(Random &random, Shape &shape)
{
    const double low = std::log2((double)MIN_BYTES / shape.element);
    const double high = std::log2((double)SWEEP_MAX_BYTES / shape.element);
    std::vector<double> cut = {0, 1};
    while ((int)cut.size() <= shape.rank) cut.push_back(random.unit());
    std::sort(cut.begin(), cut.end());
    const double total = low + (high - low) * random.unit();
    for (int i = 0; i < shape.rank; i++)
        shape.size[i] = random_size(random, total * (cut[i + 1] - cut[i]));
}

size_t bytes_of(const Shape &shape)
{
    size_t bytes = (size_t)shape.element;
    for (int i = 0; i < shape.rank; i++) bytes *= (size_t)shape.size[i];
    return bytes;
}

Shape random_shape(Random &random)
{
    Shape shape = {};
    shape.rank = 2 + random.below(4);
    shape.element = 1 << random.below(5);
    do draw_sizes(random, shape);
    while (bytes_of(shape) < MIN_BYTES || bytes_of(shape) > SWEEP_MAX_BYTES);
    for (int i = 0; i < shape.rank; i++) shape.order[i] = i;
    do
        for (int i = shape.rank - 1; i > 0; i--)
            std::swap(shape.order[i], shape.order[random.below(i + 1)]);
    while (std::is_sorted(shape.order, shape.order + shape.rank));
    if (random.below(2)) {
        shape.src_offset = random.below(MAX_OFFSET + 1);
        shape.dst_offset = random.below(MAX_OFFSET + 1);
    }
    return shape;
}

std::string join(int count, const std::function<std::string(int)> &item, const char *between)
{
    std::string text;
    for (int i = 0; i < count; i++) text += (i ? between : "") + item(i);
    return text;
}

std::string describe(const Shape &shape, const char *plan)
{
    const auto size = [&](int i) { return std::to_string(shape.size[i]); };
    const auto order = [&](int i) { return std::to_string(shape.order[i]); };
    return std::to_string(shape.element) + " B | " + join(shape.rank, size, " x ") + " | (" +
           join(shape.rank, order, ",") + ") | " + std::to_string(shape.src_offset) + ", " +
           std::to_string(shape.dst_offset) + " | " + plan;
}

/* Returns the largest power of two that divides both addresses. */
size_t common_alignment(const void *a, const void *b)
{
    const uintptr_t bits = (uintptr_t)a | (uintptr_t)b;
    return (size_t)(bits & (~bits + 1));
}

/* A shape's plan, where its arrays lie, and its result. */
class Trial
{
  public:
    Trial(Buffers &buffers, const Shape &shape) : buffers_(buffers), shape_(shape)
    {
        const Move move = move_of(shape.rank, shape.size, shape.order);
        skip_ = (size_t)shape.dst_offset * shape.element;
        src_ = buffers.src() + (size_t)shape.src_offset * shape.element;
        char text[512] = "no plan";
        has_plan_ = ssimcu_permute_plan_make(&plan_, move.rank, move.dim, (uint32_t)shape.element,
                                             common_alignment(src_, buffers.dst() + skip_)) == 0;
        if (has_plan_) ssimcu_permute_plan_print(&plan_, text, sizeof text);
        result_.text = describe(shape, text);
        result_.path = std::string(text, strcspn(text, " "));
    }

    void launch() const
    {
        BENCH_CUDA(ssimcu_permute_cuda(&plan_, buffers_.dst() + skip_, src_, buffers_.stream()));
    }

    bool is_right() const
    {
        const Move move = move_of(shape_.rank, shape_.size, shape_.order);
        const size_t end = skip_ + bytes_of(shape_);
        if (!has_plan_) return false;
        buffers_.poison_dst(end);
        buffers_.poison_expected(end);
        reference(move, shape_.element, false, buffers_.expected() + skip_, src_,
                  buffers_.stream());
        launch();
        return buffers_.dst_is_right(end);
    }

    void measure(Timer &timer)
    {
        const size_t moved = 2 * bytes_of(shape_);
        const double copy = measure_copy(timer, buffers_, RUNS, moved).median;
        result_.percent = 100 * copy / timer.measure(RUNS, moved, [&] { launch(); }).median;
    }

    const Result &result() const { return result_; }

  private:
    Buffers &buffers_;
    const Shape shape_;
    ssimcu_permute_plan plan_ = {};
    bool has_plan_ = false;
    size_t skip_ = 0;
    const unsigned char *src_ = nullptr;
    Result result_ = {};
};

void print_worst(const std::vector<Result> &results)
{
    printf("\n| of copy | element | shape | permutation | offset of src, dst | plan |\n"
           "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < results.size() && i < WORST; i++)
        printf("| %.1f %% | %s |\n", results[i].percent, results[i].text.c_str());
}

/* Prints a histogram per path. The results are sorted, so each path's are too. */
void print_histogram(const std::vector<Result> &results)
{
    constexpr double LIMIT[] = {30, 50, 70, 80, 90, 1e9};
    std::map<std::string, std::vector<double>> by_path;
    for (const Result &result : results) {
        by_path["all"].push_back(result.percent);
        by_path[result.path].push_back(result.percent);
    }
    printf(
        "\n| path | shapes | min %% | median %% | < 30 %% | < 50 %% | < 70 %% | < 80 %% | < 90 %% "
        "| from 90 %% |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (const auto &[path, percent] : by_path) {
        printf("| %s | %zu | %.1f | %.1f |", path.c_str(), percent.size(), percent.front(),
               percent[percent.size() / 2]);
        auto from = percent.begin();
        for (const double limit : LIMIT) {
            const auto to = std::lower_bound(from, percent.end(), limit);
            printf(" %d |", (int)(to - from));
            from = to;
        }
        printf("\n");
    }
}

} // namespace

int run_sweep(Timer &timer, Buffers &buffers, int shapes)
{
    Random random;
    std::vector<Result> results;
    int wrong = 0;
    buffers.fill_src(SWEEP_MAX_BYTES + MAX_OFFSET * 16, Type::U8);
    for (int i = 0; i < shapes; i++) {
        Trial trial(buffers, random_shape(random));
        if (trial.is_right()) {
            trial.measure(timer);
            results.push_back(trial.result());
            continue;
        }
        wrong++;
        printf("WRONG | %s\n", trial.result().text.c_str());
    }
    std::sort(results.begin(), results.end(),
              [](const Result &a, const Result &b) { return a.percent < b.percent; });
    printf("\n%d random shapes of 16 to 48 MiB, %d runs each: %d wrong. The worst:\n", shapes,
           (int)RUNS, wrong);
    print_worst(results);
    if (!results.empty()) print_histogram(results);
    return wrong;
}

void check_sweep(Buffers &buffers, int shapes)
{
    Random random;
    buffers.fill_src(SWEEP_MAX_BYTES + MAX_OFFSET * 16, Type::U8);
    for (int i = 0; i < shapes; i++) {
        const Trial trial(buffers, random_shape(random));
        check_that(trial.is_right(), "%s", trial.result().text.c_str());
    }
}

} // namespace bench
