/* Parts of a frame: a rectangle of OUT that is black, bars beside the picture, and a picture that
 * is mirrored. */
#include "hints/look.h"

enum {
    ACROSS =
        240, /* points across a frame; a render's bucket of 64 pixels has four of those of 4K */
    FEW = 9, /* least points in a part */
    MANY =
        16, /* least squares of 3 x 3 of them, where others are black; of shadows there are few */
    LEAST_SIDE = 8 /* least pixels of a part's side */
};

/* Levels above black: at most so many are black, and at least so many a picture. A coder of video
 * leaves some noise. */
static const float BLACK[2] = {0.75f, 2.5f}, PICTURE[2] = {4, 16};

/* A part of a frame; right and bottom are the first pixels beyond. */
struct box {
    uint32_t left, top, right, bottom;
};

/* Counts of points: all, those that are black, and those of them where the other side is not. */
struct counts {
    uint32_t all, black, lost;
};

/* Returns how far a pixel is above black, in levels. Near black, the curve of sRGB is 12.92 times
 * the light. */
static float lightness(const struct look *look, int side, uint32_t x, uint32_t y)
{
    float value[3];
    if (look->planes > 1) return look_sample(look, look->frame[side], x, y, 0) / LEVEL - 16;
    samples_pixel(look, side, x, y, value);
    const float most = value[0] > value[1] ? value[0] : value[1];
    return (most > value[2] ? most : value[2]) * (look->light ? 12.92f : 1) / LEVEL;
}

/* Returns whether one sample tells that a pixel is not black. That is so of most. */
static bool is_bright(const struct look *look, const struct luma *luma, uint32_t x, uint32_t y)
{
    const bool coded = look->planes > 1;
    return luma->scale > 0 && !look_has_alpha(look) &&
           luma_at(luma, x, y) > (BLACK[coded] + (coded ? 16 : 0)) * LEVEL * 1.001f;
}

static void count(const struct look *look, int side, const struct luma *luma, uint32_t x,
                  uint32_t y, struct counts *counts)
{
    counts->all++;
    const bool coded = look->planes > 1;
    if (is_bright(look, luma, x, y) || lightness(look, side, x, y) > BLACK[coded]) return;
    counts->black++;
    counts->lost += lightness(look, 1 - side, x, y) > PICTURE[coded];
}

/* Adds every `step`-th pixel of a box of both sides, row by row. */
static void add_box(const struct look *look, const struct box *box, uint32_t step)
{
    ssimcu_patch row = {.x = box->left,
                        .columns = (box->right - box->left + step - 1) / step,
                        .rows = 1,
                        .step = step};
    for (row.y = box->top; row.y < box->bottom; row.y += step)
        for (int side = 0; side < 2; side++) fetch_add(look, side, 0, row);
}

/* Fetches every `step`-th pixel of boxes of both sides. */
static void fetch_boxes(const struct look *look, const struct box *box, int count, uint32_t step)
{
    if (!look->fetch) return;
    for (int i = 0; i < count; i++) add_box(look, &box[i], step);
    fetch_now(look);
}

/* Fetches Y of both sides, or their pixels. */
static void fetch_all(const struct look *look)
{
    for (int side = 0; side < 2; side++) fetch_whole(look, side, 0);
}

static struct counts count_in(const struct look *look, int side, const struct box *box,
                              uint32_t step)
{
    struct counts counts = {0};
    const struct luma luma = luma_of(look, side);
    for (uint32_t y = box->top; y < box->bottom; y += step)
        for (uint32_t x = box->left; x < box->right; x += step)
            count(look, side, &luma, x, y, &counts);
    return counts;
}

/* Returns whether a row or column is black, and not only because the other side's is. */
static bool is_lost(const struct look *look, int side, const struct box *line, uint32_t step)
{
    const struct counts counts = count_in(look, side, line, step);
    return counts.black == counts.all && counts.lost > 0;
}

/* ---- A black part ---------------------------------------------------------------------------- */

/* Widens a box by a point. */
static void widen(struct box *box, uint32_t x, uint32_t y)
{
    if (x < box->left) box->left = x;
    if (y < box->top) box->top = y;
    if (x >= box->right) box->right = x + 1;
    if (y >= box->bottom) box->bottom = y + 1;
}

/* Finds the box around all squares of 3 x 3 points that are black in OUT, of which most are lost:
 * in a noisy render single points are black anywhere. Returns how many squares there are. */
