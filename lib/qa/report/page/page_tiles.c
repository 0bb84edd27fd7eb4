/* The lowest tiles of all frames, or of a shot, in a few numbers. */
#include "report/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns a percentile as of struct statistics. */
static double percentile(const double *sorted, size_t count, double percent)
{
    const double position = (double)(count - 1) * percent / 100;
    const size_t below = (size_t)position;
    const double part = position - (double)below;
    return part == 0 ? sorted[below] : sorted[below] + (sorted[below + 1] - sorted[below]) * part;
}

/* Adds the tiles of consecutive points. */
static void add(const struct page *page, size_t begin, size_t end, struct page_tiles *tiles)
{
    for (size_t i = begin; i < end; i++) {
        const double tile = page->report->point[i].tile;
        if (isnan(tile)) continue;
        if (tiles->count == 0 || tile < tiles->min) tiles->min = tile, tiles->at = i;
        page->scratch[tiles->count++] = tile;
    }
}

bool page_tiles(const struct page *page, const char *part, struct page_tiles *tiles)
{
    const struct report *report = page->report;
    *tiles = (struct page_tiles){0};
    if (!part) add(page, 0, report->count, tiles);
    for (size_t i = 0; part && i < report->bands; i++)
        if (strcmp(report->band[i].part, part) == 0)
            add(page, report->band[i].first,
                i + 1 < report->bands ? report->band[i + 1].first : report->count, tiles);
    if (tiles->count == 0) return false;
    qsort(page->scratch, tiles->count, sizeof *page->scratch, by_value);
    tiles->p1 = percentile(page->scratch, tiles->count, 1);
    tiles->p5 = percentile(page->scratch, tiles->count, 5);
    tiles->p50 = percentile(page->scratch, tiles->count, 50);
    return true;
}
