#include "hints/analysis.h"

#include <string.h>

/* ---- Alpha ----------------------------------------------------------------------------------- */

static bool carries_alpha(const ssimcu_frame *frame) { return frame->channels % 2 == 0; }

/* Adds which side is transparent if the other is not. The score's background shows that some pixel
 * is not opaque. If both sides have an alpha channel, the points show whose pixel it was. */
static bool find_alpha(const struct analysis *analysis, const struct samples samples[2])
{
    enum { FEW = SIGNATURE_POINTS / 100 };
    if (!analysis_has_alpha(analysis)) return false;
    for (int side = 0; side < 2; side++) {
        const bool other_lacks = !carries_alpha(analysis->frame[1 - side]);
        const bool other_opaque =
            samples[1 - side].transparent == 0 && samples[side].transparent > FEW;
        if (carries_alpha(analysis->frame[side]) && (other_lacks || other_opaque))
            return hints_add(analysis->hints, "alpha %s only", side == 0 ? "REF" : "OUT");
    }
    return false;
}

/* ---- One colour ------------------------------------------------------------------------------ */

struct span {
    float low, high;
};

static struct span span_of(const struct analysis *analysis, const float sample[SIGNATURE_POINTS])
{
    const float first = analysis_shown(analysis, sample[0]);
    struct span span = {first, first};
    for (uint32_t i = 1; i < SIGNATURE_POINTS; i++) {
        const float value = analysis_shown(analysis, sample[i]);
        if (value < span.low) span.low = value;
        if (value > span.high) span.high = value;
    }
    return span;
}

/* Returns whether the samples vary like those of a picture: a standard deviation above six levels.
 * Grain on one colour varies less, and so does a frame so dark that a coder makes it one colour. */
static bool varies(const struct analysis *analysis, const float sample[SIGNATURE_POINTS])
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) sum += analysis_shown(analysis, sample[i]);
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        const double off = analysis_shown(analysis, sample[i]) - sum / SIGNATURE_POINTS;
        squares += off * off;
    }
    return squares / SIGNATURE_POINTS > 36 * LEVEL * LEVEL;
}

/* Returns whether some fifty thousand pixels confirm the points: OUT is one colour. */
static bool is_flat_closely(const struct analysis *analysis, const struct span span[3])
{
    const ssimcu_frame *out = analysis->frame[1];
    const uint32_t right = out->width / 400 + 1, down = out->height / 200 + 1;
    for (uint32_t p = 0; p < analysis->planes; p++) fetch_whole(analysis, 1, p);
    for (uint32_t y = 0; y < out->height; y += down)
        for (uint32_t x = 0; x < out->width; x += right) {
            float value[3];
            samples_pixel(analysis, 1, x, y, value);
            for (uint32_t c = 0; c < analysis->channels; c++) {
                value[c] = analysis_shown(analysis, value[c]);
                if (value[c] < span[c].high - 1.5f * LEVEL || value[c] > span[c].low + 1.5f * LEVEL)
                    return false;
            }
        }
    return true;
}

/* Returns whether OUT is black. For Y, U and V, this is a Y of 0 to 16 of 255, without colour. */
static bool is_black(const struct analysis *analysis, const struct span span[3])
{
    if (analysis->planes == 1) {
        for (uint32_t c = 0; c < analysis->channels; c++)
            if (span[c].high > LEVEL) return false;
        return true;
    }
    for (uint32_t c = 1; c < analysis->channels; c++)
        if (span[c].low < 126 * LEVEL || span[c].high > 130 * LEVEL) return false;
    return span[0].high < 17 * LEVEL;
}

static bool find_solid(const struct analysis *analysis, const struct samples samples[2])
{
    struct span span[3] = {{0, 0}};
    bool ref_varies = false;
    for (uint32_t c = 0; c < analysis->channels; c++) {
        span[c] = span_of(analysis, samples[1].value[c]);
        if (span[c].high - span[c].low > 1.5f * LEVEL) return false;
    }
    for (uint32_t c = 0; c < analysis->channels; c++)
        ref_varies |= varies(analysis, samples[0].value[c]);
    return ref_varies && is_flat_closely(analysis, span) &&
           hints_add(analysis->hints, "%s", is_black(analysis, span) ? "black" : "solid");
}

