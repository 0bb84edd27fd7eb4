#include "detect/area_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    APART = 6, /* levels by which a pixel must differ from the same pixel of both others */
    CLEAR = 12 /* levels from which a difference is clear */
};
#define FADED 0.6 /* share of an area whose colour lies between those of the neighbours */

enum { FRESH = 1, TAKEN = 2 }; /* marks of a patch: the others lack it, and an area contains it */

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* Makes the colour of a pixel the one to compare with. */
static void set_colour(struct search *search, uint32_t x, uint32_t down)
{
    const uint32_t bits = search->now->bits;
    if (area_has_colour(search, search->patches, x, down)) return;
    for (uint32_t c = 0; c < search->patches->channels; c++) {
        const int sample = patches_at(search->patches, x, down, c);
        const double level = patches_level(sample, bits);
        if (sample == search->colour[c]) continue;
        search->colour[c] = sample;
        search->low[c] = patches_sample(level - APART, bits);
        search->high[c] = patches_sample(level + APART, bits);
    }
}

/* Returns whether a pixel has the colour, and differs from both others. */
static bool is_fresh(const struct search *search, uint32_t x, uint32_t down)
{
    return area_has_colour(search, search->patches, x, down) &&
           area_differs(search, search->other[0], x, down) &&
           area_differs(search, search->other[1], x, down);
}

/* Returns whether the kept pixels of a patch are not those of one of the others. This is cheaper
 * than what follows. */
static bool is_candidate(const struct search *search, uint32_t x, uint32_t down)
{
    const struct patches *patches = search->patches;
    const size_t pixel = patches->channels * (patches->bytes ? 1 : sizeof(int16_t)),
                 at = ((size_t)down * patches->width + x) * pixel;
    const char *now = (const char *)patches->row + at;
    for (int o = 0; o < 2; o++)
        if (memcmp(now, (const char *)search->other[o]->row + at, PATCH * pixel) == 0) return false;
    return true;
}

/* Marks the patches that both others lack. Three of four kept pixels must differ. */
static size_t mark_fresh(struct search *search)
{
    const struct patches *patches = search->patches;
    const unsigned all = patches_colours(patches);
    const uint64_t every = search->colours * 0x0101010101010101u;
    uint64_t word;
    size_t count = 0;
    for (uint32_t y = 0; y < patches->down; y++)
        for (uint32_t x = 0; x < patches->across; x++) {
            const size_t at = (size_t)y * patches->across + x;
            const unsigned flat = patches->flat[at];
            int fresh = 0;
            if (x + sizeof word <= patches->across) { /* most words have none */
                memcpy(&word, patches->flat + at, sizeof word);
                if ((word & every) == 0) {
                    x += sizeof word - 1;
                    continue;
                }
            }
            if ((flat & search->colours) != search->colours) continue;
            if (search->channel > 0 && (flat & all) == all) continue;
            if (!is_candidate(search, x * PATCH, y)) continue;
            set_colour(search, x * PATCH, y);
            for (uint32_t i = 0; i < PATCH; i++) fresh += is_fresh(search, x * PATCH + i, y);
            search->mark[at] = fresh >= 3 ? FRESH : 0;
            count += fresh >= 3;
        }
    return count;
}

/* ---- Edges ----------------------------------------------------------------------------------- */

/* Returns whether the patch next to one is of no area. */
static bool ends_at(const struct search *search, uint32_t x, uint32_t y, enum side side)
{
    const uint32_t across = search->patches->across, down = search->patches->down;
    const size_t at = (size_t)y * across + x;
    switch (side) {
    case LEFT: return x == 0 || !search->mark[at - 1];
    case RIGHT: return x + 1 == across || !search->mark[at + 1];
    case TOP: return y == 0 || !search->mark[at - across];
    default: return y + 1 == down || !search->mark[at + across];
    }
}

/* Returns where the colour ends at a side of a patch. */
static uint32_t edge_of(const struct search *search, uint32_t x, uint32_t y, enum side side)
{
    const uint8_t flat = search->patches->flat[(size_t)y * search->patches->across + x];
    uint32_t at = side == RIGHT ? (x + 1) * PATCH : x * PATCH;
    switch (side) {
    case LEFT:
        while (at > 0 && x * PATCH - at < PATCH && is_fresh(search, at - 1, y)) at--;
        return at;
    case RIGHT:
        while (at < search->patches->width && at - (x + 1) * PATCH < PATCH &&
               is_fresh(search, at, y))
            at++;
        return at;
    case TOP: return y * PATCH - (y > 0) - flat / PATCH_UP % PATCH;
    default: return (y + 1) * PATCH + flat / PATCH_DOWN;
    }
}

