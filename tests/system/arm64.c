/* 64-bit ARM's own code, NEON, against plain C, in a plain program. It checks scores and maps of
 * random pairs of any size, and PNG's filters undone. arm64.sh builds and runs it. */
#include "api/context.h"
#include "image/png/unfilter.h"
#include "ssimcu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Scores of a few windows differ by up to 2.3e-7 between levels; see ssimcu.h. */
static const double SCORES = 4e-7, MAPS = 4e-7;
enum { PAIRS = 300, FILTERED = 3000, MOST_ROWS = 20, MOST_PIXELS = 70 };

static uint32_t state = 1;

/* Draws a number from low to high, both included. */
static uint32_t draw(uint32_t low, uint32_t high)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return low + state % (high - low + 1);
}

static void quit(const char *what, int number)
{
    printf("[FAIL] arm64: %s, case %d\n", what, number);
    exit(1);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

static ssimcu_context *open_level(enum ssimcu_cpu_level level, ssimcu_pad pad)
{
    const ssimcu_settings settings = {
        .struct_size = sizeof settings, .device = SSIMCU_DEVICE_CPU, .pad = pad, .threads = 1};
    ssimcu_context *context = NULL;
    ssimcu_message why = {{0}};
    if (ssimcu_open_level(&settings, level, &context, &why) != SSIMCU_OK)
        quit(why.text, (int)level);
    return context;
}

/* Makes random samples, and the same with noise. */
static void fill(ssimcu_frame frame[2])
{
    const uint32_t noise = 1u << draw(0, frame[0].bits);
    for (size_t i = 0; i < frame[0].pitch / (frame[0].bits / 8) * frame[0].height; i++) {
        const uint32_t peak = (1u << frame[0].bits) - 1, a = draw(0, peak), add = draw(0, noise);
        const uint32_t b = a + add > peak ? peak : a + add;
        if (frame[0].bits == 8)
            ((uint8_t *)frame[0].data)[i] = (uint8_t)a, ((uint8_t *)frame[1].data)[i] = (uint8_t)b;
        else
            ((uint16_t *)frame[0].data)[i] = (uint16_t)a,
                       ((uint16_t *)frame[1].data)[i] = (uint16_t)b;
    }
}

static double compare(ssimcu_context *context, const ssimcu_frame frame[2], ssimcu_map *map, int n)
{
    ssimcu_view view[2] = {{.struct_size = sizeof *view}, {.struct_size = sizeof *view}};
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    *map = (ssimcu_map){.struct_size = sizeof *map};
    for (int s = 0; s < 2; s++)
        if (ssimcu_frame_view(&frame[s], &view[s], &why) != SSIMCU_OK) quit(why.text, n);
    if (ssimcu_views_layout(context, &view[0], &view[1], map, NULL, &why) != SSIMCU_OK)
        quit(why.text, n);
    map->data = malloc((size_t)map->width * map->height * map->channels * sizeof *map->data);
    if (!map->data ||
        ssimcu_compare_views(context, &view[0], &view[1], &score, map, NULL, &why) != SSIMCU_OK)
        quit(why.text, n);
    return score.score;
}

/* Returns the largest difference between the two levels. */
static double compare_pair(ssimcu_context *const level[2], int n)
{
    const uint32_t width = draw(11, n % 20 ? 140 : 500), height = draw(11, 60);
    const uint32_t channels = n % 3 ? 3 : 1, bits = n % 2 ? 8 : 16;
    const size_t pitch = (size_t)width * channels * bits / 8;
    ssimcu_frame frame[2];
    for (int s = 0; s < 2; s++)
        frame[s] = (ssimcu_frame){width, height, channels, bits, pitch, malloc(pitch * height), 0};
    if (!frame[0].data || !frame[1].data) quit("out of memory", n);
    fill(frame);
    ssimcu_map map[2];
    double score[2], apart = 0;
    for (int l = 0; l < 2; l++) score[l] = compare(level[l], frame, &map[l], n);
    for (size_t i = 0; i < (size_t)map[0].width * map[0].height * map[0].channels; i++)
        apart = fmax(apart, fabs((double)map[0].data[i] - (double)map[1].data[i]));
    if (!(apart <= MAPS)) quit("the maps differ", n);
    apart = fmax(apart, fabs(score[0] - score[1]));
    if (!(fabs(score[0] - score[1]) <= SCORES)) quit("the scores differ", n);
    for (int s = 0; s < 2; s++) free(frame[s].data), free(map[s].data);
    return apart;
}

static double compare_pairs(void)
{
    double apart = 0;
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
        ssimcu_context *level[2] = {open_level(SSIMCU_CPU_NEON, (ssimcu_pad)pad),
                                    open_level(SSIMCU_CPU_PLAIN, (ssimcu_pad)pad)};
        for (int n = 0; n < PAIRS / 2; n++) apart = fmax(apart, compare_pair(level, n));
        for (int l = 0; l < 2; l++) ssimcu_close(&level[l]);
    }
    return apart;
}

/* ---- Filters --------------------------------------------------------------------------------- */

static void unfilter_rows(int n)
{
    static const uint32_t pixels[] = {1, 2, 3, 4, 6, 8};
    static uint8_t raw[MOST_ROWS * (MOST_PIXELS * 8 + 1)], to[2][MOST_ROWS * MOST_PIXELS * 8],
        above[MOST_PIXELS * 8];
    const uint32_t rows = draw(1, MOST_ROWS), pixel = pixels[n % 6];
    const size_t row_bytes = draw(1, MOST_PIXELS) * pixel;
    for (size_t i = 0; i < rows * (row_bytes + 1); i++)
        raw[i] = (uint8_t)(i % (row_bytes + 1) ? draw(0, 255) : draw(NO_FILTER, PAETH));
    for (int l = 0; l < 2; l++) {
        memset(to[l], 0xA5, sizeof to[l]);
        const struct ssimcu_filtered_rows filtered = {.raw = raw,
                                                      .to = to[l],
                                                      .pitch = row_bytes,
                                                      .above = above,
                                                      .row_bytes = row_bytes,
                                                      .pixel_bytes = pixel};
        if (!ssimcu_unfilter(&ssimcu_unfilter_levels[l], filtered, rows))
            quit("a filter is refused", n);
    }
    if (memcmp(to[0], to[1], sizeof to[0]) != 0) quit("the rows differ", n);
}

int main(void)
{
    if (strcmp(ssimcu_unfilter_levels[0].name, "NEON") != 0) quit("no NEON for filters", 0);
    const double apart = compare_pairs();
    for (int n = 0; n < FILTERED; n++) unfilter_rows(n);
    printf("[PASS] arm64: %d pairs, %g apart at most; %d pictures unfiltered alike\n", PAIRS, apart,
           FILTERED);
    return 0;
}
