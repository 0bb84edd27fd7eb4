/* prove_kinds [faulty]: scores pairs of many kinds on a GPU and compares them with the CPU. On a
 * sound GPU none is refused and none is wrong. With `faulty` the kernels have a fault: then at
 * least one kind must be refused, and none may be wrong. Prints how long the proofs of the kinds
 * took. 77: there is no GPU. */
#define _POSIX_C_SOURCE 200809L
#define STRESS "prove_kinds"
#include "require.h"
#include "ssimcu.h"
#include "stress.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALL_METRICS ((1u << SSIMCU_METRICS) - 1)

enum { TILE = 64 };

static const struct what {
    const char *name;
    ssimcu_transfer transfer;
    ssimcu_color color;
    unsigned metrics;
    int map, tiles, features;
} WHATS[] = {
    {"score", 0, 0, 0, 0, 0, 0},
    {"tiles", 0, 0, 0, 0, 1, 0},
    {"features", 0, 0, 0, 0, 1, 1},
    {"map", 0, 0, 0, 1, 0, 0},
    {"psnr", 0, 0, 1u << SSIMCU_METRIC_SSIM | 1u << SSIMCU_METRIC_PSNR, 0, 0, 0},
    {"metrics", 0, 0, ALL_METRICS, 0, 0, 0},
    {"luma", 0, SSIMCU_COLOR_Y709, ALL_METRICS, 0, 1, 0},
    {"srgb", SSIMCU_TRANSFER_SRGB, 0, ALL_METRICS, 0, 1, 0},
    {"pu21", SSIMCU_TRANSFER_PU21, 0, 0, 0, 0, 0},
};
enum { WHAT_COUNT = sizeof WHATS / sizeof WHATS[0] };
static const ssimcu_type TYPES[] = {SSIMCU_TYPE_U8, SSIMCU_TYPE_U16, SSIMCU_TYPE_F16,
                                    SSIMCU_TYPE_BF16, SSIMCU_TYPE_F32};
/* Sizes that choose other kernels: in double, few scales, ordinary, tensor cores, on more scales.
 */
static const uint32_t SIZES[][2] = {{131, 97},  {251, 233}, {386, 362},
                                    {709, 403}, {720, 404}, {1101, 1063}};
enum { SIZE_COUNT = sizeof SIZES / sizeof SIZES[0], LARGE = SIZE_COUNT - 1 };

enum { MOST_KINDS = 512 }; /* of a WHAT */
static int refused, wrong, right;
/* Times of first comparisons, with the proof and without. */
static double first_ms[2][WHAT_COUNT][MOST_KINDS];
static int timed[WHAT_COUNT];

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Writes random samples of any type: floats from 0.25 to just below 1, and some beyond it. */
static void fill(void *data, size_t samples, ssimcu_type type, uint32_t seed)
{
    for (size_t i = 0; i < samples; i++) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t value = ((uint32_t)i / 7 % 200 + (seed >> 27)) & 255;
        switch (type) {
        case SSIMCU_TYPE_U8: ((uint8_t *)data)[i] = (uint8_t)value; break;
        case SSIMCU_TYPE_U16: ((uint16_t *)data)[i] = (uint16_t)(value * 257); break;
        case SSIMCU_TYPE_F16: ((uint16_t *)data)[i] = (uint16_t)(0x3400 + 8 * value); break;
        case SSIMCU_TYPE_BF16: ((uint16_t *)data)[i] = (uint16_t)(0x3e80 + value); break;
        default: ((float *)data)[i] = (float)(value + 85) / (value > 252 ? 34 : 341); break;
        }
    }
}

static size_t sample_bytes(ssimcu_type type)
{
    return type == SSIMCU_TYPE_U8 ? 1 : type == SSIMCU_TYPE_F32 ? 4 : 2;
}

static int is_near(double a, double b, double within)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= within * fmax(1, fabs(b));
}

/* Pixels, or planes Y, U and V. */
struct pair {
    ssimcu_view view[2][3];
    uint32_t planes;
};

/* The outputs of a comparison. */
struct got {
    ssimcu_score score;
    double cell[512], shift[1024], feature[SSIMCU_FEATURES][1024];
    float *map;
    size_t map_count;
};

static ssimcu_status compare(ssimcu_context *context, const struct what *what,
                             const struct pair *pair, struct got *got, ssimcu_message *why)
{
    const ssimcu_view *ref = pair->view[0], *out = pair->view[1];
    ssimcu_map map = SSIMCU_INIT(map);
    ssimcu_tiles tiles = SSIMCU_INIT(tiles, .width = TILE, .height = TILE);
    got->score = SSIMCU_INIT(score);
    const ssimcu_status laid = ssimcu_views_layout(context, ref, out, what->map ? &map : NULL,
                                                   what->tiles ? &tiles : NULL, why);
    if (laid != SSIMCU_OK) return laid;
    tiles.data = got->cell;
    tiles.level_shift = got->shift;
    for (int f = 0; what->features && f < SSIMCU_FEATURES; f++) tiles.feature[f] = got->feature[f];
    if (pair->planes > 1)
        return ssimcu_compare_planes(context, ref, out, pair->planes, &got->score, NULL, why);
    got->map_count = (size_t)map.width * map.height * map.channels;
    if (what->map) map.data = got->map = calloc(got->map_count, sizeof(float));
    return ssimcu_compare_views(context, ref, out, &got->score, what->map ? &map : NULL,
                                what->tiles ? &tiles : NULL, why);
}

