/* bench_ssim_cpu REF OUT [RUNS] | --check: times SSIM alone on the CPU, with decoded pixels in
 * memory, as Markdown tables. It covers every instruction set on one thread and on all, beside the
 * peak of multiply-adds of the cores. Scores per tile, the map and other formats of the same pair
 * have rows of their own. Scores, tiles and maps are first checked against the double reference.
 * All measurements of a run follow each other, so that a busy machine disturbs all of them. A 4K
 * RGB pair is 50 MB, more than the caches hold.
 *
 * bench_ssim_cpu decode REF OUT: decodes both files on two threads and ends. A program that scores
 * them cannot be faster. */
#define _POSIX_C_SOURCE 200809L

#include "api/context.h"
#include "common/checks.h"
#include "common/common.h"
#include "ssim_reference.h"
#include "ssimcu.h"
#include "ssimcu_io.h"
#include "threads.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RUNS = 1000, MAX_ROWS = 32, LEVELS = SSIMCU_CPU_NEON + 1, TILE = 64 };
static const double MULTIPLY_ADDS = 88; /* per sample: four blurs, two directions, eleven taps */

struct file {
    const char *path;
    ssimcu_frame frame;
};

static void *read_file(void *argument)
{
    struct file *file = argument;
    ssimcu_message message = {{0}};
    stop_unless(ssimcu_image_read(file->path, NULL, &file->frame, &message), &message);
    return NULL;
}

static void read_pair(struct file pair[2])
{
    pthread_t other;
    if (pthread_create(&other, NULL, read_file, &pair[1]) != 0) exit(1);
    read_file(&pair[0]);
    pthread_join(other, NULL);
}

/* Turns of a loop with ten independent sums of eight floats, 80 multiply-adds a turn, as AVX2 does
 * them. Ten sums keep two units of latency 4 busy. */
enum { PEAK_TURNS = 2000000 };
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void multiply_add(void *arg, size_t task)
{
    (void)arg, (void)task;
    typedef float eight __attribute__((vector_size(32)));
    eight a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0}, i = {0}, j = {0};
    const eight x = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f};
