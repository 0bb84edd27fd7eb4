/* bench_permute [--only NAME-PART] [--runs N] [--sweep SHAPES] | --check: times the permute beside
 * a copy of the same bytes and other ways to do it. The whole output of every row is checked before
 * the row is timed. */
#include "common/checks.h"
#include "permute/bench.cuh"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace
{

using namespace bench;

struct Options {
    const char *only = "";
    int runs = 50, sweep = 0;
};

bool parse(int argc, char **argv, Options *options)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc) return false;
        if (!strcmp(argv[i], "--only"))
            options->only = argv[i + 1];
        else if (!strcmp(argv[i], "--runs"))
            options->runs = number(argv[i + 1], 1, Timer::MAX_RUNS);
        else if (!strcmp(argv[i], "--sweep"))
            options->sweep = number(argv[i + 1], 0, 1000000);
        else
            return false;
    }
    return options->runs > 0 && options->sweep >= 0;
}

std::vector<Case> chosen_cases(const Options &options)
{
    std::vector<Case> chosen;
    for (const Case &c : all_cases())
        if (strstr(c.name, options.only)) chosen.push_back(c);
    return chosen;
}

/* Returns the bytes that each buffer must hold. The sides differ if a case converts, and its copy
 * lies between them. */
size_t capacity_for(const std::vector<Case> &cases, const Options &options)
{
    constexpr size_t OFFSETS = 256; /* bytes before the sweep's arrays, at most */
    size_t capacity = options.sweep ? SWEEP_MAX_BYTES + OFFSETS : 0;
    for (const Case &c : cases) capacity = std::max({capacity, src_bytes_of(c), dst_bytes_of(c)});
    return capacity;
}

void print_head(const Timer &timer, const Options &options)
{
    print_machine();
    printf("%d runs; GB/s: bytes read + written; of copy: against a device-to-device copy that "
           "reads and writes as many\nbytes. L2 (%zu MB) is overwritten before each run of a case "
           "that moves less than %zu MB.\n\n",
           options.runs, timer.l2_bytes() / 1000000, timer.flush_below() / 1000000);
}

void print_row(const Case &c, const std::string &name, const Times &times, double copy_us)
{
    const double moved = (double)(src_bytes_of(c) + dst_bytes_of(c));
    printf("| %s | %s | %.0f | %.1f %% | %.1f | %.1f .. %.1f |\n", c.name, name.c_str(),
           moved / times.median * 1e-3, 100 * copy_us / times.median, times.median, times.min,
           times.max);
    fflush(stdout);
}

enum class Outcome { RIGHT, WRONG, REFUSED };

/* Launches once over a poisoned destination and checks the result. */
Outcome check_launch(Implementation &implementation, Buffers &buffers, const Case &c,
                     const char **reason)
{
    buffers.poison_dst(dst_bytes_of(c));
    *reason = implementation.launch(buffers.dst(), buffers.src());
    if (*reason) {
        (void)cudaGetLastError(); /* a refusal must not stop the next check */
        return Outcome::REFUSED;
    }
    return buffers.dst_is_right(dst_bytes_of(c)) ? Outcome::RIGHT : Outcome::WRONG;
}

/* Tries all ways until one is right. */
Outcome check_ways(Implementation &implementation, Buffers &buffers, const Case &c,
                   const char **reason)
{
    Outcome outcome = check_launch(implementation, buffers, c, reason);
    while (outcome != Outcome::RIGHT && implementation.try_another_way())
        outcome = check_launch(implementation, buffers, c, reason);
    return outcome;
}

/* Returns false if the result is wrong, or if the library itself refuses. */
bool run_row(Implementation &implementation, Timer &timer, Buffers &buffers, const Case &c,
             const Options &options, double copy_us)
{
    if (!implementation.prepare(c)) return true;
    const char *reason = nullptr;
    const Outcome outcome = check_ways(implementation, buffers, c, &reason);
    const std::string name = implementation.name();
    if (outcome == Outcome::RIGHT) {
        const auto launch = [&] { implementation.launch(buffers.dst(), buffers.src()); };
        const size_t moved = src_bytes_of(c) + dst_bytes_of(c);
        print_row(c, name, timer.measure(options.runs, moved, launch), copy_us);
        return true;
    }
    const bool wrong = outcome == Outcome::WRONG;
    printf("| %s | %s | %s | | | |\n", c.name, name.c_str(), wrong ? "WRONG" : reason);
    return !wrong && implementation.may_refuse();
}

