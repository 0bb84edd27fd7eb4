#include "hints/look.h"

#include <string.h>

/* ---- Alpha ----------------------------------------------------------------------------------- */

static bool carries_alpha(const ssimcu_frame *frame) { return frame->channels % 2 == 0; }

/* Says which side alone has alpha. The score's background tells that some pixel is not opaque. If
 * both sides have an alpha channel, the points tell whose pixel it was. */
static bool look_alpha(const struct look *look, const struct samples samples[2])
{
    enum { FEW = SIGNATURE_POINTS / 100 };
    if (!look_has_alpha(look)) return false;
    for (int side = 0; side < 2; side++) {
        const bool other_lacks = !carries_alpha(look->frame[1 - side]);
        const bool other_opaque =
            samples[1 - side].transparent == 0 && samples[side].transparent > FEW;
        if (carries_alpha(look->frame[side]) && (other_lacks || other_opaque))
            return hints_add(look->hints, "alpha %s only", side == 0 ? "REF" : "OUT");
    }
    return false;
}

/* ---- One colour ------------------------------------------------------------------------------ */

struct span {
    float low, high;
};

static struct span span_of(const struct look *look, const float sample[SIGNATURE_POINTS])
{
    const float first = look_shown(look, sample[0]);
    struct span span = {first, first};
    for (uint32_t i = 1; i < SIGNATURE_POINTS; i++) {
        const float value = look_shown(look, sample[i]);
        if (value < span.low) span.low = value;
        if (value > span.high) span.high = value;
    }
    return span;
}

/* Returns whether the samples are those of a picture: a standard deviation above six levels. Grain
 * on one colour has less, and so has a frame so dark that a coder makes it one colour. */
static bool varies(const struct look *look, const float sample[SIGNATURE_POINTS])
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) sum += look_shown(look, sample[i]);
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        const double off = look_shown(look, sample[i]) - sum / SIGNATURE_POINTS;
        squares += off * off;
    }
    return squares / SIGNATURE_POINTS > 36 * LEVEL * LEVEL;
}

/* Returns whether some fifty thousand pixels confirm what the points say, that OUT is one
 * colour. */
static bool is_flat_closely(const struct look *look, const struct span span[3])
{
    const ssimcu_frame *out = look->frame[1];
    const uint32_t right = out->width / 400 + 1, down = out->height / 200 + 1;
    for (uint32_t p = 0; p < look->planes; p++) fetch_whole(look, 1, p);
    for (uint32_t y = 0; y < out->height; y += down)
        for (uint32_t x = 0; x < out->width; x += right) {
            float value[3];
            samples_pixel(look, 1, x, y, value);
            for (uint32_t c = 0; c < look->channels; c++) {
                value[c] = look_shown(look, value[c]);
                if (value[c] < span[c].high - 1.5f * LEVEL || value[c] > span[c].low + 1.5f * LEVEL)
                    return false;
            }
        }
    return true;
}

/* Returns whether OUT is black. In Y, U and V this is a Y of 0 to 16 of 255, without colour. */
static bool is_black(const struct look *look, const struct span span[3])
{
    if (look->planes == 1) {
        for (uint32_t c = 0; c < look->channels; c++)
            if (span[c].high > LEVEL) return false;
        return true;
    }
    for (uint32_t c = 1; c < look->channels; c++)
        if (span[c].low < 126 * LEVEL || span[c].high > 130 * LEVEL) return false;
    return span[0].high < 17 * LEVEL;
}

static bool look_flat(const struct look *look, const struct samples samples[2])
{
    struct span span[3] = {{0, 0}};
    bool ref_varies = false;
    for (uint32_t c = 0; c < look->channels; c++) {
        span[c] = span_of(look, samples[1].value[c]);
        if (span[c].high - span[c].low > 1.5f * LEVEL) return false;
    }
    for (uint32_t c = 0; c < look->channels; c++) ref_varies |= varies(look, samples[0].value[c]);
    return ref_varies && is_flat_closely(look, span) &&
           hints_add(look->hints, "%s", is_black(look, span) ? "black" : "flat");
}

/* ---- All ------------------------------------------------------------------------------------- */

static bool is_light(const ssimcu_frame *frame) { return look_has_floats(frame) && frame->linear; }

static uint32_t bits_of(const ssimcu_frame *frame) { return frame->bits % SSIMCU_BITS_FLOAT; }

/* Returns whether OUT's luma rises and falls with REF's, as under every change of tones. If it does
 * not, the means around the points are not worth their time, some milliseconds. */
static bool follows(const struct signature signature[2])
{
    return signature_unexplained(&signature[0], &signature[1]) < 1 - 0.85 * 0.85;
}

/* Returns how much of OUT's luma REF's explains: the square of their correlation. */
static double explained(const struct signature *ref, const struct signature *out)
{
    return 1 - signature_unexplained(ref, out);
}

/* Returns a distance at which REF is held against itself, in pixels: the larger first. */
static uint32_t distance_of(const struct look *look, int which)
{
    const uint32_t far = look->frame[0]->width / 32;
    return which == 0 && far > 8 ? far : 8;
}

/* Returns whether OUT is so bad that it may be moved. */
static bool is_searched(const struct look *look) { return look->score->score < 0.99; }

void look_fetch(const struct look *look)
{
    if (!look->fetch) return;
    samples_add(look);
    if (is_searched(look)) {
        for (int i = 0; i < 2; i++) samples_add_moved(look, distance_of(look, i));
        shift_add(look);
    }
    fetch_now(look);
}

/* Returns whether OUT may be REF moved. It has then as much in common with REF as REF has
 * with itself at such a distance, or little less. If that is nothing, a smaller distance tells. The
 * searches take most of a look's time, so frames of which nothing can be found should not pay. */
static bool may_be_moved(const struct look *look, const struct signature signature[2])
{
    static const double TELLS = 0.1, LEAST = 0.6 * 0.6;
    const double here = explained(&signature[0], &signature[1]);
    for (int i = 0; i < 2; i++) {
        struct signature moved;
        samples_moved(look, distance_of(look, i), &moved);
        const double own = explained(&signature[0], &moved);
        if (own > TELLS) return here > LEAST * own;
    }
    return true;
}

void look_pair(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
               const ssimcu_score *score, struct hints_fetch *fetch, struct hints *hints,
               struct signature signature[2])
{
    struct samples samples[2];
    const bool color = ref->channels > 2 || out->channels > 2;
    const struct look look = {.frame = {ref, out},
                              .planes = planes,
                              .channels = planes > 1 ? planes
                                          : color    ? 3
                                                     : 1,
                              .light = is_light(ref) && is_light(out),
                              .score = score,
                              .hints = hints,
                              .fetch = fetch};
    memset(hints, 0, sizeof *hints);
    look_fetch(&look);
    for (int side = 0; side < 2; side++)
        samples_take(&look, side, &samples[side], &signature[side]);
    if (!(score->score < 1)) return; /* nor is there a cause to look for without SSIM */
    if (bits_of(ref) != bits_of(out))
        hints_add(hints, "depth REF %u OUT %u", (unsigned)bits_of(ref), (unsigned)bits_of(out));
    /* The first part that explains the frame ends the search. */
    const bool same = follows(signature);
    (void)(look_alpha(&look, samples) || look_flat(&look, samples) || parts_look_black(&look) ||
           (same && tones_look(&look, samples)) || (!same && parts_look_mirrored(&look)) ||
           (is_searched(&look) && may_be_moved(&look, signature) && shift_look(&look)));
}
