/* Means around the points, and how well a guess fits them. */
#include "hints/tones.h"

#include <string.h>

enum { POINTS_LEAST = 128, BINS = 8, PLACES = 4 };

float tones_middle(const struct analysis *analysis, uint32_t channel)
{
    const uint32_t bits = analysis->frame[0]->bits;
    if (analysis->planes == 1 || channel == 0) return 0;
    return bits < SSIMCU_BITS_FLOAT ? (float)(1u << (bits - 1)) / (float)((1u << bits) - 1) : 0.5f;
}

float tones_curve(const struct analysis *analysis, int curve, float sample)
{
    switch (curve) {
    case 0: return analysis_to_light(sample);
    case 1: return analysis_to_display(sample);
    case 2:
        return analysis->light ? powf(analysis_to_display(sample), 2.2f)
                               : powf(analysis_to_light(sample), 1 / 2.2f);
    default:
        return analysis->light ? analysis_to_light(powf(sample, 1 / 2.2f))
                               : analysis_to_display(powf(sample, 2.2f));
    }
}

/* Results of curves and powers for earlier samples. Most samples repeat, and a power takes 20
 * ns. */
enum { TABLE = 1024 };

struct table {
    struct known {
        bool is;
        float value, light, curve[TONE_CURVES];
    } at[TABLE];
};

/* Returns a sample's place in a table. Every value of 8 or 10 bits has a separate place. */
static uint32_t place_of(float value)
{
    return value < 1 ? (uint32_t)(value * (TABLE - 1) + 0.5f) : TABLE - 1;
}

static const struct known *known_of(const struct analysis *analysis, struct table *table,
                                    float value)
{
    struct known *const known = &table->at[place_of(value)];
    if (known->is && known->value == value) return known;
    *known = (struct known){true, value, analysis->light ? value : analysis_to_light(value), {0}};
    for (int k = 0; k < TONE_CURVES; k++) known->curve[k] = tones_curve(analysis, k, value);
    return known;
}

static void take_side(struct tones *tones, int side, uint32_t index, const struct around *around,
                      struct table *table)
{
    const struct analysis *analysis = tones->analysis;
    const float share = 1 / (float)around->count;
    for (uint32_t c = 0; c < analysis->channels; c++) {
        float plain = 0, light = 0, curve[TONE_CURVES] = {0};
        const bool clipped = samples_are_clipped(analysis, around, c);
        for (uint32_t i = 0; i < around->count && !clipped; i++) {
            const float value = around->pixel[i][c];
            plain += value;
            if (analysis->planes > 1) continue;
            const struct known *const known = known_of(analysis, table, value);
            light += known->light;
            for (int k = 0; k < TONE_CURVES && side == 0; k++) curve[k] += known->curve[k];
        }
        tones->own[side].at[c][index] = clipped ? -1 : plain * share;
        tones->light[side].at[c][index] = clipped ? -1 : light * share;
        for (int k = 0; k < TONE_CURVES && side == 0; k++)
            tones->curve[k].at[c][index] = clipped ? -1 : curve[k] * share;
    }
}

/* Returns the mean of a channel at a point; -1: too many pixels are clipped. */
static double mean_of(const struct analysis *analysis, const struct around *around,
                      uint32_t channel)
{
    double sum = 0;
    if (samples_are_clipped(analysis, around, channel)) return -1;
    for (uint32_t i = 0; i < around->count; i++) sum += around->pixel[i][channel];
    return sum / around->count;
}

/* Adds the means of each channel of OUT, paired with those of each channel of REF. */
static void add_means(const struct analysis *analysis, uint32_t index, struct tone_sums sums[3][3])
{
    double mean[2][3];
    for (int side = 0; side < 2; side++) {
        struct around around;
        samples_around(analysis, side, index, &around);
        for (uint32_t c = 0; c < analysis->channels; c++)
            mean[side][c] = mean_of(analysis, &around, c);
    }
    for (uint32_t c = 0; c < analysis->channels; c++)
        for (uint32_t k = 0; k < analysis->channels; k++) {
            const double x = mean[0][k], y = mean[1][c];
            if (x >= 0 && y >= 0) tone_sums_add(&sums[c][k], x, y);
        }
}

