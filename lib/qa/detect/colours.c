#include "detect/frame/colours.h"

#include "detect/frame/codes.h"
#include "detect/temporal.h"

#include "sample_size.h"

#include <math.h>

enum {
    LEAST_ACROSS = 4, /* least distance of the pixels that are taken, in planes of some size */
    LEAST_DOWN = 2,
    MOST_ACROSS = 256, /* most of them in a row and in a column */
    MOST_DOWN = 64,
    OF_TILE = 2,     /* least of them in a row and in a column of a tile */
    TILE_ACROSS = 4, /* least size of a tile: small video has chroma of 60 x 34 */
    TILE_DOWN = 2,
    BINS = STATS_LEVELS + 1
};

/* ---- Samples --------------------------------------------------------------------------------- */

/* Returns a sample as a level of a display. */
static float level_at(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t channel)
{
    const size_t at = (size_t)x * frame->channels + channel;
    const void *row = codes_samples(frame, y);
    if (frame->bits == 8) return ((const uint8_t *)row)[at];
    if (frame->bits == SSIMCU_BITS_F32) {
        const float value = ((const float *)row)[at];
        return value > 0 && isfinite(value) ? STATS_LEVELS * powf(value, 1 / 2.2F) : 0;
    }
    const uint16_t sample = ((const uint16_t *)row)[at];
    if (frame->bits == SSIMCU_BITS_F16)
        return sample < 0x7c00 ? (float)patches_level(sample, frame->bits) : 0;
    return (float)sample * STATS_LEVELS / (float)((1u << frame->bits) - 1);
}

static uint32_t step_of(uint32_t length, uint32_t most, uint32_t least, uint32_t tiles)
{
    const uint32_t step = length / most > least ? length / most : least;
    return length / (OF_TILE * tiles) < step ? length / (OF_TILE * tiles) : step;
}

/* Finds the levels between equal shares of the samples. */
static void divide(const uint32_t bin[BINS], float between[COLOURS_SHARES - 1])
{
    uint32_t all = 0, below = 0, level = 0;
    for (int i = 0; i < BINS; i++) all += bin[i];
    for (int k = 1; k < COLOURS_SHARES; k++) {
        const float want = (float)all * (float)k / COLOURS_SHARES;
        while ((float)(below + bin[level]) < want) below += bin[level++];
        between[k - 1] = (float)level - 0.5F + (want - (float)below) / (float)bin[level];
    }
}

/* Takes one channel. */
static void take(const ssimcu_frame *frame, uint32_t channel, struct colours *colours, uint32_t c)
{
    const uint32_t across = step_of(frame->width, MOST_ACROSS, LEAST_ACROSS, COLOURS_ACROSS),
                   down = step_of(frame->height, MOST_DOWN, LEAST_DOWN, COLOURS_DOWN);
    double sum[COLOURS_TILES] = {0};
    uint32_t count[COLOURS_TILES] = {0}, bin[BINS] = {0};
    colours->low[c] = INFINITY, colours->high[c] = -INFINITY;
    /* Rows begin at several columns, so that stripes are not met at one place alone. */
    for (uint32_t y = down / 2, row = 0; y < frame->height; y += down, row++)
        for (uint32_t x = (across / 2 + row) % across; x < frame->width; x += across) {
            const uint32_t tile =
                (uint32_t)((uint64_t)y * COLOURS_DOWN / frame->height) * COLOURS_ACROSS +
                (uint32_t)((uint64_t)x * COLOURS_ACROSS / frame->width);
            const float level = level_at(frame, x, y, channel);
            colours->low[c] = fminf(colours->low[c], level);
            colours->high[c] = fmaxf(colours->high[c], level);
            sum[tile] += level, count[tile]++;
            bin[level < BINS - 1 ? (int)(level + 0.5F) : BINS - 1]++;
        }
    for (uint32_t i = 0; i < COLOURS_TILES; i++)
        colours->mean[c][i] = count[i] > 0 ? (float)(sum[i] / count[i]) : 0;
    divide(bin, colours->between[c]);
}

void colours_take(const ssimcu_frame *plane, uint32_t planes, uint32_t tolerance,
                  struct colours *colours)
{
    const uint32_t width = plane[planes - 1].width, height = plane[planes - 1].height;
    colours->video = planes == COLOURS;
    colours->known = (colours->video || plane->channels >= COLOURS) &&
                     width >= COLOURS_ACROSS * TILE_ACROSS && height >= COLOURS_DOWN * TILE_DOWN;
    colours->coded = 3 * (float)tolerance;
    for (uint32_t c = 0; c < COLOURS && colours->known; c++)
        take(colours->video ? &plane[c] : plane, colours->video ? 0 : c, colours, c);
}

/* ---- A frame by itself ----------------------------------------------------------------------- */

