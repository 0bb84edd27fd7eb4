#include "detect/frame/frame_stats.h"

#include "detect/frame/codes.h"
#include "detect/frame/flat_areas.h"
#include "detect/frame/pass.h"

#include "base/refuse.h"

#include "sample_size.h"

#include <stdlib.h>
#include <string.h>

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Takes a row of codes in pieces, while the next row is fetched from memory. */
static void take_row(struct pass *pass, uint32_t y)
{
    enum { PIXELS = 256, LINE = 64 /* bytes of a cache line */ };
    const ssimcu_frame *frame = pass->frame;
    const size_t bytes = frame->channels * ssimcu_sample_size(frame->bits);
    const char *next = codes_samples(frame, y + 1 < frame->height ? y + 1 : y);
    bool count = false;
    for (uint32_t x = 0; x < frame->width; x += PIXELS) {
        const uint32_t pixels = frame->width - x < PIXELS ? frame->width - x : PIXELS;
        for (size_t i = 0; i < pixels * bytes; i += LINE)
            __builtin_prefetch(next + x * bytes + i, 0, 2);
        count |= codes_take(pass->loops, frame, x, y, pixels,
                            codes_at(pass, y) + (size_t)x * frame->channels);
    }
    if (count) codes_count(frame, y, pass->stats);
}

/* Takes rows of codes up to the one below a strip. */
static void take_rows(struct pass *pass, uint32_t y)
{
    const uint32_t height = pass->frame->height,
                   end = height - y > STATS_CELL ? y + STATS_CELL + 1 : height;
    for (; pass->taken < end; pass->taken++) take_row(pass, pass->taken);
}

/* Add rows of a strip. Write the sum of the steps along each row, in codes. */
static void add_bytes(struct pass *pass, uint32_t top, uint32_t bottom, uint64_t *steps)
{
    for (uint32_t y = top; y < bottom; y++) {
        const uint32_t above = y > 0 ? y - 1 : y, below = y + 1 < pass->frame->height ? y + 1 : y;
        const uint8_t *now = codes_samples(pass->frame, y), *up = codes_samples(pass->frame, above),
                      *next = codes_samples(pass->frame, below);
        steps[y - top] = pass->loops->row_bytes(now, up, next, pass->count, pass->frame->channels,
                                                pass->most, pass->sum)
                         << CODES_OF_BYTE;
    }
}
static void add_codes(struct pass *pass, uint32_t top, uint32_t bottom, uint64_t *steps)
{
    memset(steps, 0, (bottom - top) * sizeof *steps);
    for (size_t begin = 0; begin < pass->count; begin += LOOPS_PART) {
        const size_t end = begin + LOOPS_PART < pass->count ? begin + LOOPS_PART : pass->count;
        for (uint32_t y = top; y < bottom; y++)
            steps[y - top] +=
                pass->loops->row_codes(codes_at(pass, y), codes_at(pass, y > 0 ? y - 1 : y), begin,
                                       end, pass->frame->channels, pass->most, pass->sum);
    }
}

/* Adds four rows of a strip, or the rest, and takes their patches. */
static void add_rows(struct pass *pass, uint32_t top, uint32_t bottom, uint64_t *steps)
{
    const size_t channels = pass->frame->channels;
    if (pass->bytes)
        add_bytes(pass, top, bottom, steps);
    else
        add_codes(pass, top, bottom, steps);
    if (top / PATCH >= pass->stats->patches.down) return;
    if (pass->bytes)
        pass->loops->patches_bytes(pass->most, pass->count, channels, pass->patch);
    else
        pass->loops->patches_codes(pass->most, pass->count, channels, pass->patch);
    patches_take(&pass->stats->patches, pass->loops, pass->frame, top / PATCH, pass->patch,
                 &pass->rows);
}

/* Examines alpha, the last channel, as long as it is all empty or all full. A word holds whole
 * pixels, as a vector does. */
static void look_at_alpha(struct pass *pass, uint32_t y)
{
    const size_t size = pass->bytes ? 1 : sizeof(int16_t), pixel = size * pass->frame->channels,
                 bytes = pixel * pass->frame->width;
    if (pass->frame->channels % 2 || pass->alpha_differs) return;
    const char *row = pass->bytes ? codes_samples(pass->frame, y) : (const void *)codes_at(pass, y);
    const void *first = pass->bytes ? (const char *)codes_samples(pass->frame, 0) + pixel - 1
                                    : (const void *)&pass->first[pass->frame->channels - 1];
    uint64_t want = 0, mask = 0, word, differs = 0;
    for (size_t i = pixel; i <= sizeof want; i += pixel) {
        memcpy((char *)&want + i - size, first, size);
        memset((char *)&mask + i - size, 0xff, size);
    }
    size_t at = 0;
    for (; at + sizeof word <= bytes; at += sizeof word) {
        memcpy(&word, row + at, sizeof word);
        differs |= (word ^ want) & mask;
    }
    word = want;
    memcpy(&word, row + at, bytes - at);
    pass->alpha_differs = ((differs | (word ^ want)) & mask) != 0;
}

