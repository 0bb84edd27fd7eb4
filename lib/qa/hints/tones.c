/* Choosing a change of tone. Every guess is compared with OUT. It becomes a hint if it explains
 * OUT, no simpler guess does, and no other fits much better. If two guesses explain OUT equally
 * well, there is no hint. */
#include "hints/tones.h"

#include <stdlib.h>
#include <string.h>

/* Guesses, simplest first: without a number, with one for all channels, with more. */
enum guess {
    LIMITED,
    FULL,
    SWAPPED,
    CURVE,
    PRIMARIES = CURVE + TONE_CURVES,
    SPACES = 6,
    GAIN = PRIMARIES + SPACES,
    OFFSET,
    EXPOSURE,
    POWER,
    LINES,
    AFFINE, /* never a hint */
    GUESSES
};

/* A guess with its numbers, and how well it fits. */
struct held {
    bool good; /* it explains OUT */
    struct tone_line line[3];
    double number;
    struct tone_fit fit;
};

static int rank_of(int guess) { return guess < GAIN ? 0 : guess < LINES ? 1 : 2; }

/* ---- Without a number ------------------------------------------------------------------------ */

/* Convert light from one space's primaries to another's, all with white D65. */
static const struct {
    const char *name;
    float matrix[3][3];
} SPACE[SPACES] = {
    {"REF 709 OUT P3",
     {{0.822462f, 0.177538f, 0}, {0.033194f, 0.966806f, 0}, {0.017083f, 0.072397f, 0.910520f}}},
    {"REF P3 OUT 709",
     {{1.224940f, -0.224940f, 0}, {-0.042057f, 1.042057f, 0}, {-0.019638f, -0.078636f, 1.098274f}}},
    {"REF 709 OUT 2020",
     {{0.627404f, 0.329283f, 0.043313f},
      {0.069097f, 0.919540f, 0.011362f},
      {0.016391f, 0.088013f, 0.895595f}}},
    {"REF 2020 OUT 709",
     {{1.660491f, -0.587641f, -0.072850f},
      {-0.124550f, 1.132900f, -0.008349f},
      {-0.018151f, -0.100579f, 1.118730f}}},
    {"REF P3 OUT 2020",
     {{0.753833f, 0.198597f, 0.047570f},
      {0.045744f, 0.941777f, 0.012479f},
      {-0.001210f, 0.017602f, 0.983609f}}},
    {"REF 2020 OUT P3",
     {{1.343578f, -0.282180f, -0.061399f},
      {-0.065297f, 1.075788f, -0.010490f},
      {0.002822f, -0.019599f, 1.016777f}}},
};

static void mix(const struct tones *tones, const float matrix[3][3], struct tone_values *made)
{
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        float from[3];
        bool known = true;
        for (int c = 0; c < 3; c++) {
            from[c] = tones->light[0].at[c][i];
            known = known && from[c] >= 0;
        }
        for (int c = 0; c < 3; c++) {
            const float sum =
                matrix[c][0] * from[0] + matrix[c][1] * from[1] + matrix[c][2] * from[2];
            made->at[c][i] = known ? fmaxf(0, sum) : -1;
        }
    }
}

static void apply_lines(const struct tones *tones, const struct tone_line line[3],
                        struct tone_values *made)
{
    for (uint32_t c = 0; c < tones->analysis->channels; c++) {
        const float middle = tones_middle(tones->analysis, c);
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
            const float ref = tones->own[0].at[c][i];
            const double value = line[c].gain * (ref - middle) + line[c].offset + middle;
            made->at[c][i] = ref < 0 ? -1 : (float)fmax(0, value);
        }
    }
}

/* Sets the lines from REF to OUT if only OUT is limited, or only REF. */
static void set_range(const struct analysis *analysis, bool out_is_limited,
                      struct tone_line line[3])
{
    for (uint32_t c = 0; c < analysis->channels; c++) {
        const bool chroma = tones_middle(analysis, c) > 0;
        const double scale = (chroma ? 224.0 : 219.0) / 255, black = chroma ? 0 : 16.0 / 255;
        line[c] = out_is_limited ? (struct tone_line){scale, black}
                                 : (struct tone_line){1 / scale, -black / scale};
    }
}

/* Swaps R and B, or U and V. */
static void swap(const struct tones *tones, struct tone_values *made)
{
    const int first = tones->analysis->planes > 1 ? 1 : 0;
    *made = tones->own[0];
    memcpy(made->at[first], tones->own[0].at[2], sizeof made->at[0]);
    memcpy(made->at[2], tones->own[0].at[first], sizeof made->at[0]);
}

/* ---- With numbers ---------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

/* Returns the median of OUT / REF in light, or of the ratio of their logarithms; 1 if there are
 * few. */