static int are_all_near(const double *a, const double *b, size_t count, double within)
{
    int same = 1;
    for (size_t i = 0; i < count; i++) same &= is_near(a[i], b[i], within);
    return same;
}

/* Returns the output of a GPU that is not the CPU's; NULL: none. */
static const char *differing(const struct got *gpu, const struct got *cpu)
{
    static const double OF_METRIC[SSIMCU_METRICS] = {5e-6, 1e-5, 1e-5, 1e-4};
    static const char *const NAME[SSIMCU_METRICS] = {"SSIM", "PSNR", "MS-SSIM", "SSIMULACRA2"};
    const size_t cells = sizeof gpu->cell / sizeof *gpu->cell;
    const size_t of_channels = sizeof gpu->shift / sizeof *gpu->shift;
    if (!is_near(gpu->score.score, cpu->score.score, OF_METRIC[0])) return NAME[0];
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (!is_near(gpu->score.metric[m], cpu->score.metric[m], OF_METRIC[m])) return NAME[m];
    for (int i = 0; i < 2; i++)
        if (gpu->score.light[i].clamped != cpu->score.light[i].clamped) return "clamped pixels";
    if (!are_all_near(gpu->cell, cpu->cell, cells, 1e-4)) return "tile";
    if (!are_all_near(gpu->shift, cpu->shift, of_channels, 2e-3)) return "level shift";
    if (!are_all_near(gpu->feature[0], cpu->feature[0], SSIMCU_FEATURES * of_channels, 0.02))
        return "feature";
    for (size_t i = 0; i < gpu->map_count; i++)
        if (!is_near((double)gpu->map[i], (double)cpu->map[i], 2e-4)) return "map";
    return NULL;
}

/* Times a first comparison, which a context that is not proven any more makes. */
static double time_of(ssimcu_context *context, const struct what *what, const struct pair *pair,
                      struct got *got, ssimcu_status *status, ssimcu_message *why)
{
    const double start = now_ms();
    *status = compare(context, what, pair, got, why);
    return now_ms() - start;
}

static int by_size(const void *a, const void *b)
{
    const double one = *(const double *)a, two = *(const double *)b;
    return (one > two) - (one < two);
}

static void try_kind(ssimcu_context *const context[3], const struct what *what,
                     const struct pair *pair, const char *name)
{
    static struct got got[3];
    ssimcu_message why = {{0}};
    ssimcu_status status[3];
    memset(got, 0, sizeof got);
    (void)time_of(context[1], what, pair, &got[1], &status[1], &why);
    if (status[1] != SSIMCU_OK) return; /* no such kind */
    const double first = time_of(context[0], what, pair, &got[0], &status[0], &why);
    const char *other = status[0] == SSIMCU_OK ? differing(&got[0], &got[1]) : NULL;
    const int is_right = status[0] == SSIMCU_OK && !other;
    if (is_right) {
        const ptrdiff_t w = what - WHATS;
        REQUIRE(timed[w] < MOST_KINDS, "too many kinds");
        first_ms[0][w][timed[w]] = first;
        first_ms[1][w][timed[w]++] = time_of(context[2], what, pair, &got[2], &status[2], &why);
    } else {
        printf("%s: %s%s\n", name, other ? "not the CPU's: " : why.text, other ? other : "");
    }
    const int is_refused = status[0] == SSIMCU_ERROR_DEVICE && strstr(why.text, "computes wrongly");
    *(is_right ? &right : is_refused ? &refused : &wrong) += 1;
    for (int i = 0; i < 3; i++) free(got[i].map);
}

/* Opens contexts for each kind, because a refused one stays refused. */
static void try_view(const struct what *what, const struct pair *pair, const char *name)
{
    ssimcu_context *context[3] = {NULL, NULL, NULL};
    ssimcu_message why = {{0}};
    for (int i = 0; i < 3; i++) {
        const ssimcu_settings settings = SSIMCU_INIT(
            settings, .device = i == 1 ? SSIMCU_DEVICE_CPU : SSIMCU_DEVICE_CUDA, .threads = 4,
            .metrics = what->metrics, .transfer = what->transfer, .color = what->color);
        REQUIRE(ssimcu_open(&settings, &context[i], &why) == SSIMCU_OK, "%s", why.text);
    }
    try_kind(context, what, pair, name);
    for (int i = 0; i < 3; i++) ssimcu_close(&context[i]);
}

