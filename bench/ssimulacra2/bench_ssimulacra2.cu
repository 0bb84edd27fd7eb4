/* bench_ssimulacra2 [--runs N] [REF OUT] | --check: the sums of SSIMULACRA2 on the GPU, as the
 * library's plan makes them. First it compares the scores that follow with double precision, for
 * all kinds of samples, sizes from 8 x 8 on and content that is hard to round; REF and OUT are a
 * photo and its copy, PNG or JPEG, 8 bits. Then it checks that runs, and frames of a batch, give
 * the same bits. Last come times. */
#include "common/bench.cuh"
#include "common/checks.h"
#include "common/planned.h"
#include "ladder/photo.cuh"
#include "reference.cuh"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

namespace
{

using bench::Timer;

constexpr int CHANNELS = 3, IMAGES = 2, SCALES = SSIMCU_S2_SCALES;
constexpr size_t SUMS = sizeof(reference::Sums) / sizeof(double);
constexpr double LIMIT = 1e-3, PHOTO_LIMIT = 1e-4;

/* A pair of pictures as code values of bits, pixel after pixel, of 1 or 3 channels. */
struct Pair {
    int width, height, channels, peak;
    std::vector<unsigned> code[IMAGES];

    size_t pixels() const { return (size_t)width * height; }
};

/* A way to lay samples out. `spare` is what lies between rows, in bytes. */
struct Layout {
    const char *name;
    ssimcu_type type;
    ssimcu_layout layout;
    int peak, bytes, spare;
};

const Layout LAYOUTS[] = {{"u8 HWC", SSIMCU_TYPE_U8, SSIMCU_LAYOUT_HWC, 255, 1, 0},
                          {"u8 planes", SSIMCU_TYPE_U8, SSIMCU_LAYOUT_CHW, 255, 1, 0},
                          {"u8 HWC, 3 spare bytes", SSIMCU_TYPE_U8, SSIMCU_LAYOUT_HWC, 255, 1, 3},
                          {"u16 HWC", SSIMCU_TYPE_U16, SSIMCU_LAYOUT_HWC, 65535, 2, 0},
                          {"u16 planes, 10 bits", SSIMCU_TYPE_U16, SSIMCU_LAYOUT_CHW, 1023, 2, 0},
                          {"f32 planes", SSIMCU_TYPE_F32, SSIMCU_LAYOUT_CHW, 255, 4, 0}};

void put(const Layout &layout, unsigned code, char *to)
{
    const uint8_t byte = (uint8_t)code;
    const uint16_t word = (uint16_t)code;
    const float real = (float)code;
    const void *from = layout.type == SSIMCU_TYPE_U8    ? &byte
                       : layout.type == SSIMCU_TYPE_U16 ? (const void *)&word
                                                        : &real;
    memcpy(to, from, layout.bytes);
}

/* Frames in device memory, and what the library plans for them. Every frame of a batch is the same
 * pair. */
class Job
{
  public:
    Job(const Pair &pair, const Layout &layout, int frames) : frames_(frames)
    {
        const bool interleaved = layout.layout == SSIMCU_LAYOUT_HWC;
        ssimcu_settings settings = SSIMCU_INIT(settings);
        settings.metrics = 1u << SSIMCU_METRIC_SSIMULACRA2;
        settings.pad = SSIMCU_PAD_ZERO; /* SSIM takes any size then */
        ssimcu_view view[IMAGES];
        view[0] = SSIMCU_INIT(view);
        view[0].width = (uint32_t)pair.width, view[0].height = (uint32_t)pair.height;
        view[0].channels = (uint32_t)pair.channels;
        view[0].type = layout.type, view[0].layout = layout.layout;
        view[0].peak = pair.peak;
        view[0].pitch =
            pair.width * (interleaved ? pair.channels : 1) * layout.bytes + layout.spare;
        view[0].frames = (uint32_t)frames;
        view[1] = view[0];
        frame_bytes_ = view[0].pitch * pair.height * (interleaved ? 1 : pair.channels);
        for (int i = 0; i < IMAGES; i++) {
            upload(pair, layout, view[i].pitch, i);
            view[i].data[0] = image_[i];
        }
        planned_make(&planned_, &settings, &view[0], &view[1], nullptr);
        const size_t bytes = planned_bytes(&planned_);
        BENCH_CUDA(cudaMalloc(&work_, bytes));
        BENCH_CUDA(cudaMemset(work_, 0xff, bytes));
        BENCH_CUDA(cudaMalloc(&sums_, frames * sizeof *sums_));
        BENCH_CUDA(cudaMemset(sums_, 0xff, frames * sizeof *sums_));
    }
    ~Job()
    {
        for (void *memory : {image_[0], image_[1], work_, (void *)sums_})
            BENCH_CUDA(cudaFree(memory));
    }
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    void launch(cudaStream_t stream) const
    {
        BENCH_CUDA(planned_launch_ssimulacra2(&planned_, work_, sums_, stream));
    }
    /* Returns SUMS numbers of each frame. */
    std::vector<double> sums(cudaStream_t stream) const
    {
        launch(stream);
        std::vector<ssimcu_metric_sums> made(frames_);
        std::vector<double> sums(frames_ * SUMS);
        BENCH_CUDA(cudaMemcpyAsync(made.data(), sums_, frames_ * sizeof *sums_,
                                   cudaMemcpyDeviceToHost, stream));
        BENCH_CUDA(cudaStreamSynchronize(stream));
        for (int f = 0; f < frames_; f++)
            memcpy(&sums[f * SUMS], made[f].norms[0], sizeof made[f].norms[0]);
        return sums;
    }
    size_t bytes() const { return IMAGES * frame_bytes_ * frames_; }