/* Returns the mean square that the best line leaves unexplained. */
static double line_leaves(const struct tone_sums *s)
{
    const double xx = s->xx - s->x * s->x / s->n, xy = s->xy - s->x * s->y / s->n;
    const double yy = s->yy - s->y * s->y / s->n;
    return (xx > 1e-9 ? yy - xy * xy / xx : yy) / s->n;
}

bool tones_differ(const struct analysis *analysis)
{
    enum { STEP = 8, FEW = 16 };
    static const double LEAST = TONES_EXPLAIN / 2 * LEVEL * LEVEL, MOST_LEFT = 0.9;
    struct tone_sums sums[3][3] = {{{0}}};
    if (analysis->light) return true; /* differences count as they are shown */
    samples_fetch_around(analysis, STEP);
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i += STEP) add_means(analysis, i, sums);
    for (uint32_t c = 0; c < analysis->channels; c++) {
        const struct tone_sums *same = &sums[c][c];
        if (same->n < FEW) return true;
        const double before = (same->xx - 2 * same->xy + same->yy) / same->n;
        for (uint32_t k = 0; k < analysis->channels && before > LEAST; k++)
            if (sums[c][k].n < FEW || line_leaves(&sums[c][k]) < MOST_LEFT * before) return true;
    }
    return false;
}

void tones_take(const struct analysis *analysis, struct tones *tones)
{
    struct table table = {0};
    samples_fetch_around(analysis, 1);
    tones->analysis = analysis;
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++)
        for (int side = 0; side < 2; side++) {
            struct around around;
            samples_around(analysis, side, i, &around);
            take_side(tones, side, i, &around, &table);
        }
}

/* A power of a sample, and how it changes with the exponent. */
struct raised {
    float value, raised, slope; /* value: negative: empty */
};

static const struct raised *raise_to(struct raised table[TABLE], float value, float power)
{
    struct raised *const known = &table[place_of(value)];
    if (known->value == value) return known;
    const float raised = powf(value, power);
    *known = (struct raised){value, raised, raised * logf(value)};
    return known;
}

void tones_power(const struct tones *tones, double power, uint32_t step, struct tone_values *made,
                 struct tone_values *change)
{
    struct raised table[TABLE];
    for (uint32_t i = 0; i < TABLE; i++) table[i].value = -1;
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i += step) {
        struct around around;
        samples_around(tones->analysis, 0, i, &around);
        for (uint32_t c = 0; c < tones->analysis->channels; c++) {
            float sum = 0, slope = 0;
            for (uint32_t k = 0; k < around.count; k++) {
                const float value = fmaxf(around.pixel[k][c], 1e-4f);
                const struct raised *const known = raise_to(table, value, (float)power);
                sum += known->raised;
                slope += known->slope;
            }
            const bool known = tones->own[0].at[c][i] >= 0;
            made->at[c][i] = known ? sum / (float)around.count : -1;
            change->at[c][i] = slope / (float)around.count;
        }
    }
}

/* ---- The fit --------------------------------------------------------------------------------- */

/* REF, OUT and the guess at one point, on the scale of a display. */
struct trio {
    double ref, out, guess;
};

/* A guess that is compared with OUT. */
struct holding {
    const struct tone_values *ref, *out, *guess;
    uint32_t channels;
    bool of_light; /* means are light */
};

static bool take_trio(const struct holding *holding, uint32_t c, uint32_t i, struct trio *trio)
{
    const float ref = holding->ref->at[c][i], out = holding->out->at[c][i];
    const float guess = holding->guess->at[c][i];
    if (ref < 0 || out < 0 || guess < 0) return false;
    *trio = (struct trio){ref, out, guess};
    if (holding->of_light)
        *trio = (struct trio){analysis_to_display(ref), analysis_to_display(out),
                              analysis_to_display(guess)};
    return true;
}

/* Sums over the points near the guess, for each channel. */
struct totals {
    double count[3], left[3], before[3], value[3], square[3], guess[3], guesses[3];
};