static uint32_t bound_squares(const struct look *look, uint32_t step, struct box *box)
{
    enum { SIDE = 3, MOST_LOST = SIDE * SIDE / 2 };
    const ssimcu_frame *frame = look->frame[0];
    const struct luma luma = luma_of(look, 1);
    uint32_t black[ACROSS + 2] = {0}, lost[SIDE][ACROSS + 2] = {{0}}, row = 0, squares = 0;
    *box = (struct box){frame->width, frame->height, 0, 0};
    for (uint32_t y = step / 2; y < frame->height; y += step, row++) {
        uint32_t column = 0;
        for (uint32_t x = step / 2; x < frame->width && column < ACROSS + 2; x += step, column++) {
            struct counts counts = {0};
            count(look, 1, &luma, x, y, &counts);
            black[column] = counts.black ? black[column] + 1 : 0; /* so many above each other */
            lost[row % SIDE][column] = counts.lost;
            uint32_t all = 0, gone = 0;
            for (uint32_t c = column >= SIDE - 1 ? column - (SIDE - 1) : column + 1; c <= column;
                 c++) {
                all += black[c] >= SIDE;
                for (uint32_t r = 0; r < SIDE; r++) gone += lost[r][c];
            }
            if (all < SIDE || gone <= MOST_LOST) continue;
            squares++;
            widen(box, x, y);
            widen(box, x - (SIDE - 1) * step, y - (SIDE - 1) * step);
        }
    }
    return squares;
}

/* Finds the box around all points of OUT that are lost. Returns their count. */
static uint32_t bound(const struct look *look, uint32_t step, struct box *box)
{
    const ssimcu_frame *frame = look->frame[0];
    const struct luma luma = luma_of(look, 1);
    struct counts counts = {0};
    fetch_boxes(look, &(struct box){step / 2, step / 2, frame->width, frame->height}, 1, step);
    *box = (struct box){frame->width, frame->height, 0, 0};
    for (uint32_t y = step / 2; y < frame->height; y += step)
        for (uint32_t x = step / 2; x < frame->width; x += step) {
            const uint32_t before = counts.lost;
            count(look, 1, &luma, x, y, &counts);
            if (counts.lost == before) continue;
            widen(box, x, y);
        }
    return counts.lost;
}

/* Moves the edges of a part, which are known to a step of the points, to its last pixels. */
static void refine(const struct look *look, struct box *box, uint32_t step)
{
    const ssimcu_frame *frame = look->frame[0];
    const struct box inner = *box;
    const uint32_t fine = step > 4 ? step / 4 : 1;
    for (uint32_t i = 1; i < step; i++) {
        const struct box left = {box->left - 1, inner.top, box->left, inner.bottom};
        const struct box right = {box->right, inner.top, box->right + 1, inner.bottom};
        const struct box above = {inner.left, box->top - 1, inner.right, box->top};
        const struct box below = {inner.left, box->bottom, inner.right, box->bottom + 1};
        box->left -= box->left > 0 && is_lost(look, 1, &left, fine);
        box->right += box->right < frame->width && is_lost(look, 1, &right, fine);
        box->top -= box->top > 0 && is_lost(look, 1, &above, fine);
        box->bottom += box->bottom < frame->height && is_lost(look, 1, &below, fine);
    }
}

/* Returns whether a box of OUT is black all over, and of REF it is not. */
static bool is_filled(const struct look *look, const struct box *box, uint32_t step)
{
    const struct counts counts = count_in(look, 1, box, step);
    const uint32_t others = counts.all - counts.black; /* a coder may leave a few */
    return 20 * others <= counts.all && 2 * counts.lost >= counts.all;
}

/* Looks for one rectangle that is black all over. Shadows that were crushed fill no rectangle. */
static bool look_black_part(const struct look *look, uint32_t step)
{
    struct box box;
    if (bound(look, step, &box) < FEW) return false;
    fetch_all(look);
    if (!is_filled(look, &box, step) &&
        (bound_squares(look, step, &box) < MANY || !is_filled(look, &box, step)))
        return false;
    refine(look, &box, step);
    const uint32_t width = box.right - box.left, height = box.bottom - box.top;
    if (width == look->frame[0]->width && height == look->frame[0]->height)
        return hints_add(look->hints, "black");
    return width >= LEAST_SIDE && height >= LEAST_SIDE &&
           hints_add(look->hints, "part black %ux%u+%u+%u", (unsigned)width, (unsigned)height,
                     (unsigned)box.left, (unsigned)box.top);
}

/* ---- Bars ------------------------------------------------------------------------------------ */

/* Counts the black lines at one end of a side's frame, at most half of them. */
static uint32_t count_lines(const struct look *look, int side, bool rows, bool far, uint32_t step,
                            struct counts *counts)
{
    const uint32_t width = look->frame[0]->width, height = look->frame[0]->height;
    const uint32_t length = rows ? height : width;
    for (uint32_t i = 0; i < length / 2; i++) {
        if (i > 0) fetch_all(look);
        const uint32_t at = far ? length - 1 - i : i;
        const struct box line =
            rows ? (struct box){0, at, width, at + 1} : (struct box){at, 0, at + 1, height};
        const struct counts here = count_in(look, side, &line, step);
        if (here.black < here.all) return i;
        counts->all += here.all;
        counts->lost += here.lost;
    }
    return 0; /* there is no picture between them */
}