  private:
    void upload(const Pair &pair, const Layout &layout, int64_t pitch, int i)
    {
        std::vector<char> bytes(frame_bytes_);
        for (size_t at = 0; at < pair.code[i].size(); at++) {
            const size_t pixel = at / pair.channels, c = at % pair.channels;
            const size_t x = pixel % pair.width, y = pixel / pair.width;
            char *row = &bytes[y * pitch];
            put(layout, pair.code[i][at],
                layout.layout == SSIMCU_LAYOUT_HWC
                    ? row + (x * pair.channels + c) * layout.bytes
                    : row + c * pitch * pair.height + x * layout.bytes);
        }
        BENCH_CUDA(cudaMalloc(&image_[i], frame_bytes_ * frames_));
        for (int f = 0; f < frames_; f++)
            BENCH_CUDA(cudaMemcpy((char *)image_[i] + f * frame_bytes_, bytes.data(), bytes.size(),
                                  cudaMemcpyHostToDevice));
    }

    int frames_;
    size_t frame_bytes_ = 0;
    planned planned_;
    void *image_[IMAGES] = {}, *work_ = nullptr;
    ssimcu_metric_sums *sums_ = nullptr;
};

/* ---- Content --------------------------------------------------------------------------------- */

using Fill = unsigned (*)(std::mt19937 &, int image, int x, int y, int c, unsigned peak);

struct Content {
    const char *name;
    Fill at;
};

unsigned of_bits(std::mt19937 &random, unsigned low, unsigned high)
{
    return low + random() % (high - low + 1);
}

const Content CONTENTS[] = {
    {"noise", [](std::mt19937 &r, int, int, int, int, unsigned p) { return of_bits(r, 0, p); }},
    {"black, white",
     [](std::mt19937 &, int image, int, int, int, unsigned p) { return image ? 0 : p; }},
    {"white, black",
     [](std::mt19937 &, int image, int, int, int, unsigned p) { return image ? p : 0; }},
    {"flat colours", [](std::mt19937 &, int image, int, int, int c,
                        unsigned p) { return p * (image ? 20 + 80 * c : 200 - 90 * c) / 255; }},
    {"flat, one level off",
     [](std::mt19937 &, int image, int, int, int, unsigned p) { return p / 2 + image; }},
    {"two levels, extreme",
     [](std::mt19937 &r, int, int, int, int, unsigned p) { return of_bits(r, 0, 1) * p; }},
    {"two levels, faint",
     [](std::mt19937 &r, int, int, int, int, unsigned p) { return p / 2 + of_bits(r, 0, 1); }},
    {"two levels, far apart",
     [](std::mt19937 &r, int image, int, int, int, unsigned p) {
         return (image ? p / 9 : p * 8 / 9) + of_bits(r, 0, 1);
     }},
    {"checkers, lines", [](std::mt19937 &, int image, int x, int y, int,
                           unsigned p) { return (image ? y : x + y) % 2 * p; }},
    {"patches",
     [](std::mt19937 &, int image, int x, int y, int c, unsigned p) {
         return ((x / 13 + y / 11) * 37u + 90u * c) % 256 * p / 255 * (image ? 7 : 8) / 8;
     }},
    {"ramp, noise of 1",
     [](std::mt19937 &r, int image, int x, int y, int c, unsigned p) {
         return std::min(p, (unsigned)(x + y * (c + 1)) / 4 % p + (image ? of_bits(r, 0, 1) : 0));
     }},
};

Pair make_pair(const Content &content, int width, int height, int channels, int peak)
{
    Pair pair = {width, height, channels, peak, {}};
    std::mt19937 random(width * 7919 + height);
    for (int i = 0; i < IMAGES; i++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                for (int c = 0; c < channels; c++)
                    pair.code[i].push_back(content.at(random, i, x, y, c, (unsigned)peak));
    return pair;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

reference::Sums exact_sums(const Pair &pair)
{
    std::vector<double> code[IMAGES];
    for (int i = 0; i < IMAGES; i++) {
        code[i].resize(CHANNELS * pair.pixels());
        for (size_t at = 0; at < code[i].size(); at++) {
            const size_t c = at / pair.pixels(), pixel = at % pair.pixels();
            code[i][at] = pair.code[i][pixel * pair.channels + (pair.channels > 1 ? c : 0)] /
                          (double)pair.peak;
        }
    }
    return reference::sums_of(code[0], code[1], pair.width, pair.height);
}

struct Errors {
    double score; /* exact */
    double of_score;
    double of_norm; /* the largest error of a norm */
};

Errors compare(const Pair &pair, const reference::Sums &exact, const double *sums)
{
    Errors errors;
    errors.score = reference::score_of(exact.data(), pair.width, pair.height);
    errors.of_score = reference::score_of(sums, pair.width, pair.height) - errors.score;
    errors.of_norm = 0;
    int width = pair.width, height = pair.height;
    for (size_t i = 0; i < SUMS; i++) {
        if (i > 0 && i % (SUMS / SCALES) == 0) width = (width + 1) / 2, height = (height + 1) / 2;
        const double pixels = (double)width * height, power = i % 2 ? 0.25 : 1;
        const double norm = pow(exact[i] / pixels, power), ours = pow(sums[i] / pixels, power);
        if (!(fabs(ours - norm) <= errors.of_norm)) errors.of_norm = fabs(ours - norm);
    }
    return errors;
}

/* Checks a pair in all layouts of its peak. Prints the worst, or all that are wrong. */
int check_pair(const char *name, const Pair &pair, double limit, bool print, cudaStream_t stream)
{
    const reference::Sums exact = exact_sums(pair);
    int wrong = 0;
    for (const Layout &layout : LAYOUTS) {
        const bool interleaved = layout.layout == SSIMCU_LAYOUT_HWC;
        if (layout.peak != pair.peak || (interleaved && pair.channels == 1)) continue;
        const Job job(pair, layout, 1);
        const Errors errors = compare(pair, exact, job.sums(stream).data());
        const bool bad = !(fabs(errors.of_score) <= limit);
        wrong += bad;
        if (print || bad)
            printf("| %s | %d x %d x %d | %s | %.9f | %.1e | %.1e |%s\n", name, pair.width,
                   pair.height, pair.channels, layout.name, errors.score, errors.of_score,
                   errors.of_norm, bad ? " WRONG |" : "");
    }
    return wrong;
}

constexpr int SIZES[][2] = {{8, 8},     {9, 8},     {8, 300},   {15, 17},   {33, 31},
                            {64, 64},   {97, 61},   {128, 128}, {129, 255}, {250, 131},
                            {513, 257}, {640, 363}, {137, 1201}};

int check_content(cudaStream_t stream)
{
    int wrong = 0;
    for (const Content &content : CONTENTS)
        for (const auto &size : SIZES)
            for (const int channels : {1, 3})
                for (const int peak : {255, 1023, 65535}) {
                    const bool print = size[0] == 513 && channels == 3 && peak == 255;
                    if (!print && channels == 1 && size[0] % 2 == 0) continue;
                    wrong += check_pair(content.name,
                                        make_pair(content, size[0], size[1], channels, peak), LIMIT,
                                        print, stream);
                }
    return wrong;
}

/* Frames that are the same have sums of 0. */
int check_zeros(cudaStream_t stream)
{
    int wrong = 0;
    for (const auto &size : {std::array<int, 2>{640, 363}, {97, 61}, {8, 8}})
        for (const Layout &layout : LAYOUTS) {
            Pair pair = make_pair(CONTENTS[0], size[0], size[1], CHANNELS, layout.peak);
            pair.code[1] = pair.code[0];
            for (const double sum : Job(pair, layout, 1).sums(stream)) wrong += sum != 0;
        }
    printf("\nSums that are not 0 of identical frames: %d\n", wrong);
    return wrong;
}

/* Compares runs, and the frames of a batch, with the first run. */
int check_bits(const Pair &pair, cudaStream_t stream)
{
    constexpr int RUNS = 200, BATCH = 8;
    int wrong = 0;
    for (const Layout &layout : LAYOUTS) {
        if (layout.peak != pair.peak) continue;
        const Job one(pair, layout, 1), many(pair, layout, BATCH);
        const std::vector<double> first = one.sums(stream), batch = many.sums(stream);
        for (int run = 0; run < RUNS; run++) wrong += one.sums(stream) != first;
        for (int f = 0; f < BATCH; f++)
            wrong += memcmp(&batch[f * SUMS], first.data(), SUMS * sizeof(double)) != 0;
    }
    printf("Runs (of %d) and frames of a batch (of %d) with other bits: %d\n\n", RUNS, BATCH,
           wrong);
    return wrong;
}

/* ---- Time ------------------------------------------------------------------------------------ */

void time_pair(const char *name, const Pair &pair, const Layout &layout, int frames, int runs,
               Timer &timer, cudaStream_t stream)
{
    const Job job(pair, layout, frames);
    const bench::Times times = timer.measure(runs, job.bytes(), [&] { job.launch(stream); });
    printf("| %s | %d x %d | %s | %d | %.1f | %.1f .. %.1f |\n", name, pair.width, pair.height,
           layout.name, frames, times.median / frames, times.min / frames, times.max / frames);
    fflush(stdout);
}

void time_all(const Pair *photo, int runs, cudaStream_t stream)
{
    Timer timer(stream);
    timer.warm_up();
    printf("| content | size | samples | frames | us per frame | min .. max |\n"
           "|---|---|---|---|---|---|\n");
    for (const auto &size :
         {std::array<int, 2>{1280, 720}, {1920, 1080}, {3840, 2160}, {3841, 2161}})
        for (const Layout &layout : LAYOUTS) {
            if (size[0] != 3840 && &layout != &LAYOUTS[0]) continue;
            const Pair noise = make_pair(CONTENTS[0], size[0], size[1], CHANNELS, layout.peak);
            for (const int frames : {1, 8})
                time_pair("noise", noise, layout, frames, runs, timer, stream);
        }
    for (int i = 0; photo && i < 2; i++)
        for (const int frames : {1, 8})
            time_pair("photo", *photo, LAYOUTS[i], frames, runs, timer, stream);
}

/* ---- Check ----------------------------------------------------------------------------------- */

int check(cudaStream_t stream)
{
    constexpr int SOME[][2] = {{8, 8}, {8, 300}, {33, 31}, {97, 61}, {129, 255}};
    for (const Content &content : CONTENTS)
        for (const auto &size : SOME)
            for (const int channels : {1, 3})
                for (const int peak : {255, 1023, 65535}) {
                    const Pair pair = make_pair(content, size[0], size[1], channels, peak);
                    check_that(check_pair(content.name, pair, LIMIT, false, stream) == 0,
                               "%s, %dx%dx%d, peak %d", content.name, size[0], size[1], channels,
                               peak);
                }
    check_that(check_zeros(stream) == 0, "identical frames");
    check_that(check_bits(make_pair(CONTENTS[0], 321, 181, CHANNELS, 255), stream) == 0,
               "other bits");
    return check_end();
}

} // namespace

int main(int argc, char **argv)
{
    if (check_asked(argc, argv)) {
        check_needs_cuda();
        return check(nullptr);
    }
    const auto [runs, at] = bench::read_arguments("bench_ssimulacra2", argc, argv, 50);
    const bool with_photos = argc > at;
    bench::print_machine();
    Pair photo = {};
    if (with_photos) {
        const ladder::Photos photos = ladder::read_photos(argv[at], argv[at + 1]);
        photo = {photos.shape.width, photos.shape.height, photos.shape.channels, 255, {}};
        photo.code[0].assign(photos.ref.begin(), photos.ref.end());
        photo.code[1].assign(photos.out.begin(), photos.out.end());
    }
    cudaStream_t stream = nullptr;
    BENCH_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    printf("| content | size | samples | score | error | largest error of a norm |\n"
           "|---|---|---|---|---|---|\n");
    int wrong = with_photos ? check_pair("photo", photo, PHOTO_LIMIT, true, stream) : 0;
    wrong += check_content(stream);
    wrong += check_zeros(stream);
    wrong += check_bits(make_pair(CONTENTS[0], 1921, 1081, CHANNELS, 255), stream);
    time_all(with_photos ? &photo : nullptr, runs, stream);
    BENCH_CUDA(cudaStreamDestroy(stream));
    if (wrong) fprintf(stderr, "bench_ssimulacra2: %d wrong\n", wrong);
    return wrong ? 1 : 0;
}
