#include "hints/look.h"

#include <math.h>

enum {
    POINTS_LEAST = 128, /* points that are not clipped, at least */
    BINS = 8            /* bins of REF's values, which show whether the relation is a line */
};

/* Largest share of a line's effect that the means of the bins may keep. A gamma of 1.1 leaves
 * 0.0014 and more in most pictures, a coder at quality 75 up to 0.001. A range is known beforehand,
 * and clips more. */
static const double MOST_BENT = 0.0012, MOST_BENT_RANGE = 0.01;

/* Sums over points: x of REF, y of OUT. */
struct sums {
    double n, x, y, xx, xy, yy;
};

/* y = gain * x + offset */
struct line {
    double gain, offset;
};

/* What is known about a channel. */
struct channel {
    const float *ref, *out;
    float middle; /* value that stands for 0: 0.5 in chroma */
    bool usable;
    struct sums sums; /* sums over the points that count */
    struct line line; /* best line */
    bool says_gain, says_offset;
};

/* Returns the mean square of what the line leaves unexplained. */
static double residual(const struct sums *s, struct line line)
{
    const double g = line.gain, b = line.offset;
    const double sum = s->yy - 2 * g * s->xy - 2 * b * s->y + g * g * s->xx + 2 * g * b * s->x;
    return fmax(0, sum / s->n + b * b);
}

static struct line best_line(const struct sums *s)
{
    const double spread = s->xx - s->x * s->x / s->n;
    const double gain = spread > s->n * 1e-9 ? (s->xy - s->x * s->y / s->n) / spread : 1;
    return (struct line){gain, (s->y - gain * s->x) / s->n};
}

static double correlation_squared(const struct sums *s)
{
    const double xx = s->xx - s->x * s->x / s->n, yy = s->yy - s->y * s->y / s->n;
    const double xy = s->xy - s->x * s->y / s->n;
    return xx * yy > 0 ? xy * xy / (xx * yy) : 0;
}

/* Returns whether a point counts, and x and y relative to the middle. Clipped samples are on no
 * line. */
static bool take_point(const struct channel *channel, uint32_t i, double *x, double *y)
{
    const float ref = channel->ref[i], out = channel->out[i];
    *x = ref - channel->middle;
    *y = out - channel->middle;
    return ref > 0 && out > 0 && ref < 1 && out < 1;
}

/* Adds up the points at most `most` away from the line. */
static struct sums add_up(const struct channel *channel, struct line line, double most)
{
    struct sums s = {0};
    double x = 0, y = 0;
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        if (!take_point(channel, i, &x, &y)) continue;
        if (fabs(y - line.gain * x - line.offset) > most) continue;
        s.n += 1;
        s.x += x;
        s.y += y;
        s.xx += x * x;
        s.xy += x * y;
        s.yy += y * y;
    }
    return s;
}

static struct channel channel_of(const struct look *look, const struct samples samples[2],
                                 uint32_t c)
{
    const uint32_t bits = look->frame[0]->bits;
    const bool chroma = look->planes > 1 && c > 0;
    const float middle = (float)(1u << (bits - 1)) / (float)((1u << bits) - 1);
    return (struct channel){
        .ref = samples[0].value[c], .out = samples[1].value[c], .middle = chroma ? middle : 0};
}

/* Returns whether OUT may be nearer to a line of REF than to REF, judged by the points. */
static bool may_be_line(const struct channel *channel)
{
    const struct line none = {1, 0};
    const struct sums s = add_up(channel, none, 2);
    return s.n >= POINTS_LEAST && residual(&s, none) - residual(&s, best_line(&s)) > LEVEL * LEVEL;
}

/* Fits a line through all points but a few that are far off, such as those of a damaged block. */
static void fit(struct channel *channel)
{
    const struct line none = {1, 0};
    struct sums s = add_up(channel, none, 2);
    const double all = s.n;
    channel->usable = all >= POINTS_LEAST;
    for (int pass = 0; pass < 2 && channel->usable; pass++) {
        const struct line line = best_line(&s);
        s = add_up(channel, line, 3 * sqrt(residual(&s, line)) + LEVEL);
        channel->usable = s.n >= 0.8 * all;
    }
    channel->sums = s;
    if (channel->usable) channel->line = best_line(&s);
}

/* Returns whether the points follow the line rather than a curve. On a curve the points of some
 * part of REF's values are off to one side. */
static bool is_straight(const struct channel *channel, struct line line, double most_bent)
{
    double sum[BINS] = {0}, count[BINS] = {0}, bent = 0, moved = 0, x = 0, y = 0;
    const double most = 3 * sqrt(residual(&channel->sums, line)) + LEVEL;
    const double mean = channel->sums.x / channel->sums.n;
    const double deviation = sqrt(fmax(1e-9, channel->sums.xx / channel->sums.n - mean * mean));
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        if (!take_point(channel, i, &x, &y)) continue;
        const double fitted = line.gain * x + line.offset;
        if (fabs(y - fitted) > most) continue;
        const double bin = (x - mean) / deviation * BINS / 4 + BINS / 2;
        const int at = (int)fmin(BINS - 1, fmax(0, bin));
        sum[at] += y - fitted;
        count[at] += 1;
        moved += (fitted - x) * (fitted - x);
    }
    for (int bin = 0; bin < BINS; bin++)
        if (count[bin] >= 16) bent += sum[bin] * sum[bin] / count[bin];
    return bent < most_bent * moved;
}