/* Looks for bars that one side alone has. */
static bool look_bars(const struct look *look, uint32_t step)
{
    const uint32_t width = look->frame[0]->width, height = look->frame[0]->height;
    const struct box edge[] = {{0, 0, width, 1},
                               {0, height - 1, width, height},
                               {0, 0, 1, height},
                               {width - 1, 0, width, height}};
    fetch_boxes(look, edge, 4, step);
    for (int side = 0; side < 2; side++)
        for (int rows = 0; rows < 2; rows++) {
            struct counts counts = {0};
            const uint32_t first = count_lines(look, side, rows, false, step, &counts);
            if (first < 2) continue;
            const uint32_t last = count_lines(look, side, rows, true, step, &counts);
            if (last >= 2 && 2 * counts.lost > counts.all)
                return hints_add(look->hints, "bars %s %s %u %u", side ? "OUT" : "REF",
                                 rows ? "rows" : "columns", (unsigned)first, (unsigned)last);
        }
    return false;
}

/* ---- Mirrored -------------------------------------------------------------------------------- */

enum { CELLS = 32 /* cells of a thumbnail, across and down */ };
_Static_assert(CELLS *CELLS == SIGNATURE_POINTS, "a thumbnail is as large as a signature");

enum { POINTS = 4, CELL_POINTS = POINTS * POINTS /* points of a cell */ };

/* Finds point k of cell i. */
static void cell_point(const ssimcu_frame *frame, uint32_t i, uint32_t k, uint32_t *x, uint32_t *y)
{
    const uint64_t across = (i % CELLS * POINTS + k % POINTS) * 2 + 1;
    const uint64_t down = (i / CELLS * POINTS + k / POINTS) * 2 + 1;
    *x = (uint32_t)(across * frame->width / (2 * CELLS * POINTS));
    *y = (uint32_t)(down * frame->height / (2 * CELLS * POINTS));
}

static void fetch_cells(const struct look *look, int side)
{
    ssimcu_patch at = {.columns = 1, .rows = 1, .step = 1};
    if (!look->fetch) return;
    for (uint32_t i = 0; i < SIGNATURE_POINTS * CELL_POINTS; i++) {
        cell_point(look->frame[0], i / CELL_POINTS, i % CELL_POINTS, &at.x, &at.y);
        fetch_add(look, side, 0, at);
    }
    fetch_now(look);
}

/* Makes a thumbnail of a frame. Each value is the mean of 16 pixels of a cell, which lie in the
 * same place if the frame is mirrored. */
static void make_thumbnail(const struct look *look, int side, struct signature *thumbnail)
{
    fetch_cells(look, side);
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        float sum = 0, value[3];
        for (uint32_t k = 0, x, y; k < CELL_POINTS; k++) {
            cell_point(look->frame[0], i, k, &x, &y);
            if (look->planes > 1) {
                sum += look_sample(look, look->frame[side], x, y, 0);
            } else {
                samples_pixel(look, side, x, y, value);
                sum += look_shown(look, value[1]);
            }
        }
        thumbnail->value[i] = (uint16_t)(sum / CELL_POINTS * 65535);
    }
}

static void mirror(const struct signature *from, bool across, bool down, struct signature *to)
{
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        const uint32_t x = across ? CELLS - 1 - i % CELLS : i % CELLS;
        const uint32_t y = down ? CELLS - 1 - i / CELLS : i / CELLS;
        to->value[i] = from->value[y * CELLS + x];
    }
}

bool parts_look_mirrored(const struct look *look)
{
    static const char *const names[] = {"left right", "up down", "both ways"};
    struct signature ref, out, mirrored;
    make_thumbnail(look, 0, &ref);
    make_thumbnail(look, 1, &out);
    const double here = signature_unexplained(&out, &ref);
    for (int i = 0; i < 3; i++) {
        mirror(&ref, i != 1, i > 0, &mirrored);
        const double rest = signature_unexplained(&out, &mirrored);
        if (rest < 0.1 && 4 * rest < here) return hints_add(look->hints, "flipped %s", names[i]);
    }
    return false;
}

bool parts_look_black(const struct look *look)
{
    const ssimcu_score *score = look->score;
    const uint32_t width = look->frame[0]->width;
    if (score->worst.width > 0 && score->worst.score > 0.8) return false; /* no tile is broken */
    const uint32_t step = width / ACROSS + 1;
    return look_bars(look, step) || look_black_part(look, step);
}