#    define FMA(sum) "vfmadd213ps %10, %10, " sum "\n"
    for (int turn = 0; turn < PEAK_TURNS; turn++)
        __asm__ volatile(FMA("%0") FMA("%1") FMA("%2") FMA("%3") FMA("%4") FMA("%5") FMA("%6")
                             FMA("%7") FMA("%8") FMA("%9")
                         : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f), "+x"(g), "+x"(h),
                           "+x"(i), "+x"(j)
                         : "x"(x));
}
static int has_peak(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
static void multiply_add(void *arg, size_t task) { (void)arg, (void)task; }
static int has_peak(void) { return 0; }
#endif

/* Returns the same picture in another format. */
static ssimcu_frame convert(const ssimcu_frame *from, uint32_t channels, uint32_t bits,
                            uint32_t alpha)
{
    ssimcu_message message = {{0}};
    ssimcu_frame to = {
        .width = from->width, .height = from->height, .channels = channels, .bits = bits};
    stop_unless(ssimcu_frame_alloc(&to, &message), &message);
    for (uint32_t y = 0; y < to.height; y++)
        for (size_t x = 0; x < to.width; x++)
            for (uint32_t c = 0; c < channels; c++) {
                const uint8_t *pixel = (const uint8_t *)from->data + y * from->pitch + x * 3;
                const uint32_t value = c < 3 ? pixel[channels == 1 ? 1 : c] : alpha;
                char *row = (char *)to.data + y * to.pitch;
                if (bits == 8)
                    ((uint8_t *)row)[x * channels + c] = (uint8_t)value;
                else
                    ((uint16_t *)row)[x * channels + c] = (uint16_t)(value * 257);
            }
    return to;
}

/* One line of a table: a pair, scored by a context. */
struct row {
    const char *name;
    uint32_t threads;
    ssimcu_context *context;
    ssimcu_view ref, out;
    ssimcu_map map;     /* data: NULL without a map */
    ssimcu_tiles tiles; /* data: NULL without tiles */
    double score, ms[MAX_RUNS];
};

static double score(struct row *row)
{
    ssimcu_message message = {{0}};
    ssimcu_score score = {.struct_size = sizeof score};
    stop_unless(ssimcu_compare_views(row->context, &row->ref, &row->out, &score,
                                     row->map.data ? &row->map : NULL,
                                     row->tiles.data ? &row->tiles : NULL, &message),
                &message);
    return score.score;
}

/* Rows of a table. First come those that score the pair as it is, each followed by one with scores
 * per tile. Then come those with its map, then other formats. */
struct table {
    struct row rows[MAX_ROWS];
    int same, mapped, count;  /* index at which each of the three parts ends */
    double peak[2][MAX_RUNS]; /* G multiply-adds/s on one thread, on all */
};

/* Adds a row and returns true, or returns false if the CPU lacks the level. */
static bool add_level(struct table *table, const char *name, enum ssimcu_cpu_level level,
                      ssimcu_settings settings, const ssimcu_frame *ref, const ssimcu_frame *out)
{
    struct row *row = &table->rows[table->count];
    ssimcu_message message = {{0}};
    settings.struct_size = sizeof settings;
    settings.device = SSIMCU_DEVICE_CPU;
    if (ssimcu_open_level(&settings, level, &row->context, NULL) != SSIMCU_OK) return false;
    row->name = name;
    row->threads = settings.threads;
    row->ref = SSIMCU_INIT(view);
    row->out = SSIMCU_INIT(view);
    stop_unless(ssimcu_frame_view(ref, &row->ref, &message), &message);
    stop_unless(ssimcu_frame_view(out, &row->out, &message), &message);
    row->score = score(row);
    table->count++;
    return true;
}

static void add_row(struct table *table, const char *name, ssimcu_settings settings,
                    const ssimcu_frame *ref, const ssimcu_frame *out)
{
    (void)add_level(table, name, SSIMCU_CPU_BEST, settings, ref, out);
}

/* Adds the last row once more, with scores per tile. */
static void add_tiles_row(struct table *table)
{
    ssimcu_message message = {{0}};
    struct row *row = &table->rows[table->count++];
    *row = row[-1];
    row->tiles = SSIMCU_INIT(tiles);
    row->tiles.width = row->tiles.height = TILE;
    stop_unless(
        ssimcu_views_layout(row->context, &row->ref, &row->out, NULL, &row->tiles, &message),
        &message);
    row->tiles.data = malloc((size_t)row->tiles.columns * row->tiles.rows * sizeof(double));
    if (!row->tiles.data) exit(1);
    row->score = score(row);
}

/* Adds the last row once more, with features beside the tiles' scores. */
static void add_features_row(struct table *table)
{
    struct row *row = &table->rows[table->count++];
    *row = row[-1];
    const size_t numbers = (size_t)row->tiles.columns * row->tiles.rows * 3;
    row->tiles.feature[0] = malloc(SSIMCU_FEATURES * numbers * sizeof(double));
    if (!row->tiles.feature[0]) exit(1);
    for (int f = 1; f < SSIMCU_FEATURES; f++)
        row->tiles.feature[f] = row->tiles.feature[0] + f * numbers;
    row->score = score(row);
}

/* Adds the pair as it is, with its map. */
static void add_map_row(struct table *table, ssimcu_settings settings, const ssimcu_frame *ref,
                        const ssimcu_frame *out)
{
    ssimcu_message message = {{0}};
    struct row *row = &table->rows[table->count];
    add_row(table, "best, with its map", settings, ref, out);
    row->map.struct_size = sizeof row->map;
    stop_unless(ssimcu_views_layout(row->context, &row->ref, &row->out, &row->map, NULL, &message),
                &message);
    row->map.data = malloc((size_t)row->map.width * row->map.height * 3 * sizeof(float));
    if (!row->map.data) exit(1);
    row->score = score(row);
}

/* Returns the largest error of the row's map; 0 without one. */
static double map_error(const struct row *row, const ssimcu_map *expected)
{
    double worst = 0;
    for (size_t i = 0; row->map.data && i < (size_t)row->map.width * row->map.height * 3; i++)
        worst = fmax(worst, fabs((double)row->map.data[i] - (double)expected->data[i]));
    return worst;
}

/* Returns the largest error of the row's tiles; 0 without any. */
static double tiles_error(const struct row *row, const ssimcu_map *expected)
{
    const size_t count = row->tiles.data ? (size_t)row->tiles.columns * row->tiles.rows : 0;
    double *mean = malloc(2 * count * sizeof *mean), worst = 0;
    if (!count || !mean) return 0;
    reference_tiles(expected, &row->tiles, mean, mean + count);
    for (size_t i = 0; i < count; i++) worst = fmax(worst, fabs(row->tiles.data[i] - mean[i]));
    free(mean);
    return worst;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

/* Returns the mean SSIM of an RGB pair by the double reference, with its map and the time. */
static double reference(const ssimcu_frame *ref, const ssimcu_frame *out, ssimcu_map *map,
                        double *ms)
{
    *map = (ssimcu_map){
        .width = ref->width - 10, .height = ref->height - 10, .channels = 3, .border = 5};
    map->data = malloc((size_t)map->width * map->height * 3 * sizeof *map->data);
    double score;
    const double start = now_ms();
    if (!map->data || reference_score(ref, out, 0, &score, map->data)) exit(1);
    *ms = now_ms() - start;
    return score;
}

/* Adds the pair as it is: every level, without and with scores per tile. Then it adds the best
 * level with its map, on all threads and on one. */
static void add_pair(struct table *table, uint32_t all, const ssimcu_frame *ref,
                     const ssimcu_frame *out)
{
    static const char *const levels[] = {"best", "plain C", "AVX2", "AVX-512", "NEON"};
    for (int level = SSIMCU_CPU_BEST; level < LEVELS; level++)
        for (uint32_t threads = all; threads > 0; threads = threads == all && all > 1 ? 1 : 0)
            if (add_level(table, levels[level], (enum ssimcu_cpu_level)level,
                          (ssimcu_settings){.threads = threads}, ref, out)) {
                add_tiles_row(table);
                if (level == SSIMCU_CPU_BEST) add_features_row(table);
            }
    table->same = table->count;
    for (uint32_t threads = all; threads > 0; threads = threads == all && all > 1 ? 1 : 0)
        add_map_row(table, (ssimcu_settings){.threads = threads}, ref, out);
    table->mapped = table->count;
}

/* Adds other formats. Their frames are never freed, because the rows view them. */
static void add_formats(struct table *table, uint32_t all, const ssimcu_frame *ref,
                        const ssimcu_frame *out)
{
    const ssimcu_settings full = {.threads = all},
                          luma = {.threads = all, .color = SSIMCU_COLOR_Y709},
                          zero = {.threads = all, .pad = SSIMCU_PAD_ZERO};
    const ssimcu_frame grey[2] = {convert(ref, 1, 8, 0), convert(out, 1, 8, 0)};
    const ssimcu_frame wide[2] = {convert(ref, 3, 16, 0), convert(out, 3, 16, 0)};
    const ssimcu_frame rgba[2] = {convert(ref, 4, 8, 255), convert(out, 4, 8, 255)};
    const ssimcu_frame half[2] = {convert(ref, 4, 8, 128), convert(out, 4, 8, 128)};
    add_row(table, "RGB 8 bits, zero padding", zero, ref, out);
    add_row(table, "RGB 8 bits, luma", luma, ref, out);
    add_row(table, "grey 8 bits", full, &grey[0], &grey[1]);
    add_tiles_row(table);
    add_row(table, "RGB 16 bits", full, &wide[0], &wide[1]);
    add_row(table, "RGB 16 bits, luma", luma, &wide[0], &wide[1]);
    add_row(table, "RGBA 8 bits, opaque", full, &rgba[0], &rgba[1]);
    add_row(table, "RGBA 8 bits, over black and over white", full, &half[0], &half[1]);
}

/* Whether a row of the pair as it is has the score, the map and the tiles that it should have. */
static bool is_right(const struct row *row, double expected, const ssimcu_map *expected_map)
{
    static const double LIMIT = 1e-7;
    return fabs(row->score - expected) <= LIMIT && map_error(row, expected_map) <= LIMIT &&
           tiles_error(row, expected_map) <= LIMIT;
}

/* Returns the largest error of a map. Ends the program if a row is wrong. */
static double check_rows(const struct table *table, double expected, const ssimcu_map *expected_map)
{
    double worst = 0;
    for (int i = 0; i < table->mapped; i++) {
        const struct row *row = &table->rows[i];
        worst = fmax(worst, map_error(row, expected_map));
        if (is_right(row, expected, expected_map)) continue;
        fprintf(stderr, "bench_ssim_cpu: %s: wrong score, tiles or map, nothing timed\n",
                row->name);
        exit(1);
    }
    return worst;
}

static void measure(struct table *table, uint32_t all, int runs)
{
    struct ssimcu_threads *pool = ssimcu_threads_create(all);
    for (int run = 0; run < runs; run++) {
        for (uint32_t k = 0; k < 2; k++) {
            const double start = now_ms(), tasks = k ? all : 1;
            ssimcu_threads_run(k ? pool : NULL, (size_t)tasks, multiply_add, NULL);
            table->peak[k][run] = tasks * PEAK_TURNS * 80.0 / (now_ms() - start) * 1e-6;
        }
        for (int i = 0; i < table->count; i++) {
            const double start = now_ms();
            (void)score(&table->rows[i]);
            table->rows[i].ms[run] = now_ms() - start;
        }
    }
}

static const char *extras_of(const struct row *row)
{
    if (!row->tiles.data) return "";
    return row->tiles.feature[0] ? ", with tiles and their features" : ", with tiles";
}

/* Prints the times with tiles over those of the row before, without, and likewise with their
 * features: the median of the runs' ratios. */
static void print_ratios(const struct table *table, int runs)
{
    for (int i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        double ratio[MAX_RUNS];
        if (!row->tiles.data) continue;
        for (int run = 0; run < runs; run++) ratio[run] = row->ms[run] / row[-1].ms[run];
        printf("%s, %u thread%s%s of %dx%d: %.3f times as long as without\n\n", row->name,
               row->threads, row->threads == 1 ? "" : "s", extras_of(row), TILE, TILE,
               median(ratio, runs));
    }
}

static void print_rows(struct table *table, uint32_t all, double samples, int runs)
{
    const double peak_one = median(table->peak[0], runs), peak_all = median(table->peak[1], runs);
    if (has_peak())
        printf("AVX2 multiply-adds: %.1f G/s on 1 thread, %.1f G/s on %u\n\n", peak_one, peak_all,
               all);
    printf("| SSIM alone | threads | median ms | min | max | of the AVX2 peak |\n"
           "|---|---|---|---|---|---|\n");
    for (int i = 0; i < table->count; i++) {
        struct row *row = &table->rows[i];
        const double ms = median(row->ms, runs);
        const double rate = MULTIPLY_ADDS * samples / ms * 1e-6;
        char share[16] = "";
        if (i < table->same && has_peak())
            snprintf(share, sizeof share, "%.0f %%",
                     100 * rate / (row->threads == 1 ? peak_one : peak_all));
        printf("| %s%s | %u | %.2f | %.2f | %.2f | %s |\n", row->name, extras_of(row), row->threads,
               ms, row->ms[0], row->ms[runs - 1], share);
    }
}

/* ---- Check ----------------------------------------------------------------------------------- */

static void free_table(struct table *table)
{
    for (int i = 0; i < table->count; i++) {
        struct row *row = &table->rows[i];
        const bool is_own = row->map.data || !row->tiles.data; /* others share the row before */
        free(row->map.data);
        free(row->tiles.feature[0]);
        if (row->tiles.data && !row->tiles.feature[0]) free(row->tiles.data);
        if (is_own) ssimcu_close(&row->context);
    }
}

/* Every row of small and ragged pairs as they are. */
static int check(void)
{
    static struct table table;
    for (int i = 0; i < CHECK_SIZES; i++) {
        const uint32_t width = check_sizes[i].width, height = check_sizes[i].height;
        ssimcu_frame ref = check_frame(width, height, 3, 8, 0),
                     out = check_frame(width, height, 3, 8, 1);
        ssimcu_map map;
        double ms;
        const double expected = reference(&ref, &out, &map, &ms);
        memset(&table, 0, sizeof table);
        add_pair(&table, ssimcu_cpu_threads(), &ref, &out);
        for (int k = 0; k < table.mapped; k++)
            check_that(is_right(&table.rows[k], expected, &map), "%ux%u, %s, %u threads%s", width,
                       height, table.rows[k].name, table.rows[k].threads,
                       extras_of(&table.rows[k]));
        free_table(&table);
        free(map.data);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
    return check_end();
}

static bool is_rgb8(const ssimcu_frame *frame) { return frame->channels == 3 && frame->bits == 8; }

int main(int argc, char **argv)
{
    if (check_asked(argc, argv)) return check();
    static struct table table;
    const int decode = argc == 4 && strcmp(argv[1], "decode") == 0;
    const int runs = !decode && argc > 3 ? atoi(argv[3]) : 21;
    if (argc < 3 || runs < 1 || runs > MAX_RUNS) {
        fprintf(stderr, "usage: bench_ssim_cpu REF OUT [RUNS] | decode REF OUT | --check\n");
        return 2;
    }
    struct file pair[2] = {{.path = argv[1 + decode]}, {.path = argv[2 + decode]}};
    read_pair(pair);
    if (decode) return 0;
    const ssimcu_frame *ref = &pair[0].frame, *out = &pair[1].frame;
    if (!is_rgb8(ref) || !is_rgb8(out)) {
        fprintf(stderr, "bench_ssim_cpu: expected 8-bit RGB\n");
        return 2;
    }
    const uint32_t all = ssimcu_cpu_threads();
    double reference_ms;
    ssimcu_map expected_map;
    const double expected = reference(ref, out, &expected_map, &reference_ms);
    add_pair(&table, all, ref, out);
    add_formats(&table, all, ref, out);
    const double worst = check_rows(&table, expected, &expected_map);
    free(expected_map.data);
    measure(&table, all, runs);
    printf("%ux%u, score %.9f; double reference %.9f in %.0f ms, maps at most %.1e apart; %d "
           "runs\n\n",
           ref->width, ref->height, table.rows[0].score, expected, reference_ms, worst, runs);
    print_ratios(&table, runs);
    print_rows(&table, all, 3.0 * ref->width * ref->height, runs);
    return 0;
}
