/* bench_ssim_content [--runs N] [REF OUT]... | --check: times the SSIM stage on 4K RGB of the
 * contents that people score. Each is timed alone and in a batch of 8, the score alone and with the
 * scores of tiles of 64 x 64. First come the photos that are given (PNG or JPEG, 8 bits, RGB), then
 * pictures made by arithmetic. Before a row is timed, its score is checked against double
 * precision, and its tiles against the score. */
#include "common/checks.h"
#include "common/common.h"
#include "common/planned.h"
#include "ladder/photo.cuh"

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
/* Limits of all tiles together, of a tile, and of one with few windows, as at an edge. */
constexpr double TILES_LIMIT = 1e-5, FEW_LIMIT = 5e-5;

/* Bytes where they lie, or planes that lie ready, by either kernel. */
struct Path {
    const char *name;
    bool bytes;
    ssimcu_layout layout;
    ssimcu_kernel kernel;
};

const Path PATHS[] = {{"u8 HWC", true, SSIMCU_LAYOUT_HWC, SSIMCU_KERNEL_SAMPLES},
                      {"u8 planes", true, SSIMCU_LAYOUT_CHW, SSIMCU_KERNEL_SAMPLES},
                      {"f32 planes", false, SSIMCU_LAYOUT_HWC, SSIMCU_KERNEL_TENSOR},
                      {"f32 multiply-adds", false, SSIMCU_LAYOUT_HWC, SSIMCU_KERNEL_PLAIN}};
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

    ssimcu_view view(const Path &path, int image) const
    {
        ssimcu_view view = SSIMCU_INIT(view);
        view.width = (uint32_t)job_.width;
        view.height = (uint32_t)job_.height;
        view.channels = CHANNELS;
        view.frames = (uint32_t)job_.frames;
        view.layout = path.layout;
        view.data[0] = path.layout == SSIMCU_LAYOUT_HWC ? job_.hwc[image]
                       : image == REF                   ? ref_.get()
                                                        : out_.get();
        return view;
    }

    size_t samples() const { return (size_t)job_.width * job_.height * CHANNELS * job_.frames; }
    const Job &job() const { return job_; }
    cudaStream_t stream() const { return stream_; }

  private:
    Job job_;
    cudaStream_t stream_;
    DeviceArray<uint8_t> ref_, out_; /* planes of bytes */
};

/* What the library plans of one path over a batch, with tiles or without. */
planned plan_of(const Frames &frames, const Path &path, bool tiles)
{
    const ssimcu_settings settings = SSIMCU_INIT(settings);
    const ssimcu_view ref = frames.view(path, REF), out = frames.view(path, OUT);
    ssimcu_tiles grid = SSIMCU_INIT(tiles);
    grid.width = grid.height = TILE;
    planned made;
    planned_make(&made, &settings, &ref, &out, tiles ? &grid : nullptr);
    if (path.bytes) return made;
    planned_use_kernel(&made, path.kernel);
    made.plan.planes_pitch = frames.job().pitch;
    return made;
}

/* The launches of one path over a batch. */
class Run
{
  public:
    Run(const Frames &frames, const Path &path, bool tiles)
        : planned_(plan_of(frames, path, tiles)), job_(frames.job()), stream_(frames.stream()),
          bytes_(path.bytes), work_(planned_bytes(&planned_)),
          results_(planned_.plan.bytes.results / sizeof(double)),
          tiles_((size_t)planned_.plan.grid.columns * planned_.plan.grid.rows)
    {
    }

    void launch() const
    {
        BENCH_CUDA(bytes_ ? planned_launch(&planned_, work_.get(), results_.get(), nullptr, stream_)
                          : planned_launch_ready(&planned_, job_.planes[REF], job_.planes[OUT],
                                                 work_.get(), results_.get(), nullptr, stream_));
    }

    /* Reads the score of a frame, and of its tiles. */
    double read(uint32_t frame)
    {
        const ssimcu_tile_grid &grid = planned_.plan.grid;
        ssimcu_tiles tiles = SSIMCU_INIT(tiles);
        tiles.width = grid.width, tiles.height = grid.height;
        tiles.columns = grid.columns, tiles.rows = grid.rows;
        if (grid.width) tiles.data = tiles_.data();
        return planned_read(&planned_, results_.copy(stream_).data(), frame, &tiles).score;
    }
    /* Returns the score that follows from tiles that were read. */
    double score_of_tiles() const
    {
        double sum = 0, all = 0;
        for (size_t i = 0; i < tiles_.size(); i++) {
            sum += tiles_[i] * windows(i);
            all += windows(i);
        }
        return sum / all;
    }
    /* Returns the largest error of a tile, by what it may have. */
    double error_of_tiles(const std::vector<double> &want) const
    {
        double worst = 0;
        for (size_t i = 0; i < tiles_.size(); i++) {
            const double limit = 2 * windows(i) < TILE * TILE ? FEW_LIMIT : TILES_LIMIT;
            worst = check_worse(worst, std::fabs(tiles_[i] - want[i]) / limit);
        }
        return worst;
    }

  private:
    /* Returns how many windows of a plane a tile has. */
    double windows(size_t tile) const
    {
        const ssimcu_tile_grid &grid = planned_.plan.grid;
        const ssimcu_shape &shape = planned_.plan.shape;
        uint32_t left = 0, right = 0, top = 0, bottom = 0;
        ssimcu_tile_span((uint32_t)tile % grid.columns, grid.width, grid.border, shape.map_width,
                         &left, &right);
        ssimcu_tile_span((uint32_t)tile / grid.columns, grid.height, grid.border, shape.map_height,
                         &top, &bottom);
        return (double)(right - left) * (bottom - top);
    }