/* Evaluates a row and the sum of its steps. */
static void end_row(struct pass *pass, uint32_t y, uint64_t steps)
{
    struct frame_stats *stats = pass->stats;
    int16_t pixel[4];
    codes_row(pass->frame, 0, y, 1, pixel);
    if (y == 0) memcpy(pass->first, pixel, sizeof pixel);
    look_at_alpha(pass, y);
    const double rough = 64 * (double)steps / (double)pass->count / stats->level;
    stats->rough[y] =
        rough >= UINT16_MAX ? UINT16_MAX : (uint16_t)(rough + (steps > 0 ? 0.999 : 0));
    for (uint32_t c = 0; c < pass->frame->channels && stats->flat; c++)
        stats->flat = (steps == 0 || stats->tolerance > 0) &&
                      abs(pixel[c] - pass->first[c]) <= stats->tolerance;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Makes cells of the columns, in codes. */
static void make_cells(struct pass *pass)
{
    const size_t channels = pass->frame->channels;
    if (!pass->bytes) {
        pass->loops->cells_codes(pass->most, pass->sum, pass->cells, channels, pass->cell_most,
                                 pass->cell_sum);
        return;
    }
    pass->loops->cells_bytes(pass->most, pass->sum, pass->cells, channels, pass->cell_most,
                             pass->cell_sum);
    for (uint32_t c = 0; c < pass->cells; c++) {
        pass->cell_most[c] = (int16_t)(pass->cell_most[c] << CODES_OF_BYTE);
        pass->cell_sum[c] <<= CODES_OF_BYTE - 3; /* eighths */
    }
}

/* Returns the mean of a cell's samples from their sum in eighths. */
static int16_t mean_of(int32_t sum, uint32_t channels)
{
    switch (channels) { /* compilers replace divisions by constants */
    case 1: return (int16_t)(sum / STATS_CELL);
    case 2: return (int16_t)(sum / (2 * STATS_CELL));
    case 3: return (int16_t)(sum / (3 * STATS_CELL));
    default: return (int16_t)(sum / (4 * STATS_CELL));
    }
}

/* Writes the cells of eight rows. */
static void write_cells(const struct pass *pass, uint32_t down)
{
    const struct frame_stats *stats = pass->stats;
    const double level = stats->level;
    const uint32_t channels = pass->frame->channels;
    int16_t *mean = stats->mean + (size_t)down * stats->across;
    uint8_t *steps = stats->step + (size_t)down * stats->across;
    for (uint32_t c = 0; c < stats->across; c++) {
        const int32_t most = pass->cell_most[c];
        const double step = 8 * most / level, up = step + (most > 0 ? 0.999 : 0);
        mean[c] = mean_of(pass->cell_sum[c], channels);
        steps[c] = (uint8_t)(int)(step >= 255 ? 255 : up);
    }
}

/* Hashes the cells of eight rows. A difference anywhere in the kept rows changes the hash before it
 * becomes shorter. */
static void write_prints(const struct pass *pass, uint32_t down)
{
    const struct frame_stats *stats = pass->stats;
    const struct patches *patches = &stats->patches;
    const size_t row = pass->count * (pass->bytes ? 1 : sizeof(int16_t)),
                 cell = row / stats->width * STATS_CELL, first = (size_t)down * stats->across;
    const char *kept = (const char *)patches->row + 2 * down * row;
    for (size_t c = 0; c < stats->across; c++) {
        uint64_t hash = (uint16_t)stats->mean[first + c]; /* steps depend on the cells around */
        for (size_t r = 0; r < 2; r++)
            for (size_t i = 0; i < cell; i += sizeof hash) {
                uint64_t word;
                memcpy(&word, kept + r * row + c * cell + i, sizeof word);
                hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
            }
        stats->print[first + c] = (uint32_t)(hash >> 32);
    }
}

/* ---- The pass -------------------------------------------------------------------------------- */

static void add_strip(struct pass *pass, uint32_t y)
{
    const uint32_t height = pass->frame->height,
                   end = height - y > STATS_CELL ? y + STATS_CELL : height;
    const size_t columns = (size_t)pass->cells * STATS_CELL * pass->frame->channels;
    const size_t bytes = columns * (pass->bytes ? 1 : sizeof(int16_t));
    const uint32_t half = end - y > PATCH ? y + PATCH : end;
    uint64_t steps[STATS_CELL];
    memset(pass->most, 0, bytes);
    memset(pass->sum, 0, bytes);
    if (!pass->bytes) take_rows(pass, y);
    add_rows(pass, y, half, steps);
    if (half < end) {
        void *const upper = pass->upper;
        pass->upper = pass->most, pass->most = upper;
        memset(pass->most, 0, bytes);
        add_rows(pass, half, end, steps + PATCH);
        if (pass->bytes)
            pass->loops->join_bytes(pass->most, pass->upper, pass->count);
        else
            pass->loops->join_codes(pass->most, pass->upper, pass->count);
    }
    for (uint32_t i = y; i < end; i++) end_row(pass, i, steps[i - y]);
    make_cells(pass);
    if (end - y == STATS_CELL) {
        write_cells(pass, y / STATS_CELL);
        write_prints(pass, y / STATS_CELL);
    }
    if (pass->frame->width > 2 && height > 2) pass_look_at_pixels(pass, y, end);
}

static void conclude(const struct pass *pass)
{
    struct frame_stats *stats = pass->stats;
    const uint32_t channels = pass->frame->channels;
    if (channels % 2 == 0)
        stats->alpha = pass->alpha_differs              ? STATS_SOME
                       : pass->first[channels - 1] == 0 ? STATS_EMPTY
                                                        : STATS_FULL;
    stats->flat = stats->flat && (stats->tolerance > 0 ||
                                  patches_are_one(&stats->patches)); /* also of light near black */
    /* A frame with a tolerance is one colour if its cells are. */
    for (size_t i = 0;
         stats->tolerance > 0 && stats->flat && i < (size_t)stats->across * stats->down; i++)
        stats->flat =
            parts_is_flat(stats, i) && abs(stats->mean[i] - stats->mean[0]) <= stats->tolerance;
}

static ssimcu_status allocate(struct pass *pass, ssimcu_message *message)
{
    struct frame_stats *stats = pass->stats;
    const size_t cells = (size_t)stats->across * stats->down,
                 columns = (size_t)pass->cells * STATS_CELL * pass->frame->channels;
    stats->mean = calloc(cells + 1, sizeof *stats->mean);
    stats->step = calloc(cells + 1, sizeof *stats->step);
    stats->print = calloc(cells + 1, sizeof *stats->print);
    stats->rough = calloc(stats->height, sizeof *stats->rough);
    pass->most = malloc(columns * sizeof(int16_t));
    pass->upper = malloc(columns * sizeof(int16_t));
    pass->patch = calloc(columns + PATCH, 1);
    int16_t *rows = malloc(3 * columns * sizeof *rows);
    if (rows)
        pass->rows = (struct patches_rows){(uint16_t *)rows, rows + columns, rows + 2 * columns};
    pass->sum = malloc(columns * sizeof(int16_t));
    pass->cell_most = malloc(pass->cells * sizeof *pass->cell_most);
    pass->cell_sum = malloc(pass->cells * sizeof *pass->cell_sum);
    pass->piece = malloc(pass->cells * sizeof *pass->piece);
    pass->ring = malloc(pass->bytes ? 1 : RING * pass->count * sizeof *pass->ring);
    const bool good = stats->mean && stats->step && stats->print && stats->rough && pass->most &&
                      pass->sum && pass->cell_most && pass->cell_sum && pass->piece && pass->ring &&
                      pass->upper && pass->patch && pass->rows.sum &&
                      patches_open(&stats->patches, pass->frame, pass->spare);
    return good ? SSIMCU_OK : no_memory(message);
}

ssimcu_status frame_stats_scan_by(const struct detect_loops *loops, const ssimcu_frame *frame,
                                  uint32_t tolerance, struct patches *spare,
                                  struct frame_stats *stats, ssimcu_message *message)
{
    const double level = codes_level(frame->bits);
    *stats = (struct frame_stats){.width = frame->width,
                                  .height = frame->height,
                                  .channels = frame->channels,
                                  .bits = frame->bits,
                                  .level = level,
                                  .tolerance = (int)(tolerance * level),
                                  .flat = true,
                                  .across = frame->width / STATS_CELL,
                                  .down = frame->height / STATS_CELL};
    struct pass pass = {.frame = frame,
                        .stats = stats,
                        .spare = spare,
                        .loops = loops,
                        .bytes = frame->bits == 8,
                        .count = (size_t)frame->width * frame->channels,
                        .cells = (frame->width + STATS_CELL - 1) / STATS_CELL,
                        .stands = (int)(STANDS * level)};
    ssimcu_status status = allocate(&pass, message);
    for (uint32_t y = 0; y < frame->height && status == SSIMCU_OK; y += STATS_CELL)
        add_strip(&pass, y);
    if (status == SSIMCU_OK) conclude(&pass);
    free(pass.most), free(pass.sum), free(pass.cell_most), free(pass.cell_sum);
    free(pass.piece), free(pass.ring), free(pass.upper), free(pass.patch), free(pass.rows.sum);
    const bool coded = stats->tolerance > 0; /* else areas.c finds them, pixel by pixel */
    return status == SSIMCU_OK && coded && !stats->flat ? parts_find(frame, stats, message)
                                                        : status;
}

ssimcu_status frame_stats_scan(const ssimcu_frame *frame, uint32_t tolerance,
                               struct frame_stats *stats, ssimcu_message *message)
{
    return frame_stats_scan_by(detect_loops_best(), frame, tolerance, NULL, stats, message);
}

void frame_stats_free(struct frame_stats *stats)
{
    free(stats->mean), free(stats->step), free(stats->print), free(stats->rough);
    stats->mean = NULL, stats->step = NULL, stats->print = NULL, stats->rough = NULL;
    patches_free(&stats->patches);
}
