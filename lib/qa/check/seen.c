#include "check/seen.h"

#include "check/codes.h"
#include "check/parts.h"

#include "base/refuse.h"

#include "sample_size.h"

#include <stdlib.h>
#include <string.h>

enum {
    RING = SEEN_CELL + 2, /* rows of codes: a strip, the row above it, and the one below */
    PIECE_CELLS = 8,      /* cells of a strip in which pixels are looked for at once */
    PIECE = PIECE_CELLS * SEEN_CELL,
    STANDS = 12 /* levels from which a pixel may stand out */
};

/* A frame on its way through the pass, strip by strip: eight rows, or those left over. Samples of
 * 8 bits are looked at where they lie, others as rows of codes. Both give the same numbers. */
struct pass {
    const ssimcu_frame *frame;
    struct seen *seen;
    const struct check_loops *loops;
    bool bytes;
    size_t count;       /* samples of a row */
    uint32_t cells;     /* a strip has them; the last may be narrower */
    int16_t *ring;      /* the last rows of codes */
    uint32_t taken;     /* rows that came there */
    void *most;         /* columns of this strip: the largest step */
    void *sum;          /* their sums, as loops.h says */
    int16_t *cell_most; /* what its cells have, in codes */
    int32_t *cell_sum;  /* sums are in eighths */
    struct piece {
        uint32_t x, end; /* its pixels in a row */
        uint32_t rows;   /* a bit for each row in which one may stand out */
    } * piece;           /* what the strip has */
    int16_t first[4];    /* codes of the first pixel */
    bool alpha_differs;  /* it is not all as that of the first pixel */
    int stands;          /* codes by which a pixel must stand out to be kept */
};

/* ---- Rows ------------------------------------------------------------------------------------ */

static int16_t *codes_at(const struct pass *pass, uint32_t y)
{
    return pass->ring + (size_t)(y % RING) * pass->count;
}

/* Takes a row of codes in pieces, while those of the next row come from memory. */
static void take_row(struct pass *pass, uint32_t y)
{
    enum { PIXELS = 256, LINE = 64 /* bytes that memory gives at once */ };
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
    if (count) codes_count(frame, y, pass->seen);
}

/* Takes rows of codes up to the one below a strip. */
static void take_rows(struct pass *pass, uint32_t y)
{
    const uint32_t height = pass->frame->height,
                   end = height - y > SEEN_CELL ? y + SEEN_CELL + 1 : height;
    for (; pass->taken < end; pass->taken++) take_row(pass, pass->taken);
}

/* Add the rows of a strip to it. Write the sum of the steps along each, in codes. */
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
    memset(steps, 0, SEEN_CELL * sizeof *steps);
    for (size_t begin = 0; begin < pass->count; begin += LOOPS_PART) {
        const size_t end = begin + LOOPS_PART < pass->count ? begin + LOOPS_PART : pass->count;
        for (uint32_t y = top; y < bottom; y++)
            steps[y - top] +=
                pass->loops->row_codes(codes_at(pass, y), codes_at(pass, y > 0 ? y - 1 : y), begin,
                                       end, pass->frame->channels, pass->most, pass->sum);
    }
}