    planned planned_;
    Job job_;
    cudaStream_t stream_;
    bool bytes_;
    DeviceArray<unsigned char> work_;
    DeviceArray<double> results_;
    std::vector<double> tiles_;
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
            Run run(frames, PATHS[p], tiles);
            run.launch();
            const double off = std::fabs(run.read(0) - want) + error;
            const double tiles_off = tiles ? std::fabs(run.score_of_tiles() - want) : 0;
            if (!(off <= SCORE_LIMIT && tiles_off <= TILES_LIMIT)) {
                printf("WRONG: %s, %s: score off by %.1e, tiles by %.1e\n", name, PATHS[p].name,
                       off, tiles_off);
                wrong++;
            }
            row[p].error = check_worse(row[p].error, off);
            const size_t moved = IMAGES * frames.samples() * (PATHS[p].bytes ? 1 : sizeof(float));
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

const struct {
    const char *name;
    Content content;
} ROWS[] = {{"noise", Content::TEXTURE},   {"text", Content::TEXT},
            {"cartoon", Content::CARTOON}, {"dark grain", Content::DARK},
            {"ramp", Content::GRADIENT},   {"patches of 13 x 11", Content::PATCHES}};

int time_all(char **photos, int pairs, Timer &timer, int runs, cudaStream_t stream)
{
    printf(
        "us per frame, alone / in a batch of %d, median of %d; \"tiles\": with the scores of tiles "
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
    for (const auto &row : ROWS)
        wrong += time_content(row.name, row.content, nullptr, timer, runs, stream);
    return wrong;
}

/* ---- Check ----------------------------------------------------------------------------------- */

/* Scores one frame of bytes on the CPU, with its tiles. */
double score_on_cpu(const Job &job, std::vector<double> *tiles, cudaStream_t stream)
{
    const size_t bytes = (size_t)job.width * job.height * CHANNELS;
    std::vector<uint8_t> host[IMAGES];
    ssimcu_view view[IMAGES];
    ssimcu_settings settings = SSIMCU_INIT(settings);
    settings.device = SSIMCU_DEVICE_CPU;
    ssimcu_context *cpu = nullptr;
    ssimcu_message why = {};
    stop_unless(ssimcu_open(&settings, &cpu, &why), &why);
    for (int i = 0; i < IMAGES; i++) {
        host[i].resize(bytes);
        BENCH_CUDA(
            cudaMemcpyAsync(host[i].data(), job.hwc[i], bytes, cudaMemcpyDeviceToHost, stream));
        view[i] = SSIMCU_INIT(view);
        view[i].width = (uint32_t)job.width, view[i].height = (uint32_t)job.height;
        view[i].channels = CHANNELS;
        view[i].data[0] = host[i].data();
    }
    BENCH_CUDA(cudaStreamSynchronize(stream));
    ssimcu_tiles grid = SSIMCU_INIT(tiles);
    grid.width = grid.height = TILE;
    stop_unless(ssimcu_views_layout(cpu, &view[REF], &view[OUT], nullptr, &grid, &why), &why);
    tiles->resize((size_t)grid.columns * grid.rows);
    grid.data = tiles->data();
    ssimcu_score score = SSIMCU_INIT(score);
    stop_unless(ssimcu_compare_views(cpu, &view[REF], &view[OUT], &score, nullptr, &grid, &why),
                &why);
    ssimcu_close(&cpu);
    return score.score;
}

/* Holds the last frame of a batch against the CPU. */
void check_content(const char *name, Content content, const Shape &shape)
{
    Workspace workspace(shape, nullptr);
    workspace.fill(content);
    const Frames frames(workspace.job(false, false), nullptr);
    const uint32_t last = (uint32_t)shape.frames - 1;
    std::vector<double> want_tiles;
    const double want =
        score_on_cpu(Workspace::frame_of(frames.job(), (int)last), &want_tiles, nullptr);
    for (const Path &path : PATHS)
        for (const bool tiles : {false, true}) {
            Run run(frames, path, tiles);
            run.launch();
            const double off = std::fabs(run.read(last) - want);
            const double tiles_off = run.error_of_tiles(want_tiles);
            check_that(off <= SCORE_LIMIT && tiles_off <= 1,
                       "%s, %s%s, %dx%d: score off by %.1e, a tile by %.1f of its limit", name,
                       path.name, tiles ? " with tiles" : "", shape.width, shape.height, off,
                       tiles_off);
        }
}

int check()
{
    const Shape SHAPES[] = {{655, 467, CHANNELS, 3, false}, {1037, 518, CHANNELS, 1, false}};
    for (const Shape &shape : SHAPES)
        for (const auto &row : ROWS) check_content(row.name, row.content, shape);
    return check_end();
}

} // namespace

int main(int argc, char **argv)
{
    if (check_asked(argc, argv)) {
        check_needs_cuda();
        return check();
    }
    int runs = 25, at = 1;
    if (argc > 2 && !strcmp(argv[1], "--runs")) {
        runs = bench::number(argv[2], 1, Timer::MAX_RUNS);
        at = 3;
    }
    if (runs < 0 || (argc - at) % 2) {
        fprintf(stderr, "usage: bench_ssim_content [--runs N, 1 to %d] [REF OUT]... | --check\n",
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