/* ---- Areas ----------------------------------------------------------------------------------- */

/* Returns how clearly a patch differs from the nearer other, from 0 to 1. */
static double clarity(const struct search *search, uint32_t x, uint32_t y)
{
    const uint32_t bits = search->now->bits;
    double sum = 0;
    for (uint32_t i = 0; i < PATCH; i++) {
        double by[2] = {0, 0};
        for (int o = 0; o < 2; o++)
            for (uint32_t c = 0; c < search->patches->channels; c++)
                if (search->colours >> c & 1)
                    by[o] = fmax(
                        by[o], fabs(patches_level(search->colour[c], bits) -
                                    patches_level(patches_at(search->other[o], x * PATCH + i, y, c),
                                                  bits)));
        sum += fmin(1, fmin(by[0], by[1]) / CLEAR);
    }
    return sum / PATCH;
}

/* Counts the kept pixels of a patch whose colour lies between those of both others, as in a fade.
 */
static size_t count_faded(const struct search *search, uint32_t x, uint32_t y)
{
    size_t count = 0;
    for (uint32_t i = 0; i < PATCH; i++) {
        bool between = true;
        for (uint32_t c = 0; c < search->patches->channels; c++) {
            const int a = patches_at(search->other[0], x * PATCH + i, y, c),
                      b = patches_at(search->other[1], x * PATCH + i, y, c);
            if (search->colours >> c & 1)
                between = between && (a < search->colour[c]) == (search->colour[c] < b);
        }
        count += between;
    }
    return count;
}

/* Returns whether the first pixel of a patch is brighter than in both others. */
static bool is_brighter(const struct search *search, uint32_t x, uint32_t y)
{
    int by[2] = {0, 0};
    for (int o = 0; o < 2; o++)
        for (uint32_t c = 0; c < search->patches->channels; c++)
            if (search->colours >> c & 1)
                by[o] += search->colour[c] - patches_at(search->other[o], x * PATCH, y, c);
    return by[0] > 0 && by[1] > 0;
}

/* Adds the edges of a patch to those of its area. An edge is straight if a neighbour continues it.
 */
static void add_edges(const struct search *search, struct area *area, uint32_t x, uint32_t y)
{
    const uint32_t last[2] = {search->patches->across - 1, search->patches->down - 1};
    for (enum side side = LEFT; side < SIDES; side++) {
        if (!ends_at(search, x, y, side)) continue;
        const bool upright = side <= RIGHT;
        const uint32_t at = edge_of(search, x, y, side), along = upright ? y : x;
        const bool low = side == LEFT || side == TOP;
        if (low ? at < area->edge[side] : at > area->edge[side]) area->edge[side] = at;
        bool straight = false;
        for (int step = -1; step <= 1 && !straight; step += 2) {
            if (step < 0 ? along == 0 : along == last[upright]) continue;
            const uint32_t i = upright ? x : x + (uint32_t)step,
                           j = upright ? y + (uint32_t)step : y;
            straight = search->mark[(size_t)j * search->patches->across + i] &&
                       ends_at(search, i, j, side) && edge_of(search, i, j, side) == at;
        }
        area->edges++;
        area->straight += straight;
    }
}

static void visit(struct search *search, size_t at, size_t *waiting)
{
    if (search->mark[at] != FRESH) return;
    search->mark[at] |= TAKEN;
    search->stack[(*waiting)++] = (uint32_t)at;
}

/* Returns whether a patch of one of the others has one colour, that of another patch there. Of a
 * single channel any will do. */
static bool is_flat_in(const struct search *search, int other, size_t at, size_t first)
{
    const struct patches *patches = search->other[other];
    const size_t pixel = patches->channels * (patches->bytes ? 1 : sizeof(int16_t)),
                 across = patches->across;
    const char *row = patches->row;
    return (patches->flat[at] & search->colours) == search->colours &&
           (search->channel > 0 ||
            memcmp(row + (at / across * patches->width + at % across * PATCH) * pixel,
                   row + (first / across * patches->width + first % across * PATCH) * pixel,
                   pixel) == 0);
}

/* Collects the area of a patch. */
static struct area collect(struct search *search, size_t first)
{
    const uint32_t across = search->patches->across, down = search->patches->down;
    struct area area = {.edge = {UINT32_MAX, 0, UINT32_MAX, 0}};
    size_t waiting = 0;
    set_colour(search, (uint32_t)(first % across) * PATCH, (uint32_t)(first / across));
    memcpy(area.colour, search->colour, sizeof area.colour);
    visit(search, first, &waiting);
    while (waiting > 0) {
        const size_t at = search->stack[--waiting];
        const uint32_t x = (uint32_t)(at % across), y = (uint32_t)(at / across);
        area.patches++;
        area.clear += clarity(search, x, y);
        area.faded += count_faded(search, x, y);
        area.brighter += is_brighter(search, x, y);
        area.flat += is_flat_in(search, 0, at, first) || is_flat_in(search, 1, at, first);
        add_edges(search, &area, x, y);
        if (x > 0) visit(search, at - 1, &waiting);
        if (x + 1 < across) visit(search, at + 1, &waiting);
        if (y > 0) visit(search, at - across, &waiting);
        if (y + 1 < down) visit(search, at + across, &waiting);
    }
    return area;
}

