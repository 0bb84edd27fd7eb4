/* Areas of a frame, of one colour, of garbage or of an earlier frame, that do not recur in their
 * shot. */
#include "detect/shot.h"

#include <math.h>

#define GARBAGE 1.0 /* times as rough as both neighbours: no film reaches it */

/* ---- Flat areas ------------------------------------------------------------------------------ */

static bool same_colour(const struct flat_area *a, const struct flat_area *b)
{
    enum { APART = 6 };
    bool same = true;
    for (int c = 0; c < 4; c++) same = same && fabsf(a->level[c] - b->level[c]) <= APART;
    return same;
}

static bool same_place(const struct finding_place *a, const struct finding_place *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

/* Returns whether a colour is one that lost areas often have: each channel is empty or full. */
static bool is_extreme(const struct flat_area *area)
{
    bool extreme = true;
    for (int c = 0; c < COLOURS; c++)
        extreme = extreme && (area->level[c] < 1 || area->level[c] > 254);
    return extreme;
}

/* Returns whether the shot makes such areas, as a codec or an animation of few colours does: others
 * have other colours, and at least half the size. Damage has one colour. A light that comes on, or
 * a colour that damage hardly has, has the same place in three frames, and a letterbox that shakes
 * grows in three. */
static bool is_usual_area(const struct shot *shot, size_t at, const struct flat_area *area)
{
    enum { SMALL = 256 /* pixels */, USUAL = 2, LIGHTS = 2, SHAPES = 2 };
    const bool small = area->place.width * area->place.height < SMALL;
    size_t usual = 0, lights = 0, grown = 0;
    for (size_t i = 0; i < shot->count; i++) {
        const struct areas *areas = shot->frame[i].areas;
        bool has = false, lit = false, grows = false;
        for (uint32_t k = 0; areas && k < areas->count; k++) {
            const struct flat_area *other = &areas->at[k];
            const bool alike = same_colour(area, other);
            if (other->channel != area->channel) continue;
            has = has ||
                  ((!alike || area->channel > 0) && (small || 2 * other->pixels >= area->pixels));
            grows = grows || (alike && other->grown);
            lit = lit || (alike && (other->brighter || !is_extreme(other)) &&
                          same_place(&area->place, &other->place));
        }
        usual += has && (small || i != at);
        lights += lit && i != at;
        grown += grows && i != at;
    }
    return usual >= (small ? 1 : USUAL) ||
           ((area->brighter || !is_extreme(area)) && lights >= LIGHTS) ||
           (area->grown && grown >= SHAPES);
}

/* Returns whether the frames around one show two scenes, so that one of them proves nothing. */
static bool is_at_cut(const struct shot *shot, size_t at)
{
    const double clear = 5, far = 4, always = 20; /* levels, usual steps, levels */
    return at + 1 < shot->count && shot->frame[at + 1].step[1] > clear &&
           shot->frame[at + 1].step[1] > fmin(always, far * shot_usual_step(shot, at));
}

/* Returns whether an area is small at a cut, or is one of a channel in an outer frame, which has no
 * neighbour on one side: a colour may come or go. */
static bool is_faint(const struct shot *shot, size_t at, const struct flat_area *area)
{
    enum { LEAST = 1024 /* pixels */ };
    const bool outer = area->channel > 0 && shot->frame[at].outer;
    return area->pixels < LEAST && (outer || is_at_cut(shot, at));
}

/* Removes the areas that lie in a larger one. */
static void drop_inside(struct findings *list, const struct finding_place *box)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct finding_place *place = &list->at[i].place;
        const bool inside = list->at[i].kind == FINDING_FLAT_AREA && place->width > 0 &&
                            place->x >= box->x && place->x + place->width <= box->x + box->width &&
                            place->y >= box->y && place->y + place->height <= box->y + box->height;
        if (!inside) list->at[kept++] = list->at[i];
    }
    list->count = kept;
}

static void add_area(struct shot_frame *frame, const struct flat_area *area)
{
    const unsigned channel = area->channel;
    if (channel == 0) drop_inside(&frame->found, &area->place);
    if (channel == 0)
        findings_add(&frame->found, FINDING_FLAT_AREA, area->place, area->level[0],
                     "an area of one colour (level %.0f of 255), only in this frame",
                     area->level[0]);
    else if (!(frame->colours.constant >> (channel - 1) & 1)) /* else the whole frame has it */
        findings_add(&frame->found, FINDING_LOST_CHANNEL, area->place, channel - 1,
                     "%s has one value in an area, only in this frame",
                     colours_name(false, channel - 1));
}

