#include "check/seen.h"

#include "check/codes.h"
#include "check/parts.h"

#include "base/refuse.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, STANDS = 12 /* levels from which a pixel may stand out */ };

/* A frame on its way through the pass, and rows of codes. */
struct pass {
    const ssimcu_frame *frame;
    struct seen *seen;
    size_t count;       /* samples of a row */
    int16_t *row[ROWS]; /* the last rows, a ring */
    int16_t *most;      /* of each column of samples, the largest step in this row of cells */
    int16_t *sum;       /* an eighth of the sum there, which fits */
    int16_t first[4];   /* codes of the first pixel */
    int16_t alpha_low, alpha_high;
    int stands; /* codes by which a pixel must stand out to be kept */
};

static inline int16_t least(int16_t a, int16_t b) { return a < b ? a : b; }
static inline int16_t largest(int16_t a, int16_t b) { return a > b ? a : b; }

/* ---- Steps and cells ------------------------------------------------------------------------- */

/* Adds a row to its cells. Returns the sum of the steps along it. The loops are of vectors, in
 * pieces whose sum fits 32 bits. */
static uint64_t add_steps(const struct pass *pass, const int16_t *restrict now,
                          const int16_t *restrict up)
{
    enum { PIECE = 1 << 14 };
    const size_t channels = pass->frame->channels;
    int16_t *restrict const most = pass->most, *restrict const sum = pass->sum;
    uint64_t all = 0;
    for (size_t i = 0; i < channels; i++) {
        most[i] = largest(most[i], (int16_t)abs(now[i] - up[i]));
        sum[i] = (int16_t)(sum[i] + (now[i] >> 3));
    }
    for (size_t begin = channels; begin < pass->count; begin += PIECE) {
        const size_t end = begin + PIECE < pass->count ? begin + PIECE : pass->count;
        uint32_t piece = 0;
        for (size_t i = begin; i < end; i++) {
            const int16_t along = (int16_t)abs((int16_t)(now[i] - now[i - channels])),
                          down = (int16_t)abs((int16_t)(now[i] - up[i]));
            most[i] = largest(most[i], largest(along, down));
            sum[i] = (int16_t)(sum[i] + (now[i] >> 3));
            piece += (uint16_t)along;
        }
        all += piece;
    }
    return all;
}

/* Writes the cells of eight rows, and begins the next ones. */
static void end_cells(struct pass *pass, uint32_t down)
{
    struct seen *seen = pass->seen;
    const size_t wide = (size_t)SEEN_CELL * pass->frame->channels;
    for (uint32_t c = 0; c < seen->across; c++) {
        int32_t sum = 0;
        int16_t most = 0;
        for (size_t i = c * wide; i < (c + 1) * wide; i++) {
            sum += pass->sum[i];
            most = largest(most, pass->most[i]);
        }
        const double step = 8 * most / seen->level;
        const size_t at = (size_t)down * seen->across + c;
        seen->mean[at] = (int16_t)(sum / (int32_t)wide);
        seen->step[at] = step >= 255 ? 255 : (uint8_t)(step + (most > 0 ? 0.999 : 0));
    }
    memset(pass->sum, 0, pass->count * sizeof *pass->sum);
    memset(pass->most, 0, pass->count * sizeof *pass->most);
}

/* ---- Pixels that stand out ------------------------------------------------------------------- */

/* Return by how much any of some samples stands out over the two beside it, and over the four
 * around it, at most. Both are loops of vectors, and the first has half the work. */