/* A codec leaves traces of the frames around, so of video all but a sixteenth at each end count. */
unsigned colours_constant(const struct colours *colours)
{
    unsigned mask = 0;
    for (unsigned c = 0; c < COLOURS && colours->known; c++) {
        const float *between = colours->between[c];
        const float range = colours->coded > 0 ? between[COLOURS_SHARES - 2] - between[0]
                                               : colours->high[c] - colours->low[c];
        mask |= (unsigned)(range <= colours->coded) << c;
    }
    return mask;
}

double colours_chroma(const struct colours *colours)
{
    double sum = 0;
    for (int i = 0; i < COLOURS_TILES; i++) {
        const float r = colours->mean[0][i], g = colours->mean[1][i], b = colours->mean[2][i];
        sum += fmaxf(r, fmaxf(g, b)) - fminf(r, fminf(g, b));
    }
    return sum / COLOURS_TILES;
}

const char *colours_name(bool video, unsigned channel)
{
    static const char *const names[2][COLOURS] = {{"R", "G", "B"}, {"Y", "U", "V"}};
    return names[video][channel];
}

/* ---- A frame and others ---------------------------------------------------------------------- */

/* Returns the mean distance of a channel of one frame and one of another, in levels. */
static double distance(const struct colours *a, unsigned first, const struct colours *b,
                       unsigned second)
{
    double sum = 0;
    for (int i = 0; i < COLOURS_TILES; i++) sum += fabsf(a->mean[first][i] - b->mean[second][i]);
    return sum / COLOURS_TILES;
}

static bool are_known(const struct temporal *temporal)
{
    return temporal->now->colours.known && temporal->other[0]->colours.known &&
           temporal->other[1]->colours.known;
}

bool colours_swapped(const struct temporal *temporal, unsigned *first, unsigned *second)
{
    const double much = 4, far = 2; /* levels, and multiple of the distance that is left */
    const struct colours *now = &temporal->now->colours, *a = &temporal->other[0]->colours,
                         *b = &temporal->other[1]->colours;
    if (!are_known(temporal)) return false;
    for (unsigned x = now->video; x < COLOURS; x++)
        for (unsigned y = x + 1; y < COLOURS; y++) {
            const double own = fmin(fmin(distance(now, x, a, x), distance(now, x, b, x)),
                                    fmin(distance(now, y, a, y), distance(now, y, b, y))),
                         crossed = fmax(fmax(distance(now, x, a, y), distance(now, x, b, y)),
                                        fmax(distance(now, y, a, x), distance(now, y, b, x))),
                         between = fmax(distance(a, x, b, x), distance(a, y, b, y));
            *first = x, *second = y;
            if (own > much && own > far * crossed && own > far * between) return true;
        }
    return false;
}

/* How the levels of one frame follow from those of another, as logarithms of their share of white:
 * by a power of all, which leaves white as it is, or by a factor. Shares of the pixels are
 * compared, so that motion does not matter. */
struct relation {
    double power, left_by_power, left_by_factor; /* what each leaves, root mean square */
};

static struct relation relate(const struct colours *now, const struct colours *other)
{
    const float least = 6, most = 250;
    double xx = 0, xy = 0, yy = 0, x = 0, y = 0;
    int count = 0;
    for (unsigned c = 0; c < COLOURS; c++)
        for (int i = 0; i < COLOURS_SHARES - 1; i++) {
            const float from = other->between[c][i], to = now->between[c][i];
            if (from < least || from > most || to < least || to > most) continue;
            const double p = log(from / STATS_LEVELS), q = log(to / STATS_LEVELS);
            xx += p * p, xy += p * q, yy += q * q, x += p, y += q;
            count++;
        }
    if (5 * count < 2 * COLOURS * COLOURS_SHARES) return (struct relation){1, 1, 1};
    const double power = xy / xx, by_power = (yy - power * xy) / count,
                 by_factor = (xx - 2 * xy + yy) / count - (y - x) * (y - x) / count / count;
    return (struct relation){power, sqrt(fmax(by_power, 0)), sqrt(fmax(by_factor, 0))};
}

double colours_power(const struct temporal *temporal)
{
    const double much = 0.12, still = 0.04, left = 0.06;
    const struct colours *now = &temporal->now->colours, *a = &temporal->other[0]->colours,
                         *b = &temporal->other[1]->colours;
    if (!are_known(temporal) || now->video) return 1;
    const struct relation one = relate(now, a), other = relate(now, b), others = relate(b, a);
    const bool both = fabs(one.power - other.power) < still * fmax(1, one.power) &&
                      fabs(others.power - 1) < still && others.left_by_power < left;
    const bool power = fabs(log(one.power)) > much &&
                       one.left_by_power < left * fmax(1, one.power) &&
                       2 * one.left_by_power < one.left_by_factor &&
                       2 * other.left_by_power < other.left_by_factor;
    return both && power ? (one.power + other.power) / 2 : 1;
}
