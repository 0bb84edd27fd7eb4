#include "detect/stale.h"

#include "detect/areas.h"

#include <stdlib.h>

enum {
    GRAIN = 2 * 4, /* least second difference of a cell, in quarters of a level: others repeat */
    LEAST = 3      /* cells of an area, across and down */
};

static bool has_grain(const struct frame_stats *now, size_t cell)
{
    return now->patches.second[cell] >= GRAIN;
}

static bool is_like(const struct frame_stats *now, const struct prints *prints)
{
    return prints->cell && prints->across == now->across && prints->down == now->down;
}

/* Marks the cells that repeat the frame `back` frames earlier, and neither neighbour. Those of the
 * frame before must not have stood still in it. Returns their number. */
static size_t mark(const struct frame_stats *now, const uint32_t *next,
                   const struct prints before[STALE_FURTHEST], unsigned back, uint8_t *marks)
{
    const uint32_t *same = before[back - 1].cell,
                   *unlike = before[back == 1].cell; /* the frame that must differ */
    size_t count = 0;
    for (size_t i = 0; i < (size_t)now->across * now->down; i++) {
        const uint32_t print = now->print[i];
        marks[i] = print == same[i] && print != unlike[i] && !(next && print == next[i]) &&
                   has_grain(now, i);
        count += marks[i];
    }
    return count;
}

/* Keeps the largest area of the marks, if its whole box is marked, or nearly. */
static void keep_largest(const struct frame_stats *now, unsigned back, uint8_t *marks,
                         struct stale *stale)
{
    for (uint32_t y = 0; y < now->down; y++)
        for (uint32_t x = 0; x < now->across; x++) {
            struct finding_place box = {x, y, 1, 1};
            size_t cells = 0;
            if (!marks[(size_t)y * now->across + x]) continue;
            areas_widen(marks, now->across, now->down, &box);
            for (uint32_t j = box.y; j < box.y + box.height; j++)
                for (uint32_t i = box.x; i < box.x + box.width; i++) {
                    uint8_t *at = &marks[(size_t)j * now->across + i];
                    cells += *at;
                    *at = 0;
                }
            stale->scattered = stale->scattered || cells == 1;
            if (box.width < LEAST || box.height < LEAST || cells <= stale->cells ||
                4 * cells < 3 * (size_t)box.width * box.height)
                continue;
            stale->cells = cells, stale->back = back;
            stale->place = (struct finding_place){box.x * STATS_CELL, box.y * STATS_CELL,
                                                  box.width * STATS_CELL, box.height * STATS_CELL};
        }
}

/* Returns the share of the cells with grain that repeat the frame before. */
static double count_repeats(const struct frame_stats *now, const struct prints *before)
{
    size_t all = 0, repeats = 0;
    if (!is_like(now, before)) return 1;
    for (size_t i = 0; i < (size_t)now->across * now->down; i++) {
        if (!has_grain(now, i)) continue;
        all++;
        repeats += now->print[i] == before->cell[i];
    }
    return all > 0 ? (double)repeats / (double)all : 1;
}

bool stale_find(const struct frame_stats *now, const struct frame_stats *next,
                const struct prints before[STALE_FURTHEST], struct stale *stale)
{
    uint8_t *marks = malloc((size_t)now->across * now->down + 1);
    const bool fits = next && next->across == now->across && next->down == now->down;
    *stale = (struct stale){.repeats = count_repeats(now, &before[0])};
    for (unsigned back = 1; back <= STALE_FURTHEST && marks; back++)
        if (is_like(now, &before[back - 1]) && is_like(now, &before[back == 1]) &&
            mark(now, fits ? next->print : NULL, before, back, marks) > 0)
            keep_largest(now, back, marks, stale);
    const bool good = marks;
    free(marks);
    return good;
}