static int16_t most_of_two(const int16_t *row, size_t begin, size_t end, size_t channels)
{
    int16_t most = 0;
    for (size_t i = begin; i < end; i++) {
        const int16_t a = (int16_t)(row[i] - row[i - channels]),
                      b = (int16_t)(row[i] - row[i + channels]);
        most = largest(most, largest(least(a, b), (int16_t)-largest(a, b)));
    }
    return most;
}
static int16_t most_of_four(const int16_t *const row[ROWS], size_t begin, size_t end,
                            size_t channels)
{
    const int16_t *const up = row[0], *const now = row[1], *const down = row[2];
    int16_t most = 0;
    for (size_t i = begin; i < end; i++) {
        const int16_t a = (int16_t)(now[i] - now[i - channels]),
                      b = (int16_t)(now[i] - now[i + channels]), c = (int16_t)(now[i] - up[i]),
                      d = (int16_t)(now[i] - down[i]);
        const int16_t low = least(least(a, b), least(c, d)),
                      high = largest(largest(a, b), largest(c, d));
        most = largest(most, largest(low, (int16_t)-high));
    }
    return most;
}

/* Returns by how much a pixel stands out over all eight neighbours in all channels but alpha. */
static int standing(const struct pass *pass, const int16_t *const row[ROWS], size_t x)
{
    const uint32_t channels = pass->frame->channels, colours = channels - (channels % 2 == 0);
    int by = 0;
    for (uint32_t c = 0; c < colours; c++) {
        const size_t at = x * channels + c;
        int low = INT16_MAX, high = INT16_MIN;
        for (int n = 0; n < 9; n++) {
            if (n == 4) continue;
            const int d = row[1][at] - row[n / 3][at + (size_t)(n % 3) * channels - channels];
            low = d < low ? d : low;
            high = d > high ? d : high;
        }
        const int own = low > 0 ? low : high < 0 ? high : 0;
        if (c == 0 || abs(own) < abs(by)) by = own;
    }
    return by;
}

/* Keeps a pixel, instead of the one that stands out least if there is no room. */
static void keep_pixel(struct pass *pass, uint32_t x, uint32_t y, int by)
{
    struct seen *seen = pass->seen;
    uint32_t at = 0;
    if (seen->pixels < SEEN_PIXELS)
        at = seen->pixels++;
    else
        for (uint32_t i = 1; i < SEEN_PIXELS; i++)
            if (abs(seen->pixel[i].by) < abs(seen->pixel[at].by)) at = i;
    seen->pixel[at] = (struct seen_pixel){x, y, (int16_t)by};
    if (seen->pixels < SEEN_PIXELS) return;
    pass->stands = INT16_MAX;
    for (uint32_t i = 0; i < SEEN_PIXELS; i++)
        if (abs(seen->pixel[i].by) < pass->stands) pass->stands = abs(seen->pixel[i].by);
}

/* Looks for them in row y - 1, whose neighbours are there, piece by piece. */
static void look_at_pixels(struct pass *pass, uint32_t y)
{
    enum { PIECE = 64 };
    const int16_t *const row[ROWS] = {pass->row[(y + 1) % ROWS], pass->row[(y + 2) % ROWS],
                                      pass->row[y % ROWS]};
    const size_t channels = pass->frame->channels;
    for (uint32_t x = 1, next; x + 1 < pass->frame->width; x = next) {
        next = x + PIECE < pass->frame->width ? x + PIECE : pass->frame->width - 1;
        const size_t begin = x * channels, end = next * channels;
        if (most_of_two(row[1], begin, end, channels) <= pass->stands) continue;
        if (most_of_four(row, begin, end, channels) <= pass->stands) continue;
        for (uint32_t i = x; i < next; i++) {
            const int by = standing(pass, row, i);
            if (abs(by) > pass->stands) keep_pixel(pass, i, y - 1, by);
        }
    }
}

/* ---- The pass -------------------------------------------------------------------------------- */

/* Looks at alpha, the last channel, as long as it is all empty or all full. */
static void look_at_alpha(struct pass *pass, const int16_t *row)
{
    const uint32_t channels = pass->frame->channels;
    if (channels % 2 || pass->alpha_low < pass->alpha_high) return;
    for (size_t i = channels - 1; i < pass->count; i += channels) {
        pass->alpha_low = least(pass->alpha_low, row[i]);
        pass->alpha_high = largest(pass->alpha_high, row[i]);
    }
}