/* Returns the simplest line that is as good as the best: an offset, a gain, or both. */
static struct line simplest(const struct channel *channel)
{
    const struct sums *s = &channel->sums;
    const double enough = 1.15 * residual(s, channel->line) + 0.1 * LEVEL * LEVEL;
    const struct line shifted = {1, (s->y - s->x) / s->n};
    const struct line scaled = {s->xx > 0 ? s->xy / s->xx : 1, 0};
    const bool takes_gain = residual(s, scaled) <= enough;
    if (takes_gain && residual(s, scaled) <= residual(s, shifted)) return scaled;
    if (residual(s, shifted) <= enough) return shifted;
    return takes_gain ? scaled : channel->line;
}

/* Returns whether OUT is much nearer to this line of REF than to REF, and two levels away from REF.
 * A blur, a coder or noise leaves as much beside the best line as beside REF itself. */
static bool explains(const struct channel *channel, struct line line, double most_bent)
{
    const struct line none = {1, 0};
    const double left = residual(&channel->sums, line), before = residual(&channel->sums, none);
    return left < 0.25 * before && before - left > 4 * LEVEL * LEVEL &&
           (line.gain == 1 || correlation_squared(&channel->sums) > 0.95) &&
           is_straight(channel, line, most_bent);
}

/* ---- Range ----------------------------------------------------------------------------------- */

/* Returns the line from REF to OUT if OUT alone is limited, or REF alone. */
static struct line range_line(bool out_is_limited, bool chroma)
{
    const double scale = (chroma ? 224.0 : 219.0) / 255, black = chroma ? 0 : 16.0 / 255;
    return out_is_limited ? (struct line){scale, black} : (struct line){1 / scale, -black / scale};
}

/* Returns whether the range explains OUT. Its line must be within a level of the best line in every
 * channel, and must explain a channel that is not chroma. */
static bool is_range(const struct look *look, const struct channel channel[3], bool out_is_limited)
{
    bool explained = false;
    for (uint32_t c = 0; c < look->channels; c++) {
        const bool chroma = channel[c].middle > 0;
        const struct line line = range_line(out_is_limited, chroma);
        if (!channel[c].usable) continue;
        if (residual(&channel[c].sums, line) >
            1.15 * residual(&channel[c].sums, channel[c].line) + LEVEL * LEVEL)
            return false;
        explained |= !chroma && explains(&channel[c], line, MOST_BENT_RANGE);
    }
    return explained;
}

/* ---- What is said ---------------------------------------------------------------------------- */

static void say(const struct look *look, const char *name, const struct channel *channel)
{
    if (channel->says_gain) hints_add(look->hints, "gain %s %.3f", name, channel->line.gain);
    if (channel->says_offset) hints_add(look->hints, "offset %s %+.4f", name, channel->line.offset);
}

/* Returns whether R, G and B have changed alike. */
static bool are_alike(const struct channel channel[3])
{
    for (int c = 1; c < 3; c++)
        if (channel[c].says_gain != channel[0].says_gain ||
            channel[c].says_offset != channel[0].says_offset ||
            fabs(channel[c].line.gain - channel[0].line.gain) > 0.004 ||
            fabs(channel[c].line.offset - channel[0].line.offset) > 0.002)
            return false;
    return true;
}

/* Takes the simplest line, if it explains the channel, and notes which of it is worth saying. */
static bool decide(struct channel *channel)
{
    if (!channel->usable) return false;
    const struct line line = simplest(channel);
    if (!explains(channel, line, MOST_BENT)) return false;
    channel->line = line;
    channel->says_gain = fabs(line.gain - 1) >= 0.0005;
    channel->says_offset = fabs(line.offset) >= 0.00005;
    return channel->says_gain || channel->says_offset;
}

static void say_all(const struct look *look, struct channel channel[3])
{
    static const char *const names[2][3] = {{"r", "g", "b"}, {"y", "u", "v"}};
    if (look->channels == 1) {
        say(look, "grey", &channel[0]);
    } else if (look->planes == 1 && are_alike(channel)) {
        for (int c = 1; c < 3; c++) {
            channel[0].line.gain += channel[c].line.gain;
            channel[0].line.offset += channel[c].line.offset;
        }
        channel[0].line.gain /= 3;
        channel[0].line.offset /= 3;
        say(look, "rgb", &channel[0]);
    } else {
        for (uint32_t c = 0; c < look->channels; c++)
            say(look, names[look->planes > 1][c], &channel[c]);
    }
}

bool linear_look(const struct look *look, const struct samples samples[2])
{
    struct samples means[2];
    struct channel channel[3] = {{0}};
    bool any = false;
    for (uint32_t c = 0; c < look->channels; c++) {
        channel[c] = channel_of(look, samples, c);
        any |= may_be_line(&channel[c]);
    }
    if (!any) return false;
    for (int side = 0; side < 2; side++) samples_means(look, side, &means[side]);
    for (uint32_t c = 0; c < look->channels; c++) {
        channel[c] = channel_of(look, means, c);
        fit(&channel[c]);
    }
    for (int limited = 0; limited < 2; limited++)
        if (is_range(look, channel, limited))
            return hints_add(look->hints, "range OUT %s", limited ? "limited" : "full");
    any = false;
    for (uint32_t c = 0; c < look->channels; c++) any |= decide(&channel[c]);
    if (any) say_all(look, channel);
    return any;
}