/* Makes a view of random samples. */
static ssimcu_view make_view(uint32_t width, uint32_t height, uint32_t channels, ssimcu_type type,
                             uint32_t seed)
{
    const size_t samples = (size_t)width * height * channels;
    void *data = malloc(samples * sample_bytes(type));
    REQUIRE(data, "no memory");
    fill(data, samples, type, seed);
    return SSIMCU_INIT(view, .width = width, .height = height, .channels = channels, .type = type,
                       .data = {data});
}

/* Tries all outputs of a pair, then frees it. */
static void try_pair(struct pair *pair, const char *name)
{
    const int is_large = pair->view[0][0].width == SIZES[LARGE][0];
    for (int w = 0; w < WHAT_COUNT; w++) {
        const struct what *what = &WHATS[w];
        char full[128];
        if (pair->planes > 1 && (what->map || what->tiles || what->transfer)) continue;
        if (is_large && what->metrics != ALL_METRICS) continue;
        snprintf(full, sizeof full, "%s, %s", what->name, name);
        try_view(what, pair, full);
    }
    for (int i = 0; i < 2; i++)
        for (uint32_t p = 0; p < pair->planes; p++) free((void *)pair->view[i][p].data[0]);
}

/* Floats that are linear have a curve, and others any value. */
static void try_pixels(const uint32_t size[2], ssimcu_type type, uint32_t channels, int planar,
                       int linear)
{
    struct pair pair = {.planes = 1};
    char name[96];
    for (uint32_t i = 0; i < 2; i++) {
        ssimcu_view *view = pair.view[i];
        *view = make_view(size[0], size[1], channels, type, i * 77);
        view->layout = planar ? SSIMCU_LAYOUT_CHW : SSIMCU_LAYOUT_HWC;
        view->linear = linear;
    }
    snprintf(name, sizeof name, "type %d%s, %u channels, %s, %ux%u", (int)type,
             linear ? ", linear" : "", channels, planar ? "CHW" : "HWC", size[0], size[1]);
    try_pair(&pair, name);
}

/* 4:2:0 */
static void try_video(const uint32_t size[2], ssimcu_type type)
{
    struct pair pair = {.planes = 3};
    char name[96];
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t p = 0; p < 3; p++) {
            ssimcu_view *view = &pair.view[i][p];
            *view = make_view((size[0] + (p > 0)) >> (p > 0), (size[1] + (p > 0)) >> (p > 0), 1,
                              type, i * 77 + p);
            view->yuv = (ssimcu_yuv){.red = 0.2126, .blue = 0.0722, .limited = 1};
        }
    snprintf(name, sizeof name, "type %d, video, %ux%u", (int)type, size[0], size[1]);
    try_pair(&pair, name);
}

static void try_size(const uint32_t size[2])
{
    const int is_large = size == SIZES[LARGE];
    const uint32_t first = is_large ? 3 : 1, last = is_large ? 3 : 4; /* channels */
    for (size_t t = 0; t < sizeof TYPES / sizeof TYPES[0]; t++) {
        if (TYPES[t] <= SSIMCU_TYPE_U16) try_video(size, TYPES[t]);
        for (uint32_t channels = first; channels <= last; channels++)
            for (int planar = 0; planar < 2; planar++)
                for (int linear = 0; linear <= (TYPES[t] >= SSIMCU_TYPE_F16); linear++)
                    try_pixels(size, TYPES[t], channels, planar, linear);
    }
}

/* The first comparison without the proof finds its kernels loaded: the proof loaded them. */
static void print_times(int w)
{
    const int count = timed[w];
    if (count == 0) return;
    for (int i = 0; i < 2; i++) qsort(first_ms[i][w], (size_t)count, sizeof(double), by_size);
    printf("%-8s ms of a first comparison: median %.2f, with the proof %.2f; most %.2f, %.2f\n",
           WHATS[w].name, first_ms[1][w][count / 2], first_ms[0][w][count / 2],
           first_ms[1][w][count - 1], first_ms[0][w][count - 1]);
}

int main(int argc, char **argv)
{
    const int faulty = argc > 1 && strcmp(argv[1], "faulty") == 0;
    uint32_t gpus = 0;
    ssimcu_message why = {{0}};
    if (ssimcu_device_count(SSIMCU_DEVICE_CUDA, &gpus, &why) != SSIMCU_OK) {
        REQUIRE(!is_required("cuda"), "cuda is required (SSIMCU_REQUIRE): %s", why.text);
        printf("[SKIP] prove_kinds::all %s\n", why.text);
        return 77;
    }
    for (int i = 0; i < SIZE_COUNT; i++) try_size(SIZES[i]);
    const int passed = wrong == 0 && (faulty ? refused > 0 : refused == 0);
    printf("[%s] prove_kinds: %d kinds right, %d refused, %d wrong\n", passed ? "PASS" : "FAIL",
           right, refused, wrong);
    for (int w = 0; w < WHAT_COUNT; w++) print_times(w);
    return !passed;
}