static struct totals add_up(const struct holding *holding, double most)
{
    struct totals sum = {0};
    struct trio trio;
    for (uint32_t c = 0; c < holding->channels; c++)
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
            if (!take_trio(holding, c, i, &trio)) continue;
            const double off = trio.out - trio.guess, was = trio.out - trio.ref;
            if (fabs(off) > most) continue;
            sum.count[c]++;
            sum.left[c] += off * off;
            sum.before[c] += was * was;
            sum.value[c] += trio.ref;
            sum.square[c] += trio.ref * trio.ref;
            sum.guess[c] += trio.guess;
            sum.guesses[c] += trio.guess * trio.guess;
        }
    return sum;
}

/* The sum that is left of a channel in each range of REF's values and area of the frame. */
struct parts {
    double sum[BINS + PLACES * PLACES], count[BINS + PLACES * PLACES];
};

static void add_part(struct parts *parts, uint32_t part, double off)
{
    parts->sum[part] += off;
    parts->count[part]++;
}

/* Returns the share of the guess's effect that these means keep. With another curve, the points in
 * some range of REF's values are off to one side. With local damage, those in an area of the frame
 * are. */
static double bent_of(const struct holding *holding, const struct totals *sum, double most)
{
    double bent = 0, moved = 0;
    struct trio trio;
    for (uint32_t c = 0; c < holding->channels; c++) {
        struct parts parts = {{0}, {0}};
        if (sum->count[c] < 1) continue;
        const double mean = sum->value[c] / sum->count[c];
        const double deviation = sqrt(fmax(1e-9, sum->square[c] / sum->count[c] - mean * mean));
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
            if (!take_trio(holding, c, i, &trio)) continue;
            const double off = trio.out - trio.guess;
            if (fabs(off) > most) continue;
            const double bin = (trio.ref - mean) / deviation * BINS / 4 + BINS / 2;
            add_part(&parts, (uint32_t)fmin(BINS - 1, fmax(0, bin)), off);
            add_part(&parts, BINS + i % 32 / 8 + i / 256 * PLACES, off);
            moved += (trio.guess - trio.ref) * (trio.guess - trio.ref);
        }
        for (int part = 0; part < BINS + PLACES * PLACES; part++)
            if (parts.count[part] >= 16)
                bent += parts.sum[part] * parts.sum[part] / parts.count[part];
    }
    return moved > 0 ? bent / moved : 1;
}

struct tone_fit tones_fit(const struct tones *tones, const struct tone_values *guess, bool of_light)
{
    const struct tone_values *side = of_light ? tones->light : tones->own;
    const struct holding holding = {&side[0], &side[1], guess, tones->analysis->channels,
                                    of_light || tones->analysis->light};
    struct totals sum = add_up(&holding, 1e9);
    struct tone_fit fit = {0};
    uint32_t usable = 0;
    double used = 0, all[3], most = 0;
    memcpy(all, sum.count, sizeof all);
    for (int pass = 0; pass < 2; pass++) {
        double left = 0, count = 0;
        for (uint32_t c = 0; c < holding.channels; c++) {
            left += sum.left[c];
            count += sum.count[c];
        }
        most = 3 * sqrt(left / fmax(1, count)) + LEVEL;
        sum = add_up(&holding, most);
    }
    for (uint32_t c = 0; c < holding.channels; c++) {
        if (all[c] < POINTS_LEAST) continue; /* the other channels decide */
        if (sum.count[c] < 0.8 * all[c]) return (struct tone_fit){0};
        const double spread = sum.guesses[c] - sum.guess[c] * sum.guess[c] / sum.count[c];
        const double least = 0.01 * LEVEL * LEVEL * sum.count[c];
        usable++;
        used += sum.count[c];
        fit.left += sum.left[c];
        fit.before += sum.before[c];
        fit.blurred = fmax(fit.blurred, (sum.left[c] + least) / fmax(spread, least));
        fit.explains = fmax(fit.explains, (sum.before[c] - sum.left[c]) / sum.count[c]);
    }
    fit.usable = 2 * usable > holding.channels;
    fit.left /= fmax(1, used);
    fit.before /= fmax(1, used);
    fit.bent = bent_of(&holding, &sum, most);
    return fit;
}
