#include "detect/frame/flat_areas.h"

#include "detect/frame/codes.h"

#include "base/refuse.h"

#include <stdlib.h>

/* A search for flat areas: the frame, marks of visited cells, and cells still to visit. */
struct search {
    const ssimcu_frame *frame;
    struct frame_stats *stats;
    uint8_t *visited;
    uint32_t *stack;
    int16_t *row;      /* memory for the codes of a row */
    int16_t colour[4]; /* the area's colour */
};

bool parts_is_flat(const struct frame_stats *stats, size_t cell)
{
    return stats->step[cell] <= 8 * stats->tolerance / stats->level + 0.5;
}

/* Codecs leave ringing near sharp edges, where colours differ more. */
static int cell_slack(const struct frame_stats *stats) { return 2 * stats->tolerance; }
static int pixel_slack(const struct frame_stats *stats) { return 5 * stats->tolerance; }

/* Returns whether a cell may lie in a flat area. */
static bool may_be_part(const struct frame_stats *stats, size_t cell)
{
    return stats->step[cell] <= 40 * stats->tolerance / stats->level;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* The extent of a group of cells of one colour, in cells. */
struct group {
    uint32_t left, top, right, bottom; /* the last two are inside */
    size_t cells;
};

static void visit(struct search *search, uint32_t cell, int16_t mean, size_t *waiting)
{
    const struct frame_stats *stats = search->stats;
    if (search->visited[cell] || !may_be_part(stats, cell)) return;
    if (abs(stats->mean[cell] - mean) > cell_slack(stats)) return;
    search->visited[cell] = 1;
    search->stack[(*waiting)++] = cell;
}

/* Collects the group of a cell. */
static struct group collect(struct search *search, uint32_t cell)
{
    const struct frame_stats *stats = search->stats;
    const int16_t mean = stats->mean[cell];
    struct group group = {UINT32_MAX, UINT32_MAX, 0, 0, 0};
    size_t waiting = 0;
    visit(search, cell, mean, &waiting);
    while (waiting > 0) {
        const uint32_t at = search->stack[--waiting], x = at % stats->across,
                       y = at / stats->across;
        group.cells++;
        if (x < group.left) group.left = x;
        if (y < group.top) group.top = y;
        if (x > group.right) group.right = x;
        if (y > group.bottom) group.bottom = y;
        if (x > 0) visit(search, at - 1, mean, &waiting);
        if (x + 1 < stats->across) visit(search, at + 1, mean, &waiting);
        if (y > 0) visit(search, at - stats->across, mean, &waiting);
        if (y + 1 < stats->down) visit(search, at + stats->across, mean, &waiting);
    }
    return group;
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

static bool has_colour(const struct search *search, const int16_t *pixel)
{
    bool is = true;
    for (uint32_t c = 0; c < search->frame->channels; c++)
        is = is && abs(pixel[c] - search->colour[c]) <= pixel_slack(search->stats);
    return is;
}

/* Returns the share of a line's pixels with the colour. The line goes from x, y across or down. */
static double share_of(struct search *search, uint32_t x, uint32_t y, uint32_t length, bool across)
{
    const ssimcu_frame *frame = search->frame;
    uint32_t same = 0;
    if (across) codes_row(frame, x, y, length, search->row);
    for (uint32_t i = 0; i < length; i++) {
        int16_t pixel[4];
        if (!across) codes_row(frame, x, y + i, 1, pixel);
        same += has_colour(search, across ? search->row + (size_t)i * frame->channels : pixel);
    }
    return (double)same / length;
}

enum side { LEFT, TOP, RIGHT, BOTTOM, SIDES };

/* Returns the share of an area's colour in the line next to it; -1: the frame ends there. */
static double beside(struct search *search, const struct coded_area *part, enum side side)
{
    const uint32_t x = part->x, y = part->y, right = x + part->width, bottom = y + part->height;
    switch (side) {
    case LEFT: return x == 0 ? -1 : share_of(search, x - 1, y, part->height, false);
    case TOP: return y == 0 ? -1 : share_of(search, x, y - 1, part->width, true);
    case RIGHT:
        return right == search->frame->width ? -1 : share_of(search, right, y, part->height, false);
    default:
        return bottom == search->frame->height ? -1
                                               : share_of(search, x, bottom, part->width, true);
    }
}

static void widen(struct coded_area *part, enum side side)
{
    part->x -= side == LEFT, part->y -= side == TOP;
    part->width += side == LEFT || side == RIGHT;
    part->height += side == TOP || side == BOTTOM;
}

/* Grows an area to its last line of one colour. Returns whether all its borders are sharp: few
 * pixels next to them have its colour. A codec may have smeared one line. */
static bool grow(struct search *search, struct coded_area *part)
{
    enum { FURTHEST = 6 * STATS_CELL };
    const double most = 0.8, rest = 0.25;
    for (enum side side = LEFT; side < SIDES; side++) {
        double share = beside(search, part, side);
        for (int i = 0; share >= most && i < FURTHEST; i++) {
            widen(part, side);
            share = beside(search, part, side);
        }
        if (share > rest) {
            widen(part, side);
            share = beside(search, part, side);
        }
        if (share > rest) return false;
    }
    return true;
}

/* Keeps an area. If there is no room, it replaces the smallest. */
static void keep(struct frame_stats *stats, const struct coded_area *part)
{
    uint32_t at = 0;
    if (stats->parts < STATS_AREAS)
        at = stats->parts++;
    else
        for (uint32_t i = 1; i < STATS_AREAS; i++)
            if ((uint64_t)stats->part[i].width * stats->part[i].height <
                (uint64_t)stats->part[at].width * stats->part[at].height)
                at = i;
    const struct coded_area *old = &stats->part[at];
    if ((uint64_t)old->width * old->height <= (uint64_t)part->width * part->height)
        stats->part[at] = *part;
}

/* Takes a rectangular group as a flat area, if its borders are sharp. The group is not a rectangle
 * if a codec spoils some of its cells, or if dark cells touch a black area. Then the cell in its
 * middle stands for all. */
static void take(struct search *search, struct group *group)
{
    const struct frame_stats *stats = search->stats;
    uint32_t across = group->right - group->left + 1, down = group->bottom - group->top + 1;
    if (group->cells != (size_t)across * down) {
        group->left += across / 2, group->top += down / 2;
        if (!may_be_part(stats, (size_t)group->top * stats->across + group->left)) return;
        across = down = 1;
    }
    struct coded_area part = {group->left * STATS_CELL, group->top * STATS_CELL,
                              across * STATS_CELL, down * STATS_CELL, 0};
    codes_row(search->frame, part.x + part.width / 2, part.y + part.height / 2, 1, search->colour);
    part.code = search->colour[0];
    if (!grow(search, &part)) return;
    if (part.width < PARTS_LEAST - 2 || part.height < PARTS_LEAST - 2)
        return; /* a codec's border */
    if (part.width == stats->width && part.height == stats->height) return;
    keep(search->stats, &part);
}

ssimcu_status parts_find(const ssimcu_frame *frame, struct frame_stats *stats,
                         ssimcu_message *message)
{
    const uint32_t cells = stats->across * stats->down;
    struct search search = {
        .frame = frame,
        .stats = stats,
        .visited = calloc(cells + 1, 1),
        .stack = malloc((cells + 1) * sizeof *search.stack),
        .row = malloc((size_t)frame->width * frame->channels * sizeof *search.row)};
    const bool good = search.visited && search.stack && search.row;
    for (uint32_t i = 0; i < cells && good; i++) {
        if (search.visited[i] || !may_be_part(stats, i)) continue;
        struct group group = collect(&search, i);
        take(&search, &group);
    }
    free(search.visited), free(search.stack), free(search.row);
    return good ? SSIMCU_OK : no_memory(message);
}