/* ---------------------------------------------------------------------------------------------- */

/* Returns the area to remove if there is no room: the smallest, of work if there is any. */
static uint32_t least_of(const struct areas *areas)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < AREAS_MOST; i++) {
        const struct flat_area *a = &areas->at[i], *b = &areas->at[least];
        if (a->lost != b->lost ? b->lost : a->pixels < b->pixels) least = i;
    }
    return least;
}

static void keep(const struct search *search, const struct area *area, bool lost,
                 struct areas *areas)
{
    struct flat_area flat = {.place = {area->edge[LEFT], area->edge[TOP],
                                       area->edge[RIGHT] - area->edge[LEFT],
                                       area->edge[BOTTOM] - area->edge[TOP]},
                             .pixels = area->patches * PATCH * PATCH,
                             .channel = search->channel,
                             .lost = lost,
                             .brighter = 2 * area->brighter > area->patches,
                             .grown = area_has_grown(search, area)};
    for (uint32_t c = 0; c < search->patches->channels; c++)
        flat.level[c] = (float)patches_level(area->colour[c], search->now->bits);
    const uint32_t at = areas->count < AREAS_MOST ? areas->count++ : least_of(areas);
    const struct flat_area *old = &areas->at[at];
    const bool room = old->place.width == 0,
               more = lost != old->lost ? lost : flat.pixels > old->pixels;
    if (room || more) areas->at[at] = flat;
}

/* Finds the areas of all channels, or of one. */
static void find(struct search *search, bool relit, struct areas *areas, bool *out_of_memory)
{
    const size_t patches = (size_t)search->patches->across * search->patches->down;
    memset(search->mark, 0, patches);
    memset(search->colour, -1, sizeof search->colour); /* no sample */
    if (mark_fresh(search) == 0) return;
    for (size_t i = 0; i < patches; i++) {
        if (search->mark[i] != FRESH) continue;
        const struct area area = collect(search, i);
        if (!area_is_regular(search, &area)) continue;
        const bool fades = (double)area.faded > FADED * PATCH * (double)area.patches,
                   lit = relit && area_is_of_light(search, &area);
        const bool lost = !fades && !lit && !area_is_vague(search, &area) &&
                          !area_is_object(search, &area, out_of_memory);
        keep(search, &area, lost, areas);
    }
}

bool areas_find(const struct temporal *temporal, bool relit, struct areas *areas)
{
    const struct patches *patches = &temporal->now->patches;
    const size_t count = (size_t)patches->across * patches->down;
    struct search search = {.now = temporal->now,
                            .patches = patches,
                            .other = {&temporal->other[0]->patches, &temporal->other[1]->patches}};
    bool out_of_memory = false;
    if (patches->some == 0) return true;
    search.mark = malloc(count);
    search.stack = malloc(count * sizeof *search.stack);
    const uint32_t last = patches->channels < 3 ? 0 : 3;
    for (uint32_t c = 0; c <= last && search.mark && search.stack; c++) {
        search.channel = c;
        search.colours = c > 0 ? 1u << (c - 1) : patches_colours(patches);
        find(&search, relit, areas, &out_of_memory);
    }
    const bool good = search.mark && search.stack && !out_of_memory;
    free(search.mark), free(search.stack);
    return good;
}

/* Returns whether a larger area, of any channels, overlaps one: then it explains what is around. */
static bool is_part(const struct areas *areas, const struct flat_area *area)
{
    bool is = false;
    for (uint32_t i = 0; i < areas->count; i++) {
        const struct finding_place *a = &area->place, *b = &areas->at[i].place;
        is = is ||
             (areas->at[i].lost && areas->at[i].pixels > area->pixels && a->x < b->x + b->width &&
              b->x < a->x + a->width && a->y < b->y + b->height && b->y < a->y + a->height);
    }
    return is;
}

bool areas_are_changes(const struct temporal *temporal, const struct areas *areas)
{
    bool are = false;
    for (uint32_t i = 0; i < areas->count && !are; i++)
        are = areas->at[i].lost && !is_part(areas, &areas->at[i]) &&
              temporal_changes_around(temporal, &areas->at[i].place);
    return are;
}