void recurring_areas(struct shot *shot)
{
    for (size_t i = 0; i < shot->count; i++)
        for (uint32_t k = 0; shot->frame[i].areas && k < shot->frame[i].areas->count; k++) {
            const struct flat_area *area = &shot->frame[i].areas->at[k];
            if (area->lost && !is_faint(shot, i, area) && !is_usual_area(shot, i, area))
                add_area(&shot->frame[i], area);
        }
}

/* ---- Garbage --------------------------------------------------------------------------------- */

/* Returns whether two places overlap or touch. */
static bool are_near(const struct finding_place *a, const struct finding_place *b)
{
    return a->x <= b->x + b->width && b->x <= a->x + a->width && a->y <= b->y + b->height &&
           b->y <= a->y + a->height;
}

bool recurring_explains(const struct findings *list, const struct finding_place *place)
{
    bool known = false;
    for (size_t i = 0; i < list->count; i++)
        known = known || list->at[i].kind == FINDING_GARBAGE ||
                (list->at[i].kind == FINDING_FLAT_AREA && are_near(&list->at[i].place, place));
    return known;
}

static uint64_t area_of(const struct finding_place *place)
{
    return (uint64_t)place->width * place->height;
}

/* Returns whether the shot has other frames that are as rough, in an area that is not far smaller,
 * as drawn animations have. */
static bool is_usual_garbage(const struct shot *shot, size_t at)
{
    enum { FEW = 3, COMMON = 20 /* one of so many frames */, ALIKE = 16 /* times as large */ };
    const double almost = 0.7;
    const struct shot_frame *frame = &shot->frame[at];
    const struct finding_place *place = &frame->garbage.place;
    const bool most = 2 * area_of(place) > (uint64_t)frame->width * frame->height;
    const double limit = fmin(GARBAGE, almost * frame->garbage.times);
    size_t others = 0;
    for (size_t i = 0; i < shot->count; i++) {
        const struct garbage *other = &shot->frame[i].garbage;
        others +=
            i != at && other->times > limit && ALIKE * area_of(&other->place) >= area_of(place);
    }
    return others >= FEW && (most || others * COMMON > shot->count);
}

/* Returns whether an area has at least two cells across and down, or is high: fewer are a sparkle.
 */
static bool is_large(const struct finding_place *place)
{
    enum { SIDE = 16, HIGH = 64 };
    return (place->width >= SIDE && place->height >= SIDE) || place->height >= HIGH;
}

/* Returns whether an area may be a shape that moves fast: it has rough edges and smooth parts, and
 * its channels change together. Garbage is rough everywhere, or in its colours. */
static bool is_shape(const struct shot_frame *frame)
{
    enum { PART = 4 /* of the frame: more is another picture */ };
    const double colours = 0.5, even = 0.53; /* garbage has more of one */
    const struct garbage *garbage = &frame->garbage;
    return frame->channels >= COLOURS && garbage->sure < colours && garbage->even < even &&
           PART * area_of(&garbage->place) < (uint64_t)frame->width * frame->height;
}

/* Returns whether an area is rough enough. Texture may enter the picture of an outer frame, which
 * has no neighbour on one side. */
static bool is_garbage(const struct shot *shot, size_t at)
{
    const double outer = 1.6;
    const struct garbage *garbage = &shot->frame[at].garbage;
    const double least = shot->frame[at].outer ? outer * GARBAGE : GARBAGE;
    return (garbage->changes ? garbage->sure : garbage->times) >= least &&
           is_large(&garbage->place) && !is_shape(&shot->frame[at]);
}

/* Removes garbage that touches a place. */
static void drop_near(struct shot_frame *frame, const struct finding_place *place)
{
    struct findings *list = &frame->found;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].kind != FINDING_GARBAGE || !are_near(&list->at[i].place, place))
            list->at[kept++] = list->at[i];
    list->count = kept;
}

/* Returns whether an area of garbage is so narrow that it explains rows of garbage. */
static bool is_narrow(const struct shot_frame *frame)
{
    return 4 * (uint64_t)frame->garbage.place.width <= 3 * (uint64_t)frame->width;
}

