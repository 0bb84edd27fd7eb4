/* bench_ssim [--runs N] [REF OUT] | --check: compares the library's SSIM with the published V4 form
 * and fused-ssim's method, in one run. First comes accuracy against double precision (REF and OUT:
 * a photo and its copy, PNG or JPEG, 8 bits). Then it checks that a thousand runs give the same
 * bits. Last it prints the time from 720p to 8K and from 1 to 32 frames. Everything timed has been
 * checked at that size. */
#include "common/checks.h"
#include "ladder/photo.cuh"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>

namespace
{

using namespace ladder;
using bench::Timer;
using bench::Times;

/* Limits. The first two are what the library promises. Means of many windows are better than that.
 * The last is for the yardsticks: five moments in float lose up to a hundredth on flat content. So
 * only random texture tells whether they are right at all. */
constexpr double SCORE_LIMIT = 1e-6, MAP_LIMIT = 5e-5, MANY = 4e6, LIMIT_OF_MANY = 2e-7,
                 YARDSTICK_LIMIT = 1e-4;

std::vector<const Method *> all_methods()
{
    std::vector<const Method *> methods = {&rotating_sums, &two_pass_tile};
    for (int i = 0; i < our_roads; i++) methods.push_back(&ours[i]);
    return methods;
}

/* Returns a job's padding and its map as the tables name them. */
const char *pad_of(const Job &job) { return job.zero_pad ? "zero" : "valid"; }
const char *map_of(const Job &job) { return job.map ? "map" : "-"; }

/* Visits every padding and map that a shape allows. */
void for_each_job(const Workspace &workspace, const Shape &shape, int spare,
                  const std::function<void(const Job &)> &visit)
{
    const bool valid_fits = std::min(shape.width, shape.height) >= SSIMCU_TAPS;
    for (const bool zero_pad : {false, true})
        for (const bool map : {false, true})
            if (zero_pad || valid_fits) visit(workspace.job(zero_pad, map, spare));
}

bool is_wrong(const Method &method, const Job &job, const Reference::Errors &errors,
              Content content)
{
    const double windows =
        (double)positions(job.width, job.zero_pad) * positions(job.height, job.zero_pad);
    if (errors.strays) return true;
    if (content == Content::SAME && method.gives_sums && errors.highest != 1) return true;
    if (!method.gives_sums && content != Content::TEXTURE) return false;
    const double limit = method.gives_sums ? MAP_LIMIT : YARDSTICK_LIMIT;
    const double score_limit = windows >= MANY ? LIMIT_OF_MANY : SCORE_LIMIT;
    return !(errors.map <= limit && (errors.score <= score_limit || !method.gives_sums));
}

/* A function that prints a row for a method, its job, its errors and whether they are too large. */
using Print = std::function<void(const Method &, const Job &, const Reference::Errors &, bool)>;

int check_methods(const Workspace &workspace, const Shape &shape, Content content,
                  const Print &print)
{
    int wrong = 0;
    for (const bool zero_pad : {false, true}) {
        if (!zero_pad && std::min(shape.width, shape.height) < SSIMCU_TAPS) continue;
        const Reference reference(workspace.job(zero_pad, false), workspace.stream());
        for (const bool map : {false, true})
            for (const Method *method : all_methods()) {
                const Job job = workspace.job(zero_pad, map, SPARE);
                if (method->refuses(job)) continue;
                const Reference::Errors errors = reference.check(*method, job, workspace);
                const bool bad = is_wrong(*method, job, errors, content);
                print(*method, job, errors, bad);
                wrong += bad;
            }
    }
    return wrong;
}

/* ---- Accuracy -------------------------------------------------------------------------------- */

const Shape FRAME = {3840, 2160, 3, 1, false};
const Shape RAGGED[] = {{1, 1, 3, 2, false},     {10, 10, 1, 2, false},   {11, 11, 3, 3, false},
                        {37, 53, 3, 3, false},   {65, 73, 3, 2, true},    {129, 217, 1, 3, false},
                        {137, 209, 3, 5, false}, {641, 363, 3, 2, false}, {642, 362, 3, 2, true},
                        {655, 467, 3, 3, false}, {1037, 517, 1, 5, true}, {3841, 2161, 3, 1, false},
                        {3839, 2159, 3, 1, true}};

int print_accuracy(const char *content_name, const Workspace &workspace, const Shape &shape,
                   Content content)
{
    return check_methods(
        workspace, shape, content,
        [&](const Method &method, const Job &job, const Reference::Errors &errors, bool bad) {
            printf("| %s | %s | %s | %s | %s | %.1e | ", content_name, method.name, method.input,
                   pad_of(job), map_of(job), errors.score);
            if (job.map) printf("%.1e", errors.map);
            printf(" | %.17g |%s\n", errors.highest, bad ? " WRONG |" : "");
        });
}

/* Checks all ragged sizes. Prints those that are wrong, and one line for all. */
int check_ragged(cudaStream_t stream)
{
    int wrong = 0, checked = 0;
    for (const Shape &shape : RAGGED) {
        Workspace workspace(shape, stream);
        workspace.fill(Content::TEXTURE);
        wrong += check_methods(
            workspace, shape, Content::TEXTURE,
            [&](const Method &method, const Job &job, const Reference::Errors &errors, bool bad) {
                checked++;
                if (!bad) return;
                printf("WRONG: %dx%dx%dx%d %s, %s, pad %s, %s: score error %.1e, window error "
                       "%.1e, %lld strays\n",
                       shape.width, shape.height, shape.channels, shape.frames, method.name,
                       method.input, pad_of(job), map_of(job), errors.score, errors.map,
                       errors.strays);
            });
    }
    printf("%d checks on %zu ragged shapes from 1x1 to 3841x2161: %d wrong.\n\n", checked,
           sizeof RAGGED / sizeof *RAGGED, wrong);
    return wrong;
}

int check_accuracy(const Photos *photos, cudaStream_t stream)
{
    int wrong = check_ragged(stream);
    printf("| content | method | input | pad | map | score error | window error | score |\n"
           "|---|---|---|---|---|---|---|---|\n");
    {
        Workspace workspace(FRAME, stream);
        const struct {
            const char *name;
            Content content;
        } ROWS[] = {{"random texture", Content::TEXTURE},
                    {"smooth ramp, +-1", Content::GRADIENT},
                    {"flat 250, dots of 251", Content::DOTS},
                    {"identical", Content::SAME}};
        for (const auto &row : ROWS) {
            workspace.fill(row.content);
            wrong += print_accuracy(row.name, workspace, FRAME, row.content);
        }
    }
    if (photos) {
        Workspace workspace(photos->shape, stream);
        workspace.fill(photos->ref, photos->out);
        wrong += print_accuracy("photo", workspace, photos->shape, Content::GRADIENT);
    }
    return wrong;
}

/* ---- The same bits --------------------------------------------------------------------------- */

constexpr int REPEATS = 1000, BATCH = 8;

/* Runs a job so often. Returns how many words of the sums and of the map differ from the first
 * run's. */
unsigned long long repeat(const Method &method, const Workspace &workspace, const Job &job,
                          int repeats)
{
    const cudaStream_t stream = workspace.stream();
    const Ready ready(method, job, stream);
    const DeviceArray<double> sums((size_t)repeats * plane_count(job));
    const DeviceArray<float> first_map(job.map ? (size_t)plane_count(job) * job.map_plane : 0);
    workspace.map().fill_bytes(0, stream); /* words that no method writes are then the same too */
    Difference difference(stream);
    for (int run = 0; run < repeats; run++) {
        Job here = job;
        here.sums = sums.get() + (size_t)run * plane_count(job);
        ready.launch(here);
        difference.add(here.sums, sums.get(), plane_count(job) * sizeof(double));
        if (!job.map) continue;
        if (run == 0)
            BENCH_CUDA(cudaMemcpyAsync(first_map.get(), job.map, first_map.bytes(),
                                       cudaMemcpyDeviceToDevice, stream));
        difference.add(job.map, first_map.get(), first_map.bytes());
    }
    return difference.words();
}

/* Compares every frame of a batch with the same frame alone. */
unsigned long long compare_positions(const Method &method, const Workspace &workspace,
                                     const Job &job)
{
    const cudaStream_t stream = workspace.stream();
    const DeviceArray<double> alone((size_t)plane_count(job));
    Ready(method, job, stream).launch();
    Difference difference(stream);
    Job apart = job;
    apart.sums = alone.get();
    for (int frame = 0; frame < job.frames; frame++) {
        const Job one = Workspace::frame_of(apart, frame);
        Ready(method, one, stream).launch();
        difference.add(one.sums, job.sums + frame * job.channels, job.channels * sizeof(double));
    }
    return difference.words();
}

int check_bits(cudaStream_t stream)
{
    unsigned long long wrong = 0;
    Shape batch = FRAME;
    batch.frames = BATCH;
    Workspace one(FRAME, stream), many(batch, stream);
    one.fill(Content::TEXTURE);
    many.fill(Content::TEXTURE);
    printf(
        "\n| method | input | pad | map | words that differ in %d runs | at %d batch positions |\n"
        "|---|---|---|---|---|---|\n",
        REPEATS, BATCH);
    for (int i = 0; i < our_roads; i++) {
        const Method &method = ours[i];
        for_each_job(one, FRAME, 0, [&](const Job &job) {
            if (method.refuses(job)) return;
            const unsigned long long runs = repeat(method, one, job, REPEATS);
            const unsigned long long places =
                compare_positions(method, many, many.job(job.zero_pad, false));
            printf("| %s | %s | %s | %s | %llu | %llu |\n", method.name, method.input, pad_of(job),
                   map_of(job), runs, places);
            wrong += runs + places;
        });
    }
    return wrong != 0;
}

/* ---- Time ------------------------------------------------------------------------------------ */

struct Size {
    const char *name;
    int width, height;
    bool tight;
    int most_frames;
};

const Size SIZES[] = {
    {"720p", 1280, 720, false, 32},      {"1080p", 1920, 1080, false, 32},
    {"1440p", 2560, 1440, false, 32},    {"4K", 3840, 2160, false, 32},
    {"8K", 7680, 4320, false, 32},       {"3841x2161", 3841, 2161, false, 1},
    {"3839x2159", 3839, 2159, false, 1}, {"3841x2161, rows not padded", 3841, 2161, true, 1},
};
constexpr int FRAMES[] = {1, 8, 32};
constexpr int CHANNELS = 3;

/* Medians of the yardsticks. The rows of the same size are divided by them. */
struct Yardsticks {
    double v4 = 0, tile = 0;
};

/* Returns the bytes that a run could find in L2 from the run before. */
size_t bytes_moved(const Method &method, const Job &job)
{
    const size_t samples = (size_t)plane_count(job) * job.width * job.height;
    return samples * (IMAGES * method.sample_bytes + (job.map ? sizeof(float) : 0));
}

void print_times(const Size &size, const Method &method, const Job &job, const Times &times,
                 const Yardsticks &yardsticks)
{
    const double frames = job.frames, megapixels = (double)size.width * size.height * 1e-6;
    printf("| %s | %d | %s | %s | %s | %s | %.1f | %.1f .. %.1f | %.2f | %.2f | %.2f |\n",
           size.name, job.frames, method.name, method.input, pad_of(job), map_of(job),
           times.median / frames, times.min / frames, times.max / frames,
           times.median / frames / megapixels, times.median / yardsticks.v4,
           times.median / yardsticks.tile);
    fflush(stdout);
}

/* Checks a size at one frame with every method. */
int check_size(const Size &size, cudaStream_t stream)
{
    const Shape shape = {size.width, size.height, CHANNELS, 1, size.tight};
    Workspace workspace(shape, stream);
    workspace.fill(Content::TEXTURE);
    return check_methods(
        workspace, shape, Content::TEXTURE,
        [&](const Method &method, const Job &job, const Reference::Errors &errors, bool bad) {
            if (bad)
                printf("| %s | 1 | %s | %s | %s | %s | WRONG: score %.1e, window "
                       "%.1e | | | | |\n",
                       size.name, method.name, method.input, pad_of(job), map_of(job), errors.score,
                       errors.map);
        });
}

void time_shape(const Size &size, const Shape &shape, Timer &timer, int runs, cudaStream_t stream)
{
    struct Row {
        const Method *method;
        Job job;
        Times times;
    };
    Workspace workspace(shape, stream);
    workspace.fill(Content::TEXTURE);
    Yardsticks yardsticks;
    std::vector<Row> rows;
    for (const Method *method : all_methods())
        for_each_job(workspace, shape, 0, [&](const Job &job) {
            if (method->refuses(job)) return;
            const Ready ready(*method, job, stream);
            const size_t moved = bytes_moved(*method, job);
            rows.push_back({method, job, timer.measure(runs, moved, [&] { ready.launch(); })});
            if (method == &rotating_sums) yardsticks.v4 = rows.back().times.median;
            if (method == &two_pass_tile) yardsticks.tile = rows.back().times.median;
        });
    for (const Row &row : rows) print_times(size, *row.method, row.job, row.times, yardsticks);
}

/* Tells whether there is memory for the workspace, and for as many float planes again for a
 * method's own. */
bool fits(const Shape &shape)
{
    size_t free = 0, total = 0;
    BENCH_CUDA(cudaMemGetInfo(&free, &total));
    return 2 * Workspace::bytes_for(shape) < free;
}

int time_all(Timer &timer, int runs, cudaStream_t stream)
{
    int wrong = 0;
    printf("\nTime per frame of %d channels, %d runs; of V4, of tile: the share of those two's "
           "time at the same size, who write the\nmap with zero padding. The library's rows end "
           "with one sum per plane. L2 is overwritten before each run that moves\nless than %zu "
           "MB.\n\n"
           "| size | frames | method | input | pad | map | us per frame | min .. max | us per "
           "megapixel | of V4 | of tile |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
           CHANNELS, runs, timer.flush_below() / 1000000);
    for (const Size &size : SIZES) {
        const int bad = check_size(size, stream);
        wrong += bad;
        for (const int frames : FRAMES) {
            const Shape shape = {size.width, size.height, CHANNELS, frames, size.tight};
            if (bad || frames > size.most_frames) continue;
            if (fits(shape))
                time_shape(size, shape, timer, runs, stream);
            else
                printf("| %s | %d | does not fit into this GPU's memory | | | | | | | | |\n",
                       size.name, frames);
        }
    }
    return wrong;
}

/* ---- Check ----------------------------------------------------------------------------------- */

void check_content(Content content, const Shape &shape, cudaStream_t stream)
{
    Workspace workspace(shape, stream);
    workspace.fill(content);
    (void)check_methods(
        workspace, shape, content,
        [&](const Method &method, const Job &job, const Reference::Errors &errors, bool bad) {
            check_that(!bad,
                       "content %d, %dx%dx%dx%d %s, %s, pad %s, %s: score error %.1e, window "
                       "error %.1e, %lld strays",
                       (int)content, shape.width, shape.height, shape.channels, shape.frames,
                       method.name, method.input, pad_of(job), map_of(job), errors.score,
                       errors.map, errors.strays);
        });
}

int check(cudaStream_t stream)
{
    constexpr int RUNS = 20;
    const Shape shape = {655, 467, 3, BATCH, false};
    for (const Shape &ragged : RAGGED) check_content(Content::TEXTURE, ragged, stream);
    for (const Content content : {Content::GRADIENT, Content::DOTS, Content::SAME})
        check_content(content, shape, stream);
    Workspace workspace(shape, stream);
    workspace.fill(Content::TEXTURE);
    for (int i = 0; i < our_roads; i++)
        for_each_job(workspace, shape, 0, [&](const Job &job) {
            if (ours[i].refuses(job)) return;
            check_that(repeat(ours[i], workspace, job, RUNS) == 0 &&
                           compare_positions(ours[i], workspace, job) == 0,
                       "%s, %s, pad %s, %s: other bits", ours[i].name, ours[i].input, pad_of(job),
                       map_of(job));
        });
    return check_end();
}

} // namespace

int main(int argc, char **argv)
{
    if (check_asked(argc, argv)) {
        check_needs_cuda();
        return check(nullptr);
    }
    const auto [runs, at] = bench::read_arguments("bench_ssim", argc, argv, 50);
    const bool with_photos = argc > at;
    Photos photos;
    if (with_photos) photos = read_photos(argv[at], argv[at + 1]);
    bench::print_machine();
    cudaStream_t stream = nullptr;
    BENCH_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    int wrong = check_accuracy(with_photos ? &photos : nullptr, stream);
    wrong += check_bits(stream);
    {
        Timer timer(stream);
        timer.warm_up();
        wrong += time_all(timer, runs, stream);
    }
    BENCH_CUDA(cudaStreamDestroy(stream));
    if (wrong) fprintf(stderr, "bench_ssim: %d wrong\n", wrong);
    return wrong ? 1 : 0;
}