static void add_row(struct pass *pass, uint32_t y)
{
    struct seen *seen = pass->seen;
    int16_t *now = pass->row[y % ROWS];
    codes_row(pass->frame, 0, y, pass->frame->width, now);
    if (pass->frame->bits >= SSIMCU_BITS_FLOAT) codes_count(pass->frame, y, seen);
    if (y == 0)
        for (uint32_t c = 0; c < pass->frame->channels; c++) pass->first[c] = now[c];
    if (y == 0) pass->alpha_low = pass->alpha_high = now[pass->frame->channels - 1];
    look_at_alpha(pass, now);
    const uint64_t steps = add_steps(pass, now, y > 0 ? pass->row[(y + 2) % ROWS] : now);
    const double rough = 64 * (double)steps / (double)pass->count / seen->level;
    seen->rough[y] = rough >= UINT16_MAX ? UINT16_MAX : (uint16_t)(rough + (steps > 0 ? 0.999 : 0));
    for (uint32_t c = 0; c < pass->frame->channels && seen->flat; c++)
        seen->flat =
            (steps == 0 || seen->tolerance > 0) && abs(now[c] - pass->first[c]) <= seen->tolerance;
    if (y >= 2 && pass->frame->width > 2) look_at_pixels(pass, y);
    if (y % SEEN_CELL == SEEN_CELL - 1) end_cells(pass, y / SEEN_CELL);
}

static void conclude(const struct pass *pass)
{
    struct seen *seen = pass->seen;
    const bool one = pass->alpha_low == pass->alpha_high;
    if (pass->frame->channels % 2 == 0)
        seen->alpha = !one ? SEEN_SOME : pass->alpha_low == 0 ? SEEN_EMPTY : SEEN_FULL;
    /* With a tolerance a frame is one colour if its cells are. */
    for (size_t i = 0; seen->tolerance > 0 && seen->flat && i < (size_t)seen->across * seen->down;
         i++)
        seen->flat =
            parts_is_flat(seen, i) && abs(seen->mean[i] - seen->mean[0]) <= seen->tolerance;
}

static ssimcu_status allocate(struct pass *pass, ssimcu_message *message)
{
    struct seen *seen = pass->seen;
    const size_t cells = (size_t)seen->across * seen->down;
    seen->mean = calloc(cells + 1, sizeof *seen->mean);
    seen->step = calloc(cells + 1, sizeof *seen->step);
    seen->rough = calloc(seen->height, sizeof *seen->rough);
    int16_t *rows = calloc((ROWS + 2) * pass->count, sizeof *rows);
    for (int i = 0; i < ROWS && rows; i++) pass->row[i] = rows + (size_t)i * pass->count;
    if (rows) pass->most = rows + ROWS * pass->count, pass->sum = pass->most + pass->count;
    return seen->mean && seen->step && seen->rough && rows ? SSIMCU_OK : no_memory(message);
}

ssimcu_status seen_look(const ssimcu_frame *frame, uint32_t tolerance, struct seen *seen,
                        ssimcu_message *message)
{
    const double level = codes_level(frame->bits);
    *seen = (struct seen){.width = frame->width,
                          .height = frame->height,
                          .channels = frame->channels,
                          .bits = frame->bits,
                          .level = level,
                          .tolerance = (int)(tolerance * level),
                          .flat = true,
                          .across = frame->width / SEEN_CELL,
                          .down = frame->height / SEEN_CELL};
    struct pass pass = {.frame = frame,
                        .seen = seen,
                        .count = (size_t)frame->width * frame->channels,
                        .stands = (int)(STANDS * level)};
    ssimcu_status status = allocate(&pass, message);
    for (uint32_t y = 0; y < frame->height && status == SSIMCU_OK; y++) add_row(&pass, y);
    if (status == SSIMCU_OK) conclude(&pass);
    free(pass.row[0]);
    return status == SSIMCU_OK && !seen->flat ? parts_find(frame, seen, message) : status;
}

void seen_free(struct seen *seen)
{
    free(seen->mean), free(seen->step), free(seen->rough);
    seen->mean = NULL, seen->step = NULL, seen->rough = NULL;
}
