/* Lines: gain and offset of each channel. */
#include "hints/tones.h"

enum { POINTS_LEAST = 128 };

/* A line must explain at least this share of what it leaves of single points. Means around the
 * points keep a sixty-fourth of the noise, and a guess must explain three times that. */
static const double LEAST_SHARE = 0.02;

/* Returns the mean square of what the line leaves unexplained. */
static double residual(const struct tone_sums *s, struct tone_line line)
{
    const double g = line.gain, b = line.offset;
    const double sum = s->yy - 2 * g * s->xy - 2 * b * s->y + g * g * s->xx + 2 * g * b * s->x;
    return fmax(0, sum / s->n + b * b);
}

static struct tone_line best_line(const struct tone_sums *s)
{
    const double spread = s->xx - s->x * s->x / s->n;
    const double gain = spread > s->n * 1e-9 ? (s->xy - s->x * s->y / s->n) / spread : 1;
    return (struct tone_line){gain, (s->y - gain * s->x) / s->n};
}

/* Samples of a channel. */
struct channel {
    const float *ref, *out;
    float middle;
};

/* Sums the points that are at most `most` from the line. Clipped samples are on no line. */
static struct tone_sums add_up(const struct channel *channel, struct tone_line line, double most)
{
    struct tone_sums s = {0};
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        const float ref = channel->ref[i], out = channel->out[i];
        const double x = ref - channel->middle, y = out - channel->middle;
        if (ref <= 0 || out <= 0 || ref >= 1 || out >= 1) continue;
        if (fabs(y - line.gain * x - line.offset) > most) continue;
        tone_sums_add(&s, x, y);
    }
    return s;
}

bool lines_may_be(const struct analysis *analysis, const struct samples samples[2], uint32_t c)
{
    const struct tone_line none = {1, 0};
    float value[2][SIGNATURE_POINTS];
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i++)
            value[side][i] = analysis_shown(analysis, samples[side].value[c][i]);
    const struct channel channel = {value[0], value[1], tones_middle(analysis, c)};
    const struct tone_sums s = add_up(&channel, none, 2);
    const double left = residual(&s, best_line(&s)), gained = residual(&s, none) - left;
    return s.n >= POINTS_LEAST && gained > LEVEL * LEVEL && gained > LEAST_SHARE * left;
}

/* Returns the simplest line that fits as well as the best: no change, an offset, a gain, or
 * both. */
static struct tone_line simplest(const struct tone_sums *s)
{
    const struct tone_line best = best_line(s), none = {1, 0};
    const double enough = 1.15 * residual(s, best) + 0.1 * LEVEL * LEVEL;
    const struct tone_line shifted = {1, (s->y - s->x) / s->n};
    const struct tone_line scaled = {s->xx > 0 ? s->xy / s->xx : 1, 0};
    const bool takes_gain = residual(s, scaled) <= enough;
    if (residual(s, none) - residual(s, best) < LEVEL * LEVEL) return none;
    if (takes_gain && residual(s, scaled) <= residual(s, shifted)) return scaled;
    if (residual(s, shifted) <= enough) return shifted;
    return takes_gain ? scaled : best;
}

/* Fits a line through all points but a few that are far off, such as those of a damaged block. */
static struct tone_line fit(const struct channel *channel)
{
    const struct tone_line none = {1, 0};
    struct tone_sums s = add_up(channel, none, 2);
    if (s.n < POINTS_LEAST) return none;
    for (int pass = 0; pass < 2; pass++) { /* a pass drops at most one point of nine */
        const struct tone_line best = best_line(&s);
        s = add_up(channel, best, 3 * sqrt(residual(&s, best)) + LEVEL);
    }
    return simplest(&s);
}

void lines_fit(const struct tones *tones, struct tone_line line[3])
{
    for (uint32_t c = 0; c < tones->analysis->channels; c++) {
        const struct channel channel = {tones->own[0].at[c], tones->own[1].at[c],
                                        tones_middle(tones->analysis, c)};
        line[c] = fit(&channel);
    }
}

/* ---- A sum of all channels ------------------------------------------------------------------- */

