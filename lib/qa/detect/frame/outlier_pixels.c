/* Pixels of a frame that stand out from their neighbours in all channels. */
#include "detect/frame/pass.h"

#include <stdlib.h>
#include <string.h>

enum {
    PIECE_CELLS = 8, /* cells of a strip that are searched at once */
    PIECE = PIECE_CELLS * STATS_CELL
};

/* Returns row `r` of the three around a row. At an end of the frame, the only neighbour stands on
 * both sides. */
static uint32_t row_around(const struct pass *pass, uint32_t y, uint32_t r)
{
    if (r == 1) return y;
    return (r == 0 && y > 0) || y + 1 == pass->frame->height ? y - 1 : y + 1;
}

/* Keeps a pixel. If there is no room, it replaces the one that stands out least. A pixel that is
 * not finite is another finding. */
static void keep_pixel(struct pass *pass, uint32_t x, uint32_t y, int by)
{
    struct frame_stats *stats = pass->stats;
    uint32_t at = 0;
    if (!codes_finite(pass->frame, x, y)) return;
    if (stats->pixels < STATS_PIXELS)
        at = stats->pixels++;
    else
        for (uint32_t i = 1; i < STATS_PIXELS; i++)
            if (abs(stats->pixel[i].by) < abs(stats->pixel[at].by)) at = i;
    stats->pixel[at] = (struct stats_pixel){x, y, (int16_t)by};
    if (stats->pixels < STATS_PIXELS) return;
    pass->stands = INT16_MAX;
    for (uint32_t i = 0; i < STATS_PIXELS; i++)
        if (abs(stats->pixel[i].by) < pass->stands) pass->stands = abs(stats->pixel[i].by);
}

static uint32_t colours_of(const struct pass *pass)
{
    return pass->frame->channels - (pass->frame->channels % 2 == 0);
}

/* Compares pixels with all eight neighbours, in all channels but alpha. `row`: codes of their row
 * and of those above and below, from pixel x on. */
static void look_closely(struct pass *pass, const int16_t *const row[3], uint32_t x, uint32_t y,
                         uint32_t pixels)
{
    const uint32_t channels = pass->frame->channels, colours = colours_of(pass);
    int16_t over[PIECE * 4 + 2];
    const size_t count = (size_t)pixels * channels;
    over[count] = over[count + 1] = 0;
    pass->loops->eight_codes(row[0], row[1], row[2], count, channels, over);
    if (pass->loops->most_of_pixels(over, count, colours) <= pass->stands) return;
    for (uint32_t i = 0; i < pixels; i++) {
        int by = over[i * channels];
        for (uint32_t c = 1; c < colours; c++)
            if (abs(over[i * channels + c]) < abs(by)) by = over[i * channels + c];
        if (abs(by) > pass->stands) keep_pixel(pass, x + i, y, by);
    }
}

/* Returns whether one of these pixels may stand out in all channels, judged by four neighbours.
 * They are in one row and have neighbours. */
static bool may_stand(const struct pass *pass, uint32_t x, uint32_t y, uint32_t pixels)
{
    const struct detect_loops *loops = pass->loops;
    const size_t channels = pass->frame->channels, count = pixels * channels, at = x * channels;
    if (pass->bytes) {
        const int limit = pass->stands >> CODES_OF_BYTE; /* a value above it is above `stands` */
        uint8_t over[PIECE * 4 + 2];
        const uint8_t *byte[3];
        for (uint32_t r = 0; r < 3; r++)
            byte[r] = (const uint8_t *)codes_samples(pass->frame, row_around(pass, y, r)) + at;
        over[count] = over[count + 1] = 0;
        return loops->four_bytes(byte[0], byte[1], byte[2], count, channels, over) > limit &&
               loops->most_of_bytes(over, count, colours_of(pass)) > limit;
    }
    int16_t over[PIECE * 4 + 2];
    over[count] = over[count + 1] = 0;
    return loops->four_codes(codes_at(pass, row_around(pass, y, 0)) + at, codes_at(pass, y) + at,
                             codes_at(pass, row_around(pass, y, 2)) + at, count, channels,
                             over) > pass->stands &&
           loops->most_of_pixels(over, count, colours_of(pass)) > pass->stands;
}

static void look_at_piece(struct pass *pass, uint32_t x, uint32_t y, uint32_t pixels)
{
    const uint32_t channels = pass->frame->channels;
    int16_t codes[3][(PIECE + 2) * 4];
    const int16_t *row[3];
    for (uint32_t r = 0; r < 3; r++) {
        const uint32_t at = row_around(pass, y, r);
        row[r] = pass->bytes ? codes[r] + channels : codes_at(pass, at) + (size_t)x * channels;
        if (pass->bytes) codes_row(pass->frame, x - 1, at, pixels + 2, codes[r]);
    }
    look_closely(pass, row, x, y, pixels);
}

/* Looks at the first or the last pixel of a row. Its only neighbours stand on both sides. */
static void look_at_end(struct pass *pass, uint32_t x, uint32_t y)
{
    const uint32_t channels = pass->frame->channels, next = x == 0 ? 1 : x - 1;
    int16_t codes[3][3 * 4];
    const int16_t *row[3];
    codes_row(pass->frame, x, y, 1, codes[1]);
    codes_row(pass->frame, next, y, 1, codes[0]);
    if (abs(codes[1][0] - codes[0][0]) <= pass->stands) return; /* most end here */
    for (uint32_t r = 0; r < 3; r++) {
        const uint32_t at = row_around(pass, y, r);
        codes_row(pass->frame, next, at, 1, codes[r]);
        codes_row(pass->frame, x, at, 1, codes[r] + channels);
        codes_row(pass->frame, next, at, 1, codes[r] + 2 * channels);
        row[r] = codes[r] + channels;
    }
    look_closely(pass, row, x, y, 1);
}

/* Searches the strip where a cell has a large enough step. Pieces of eight rows come first, because
 * they are in the cache. Pixels are kept in the order of rows. */
void pass_look_at_pixels(struct pass *pass, uint32_t top, uint32_t bottom)
{
    const uint32_t last = pass->frame->width - 1; /* like the first, it lacks a neighbour */
    uint32_t pieces = 0;
    for (uint32_t c = 0; c < pass->cells; c += PIECE_CELLS) {
        int16_t most = 0;
        for (uint32_t i = c; i < pass->cells && i < c + PIECE_CELLS; i++)
            most = pass->cell_most[i] > most ? pass->cell_most[i] : most;
        struct piece piece = {c > 0 ? c * STATS_CELL : 1, last, 0};
        if (last - c * STATS_CELL > PIECE) piece.end = c * STATS_CELL + PIECE;
        if (most <= pass->stands || piece.end <= piece.x) continue;
        for (uint32_t y = top; y < bottom; y++)
            piece.rows |= (uint32_t)may_stand(pass, piece.x, y, piece.end - piece.x) << (y - top);
        if (piece.rows > 0) pass->piece[pieces++] = piece;
    }
    for (uint32_t y = top; y < bottom; y++) {
        if (pass->cell_most[0] > pass->stands) look_at_end(pass, 0, y);
        for (uint32_t i = 0; i < pieces; i++) {
            const struct piece *piece = &pass->piece[i];
            if (piece->rows >> (y - top) & 1)
                look_at_piece(pass, piece->x, y, piece->end - piece->x);
        }
        if (pass->cell_most[pass->cells - 1] > pass->stands) look_at_end(pass, last, y);
    }
}
