/* bench_ladder [--runs N] | --check: times the SSIM kernel rung by rung, from the naive form to the
 * library's, as a table. It shows what each step gains on this GPU, with its registers and
 * occupancy. Every rung is checked against double precision before it is timed, on ragged sizes and
 * on the frame that is timed. All do the same job: 4K RGB, float planes in, zeros around the frame,
 * the map out. The last row leaves the map out. */
#include "common/checks.h"
#include "ladder/workspace.cuh"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>

namespace
{

using namespace ladder;
using bench::Timer;
using bench::Times;

struct Rung {
    const char *name;
    const Method *method;
    bool map;
};

const Rung RUNGS[] = {
    {naive.name, &naive, true},
    {two_passes.name, &two_passes, true},
    {tiled_x.name, &tiled_x, true},
    {pipelined_y.name, &pipelined_y, true},
    {register_pipeline.name, &register_pipeline, true},
    {rotating_sums.name, &rotating_sums, true},
    {two_pass_tile.name, &two_pass_tile, true},
    {"**ssimcu** multiply-adds, with map", &ours[1], true},
    {"**ssimcu** multiply-adds, score only", &ours[1], false},
    {"**ssimcu** tensor cores, with map", &ours[0], true},
    {"**ssimcu** tensor cores, score only", &ours[0], false},
    {"**ssimcu** from u8 HWC, with map", &ours[4], true},
    {"**ssimcu** from u8 HWC, score only", &ours[4], false},
};
constexpr int RUNG_COUNT = sizeof RUNGS / sizeof *RUNGS;

const Shape FRAME = {3840, 2160, 3, 1, false};
const Shape RAGGED[] = {
    {1, 1, 3, 2, false},     {10, 10, 1, 2, false},   {11, 11, 3, 2, false},
    {37, 53, 3, 3, true},    {64, 72, 3, 2, false},   {65, 73, 3, 2, true},
    {129, 75, 3, 2, false},  {130, 145, 1, 3, false}, {641, 363, 3, 2, true},
    {642, 362, 3, 2, false}, {655, 467, 3, 3, false}, {3841, 2161, 3, 1, false}};

/* Limits for random texture. Five moments in float stay within 1e-5; a wrong index does not. */
constexpr double MAP_LIMIT = 1e-4, SCORE_LIMIT = 1e-6;

bool is_wrong(const Reference::Errors &errors)
{
    return !(errors.map <= MAP_LIMIT) || !(errors.score <= SCORE_LIMIT) || errors.strays != 0;
}

void widen(Reference::Errors *worst, const Reference::Errors &errors)
{
    worst->map = std::max(worst->map, errors.map);
    worst->score = std::max(worst->score, errors.score);
    worst->strays += errors.strays;
}

/* Visits the errors of every rung that takes the shape. */
void check_shape(const Shape &shape, cudaStream_t stream,
                 const std::function<void(int, const Reference::Errors &)> &visit)
{
    Workspace workspace(shape, stream);
    workspace.fill(Content::TEXTURE);
    const Reference reference(workspace.job(true, true), stream);
    for (int i = 0; i < RUNG_COUNT; i++) {
        const Job job = workspace.job(true, RUNGS[i].map, SPARE);
        if (RUNGS[i].method->refuses(job)) continue;
        visit(i, reference.check(*RUNGS[i].method, job, workspace));
    }
}

void print_row(const Rung &rung, const Times &times, double naive_us, const Resources &resources,
               const Reference::Errors &ragged, const Reference::Errors &frame)
{
    printf("| %s | %.1f | %.1f .. %.1f | %.2f | %s | %s | %s | %s | %.1e | %.1e | %.1e |\n",
           rung.name, times.median, times.min, times.max, naive_us / times.median,
           resources.registers.c_str(), resources.local_bytes.c_str(),
           resources.shared_bytes.c_str(), resources.occupancy.c_str(), ragged.map, frame.map,
           frame.score);
    fflush(stdout);
}

int run(int runs, cudaStream_t stream)
{
    Timer timer(stream);
    Reference::Errors ragged[RUNG_COUNT] = {}, frame[RUNG_COUNT] = {};
    for (const Shape &shape : RAGGED)
        check_shape(shape, stream,
                    [&](int i, const Reference::Errors &errors) { widen(&ragged[i], errors); });
    check_shape(FRAME, stream, [&](int i, const Reference::Errors &errors) { frame[i] = errors; });
    Workspace workspace(FRAME, stream);
    workspace.fill(Content::TEXTURE);
    timer.warm_up();
    printf("4K RGB (3 x 2160 x 3840), float planes, zero padding; %d runs, L2 overwritten before "
           "each.\nErrors: against double precision, the largest of a window and of a score.\n\n"
           "| rung | median us | min .. max us | over naive | registers | local bytes | shared "
           "bytes | per SM | window error, ragged sizes | window error, 4K | score error, 4K |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|\n",
           runs);
    double naive_us = 0;
    int wrong = 0;
    for (int i = 0; i < RUNG_COUNT; i++) {
        if (is_wrong(ragged[i]) || is_wrong(frame[i])) {
            printf("| %s | WRONG: window %.1e and %.1e, score %.1e and %.1e, strays %lld and %lld "
                   "| | | | | | | | | |\n",
                   RUNGS[i].name, ragged[i].map, frame[i].map, ragged[i].score, frame[i].score,
                   ragged[i].strays, frame[i].strays);
            wrong++;
            continue;
        }
        const Ready ready(*RUNGS[i].method, workspace.job(true, RUNGS[i].map), stream);
        const Times times = timer.measure(runs, 0, [&] { ready.launch(); });
        if (i == 0) naive_us = times.median;
        print_row(RUNGS[i], times, naive_us, resources_of(ready, stream), ragged[i], frame[i]);
    }
    return wrong;
}

int check()
{
    for (const Shape &shape : RAGGED)
        check_shape(shape, nullptr, [&](int i, const Reference::Errors &errors) {
            check_that(!is_wrong(errors),
                       "%s, %dx%dx%dx%d: window error %.1e, score error %.1e, %lld strays",
                       RUNGS[i].name, shape.width, shape.height, shape.channels, shape.frames,
                       errors.map, errors.score, errors.strays);
        });
    return check_end();
}

} // namespace

int main(int argc, char **argv)
{
    if (check_asked(argc, argv)) {
        check_needs_cuda();
        return check();
    }
    int runs = 50;
    if (argc == 3 && !strcmp(argv[1], "--runs")) runs = bench::number(argv[2], 1, Timer::MAX_RUNS);
    if ((argc != 1 && argc != 3) || runs < 0 || (argc == 3 && strcmp(argv[1], "--runs"))) {
        fprintf(stderr, "usage: bench_ladder [--runs N, 1 to %d] | --check\n",
                (int)Timer::MAX_RUNS);
        return 2;
    }
    bench::print_machine();
    cudaStream_t stream = nullptr;
    BENCH_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const int wrong = run(runs, stream);
    BENCH_CUDA(cudaStreamDestroy(stream));
    if (wrong) fprintf(stderr, "bench_ladder: %d wrong\n", wrong);
    return wrong ? 1 : 0;
}