/* ---- The analysis ---------------------------------------------------------------------------- */

static bool is_light(const ssimcu_frame *frame)
{
    return analysis_has_floats(frame) && frame->linear;
}

static uint32_t bits_of(const ssimcu_frame *frame) { return frame->bits % SSIMCU_BITS_FLOAT; }

/* Returns whether OUT's luma rises and falls with REF's, as under every change of tones. If not,
 * the means around the points are not worth their time, some milliseconds. */
static bool follows(const struct signature signature[2])
{
    return signature_unexplained(&signature[0], &signature[1]) < 1 - 0.85 * 0.85;
}

/* Returns how much of OUT's luma REF explains: the square of their correlation. */
static double explained(const struct signature *ref, const struct signature *out)
{
    return 1 - signature_unexplained(ref, out);
}

/* Returns a distance at which REF is compared with itself, in pixels: the larger first. */
static uint32_t distance_of(const struct analysis *analysis, int which)
{
    const uint32_t far = analysis->frame[0]->width / 32;
    return which == 0 && far > 8 ? far : 8;
}

/* Returns whether OUT is bad enough to search for a move. */
static bool is_searched(const struct analysis *analysis) { return analysis->score->score < 0.99; }

void analysis_fetch(const struct analysis *analysis)
{
    if (!analysis->fetch) return;
    samples_add(analysis);
    if (is_searched(analysis)) {
        for (int i = 0; i < 2; i++) samples_add_moved(analysis, distance_of(analysis, i));
        shift_add(analysis);
    }
    fetch_now(analysis);
}

/* Returns whether OUT may be REF moved. Then it has about as much in common with REF as REF has
 * with itself at such a distance. If that is next to nothing, a smaller distance decides. The
 * searches take most of the analysis's time, and frames without such a hint should not pay for
 * it. */
static bool may_be_moved(const struct analysis *analysis, const struct signature signature[2])
{
    static const double TELLS = 0.1, LEAST = 0.6 * 0.6;
    const double here = explained(&signature[0], &signature[1]);
    for (int i = 0; i < 2; i++) {
        struct signature moved;
        samples_moved(analysis, distance_of(analysis, i), &moved);
        const double self = explained(&signature[0], &moved);
        if (self > TELLS) return here > LEAST * self;
    }
    return true;
}

void analyse_pair(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
                  const ssimcu_score *score, struct hints_fetch *fetch, struct hints *hints,
                  struct signature signature[2])
{
    struct samples samples[2];
    const bool color = ref->channels > 2 || out->channels > 2;
    const struct analysis analysis = {.frame = {ref, out},
                                      .planes = planes,
                                      .channels = planes > 1 ? planes
                                                  : color    ? 3
                                                             : 1,
                                      .light = is_light(ref) && is_light(out),
                                      .score = score,
                                      .hints = hints,
                                      .fetch = fetch};
    memset(hints, 0, sizeof *hints);
    analysis_fetch(&analysis);
    for (int side = 0; side < 2; side++)
        samples_take(&analysis, side, &samples[side], &signature[side]);
    if (!(score->score < 1)) return; /* a frame without SSIM has no cause to look for, either */
    if (bits_of(ref) != bits_of(out))
        hints_add(hints, "depth REF %u OUT %u", (unsigned)bits_of(ref), (unsigned)bits_of(out));
    /* The first cause that explains the frame ends the search. */
    const bool same = follows(signature);
    (void)(find_alpha(&analysis, samples) || find_solid(&analysis, samples) ||
           black_area_find(&analysis) || (same && tones_find(&analysis, samples)) ||
           (!same && mirrored_find(&analysis)) ||
           (is_searched(&analysis) && may_be_moved(&analysis, signature) && shift_find(&analysis)));
}