std::vector<std::unique_ptr<Implementation>> make_all(cudaStream_t stream)
{
    std::vector<std::unique_ptr<Implementation>> implementations;
    for (auto *make : {make_library, make_textbook, make_geam, make_lt_transform, make_gather})
        implementations.push_back(make(stream));
    return implementations;
}

/* Makes a case's samples, and what is expected of them. */
void fill(Buffers &buffers, const Case &c)
{
    buffers.fill_src(src_bytes_of(c), c.type);
    buffers.poison_expected(dst_bytes_of(c));
    reference(move_of(c.rank, c.size, c.order), bytes_of(c.type), c.to_float, buffers.expected(),
              buffers.src(), buffers.stream());
}

int run_table(const std::vector<Case> &cases, Timer &timer, Buffers &buffers,
              const Options &options)
{
    const auto implementations = make_all(buffers.stream());
    int wrong = 0;
    printf("| case | implementation | GB/s | of copy | median us | min .. max us |\n"
           "|---|---|---|---|---|---|\n");
    for (const Case &c : cases) {
        const size_t moved = src_bytes_of(c) + dst_bytes_of(c);
        fill(buffers, c);
        const Times copy = measure_copy(timer, buffers, options.runs, moved);
        print_row(c, "copy of the same bytes", copy, copy.median);
        for (auto &implementation : implementations)
            wrong += !run_row(*implementation, timer, buffers, c, options, copy.median);
    }
    return wrong;
}

/* Returns the case with every long side a sixteenth, and as odd as before. */
Case small(Case c)
{
    constexpr int64_t LONG = 64;
    for (int i = 0; i < c.rank; i++)
        if (c.size[i] > LONG) c.size[i] = c.size[i] / 16 | c.size[i] % 2;
    return c;
}

int check()
{
    constexpr int SHAPES = 40;
    Options options;
    options.sweep = SHAPES;
    Buffers buffers(capacity_for({}, options)); /* small cases need less */
    const auto implementations = make_all(buffers.stream());
    for (const Case &large : all_cases()) {
        const Case c = small(large);
        fill(buffers, c);
        for (const auto &implementation : implementations) {
            const char *reason = nullptr;
            if (!implementation->prepare(c)) continue;
            const Outcome outcome = check_ways(*implementation, buffers, c, &reason);
            if (outcome == Outcome::REFUSED && implementation->may_refuse()) continue;
            check_that(outcome == Outcome::RIGHT, "%s, a sixteenth: %s%s%s", c.name,
                       implementation->name().c_str(), reason ? ": " : "", reason ? reason : "");
        }
    }
    check_sweep(buffers, SHAPES);
    return check_end();
}

} // namespace

int main(int argc, char **argv)
{
    if (check_asked(argc, argv)) {
        check_needs_cuda();
        return check();
    }
    Options options;
    if (!parse(argc, argv, &options)) {
        fprintf(stderr,
                "usage: bench_permute [--only NAME-PART] [--runs N, 1 to %d] "
                "[--sweep SHAPES] | --check\n",
                (int)Timer::MAX_RUNS);
        return 2;
    }
    const std::vector<Case> cases = chosen_cases(options);
    if (cases.empty() && options.sweep == 0) {
        fprintf(stderr, "bench_permute: no case's name contains \"%s\"; there are:\n",
                options.only);
        for (const Case &c : all_cases()) fprintf(stderr, "  %s\n", c.name);
        return 2;
    }
    Buffers buffers(capacity_for(cases, options));
    Timer timer(buffers.stream());
    print_head(timer, options);
    timer.warm_up();
    int wrong = cases.empty() ? 0 : run_table(cases, timer, buffers, options);
    if (options.sweep) wrong += run_sweep(timer, buffers, options.sweep);
    if (wrong) fprintf(stderr, "bench_permute: %d wrong\n", wrong);
    return wrong ? 1 : 0;
}