enum { TERMS = 4 };

/* Solves the equations, whose matrix is symmetric and positive. Returns false if it is not. */
static bool solve(double matrix[TERMS][TERMS], double right[TERMS])
{
    for (int k = 0; k < TERMS; k++) {
        if (!(matrix[k][k] > 1e-12)) return false;
        for (int row = k + 1; row < TERMS; row++) {
            const double factor = matrix[row][k] / matrix[k][k];
            for (int column = k; column < TERMS; column++)
                matrix[row][column] -= factor * matrix[k][column];
            right[row] -= factor * right[k];
        }
    }
    for (int k = TERMS - 1; k >= 0; k--) {
        for (int column = k + 1; column < TERMS; column++)
            right[k] -= matrix[k][column] * right[column];
        right[k] /= matrix[k][k];
    }
    return true;
}

/* Writes the terms at a point. Returns false if a channel of REF is clipped there. */
static bool terms_at(const struct tones *tones, uint32_t i, double term[TERMS])
{
    term[3] = 1;
    for (uint32_t c = 0; c < 3; c++) {
        term[c] = tones->own[0].at[c][i];
        if (term[c] < 0) return false;
    }
    return true;
}

/* Dark light counts as much as a display shows of it. */
static double weight(const struct tones *tones, float value)
{
    return tones->analysis->light ? 1 / (0.01 + value) : 1;
}

bool affine_fit(const struct tones *tones, struct tone_values *guess)
{
    if (tones->analysis->channels != 3) return false;
    for (uint32_t c = 0; c < 3; c++) {
        double matrix[TERMS][TERMS] = {{0}}, right[TERMS] = {0}, term[TERMS];
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
            const float out = tones->own[1].at[c][i];
            if (out < 0 || !terms_at(tones, i, term)) continue;
            for (int row = 0; row < TERMS; row++) {
                const double weighed = term[row] * weight(tones, out);
                right[row] += weighed * out;
                for (int k = 0; k < TERMS; k++) matrix[row][k] += weighed * term[k];
            }
        }
        if (!solve(matrix, right)) return false;
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
            double sum = 0;
            const bool known = terms_at(tones, i, term);
            for (int k = 0; k < TERMS && known; k++) sum += right[k] * term[k];
            guess->at[c][i] = known ? (float)fmax(0, sum) : -1;
        }
    }
    return true;
}

/* ---- Hints ----------------------------------------------------------------------------------- */

static bool print_line(const struct analysis *analysis, const char *name,
                       const struct tone_line *line)
{
    const bool gain = fabs(line->gain - 1) >= 0.0005, offset = fabs(line->offset) >= 0.00005;
    if (gain) hints_add(analysis->hints, "gain %s %.3f", name, line->gain);
    if (offset) hints_add(analysis->hints, "offset %s %+.4f", name, line->offset);
    return gain || offset;
}

/* Returns whether R, G and B have changed equally. */
static bool are_alike(const struct tone_line line[3])
{
    for (int c = 1; c < 3; c++)
        if (fabs(line[c].gain - line[0].gain) > 0.004 ||
            fabs(line[c].offset - line[0].offset) > 0.002 ||
            (line[c].gain == 1) != (line[0].gain == 1) ||
            (line[c].offset == 0) != (line[0].offset == 0))
            return false;
    return true;
}

bool lines_say(const struct analysis *analysis, const struct tone_line line[3])
{
    static const char *const names[2][3] = {{"r", "g", "b"}, {"y", "u", "v"}};
    bool said = false;
    if (analysis->channels == 1) return print_line(analysis, "grey", &line[0]);
    if (analysis->planes == 1 && are_alike(line)) {
        const struct tone_line mean = {(line[0].gain + line[1].gain + line[2].gain) / 3,
                                       (line[0].offset + line[1].offset + line[2].offset) / 3};
        return print_line(analysis, "rgb", &mean);
    }
    for (uint32_t c = 0; c < analysis->channels; c++)
        said |= print_line(analysis, names[analysis->planes > 1][c], &line[c]);
    return said;
}
