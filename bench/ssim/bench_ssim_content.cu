/* bench_ssim_content [--runs N] [REF OUT]...: times the SSIM stage on 4K RGB of the contents that
 * people score. Each is timed alone and in a batch of 8, the score alone and with the means of
 * tiles of 64 x 64. First come the photos that are given (PNG or JPEG, 8 bits, RGB), then pictures
 * made by arithmetic. Before a row is timed, its score is checked against double precision, and its
 * tiles against the score. */
#include "ladder/photo.cuh"

extern "C" {
#include "kernels.h"
}

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace
{

using namespace ladder;
using bench::Timer;

constexpr int CHANNELS = 3, BATCH = 8, TILE = 64;
constexpr double SCORE_LIMIT = 1e-6; /* holds for contents that are made to be hard, too */
/* Limit of all tiles together: their means may be off by 1e-5 each. */
constexpr double TILES_LIMIT = 1e-5;

struct Path {
    const char *name;
    ssimcu_ssim_samples samples;
    bool tensor_cores, interleaved;
};

const Path PATHS[] = {{"u8 HWC", SSIMCU_SSIM_U8, true, true},
                      {"u8 planes", SSIMCU_SSIM_U8, true, false},
                      {"f32 planes", SSIMCU_SSIM_F32, true, false},
                      {"f32 multiply-adds", SSIMCU_SSIM_F32, false, false}};
constexpr int PATH_COUNT = sizeof PATHS / sizeof *PATHS;

/* A batch of copies of one pair, or of pairs alike, in every form that a path reads. */
class Frames
{
  public:
    Frames(const Job &job, cudaStream_t stream)
        : job_(job), stream_(stream), ref_(samples()), out_(samples())
    {
        const int64_t pixels = (int64_t)job.width * job.height, frame = pixels * CHANNELS;
        const ssimcu_permute_dim dims[] = {
            {job.frames, frame, frame}, {pixels, CHANNELS, 1}, {CHANNELS, 1, pixels}};
        ssimcu_permute_plan plan;
        ssimcu_permute_plan_make(&plan, 3, dims, 1, 1);
        BENCH_CUDA(ssimcu_permute_cuda(&plan, ref_.get(), job.hwc[REF], stream));
        BENCH_CUDA(ssimcu_permute_cuda(&plan, out_.get(), job.hwc[OUT], stream));
    }

    ssimcu_ssim_task task(const Path &path) const
    {
        ssimcu_ssim_task task = {};
        const bool bytes = path.samples == SSIMCU_SSIM_U8;
        const int64_t size = bytes ? 1 : sizeof(float);
        task.samples = path.samples;
        task.tensor_cores = path.tensor_cores;
        task.ref = input(path, REF);
        task.out = input(path, OUT);
        task.width = job_.width;
        task.height = job_.height;
        task.channels = CHANNELS;
        task.frames = job_.frames;
        task.interleaved = path.interleaved;
        task.pitch_bytes =
            bytes ? (int64_t)job_.width * (path.interleaved ? CHANNELS : 1) : job_.pitch * size;
        task.plane_bytes = bytes ? (int64_t)job_.width * job_.height : job_.plane * size;
        task.frame_bytes = task.plane_bytes * CHANNELS;
        return task;
    }

    size_t samples() const { return (size_t)job_.width * job_.height * CHANNELS * job_.frames; }
    const Job &job() const { return job_; }
    cudaStream_t stream() const { return stream_; }

  private:
    const void *input(const Path &path, int image) const
    {
        if (path.samples != SSIMCU_SSIM_U8) return job_.planes[image];
        if (path.interleaved) return job_.hwc[image];
        return image == REF ? ref_.get() : out_.get();
    }

    Job job_;
    cudaStream_t stream_;
    DeviceArray<uint8_t> ref_, out_; /* planes of bytes */
};

/* The launches of one path over a batch, with tiles or without. */
class Run
{
  public:
    Run(const Frames &frames, const Path &path, bool tiles)
        : task_(with_grid(frames.task(path), tiles)), stream_(frames.stream()),
          partial_(ssimcu_ssim_partials(&task_)), sums_(CHANNELS * task_.frames),
          cells_(tiles ? ssimcu_ssim_cells(&task_) : 0), means_(tile_count())
    {
        task_.partial = partial_.get();
        task_.cells = cells_.get();
    }

    void launch() const
    {
        BENCH_CUDA(ssimcu_ssim_cuda(&task_, stream_));
        BENCH_CUDA(
            ssimcu_reduce_cuda(&task_, CHANNELS, sums_.get(), means_.get(), nullptr, stream_));
    }

    /* Returns the first frame's SSIM, from the sum of its windows; the next function, from its
     * tiles. */
    double score() const
    {
        const std::vector<double> sums = sums_.copy(stream_);
        double sum = 0;
        for (int c = 0; c < CHANNELS; c++) sum += sums[c];
        return 1 - sum / CHANNELS / ((double)windows(task_.width) * windows(task_.height));
    }
    double score_of_tiles() const
    {
        const std::vector<double> means = means_.copy(stream_);
        const size_t tiles = (size_t)task_.grid.columns * task_.grid.rows;
        double sum = 0;
        for (size_t i = 0; i < tiles; i++)
            sum += means[i] * span(task_.width, i % task_.grid.columns) *
                   span(task_.height, i / task_.grid.columns);
        return sum / ((double)windows(task_.width) * windows(task_.height));
    }

  private:
    static int windows(int side) { return ssimcu_ssim_positions(side, 0); }
    static int span(int side, size_t tile)
    {
        uint32_t start = 0, end = 0;
        ssimcu_tile_span((uint32_t)tile, TILE, SSIMCU_RADIUS, (uint32_t)windows(side), &start,
                         &end);
        return (int)(end - start);
    }
    static ssimcu_ssim_task with_grid(ssimcu_ssim_task task, bool tiles)
    {
        if (!tiles) return task;
        task.grid.width = task.grid.height = TILE;
        task.grid.border = SSIMCU_RADIUS;
        task.grid.columns = ssimcu_tile_count((uint32_t)windows(task.width), SSIMCU_RADIUS, TILE);
        task.grid.rows = ssimcu_tile_count((uint32_t)windows(task.height), SSIMCU_RADIUS, TILE);
        return task;
    }
    size_t tile_count() const
    {
        return (size_t)task_.grid.columns * task_.grid.rows * task_.frames;
    }

    ssimcu_ssim_task task_;
    cudaStream_t stream_;
    DeviceArray<double> partial_, sums_, cells_, means_;
};

/* Returns the score by a path that is checked against double precision, and its error. */
double checked_score(const Frames &frames, const Workspace &workspace, double *error)
{
    const Job job = Workspace::frame_of(frames.job(), 0);
    const Reference::Errors found = Reference(job, frames.stream()).check(ours[1], job, workspace);
    *error = found.score;
    return found.highest;
}

struct Cell {
    double us[2][2]; /* alone and in a batch; without tiles and with */
    double error;    /* the larger error of both scores */
};

/* Measures every path on one content. Prints which are wrong and returns how many. */
int measure(const char *name, const Workspace &workspace, const Shape &shape, Timer &timer,
            int runs, Cell (&row)[PATH_COUNT])
{
    const bool batch = shape.frames > 1;
    const Frames frames(workspace.job(false, false), workspace.stream());
    double error = 0;
    const double want = checked_score(frames, workspace, &error);
    int wrong = 0;
    for (int p = 0; p < PATH_COUNT; p++)
        for (const bool tiles : {false, true}) {
            const Run run(frames, PATHS[p], tiles);
            run.launch();
            const double off = std::fabs(run.score() - want) + error;
            const double tiles_off = tiles ? std::fabs(run.score_of_tiles() - want) : 0;
            if (!(off <= SCORE_LIMIT && tiles_off <= TILES_LIMIT)) {
                printf("WRONG: %s, %s: score off by %.1e, tiles by %.1e\n", name, PATHS[p].name,
                       off, tiles_off);
                wrong++;
            }
            row[p].error = std::max(row[p].error, off);
            const size_t moved = IMAGES * frames.samples() *
                                 (PATHS[p].samples == SSIMCU_SSIM_U8 ? 1 : sizeof(float));
            row[p].us[batch][tiles] =
                timer.measure(runs, moved, [&] { run.launch(); }).median / shape.frames;
        }
    return wrong;
}

void print_row(const char *name, const Cell (&row)[PATH_COUNT])
{
    printf("| %s |", name);
    for (const Cell &cell : row)
        printf(" %.1f / %.1f | %.1f / %.1f | %.0e |", cell.us[0][0], cell.us[1][0], cell.us[0][1],
               cell.us[1][1], cell.error);
    putchar('\n');
    fflush(stdout);
}

/* Times one content. `photos`: a pair, or NULL for a content made here. */
int time_content(const char *name, Content content, const Photos *photos, Timer &timer, int runs,
                 cudaStream_t stream)
{
    Cell row[PATH_COUNT] = {};
    int wrong = 0;
    for (const int frames : {1, BATCH}) {
        Shape shape = photos ? photos->shape : Shape{3840, 2160, CHANNELS, 1, false};
        shape.frames = frames;
        Workspace workspace(shape, stream);
        if (photos) {
            std::vector<uint8_t> ref, out;
            for (int i = 0; i < frames; i++) {
                ref.insert(ref.end(), photos->ref.begin(), photos->ref.end());
                out.insert(out.end(), photos->out.begin(), photos->out.end());
            }
            workspace.fill(ref, out);
        } else {
            workspace.fill(content);
        }
        wrong += measure(name, workspace, shape, timer, runs, row);
    }
    print_row(name, row);
    return wrong;
}

int time_all(char **photos, int pairs, Timer &timer, int runs, cudaStream_t stream)
{
    printf(
        "us per frame, alone / in a batch of %d, median of %d; \"tiles\": with the means of tiles "
        "of %d x %d pixels\n\n| content |",
        BATCH, runs, TILE, TILE);
    for (const Path &path : PATHS) printf(" %s | tiles | error |", path.name);
    printf("\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    int wrong = 0;
    for (int i = 0; i < pairs; i++) {
        const Photos pair = read_photos(photos[2 * i], photos[2 * i + 1]);
        const char *const slash = strrchr(photos[2 * i], '/');
        wrong += time_content(slash ? slash + 1 : photos[2 * i], Content::SAME, &pair, timer, runs,
                              stream);
    }
    const struct {
        const char *name;
        Content content;
    } ROWS[] = {{"noise", Content::TEXTURE},   {"text", Content::TEXT},
                {"cartoon", Content::CARTOON}, {"dark grain", Content::DARK},
                {"ramp", Content::GRADIENT},   {"patches of 13 x 11", Content::PATCHES}};
    for (const auto &row : ROWS)
        wrong += time_content(row.name, row.content, nullptr, timer, runs, stream);
    return wrong;
}

} // namespace

int main(int argc, char **argv)
{
    int runs = 25, at = 1;
    if (argc > 2 && !strcmp(argv[1], "--runs")) {
        runs = bench::number(argv[2], 1, Timer::MAX_RUNS);
        at = 3;
    }
    if (runs < 0 || (argc - at) % 2) {
        fprintf(stderr, "usage: bench_ssim_content [--runs N, 1 to %d] [REF OUT]...\n",
                (int)Timer::MAX_RUNS);
        return 2;
    }
    bench::print_machine();
    cudaStream_t stream = nullptr;
    BENCH_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    int wrong = 0;
    {
        Timer timer(stream);
        timer.warm_up();
        wrong = time_all(argv + at, (argc - at) / 2, timer, runs, stream);
    }
    BENCH_CUDA(cudaStreamDestroy(stream));
    if (wrong) fprintf(stderr, "bench_ssim_content: %d wrong\n", wrong);
    return wrong ? 1 : 0;
}