static double median_ratio(const struct tones *tones, uint32_t first, uint32_t end, bool power)
{
    const struct tone_values *side = power ? tones->own : tones->light;
    float ratio[3 * SIGNATURE_POINTS];
    size_t count = 0;
    for (uint32_t c = first; c < end; c++)
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
            const float ref = side[0].at[c][i], out = side[1].at[c][i];
            if (ref < 0.02f || out < 1e-4f || (power && ref > 0.9f)) continue;
            ratio[count++] = power ? logf(out) / logf(ref) : out / ref;
        }
    qsort(ratio, count, sizeof *ratio, ascending);
    return count >= 64 ? ratio[count / 2] : 1;
}

/* Multiplies light by one number for each channel. */
static void apply_light(const struct tones *tones, const double number[3], struct tone_values *made)
{
    for (uint32_t c = 0; c < tones->analysis->channels; c++)
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
            const float ref = tones->light[0].at[c][i];
            made->at[c][i] = ref < 0 ? -1 : (float)(ref * number[c]);
        }
}

/* Finds the power that fits best, from a guess nearby. */
static double fit_power(const struct tones *tones, struct tone_values *made)
{
    struct tone_values change;
    double power = median_ratio(tones, 0, tones->analysis->channels, true);
    for (int pass = 0; pass < 3; pass++) {
        double up = 0, down = 1e-9;
        const uint32_t step = pass < 2 ? 3 : 1;
        tones_power(tones, power, step, made, &change);
        for (uint32_t c = 0; c < tones->analysis->channels && pass < 2; c++)
            for (uint32_t i = 0; i < SIGNATURE_POINTS; i += step) {
                const double out = tones->own[1].at[c][i], slope = change.at[c][i];
                if (out < 0 || made->at[c][i] < 0 || tones->own[0].at[c][i] > 1) continue;
                up += (out - made->at[c][i]) * slope;
                down += slope * slope;
            }
        if (pass < 2) power = fmin(4, fmax(0.25, power + up / down));
    }
    return power;
}

/* Fits one gain or one offset for all channels, to the points near the line `before`. */
static struct tone_line fit_near(const struct tones *tones, bool gain, struct tone_line before,
                                 double most)
{
    double xx = 0, xy = 0, apart = 0, count = 0;
    for (uint32_t c = 0; c < tones->analysis->channels; c++)
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
            const double x = tones->own[0].at[c][i], y = tones->own[1].at[c][i];
            if (x < 0 || y < 0 || fabs(y - before.gain * x - before.offset) > most) continue;
            xx += x * x, xy += x * y, apart += y - x, count++;
        }
    return gain ? (struct tone_line){xx > 0 ? xy / xx : 1, 0}
                : (struct tone_line){1, count > 0 ? apart / count : 0};
}

static void fit_common(const struct tones *tones, bool gain, struct tone_line line[3])
{
    struct tone_line common = fit_near(tones, gain, (struct tone_line){1, 0}, 2);
    for (double most = 8; most >= 2; most /= 2)
        common = fit_near(tones, gain, common, most * LEVEL);
    for (int c = 0; c < 3; c++) line[c] = common;
}

/* ---- Testing --------------------------------------------------------------------------------- */

/* Largest share of a guess's effect that may remain in means over ranges of values and areas of the
 * frame. A gamma of 1.1 leaves a line 0.0014 and more in most pictures, a coder at quality 75 up to
 * 0.001. Guesses without a number are known beforehand, and clip more. */
static double most_bent(int guess)
{
    return guess <= FULL ? 0.02 : guess < GAIN || guess == POWER ? 0.006 : 0.003;
}

/* Returns whether lines only add offsets, which is allowed for a picture without detail. */
static bool is_offset(int guess, const struct tone_line line[3])
{
    return guess == OFFSET ||
           (guess == LINES && line[0].gain == 1 && line[1].gain == 1 && line[2].gain == 1);
}

/* Returns whether the gains look like a mistake, and not like two pictures of few colours. */
static bool is_likely(const struct tone_line line[3])
{
    for (int c = 0; c < 3; c++)
        if (line[c].gain < 0.1 || line[c].gain > 10) return false;
    return true;
}

static bool explains(int guess, const struct held *held)
{
    const struct tone_fit *fit = &held->fit;
    return fit->usable && fit->left < 0.25 * fit->before &&
           fit->explains > TONES_EXPLAIN * LEVEL * LEVEL && fit->bent < most_bent(guess) &&
           is_likely(held->line) && (fit->blurred < 0.05 || is_offset(guess, held->line));
}

/* Returns whether a guess is possible for such samples. */
static bool is_possible(const struct analysis *analysis, int guess)
{
    const bool planar = analysis->planes > 1, rgb = !planar && analysis->channels == 3;
    if (guess <= FULL) return !analysis->light;
    if (guess == OFFSET || guess == GAIN) return !analysis->light && !planar;
    if (guess == SWAPPED) return analysis->channels == 3;
    if ((guess >= PRIMARIES && guess < GAIN) || guess == AFFINE) return rgb;
    return guess == LINES || !planar;
}

