#include "check/parts.h"

#include "check/codes.h"

#include "base/refuse.h"

#include <stdlib.h>

/* A search for parts: the frame, marks of cells that were visited, and cells still to visit. */
struct search {
    const ssimcu_frame *frame;
    struct seen *seen;
    uint8_t *visited;
    uint32_t *stack;
    int16_t *row;      /* room for the codes of a row */
    int16_t colour[4]; /* of the part */
};

bool parts_is_flat(const struct seen *seen, size_t cell)
{
    if (seen->tolerance == 0) return seen->step[cell] == 0; /* most cells, without a division */
    return seen->step[cell] <= 8 * seen->tolerance / seen->level + 0.5;
}

/* A codec leaves waves near sharp borders: there, colours differ by more. These are 0 without one.
 */
static int cell_slack(const struct seen *seen) { return 2 * seen->tolerance; }
static int pixel_slack(const struct seen *seen) { return 5 * seen->tolerance; }

/* Returns whether a cell may lie in a part. */
static bool may_be_part(const struct seen *seen, size_t cell)
{
    return parts_is_flat(seen, cell) || seen->step[cell] <= 40 * seen->tolerance / seen->level;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* What a group of cells of one colour covers, in cells. */
struct group {
    uint32_t left, top, right, bottom; /* the last two are inside */
    size_t cells;
};

static void visit(struct search *search, uint32_t cell, int16_t mean, size_t *waiting)
{
    const struct seen *seen = search->seen;
    if (search->visited[cell] || !may_be_part(seen, cell)) return;
    if (abs(seen->mean[cell] - mean) > cell_slack(seen)) return;
    search->visited[cell] = 1;
    search->stack[(*waiting)++] = cell;
}

/* Collects the group of a cell. */
static struct group collect(struct search *search, uint32_t cell)
{
    const struct seen *seen = search->seen;
    const int16_t mean = seen->mean[cell];
    struct group group = {UINT32_MAX, UINT32_MAX, 0, 0, 0};
    size_t waiting = 0;
    visit(search, cell, mean, &waiting);
    while (waiting > 0) {
        const uint32_t at = search->stack[--waiting], x = at % seen->across, y = at / seen->across;
        group.cells++;
        if (x < group.left) group.left = x;
        if (y < group.top) group.top = y;
        if (x > group.right) group.right = x;
        if (y > group.bottom) group.bottom = y;
        if (x > 0) visit(search, at - 1, mean, &waiting);
        if (x + 1 < seen->across) visit(search, at + 1, mean, &waiting);
        if (y > 0) visit(search, at - seen->across, mean, &waiting);
        if (y + 1 < seen->down) visit(search, at + seen->across, mean, &waiting);
    }
    return group;
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

static bool has_colour(const struct search *search, const int16_t *pixel)
{
    bool is = true;
    for (uint32_t c = 0; c < search->frame->channels; c++)
        is = is && abs(pixel[c] - search->colour[c]) <= pixel_slack(search->seen);
    return is;
}

/* Returns the share of the pixels of a line that have the colour. It goes from x, y across or down.
 */
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

/* Returns the share of a part's colour in the line beside it; -1: the frame ends there. */
static double beside(struct search *search, const struct seen_part *part, enum side side)
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

static void widen(struct seen_part *part, enum side side)
{
    part->x -= side == LEFT, part->y -= side == TOP;
    part->width += side == LEFT || side == RIGHT;
    part->height += side == TOP || side == BOTTOM;
}

/* Grows a part to its last line of one colour. Returns whether all its borders are sharp: few
 * pixels beside them have its colour. A codec may have smeared one line. */
static bool grow(struct search *search, struct seen_part *part)
{
    enum { FURTHEST = 6 * SEEN_CELL };
    const bool coded = search->seen->tolerance > 0;
    const double rest = 0.25;
    for (enum side side = LEFT; side < SIDES; side++) {
        double share = beside(search, part, side);
        for (int i = 0; share >= (coded ? 0.8 : 1) && i < FURTHEST; i++) {
            widen(part, side);
            share = beside(search, part, side);
        }
        if (coded && share > rest) {
            widen(part, side);
            share = beside(search, part, side);
        }
        if (share > rest) return false;
    }
    return true;
}

/* Keeps a part, instead of the smallest if there is no room. */
static void keep(struct seen *seen, const struct seen_part *part)
{
    uint32_t at = 0;
    if (seen->parts < SEEN_PARTS)
        at = seen->parts++;
    else
        for (uint32_t i = 1; i < SEEN_PARTS; i++)
            if ((uint64_t)seen->part[i].width * seen->part[i].height <
                (uint64_t)seen->part[at].width * seen->part[at].height)
                at = i;
    const struct seen_part *old = &seen->part[at];
    if ((uint64_t)old->width * old->height <= (uint64_t)part->width * part->height)
        seen->part[at] = *part;
}

/* Takes a group that is a rectangle for a part, if its borders are sharp. The group is none if a
 * codec spoils some of its cells, or if dark ones touch a black part: then the cell in the middle
 * speaks for all. */
static void take(struct search *search, struct group *group)
{
    const struct seen *seen = search->seen;
    const bool coded = seen->tolerance > 0;
    uint32_t across = group->right - group->left + 1, down = group->bottom - group->top + 1;
    if (group->cells != (size_t)across * down) {
        group->left += across / 2, group->top += down / 2;
        if (!may_be_part(seen, (size_t)group->top * seen->across + group->left)) return;
        across = down = 1;
    }
    struct seen_part part = {group->left * SEEN_CELL, group->top * SEEN_CELL, across * SEEN_CELL,
                             down * SEEN_CELL, 0};
    codes_row(search->frame, part.x + part.width / 2, part.y + part.height / 2, 1, search->colour);
    part.code = search->colour[0];
    if (!grow(search, &part)) return;
    const uint32_t smallest = coded ? PARTS_LEAST - 2 : PARTS_LEAST;
    if (part.width < smallest || part.height < smallest) return;
    if (part.width == seen->width && part.height == seen->height) return;
    keep(search->seen, &part);
}

ssimcu_status parts_find(const ssimcu_frame *frame, struct seen *seen, ssimcu_message *message)
{
    const uint32_t cells = seen->across * seen->down;
    struct search search = {
        .frame = frame,
        .seen = seen,
        .visited = calloc(cells + 1, 1),
        .stack = malloc((cells + 1) * sizeof *search.stack),
        .row = malloc((size_t)frame->width * frame->channels * sizeof *search.row)};
    const bool good = search.visited && search.stack && search.row;
    for (uint32_t i = 0; i < cells && good; i++) {
        if (search.visited[i] || !may_be_part(seen, i)) continue;
        struct group group = collect(&search, i);
        take(&search, &group);
    }
    free(search.visited), free(search.stack), free(search.row);
    return good ? SSIMCU_OK : no_memory(message);
}
