/* Flat areas that are objects which moved, or shapes that have grown. */
#include "detect/area_search.h"

#include <stdlib.h>
#include <string.h>

enum {
    REACH = 48, /* pixels by which an object may have moved, or WIDTH / REACH_OF if that is more */
    REACH_OF = 32
};
#define MOVED 0.4 /* share of an area that a neighbour has at another place */

/* A part of a frame in patches, and its running sums. */
struct window {
    uint32_t left, top, across, down;
    uint32_t *sum;
};

/* Counts the pixels with the colour that this frame lacks. */
static void sum_lost(const struct search *search, const struct patches *other,
                     const struct window *window)
{
    const size_t row = window->across + 1;
    memset(window->sum, 0, row * sizeof *window->sum);
    for (uint32_t y = 0; y < window->down; y++) {
        uint32_t *now = window->sum + (y + 1) * row, all = 0;
        now[0] = 0;
        for (uint32_t x = 0; x < window->across; x++) {
            for (uint32_t i = 0; i < PATCH; i++) {
                const uint32_t at = (window->left + x) * PATCH + i;
                all += area_has_colour(search, other, at, window->top + y) &&
                       !area_has_colour(search, search->patches, at, window->top + y);
            }
            now[x + 1] = now[x + 1 - row] + all;
        }
    }
}

/* Returns whether a frame has much of an area's colour in one place of the same size nearby, which
 * this frame lacks: then an object has moved. */
static bool has_moved(const struct search *search, const struct patches *other,
                      const struct area *area, const struct window *window)
{
    const uint32_t width = (area->edge[RIGHT] - area->edge[LEFT]) / PATCH,
                   height = (area->edge[BOTTOM] - area->edge[TOP]) / PATCH;
    const double least = MOVED * (double)area->clear * PATCH;
    const size_t row = window->across + 1;
    sum_lost(search, other, window);
    for (uint32_t y = 0; y + height <= window->down; y++)
        for (uint32_t x = 0; x + width <= window->across; x++) {
            const uint32_t *top = window->sum + y * row + x, *bottom = top + height * row;
            if (bottom[width] - bottom[0] - top[width] + top[0] >= least) return true;
        }
    return false;
}

bool area_is_object(const struct search *search, const struct area *area, bool *out_of_memory)
{
    const struct patches *patches = search->patches;
    const uint32_t far = patches->width / REACH_OF > REACH ? patches->width / REACH_OF : REACH,
                   reach = far / PATCH, left = area->edge[LEFT] / PATCH,
                   top = area->edge[TOP] / PATCH, right = area->edge[RIGHT] / PATCH + reach,
                   bottom = area->edge[BOTTOM] / PATCH + reach;
    struct window window = {left > reach ? left - reach : 0, top > reach ? top - reach : 0, 0, 0,
                            NULL};
    window.across = (right < patches->across ? right : patches->across) - window.left;
    window.down = (bottom < patches->down ? bottom : patches->down) - window.top;
    window.sum = malloc((window.across + 1) * (window.down + 1) * sizeof *window.sum);
    if (!window.sum) *out_of_memory = true;
    const bool is = window.sum && (has_moved(search, search->other[0], area, &window) ||
                                   has_moved(search, search->other[1], area, &window));
    free(window.sum);
    return is;
}

/* Returns whether a pixel has the colour in this frame and in one of the others. */
static bool is_shared(const struct search *search, uint32_t x, uint32_t down)
{
    return area_has_colour(search, search->patches, x, down) &&
           (area_has_colour(search, search->other[0], x, down) ||
            area_has_colour(search, search->other[1], x, down));
}

bool area_has_grown(const struct search *search, const struct area *area)
{
    enum { BESIDE = 3 /* patches: a codec changes the end of a shape */, FAR = BESIDE * PATCH };
    const double most = 0.8;
    const struct patches *patches = search->patches;
    const uint32_t left = area->edge[LEFT], right = area->edge[RIGHT],
                   top = area->edge[TOP] / PATCH, bottom = area->edge[BOTTOM] / PATCH;
    uint32_t shared[SIDES] = {0};
    if (right - left > REACH && area->edge[BOTTOM] - area->edge[TOP] > REACH) return false;
    const uint32_t above = top > BESIDE ? top - BESIDE : 0, last = patches->down - 1,
                   below = bottom + BESIDE < last ? bottom + BESIDE : last,
                   before = left > FAR ? left - FAR : 0,
                   after = right + FAR < patches->width ? right + FAR : patches->width - 1;
    for (uint32_t x = left; x < right; x++) {
        shared[TOP] += is_shared(search, x, above);
        shared[BOTTOM] += is_shared(search, x, below);
    }
    for (uint32_t y = top; y < bottom; y++) {
        shared[LEFT] += is_shared(search, before, y);
        shared[RIGHT] += is_shared(search, after, y);
    }
    const double across = most * (right - left), down = most * (bottom - top);
    return shared[TOP] > across || shared[BOTTOM] > across || shared[LEFT] > down ||
           shared[RIGHT] > down;
}