/* Makes a guess: fills in its numbers, and OUT's means as it predicts them. Returns whether these
 * are of light. Sets *made_any to false if it cannot. */
static bool make(const struct tones *tones, int guess, struct held *held, struct tone_values *made,
                 bool *made_any)
{
    const struct analysis *analysis = tones->analysis;
    double number[3] = {1, 1, 1};
    *made_any = true;
    if (guess >= CURVE && guess < PRIMARIES) {
        *made = tones->curve[guess - CURVE];
    } else if (guess >= PRIMARIES && guess < GAIN) {
        mix(tones, SPACE[guess - PRIMARIES].matrix, made);
        return true;
    } else if (guess == SWAPPED) {
        swap(tones, made);
    } else if (guess == POWER) {
        held->number = fit_power(tones, made);
    } else if (guess == AFFINE) {
        *made_any = affine_fit(tones, made);
    } else if (guess == EXPOSURE || (guess == LINES && analysis->light)) {
        for (uint32_t c = 0; c < analysis->channels; c++) {
            const bool all = guess == EXPOSURE;
            number[c] = median_ratio(tones, all ? 0 : c, all ? analysis->channels : c + 1, false);
            held->line[c] = (struct tone_line){number[c], 0};
        }
        held->number = log2(number[0]);
        apply_light(tones, number, made);
        return true;
    } else {
        if (guess <= FULL) set_range(analysis, guess == LIMITED, held->line);
        if (guess == GAIN || guess == OFFSET) fit_common(tones, guess == GAIN, held->line);
        if (guess == LINES) lines_fit(tones, held->line);
        apply_lines(tones, held->line, made);
    }
    return false;
}

static void hold(const struct tones *tones, int guess, struct held *held)
{
    struct tone_values made;
    bool made_any = false;
    *held = (struct held){.line = {{1, 0}, {1, 0}, {1, 0}}};
    if (!is_possible(tones->analysis, guess)) return;
    const bool of_light = make(tones, guess, held, &made, &made_any);
    if (made_any) held->fit = tones_fit(tones, &made, of_light);
    held->good = made_any && guess != AFFINE && explains(guess, held);
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* Returns whether two guesses are two names for one thing. */
static bool are_one(int a, int b) { return a == GAIN && b == EXPOSURE; }

/* Returns the guess that becomes the hint; GUESSES: none does. */
static int choose(const struct held held[GUESSES])
{
    double least = 1e9;
    int chosen = GUESSES;
    for (int i = 0; i < GUESSES; i++)
        if (held[i].fit.usable) least = fmin(least, held[i].fit.left);
    for (int i = 0; i < AFFINE; i++) {
        const double enough = 1.5 * least + (i <= FULL ? 1 : 0.1) * LEVEL * LEVEL;
        if (!held[i].fit.usable || held[i].fit.left > enough) continue;
        if (chosen < GUESSES && rank_of(i) > rank_of(chosen)) break;
        if (chosen < GUESSES && !are_one(chosen, i)) return GUESSES;
        if (chosen == GUESSES || !held[chosen].good) chosen = i;
    }
    return chosen < GUESSES && held[chosen].good ? chosen : GUESSES;
}

static bool print_line(const struct analysis *analysis, int guess, const struct held *held)
{
    static const char *const curves[] = {"curve OUT none", "curve OUT twice", "curve OUT gamma 2.2",
                                         "curve REF gamma 2.2"};
    if (guess <= FULL)
        return hints_add(analysis->hints, "range OUT %s", guess == LIMITED ? "limited" : "full");
    if (guess == SWAPPED)
        return hints_add(analysis->hints,
                         analysis->planes > 1 ? "channel-swap u v" : "channel-swap r b");
    if (guess < PRIMARIES) return hints_add(analysis->hints, "%s", curves[guess - CURVE]);
    if (guess < GAIN)
        return hints_add(analysis->hints, "primaries %s", SPACE[guess - PRIMARIES].name);
    if (guess == EXPOSURE) return hints_add(analysis->hints, "exposure %+.3f", held->number);
    if (guess == POWER)
        return hints_add(analysis->hints, "gamma %s %.3f", analysis->channels > 1 ? "rgb" : "grey",
                         held->number);
    return lines_say(analysis, held->line);
}

bool tones_find(const struct analysis *analysis, const struct samples samples[2])
{
    struct tones tones;
    struct held held[GUESSES];
    bool any = false;
    for (uint32_t c = 0; c < analysis->channels; c++) any |= lines_may_be(analysis, samples, c);
    if (!any || !tones_differ(analysis)) return false;
    tones_take(analysis, &tones);
    for (int i = 0; i < GUESSES; i++) hold(&tones, i, &held[i]);
    const int guess = choose(held);
    return guess < GUESSES && print_line(analysis, guess, &held[guess]);
}