/* Returns whether a frame has garbage at a place. An outer frame may have it, too. */
static bool has_garbage(const struct shot_frame *frame, const struct finding_place *place)
{
    bool has =
        frame->outer && frame->garbage.times >= GARBAGE && same_place(&frame->garbage.place, place);
    for (size_t i = 0; i < frame->found.count; i++)
        has = has || (frame->found.at[i].kind == FINDING_GARBAGE &&
                      same_place(&frame->found.at[i].place, place));
    return has;
}

/* Removes garbage that three frames have at the same place: it belongs to the picture. */
static void drop_recurring(struct shot *shot)
{
    enum { RECURRING = 3 };
    for (size_t i = 0; i < shot->count; i++)
        for (size_t k = 0; k < shot->frame[i].found.count; k++) {
            const struct finding found = shot->frame[i].found.at[k];
            size_t frames = 0;
            for (size_t f = 0; found.kind == FINDING_GARBAGE && f < shot->count; f++)
                frames += has_garbage(&shot->frame[f], &found.place);
            for (size_t f = 0; frames >= RECURRING && f < shot->count; f++)
                drop_near(&shot->frame[f], &found.place);
        }
}

void recurring_garbage(struct shot *shot)
{
    for (size_t i = 0; i < shot->count; i++) {
        struct shot_frame *frame = &shot->frame[i];
        const struct garbage *garbage = &frame->garbage;
        const bool rough = is_garbage(shot, i);
        if (rough && is_narrow(frame)) drop_near(frame, &garbage->place);
        if (rough && !recurring_explains(&frame->found, &garbage->place) &&
            !is_usual_garbage(shot, i))
            findings_add(&frame->found, FINDING_GARBAGE, garbage->place, garbage->times,
                         "an area of garbage, only in this frame");
    }
    drop_recurring(shot);
}

/* ---- Stale areas ----------------------------------------------------------------------------- */

/* Returns whether cells hardly ever repeat in the frames around one, as in grain or under a camera
 * that moves. */
static bool never_repeats(const struct shot *shot, size_t at)
{
    enum { REACH = 12, RARE = 500 /* one of so many cells, in most frames */, LEAST = 4 };
    size_t frames = 0, moving = 0;
    for (size_t i = at > REACH ? at - REACH : 0; i <= at + REACH && i < shot->count; i++) {
        const struct shot_frame *frame = &shot->frame[i];
        if (i == at || isnan(frame->step[0])) continue; /* nothing that it could repeat */
        frames++;
        moving += RARE * frame->stale.repeats < 1 && !frame->stale.scattered;
    }
    return frames >= LEAST && 10 * moving >= 9 * frames;
}

/* Returns whether other frames repeat earlier ones, as in a cycle. A large area is no bucket, so
 * that one other nearby is enough. */
static bool is_usual_stale(const struct shot *shot, size_t at)
{
    enum { FAR = 12, LARGE = 4 /* part of a frame */, COMMON = 8 /* one of so many frames */ };
    const struct shot_frame *frame = &shot->frame[at];
    const bool large =
        LARGE * area_of(&frame->stale.place) > (uint64_t)frame->width * frame->height;
    size_t others = 0, close = 0;
    for (size_t i = 0; i < shot->count; i++) {
        if (i == at || shot->frame[i].stale.cells == 0) continue;
        others++;
        close += i + FAR >= at && i <= at + FAR;
    }
    return (large && close > 0) || others * COMMON > shot->count;
}

void recurring_stale(struct shot *shot)
{
    const finding_mask known = finding_bit(FINDING_DUPLICATE) | finding_bit(FINDING_FRAME_ORDER);
    for (size_t i = 0; i < shot->count; i++) {
        struct shot_frame *frame = &shot->frame[i];
        const struct stale *stale = &frame->stale;
        const uint64_t all = (uint64_t)frame->width * frame->height, area = area_of(&stale->place);
        const bool whole = 4 * area > (stale->back == 1 ? 2 : 3) * all; /* a repeat or a cycle */
        if (stale->cells == 0 || whole) continue;
        if (findings_kinds(&frame->found) & known) continue;
        if (never_repeats(shot, i) && !is_usual_stale(shot, i))
            findings_add(&frame->found, FINDING_STALE_AREA, stale->place, stale->back,
                         "an area repeats the frame %u before, unlike the frames around it",
                         stale->back);
    }
}