/* Looks at alpha, the last channel, as long as it is all empty or all full. A word holds whole
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

/* Concludes from a row and the sum of its steps. */
static void end_row(struct pass *pass, uint32_t y, uint64_t steps)
{
    struct seen *seen = pass->seen;
    int16_t own[4];
    codes_row(pass->frame, 0, y, 1, own);
    if (y == 0) memcpy(pass->first, own, sizeof own);
    look_at_alpha(pass, y);
    const double rough = 64 * (double)steps / (double)pass->count / seen->level;
    seen->rough[y] = rough >= UINT16_MAX ? UINT16_MAX : (uint16_t)(rough + (steps > 0 ? 0.999 : 0));
    for (uint32_t c = 0; c < pass->frame->channels && seen->flat; c++)
        seen->flat =
            (steps == 0 || seen->tolerance > 0) && abs(own[c] - pass->first[c]) <= seen->tolerance;
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

/* Returns the mean of the samples of a cell from their sum in eighths. */
static int16_t mean_of(int32_t sum, uint32_t channels)
{
    switch (channels) { /* a division by a constant is none */
    case 1: return (int16_t)(sum / SEEN_CELL);
    case 2: return (int16_t)(sum / (2 * SEEN_CELL));
    case 3: return (int16_t)(sum / (3 * SEEN_CELL));
    default: return (int16_t)(sum / (4 * SEEN_CELL));
    }
}

/* Writes the cells of eight rows. */
static void write_cells(const struct pass *pass, uint32_t down)
{
    const struct seen *seen = pass->seen;
    const double level = seen->level;
    const uint32_t channels = pass->frame->channels;
    int16_t *mean = seen->mean + (size_t)down * seen->across;
    uint8_t *steps = seen->step + (size_t)down * seen->across;
    for (uint32_t c = 0; c < seen->across; c++) {
        const int32_t most = pass->cell_most[c];
        const double step = 8 * most / level, up = step + (most > 0 ? 0.999 : 0);
        mean[c] = mean_of(pass->cell_sum[c], channels);
        steps[c] = (uint8_t)(int)(step >= 255 ? 255 : up);
    }
}

/* ---- Pixels that stand out ------------------------------------------------------------------- */

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

static uint32_t colours_of(const struct pass *pass)
{
    return pass->frame->channels - (pass->frame->channels % 2 == 0);
}

/* Looks at all eight neighbours of some pixels, in all channels but alpha. `row`: codes of their
 * row and those beside it, from the pixel on that is named. */
static void look_closely(struct pass *pass, const int16_t *const row[3], uint32_t x, uint32_t y,
                         uint32_t pixels)
{
    const uint32_t channels = pass->frame->channels, colours = colours_of(pass);
    int16_t own[PIECE * 4 + 2];
    const size_t count = (size_t)pixels * channels;
    own[count] = own[count + 1] = 0;
    pass->loops->eight_codes(row[0], row[1], row[2], count, channels, own);
    if (pass->loops->most_of_pixels(own, count, colours) <= pass->stands) return;
    for (uint32_t i = 0; i < pixels; i++) {
        int by = own[i * channels];
        for (uint32_t c = 1; c < colours; c++)
            if (abs(own[i * channels + c]) < abs(by)) by = own[i * channels + c];
        if (abs(by) > pass->stands) keep_pixel(pass, x + i, y, by);
    }
}

/* Returns whether a pixel may stand out among some of a row that has neighbours, by four of them,
 * in all channels. */
static bool may_stand(const struct pass *pass, uint32_t x, uint32_t y, uint32_t pixels)
{
    const struct check_loops *loops = pass->loops;
    const size_t channels = pass->frame->channels, count = pixels * channels, at = x * channels;
    if (pass->bytes) {
        const int limit = pass->stands >> CODES_OF_BYTE; /* what is above it is above `stands` */
        uint8_t own[PIECE * 4 + 2];
        const uint8_t *byte[3];
        for (uint32_t r = 0; r < 3; r++)
            byte[r] = (const uint8_t *)codes_samples(pass->frame, y + r - 1) + at;
        own[count] = own[count + 1] = 0;
        return loops->four_bytes(byte[0], byte[1], byte[2], count, channels, own) > limit &&
               loops->most_of_bytes(own, count, colours_of(pass)) > limit;
    }
    int16_t own[PIECE * 4 + 2];
    own[count] = own[count + 1] = 0;
    return loops->four_codes(codes_at(pass, y - 1) + at, codes_at(pass, y) + at,
                             codes_at(pass, y + 1) + at, count, channels, own) > pass->stands &&
           loops->most_of_pixels(own, count, colours_of(pass)) > pass->stands;
}

static void look_at_piece(struct pass *pass, uint32_t x, uint32_t y, uint32_t pixels)
{
    const uint32_t channels = pass->frame->channels;
    int16_t codes[3][(PIECE + 2) * 4];
    const int16_t *row[3];
    for (uint32_t r = 0; r < 3; r++) {
        row[r] =
            pass->bytes ? codes[r] + channels : codes_at(pass, y + r - 1) + (size_t)x * channels;
        if (pass->bytes) codes_row(pass->frame, x - 1, y + r - 1, pixels + 2, codes[r]);
    }
    look_closely(pass, row, x, y, pixels);
}

/* Looks for them in a strip where a cell has a step that is large enough. Pieces of eight rows come
 * first, because they are near the CPU. Pixels are kept in the order of rows. */
static void look_at_pixels(struct pass *pass, uint32_t top, uint32_t bottom)
{
    const uint32_t last = pass->frame->width - 1; /* it has no neighbour, nor has the first */
    uint32_t pieces = 0;
    if (top == 0) top = 1;
    if (bottom == pass->frame->height) bottom--;
    for (uint32_t c = 0; c < pass->cells; c += PIECE_CELLS) {
        int16_t most = 0;
        for (uint32_t i = c; i < pass->cells && i < c + PIECE_CELLS; i++)
            most = pass->cell_most[i] > most ? pass->cell_most[i] : most;
        struct piece piece = {c > 0 ? c * SEEN_CELL : 1, last, 0};
        if (last - c * SEEN_CELL > PIECE) piece.end = c * SEEN_CELL + PIECE;
        if (most <= pass->stands || piece.end <= piece.x) continue;
        for (uint32_t y = top; y < bottom; y++)
            piece.rows |= (uint32_t)may_stand(pass, piece.x, y, piece.end - piece.x) << (y - top);
        if (piece.rows > 0) pass->piece[pieces++] = piece;
    }
    for (uint32_t y = top; y < bottom && pieces > 0; y++)
        for (uint32_t i = 0; i < pieces; i++) {
            const struct piece *piece = &pass->piece[i];
            if (piece->rows >> (y - top) & 1)
                look_at_piece(pass, piece->x, y, piece->end - piece->x);
        }
}

/* ---- The pass -------------------------------------------------------------------------------- */

static void add_strip(struct pass *pass, uint32_t y)
{
    const uint32_t height = pass->frame->height,
                   end = height - y > SEEN_CELL ? y + SEEN_CELL : height;
    const size_t columns = (size_t)pass->cells * SEEN_CELL * pass->frame->channels;
    uint64_t steps[SEEN_CELL];
    memset(pass->most, 0, columns * (pass->bytes ? 1 : sizeof(int16_t)));
    memset(pass->sum, 0, columns * (pass->bytes ? 1 : sizeof(int16_t)));
    if (pass->bytes)
        add_bytes(pass, y, end, steps);
    else
        take_rows(pass, y), add_codes(pass, y, end, steps);
    for (uint32_t i = y; i < end; i++) end_row(pass, i, steps[i - y]);
    make_cells(pass);
    if (end - y == SEEN_CELL) write_cells(pass, y / SEEN_CELL);
    if (pass->frame->width > 2) look_at_pixels(pass, y, end);
}

static void conclude(const struct pass *pass)
{
    struct seen *seen = pass->seen;
    const uint32_t channels = pass->frame->channels;
    if (channels % 2 == 0)
        seen->alpha = pass->alpha_differs              ? SEEN_SOME
                      : pass->first[channels - 1] == 0 ? SEEN_EMPTY
                                                       : SEEN_FULL;
    /* With a tolerance a frame is one colour if its cells are. */
    for (size_t i = 0; seen->tolerance > 0 && seen->flat && i < (size_t)seen->across * seen->down;
         i++)
        seen->flat =
            parts_is_flat(seen, i) && abs(seen->mean[i] - seen->mean[0]) <= seen->tolerance;
}

static ssimcu_status allocate(struct pass *pass, ssimcu_message *message)
{
    struct seen *seen = pass->seen;
    const size_t cells = (size_t)seen->across * seen->down,
                 columns = (size_t)pass->cells * SEEN_CELL * pass->frame->channels;
    seen->mean = calloc(cells + 1, sizeof *seen->mean);
    seen->step = calloc(cells + 1, sizeof *seen->step);
    seen->rough = calloc(seen->height, sizeof *seen->rough);
    pass->most = malloc(columns * sizeof(int16_t));
    pass->sum = malloc(columns * sizeof(int16_t));
    pass->cell_most = malloc(pass->cells * sizeof *pass->cell_most);
    pass->cell_sum = malloc(pass->cells * sizeof *pass->cell_sum);
    pass->piece = malloc(pass->cells * sizeof *pass->piece);
    pass->ring = malloc(pass->bytes ? 1 : RING * pass->count * sizeof *pass->ring);
    return seen->mean && seen->step && seen->rough && pass->most && pass->sum && pass->cell_most &&
                   pass->cell_sum && pass->piece && pass->ring
               ? SSIMCU_OK
               : no_memory(message);
}

ssimcu_status seen_look_by(const struct check_loops *loops, const ssimcu_frame *frame,
                           uint32_t tolerance, struct seen *seen, ssimcu_message *message)
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
                        .loops = loops,
                        .bytes = frame->bits == 8,
                        .count = (size_t)frame->width * frame->channels,
                        .cells = (frame->width + SEEN_CELL - 1) / SEEN_CELL,
                        .stands = (int)(STANDS * level)};
    ssimcu_status status = allocate(&pass, message);
    for (uint32_t y = 0; y < frame->height && status == SSIMCU_OK; y += SEEN_CELL)
        add_strip(&pass, y);
    if (status == SSIMCU_OK) conclude(&pass);
    free(pass.most), free(pass.sum), free(pass.cell_most), free(pass.cell_sum);
    free(pass.piece), free(pass.ring);
    return status == SSIMCU_OK && !seen->flat ? parts_find(frame, seen, message) : status;
}

ssimcu_status seen_look(const ssimcu_frame *frame, uint32_t tolerance, struct seen *seen,
                        ssimcu_message *message)
{
    return seen_look_by(check_loops_best(), frame, tolerance, seen, message);
}

void seen_free(struct seen *seen)
{
    free(seen->mean), free(seen->step), free(seen->rough);
    seen->mean = NULL, seen->step = NULL, seen->rough = NULL;
}
