/* Areas of a frame: a black rectangle of OUT, bars around the picture, and a mirrored picture. */
#include "hints/analysis.h"

enum {
    ACROSS =
        240,   /* points across a frame; a render's bucket of 64 pixels has four of those of 4K */
    FEW = 9,   /* least points in an area */
    MANY = 16, /* least black squares of 3 x 3 points if others are black; shadows have few */
    LEAST_SIDE = 8 /* least pixels of an area's side */
};

/* Levels above black: at most this many are black, and at least this many are a picture. Video
 * coders leave some noise. */
static const float BLACK[2] = {0.75f, 2.5f}, PICTURE[2] = {4, 16};

/* An area of a frame; right and bottom are the first pixels outside. */
struct box {
    uint32_t left, top, right, bottom;
};

/* Counts of points: all, black ones, and black ones that the other side does not have. */
struct counts {
    uint32_t all, black, lost;
};

/* Returns how far a pixel is above black, in levels. Near black, the sRGB curve is 12.92 times the
 * light. */
static float lightness(const struct analysis *analysis, int side, uint32_t x, uint32_t y)
{
    float value[3];
    if (analysis->planes > 1)
        return analysis_sample(analysis, analysis->frame[side], x, y, 0) / LEVEL - 16;
    samples_pixel(analysis, side, x, y, value);
    const float most = value[0] > value[1] ? value[0] : value[1];
    return (most > value[2] ? most : value[2]) * (analysis->light ? 12.92f : 1) / LEVEL;
}

/* Returns whether one sample shows that a pixel is not black, as for most pixels. */
static bool is_bright(const struct analysis *analysis, const struct luma *luma, uint32_t x,
                      uint32_t y)
{
    const bool coded = analysis->planes > 1;
    return luma->scale > 0 && !analysis_has_alpha(analysis) &&
           luma_at(luma, x, y) > (BLACK[coded] + (coded ? 16 : 0)) * LEVEL * 1.001f;
}

static void count(const struct analysis *analysis, int side, const struct luma *luma, uint32_t x,
                  uint32_t y, struct counts *counts)
{
    counts->all++;
    const bool coded = analysis->planes > 1;
    if (is_bright(analysis, luma, x, y) || lightness(analysis, side, x, y) > BLACK[coded]) return;
    counts->black++;
    counts->lost += lightness(analysis, 1 - side, x, y) > PICTURE[coded];
}

/* Adds every `step`-th pixel of a box of both sides, row by row. */
static void add_box(const struct analysis *analysis, const struct box *box, uint32_t step)
{
    ssimcu_patch row = {.x = box->left,
                        .columns = (box->right - box->left + step - 1) / step,
                        .rows = 1,
                        .step = step};
    for (row.y = box->top; row.y < box->bottom; row.y += step)
        for (int side = 0; side < 2; side++) fetch_add(analysis, side, 0, row);
}

/* Fetches every `step`-th pixel of boxes of both sides. */
static void fetch_boxes(const struct analysis *analysis, const struct box *box, int count,
                        uint32_t step)
{
    if (!analysis->fetch) return;
    for (int i = 0; i < count; i++) add_box(analysis, &box[i], step);
    fetch_now(analysis);
}

/* Fetches Y of both sides, or their pixels. */
static void fetch_all(const struct analysis *analysis)
{
    for (int side = 0; side < 2; side++) fetch_whole(analysis, side, 0);
}

static struct counts count_in(const struct analysis *analysis, int side, const struct box *box,
                              uint32_t step)
{
    struct counts counts = {0};
    const struct luma luma = luma_of(analysis, side);
    for (uint32_t y = box->top; y < box->bottom; y += step)
        for (uint32_t x = box->left; x < box->right; x += step)
            count(analysis, side, &luma, x, y, &counts);
    return counts;
}

/* Returns whether a row or column is black, other than where the other side's is, too. */
static bool is_lost(const struct analysis *analysis, int side, const struct box *line,
                    uint32_t step)
{
    const struct counts counts = count_in(analysis, side, line, step);
    return counts.black == counts.all && counts.lost > 0;
}

/* ---- A black area ---------------------------------------------------------------------------- */

/* Widens a box to contain a point. */
static void widen(struct box *box, uint32_t x, uint32_t y)
{
    if (x < box->left) box->left = x;
    if (y < box->top) box->top = y;
    if (x >= box->right) box->right = x + 1;
    if (y >= box->bottom) box->bottom = y + 1;
}

/* Finds the box around all squares of 3 x 3 points that are black in OUT and mostly lost. In a
 * noisy render, single points are black anywhere. Returns the number of squares. */
static uint32_t bound_squares(const struct analysis *analysis, uint32_t step, struct box *box)
{
    enum { SIDE = 3, MOST_LOST = SIDE * SIDE / 2 };
    const ssimcu_frame *frame = analysis->frame[0];
    const struct luma luma = luma_of(analysis, 1);
    uint32_t black[ACROSS + 2] = {0}, lost[SIDE][ACROSS + 2] = {{0}}, row = 0, squares = 0;
    *box = (struct box){frame->width, frame->height, 0, 0};
    for (uint32_t y = step / 2; y < frame->height; y += step, row++) {
        uint32_t column = 0;
        for (uint32_t x = step / 2; x < frame->width && column < ACROSS + 2; x += step, column++) {
            struct counts counts = {0};
            count(analysis, 1, &luma, x, y, &counts);
            black[column] = counts.black ? black[column] + 1 : 0; /* black points in a column */
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

/* Finds the box around all lost points of OUT. Returns their number. */
static uint32_t bound(const struct analysis *analysis, uint32_t step, struct box *box)
{
    const ssimcu_frame *frame = analysis->frame[0];
    const struct luma luma = luma_of(analysis, 1);
    struct counts counts = {0};
    fetch_boxes(analysis, &(struct box){step / 2, step / 2, frame->width, frame->height}, 1, step);
    *box = (struct box){frame->width, frame->height, 0, 0};
    for (uint32_t y = step / 2; y < frame->height; y += step)
        for (uint32_t x = step / 2; x < frame->width; x += step) {
            const uint32_t before = counts.lost;
            count(analysis, 1, &luma, x, y, &counts);
            if (counts.lost == before) continue;
            widen(box, x, y);
        }
    return counts.lost;
}

/* Moves the edges of an area, known to a step of the points, to its last pixels. */
static void refine(const struct analysis *analysis, struct box *box, uint32_t step)
{
    const ssimcu_frame *frame = analysis->frame[0];
    const struct box inner = *box;
    const uint32_t fine = step > 4 ? step / 4 : 1;
    for (uint32_t i = 1; i < step; i++) {
        const struct box left = {box->left - 1, inner.top, box->left, inner.bottom};
        const struct box right = {box->right, inner.top, box->right + 1, inner.bottom};
        const struct box above = {inner.left, box->top - 1, inner.right, box->top};
        const struct box below = {inner.left, box->bottom, inner.right, box->bottom + 1};
        box->left -= box->left > 0 && is_lost(analysis, 1, &left, fine);
        box->right += box->right < frame->width && is_lost(analysis, 1, &right, fine);
        box->top -= box->top > 0 && is_lost(analysis, 1, &above, fine);
        box->bottom += box->bottom < frame->height && is_lost(analysis, 1, &below, fine);
    }
}

/* Returns whether a box is all black in OUT but not in REF. */
static bool is_filled(const struct analysis *analysis, const struct box *box, uint32_t step)
{
    const struct counts counts = count_in(analysis, 1, box, step);
    const uint32_t others = counts.all - counts.black; /* a coder may leave a few */
    return 20 * others <= counts.all && 2 * counts.lost >= counts.all;
}

/* Searches for one rectangle that is all black. Crushed shadows do not fill a rectangle. */
static bool find_black_area(const struct analysis *analysis, uint32_t step)
{
    struct box box;
    if (bound(analysis, step, &box) < FEW) return false;
    fetch_all(analysis);
    if (!is_filled(analysis, &box, step) &&
        (bound_squares(analysis, step, &box) < MANY || !is_filled(analysis, &box, step)))
        return false;
    refine(analysis, &box, step);
    const uint32_t width = box.right - box.left, height = box.bottom - box.top;
    if (width == analysis->frame[0]->width && height == analysis->frame[0]->height)
        return hints_add(analysis->hints, "black");
    return width >= LEAST_SIDE && height >= LEAST_SIDE &&
           hints_add(analysis->hints, "black-area %ux%u+%u+%u", (unsigned)width, (unsigned)height,
                     (unsigned)box.left, (unsigned)box.top);
}

/* ---- Bars ------------------------------------------------------------------------------------ */

/* Counts the black lines at one end of a side's frame, up to half of all. */
static uint32_t count_lines(const struct analysis *analysis, int side, bool rows, bool far,
                            uint32_t step, struct counts *counts)
{
    const uint32_t width = analysis->frame[0]->width, height = analysis->frame[0]->height;
    const uint32_t length = rows ? height : width;
    for (uint32_t i = 0; i < length / 2; i++) {
        if (i > 0) fetch_all(analysis);
        const uint32_t at = far ? length - 1 - i : i;
        const struct box line =
            rows ? (struct box){0, at, width, at + 1} : (struct box){at, 0, at + 1, height};
        const struct counts here = count_in(analysis, side, &line, step);
        if (here.black < here.all) return i;
        counts->all += here.all;
        counts->lost += here.lost;
    }
    return 0; /* no picture is between them */
}

/* Searches for bars that only one side has. */
static bool find_bars(const struct analysis *analysis, uint32_t step)
{
    const uint32_t width = analysis->frame[0]->width, height = analysis->frame[0]->height;
    const struct box edge[] = {{0, 0, width, 1},
                               {0, height - 1, width, height},
                               {0, 0, 1, height},
                               {width - 1, 0, width, height}};
    fetch_boxes(analysis, edge, 4, step);
    for (int side = 0; side < 2; side++)
        for (int rows = 0; rows < 2; rows++) {
            struct counts counts = {0};
            const uint32_t first = count_lines(analysis, side, rows, false, step, &counts);
            if (first < 2) continue;
            const uint32_t last = count_lines(analysis, side, rows, true, step, &counts);
            if (last >= 2 && 2 * counts.lost > counts.all)
                return hints_add(analysis->hints, "bars %s %s %u %u", side ? "OUT" : "REF",
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

static void fetch_cells(const struct analysis *analysis, int side)
{
    ssimcu_patch at = {.columns = 1, .rows = 1, .step = 1};
    if (!analysis->fetch) return;
    for (uint32_t i = 0; i < SIGNATURE_POINTS * CELL_POINTS; i++) {
        cell_point(analysis->frame[0], i / CELL_POINTS, i % CELL_POINTS, &at.x, &at.y);
        fetch_add(analysis, side, 0, at);
    }
    fetch_now(analysis);
}

/* Makes a thumbnail of a frame. Each value is the mean of 16 pixels of a cell, whose places a
 * mirrored frame keeps. */
static void make_thumbnail(const struct analysis *analysis, int side, struct signature *thumbnail)
{
    fetch_cells(analysis, side);
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        float sum = 0, value[3];
        for (uint32_t k = 0, x, y; k < CELL_POINTS; k++) {
            cell_point(analysis->frame[0], i, k, &x, &y);
            if (analysis->planes > 1) {
                sum += analysis_sample(analysis, analysis->frame[side], x, y, 0);
            } else {
                samples_pixel(analysis, side, x, y, value);
                sum += analysis_shown(analysis, value[1]);
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

bool mirrored_find(const struct analysis *analysis)
{
    static const char *const names[] = {"left right", "up down", "both ways"};
    struct signature ref, out, mirrored;
    make_thumbnail(analysis, 0, &ref);
    make_thumbnail(analysis, 1, &out);
    const double here = signature_unexplained(&out, &ref);
    for (int i = 0; i < 3; i++) {
        mirror(&ref, i != 1, i > 0, &mirrored);
        const double rest = signature_unexplained(&out, &mirrored);
        if (rest < 0.1 && 4 * rest < here)
            return hints_add(analysis->hints, "flipped %s", names[i]);
    }
    return false;
}

bool black_area_find(const struct analysis *analysis)
{
    const ssimcu_score *score = analysis->score;
    const uint32_t width = analysis->frame[0]->width;
    if (score->worst.width > 0 && score->worst.score > 0.8) return false; /* no tile is broken */
    const uint32_t step = width / ACROSS + 1;
    return find_bars(analysis, step) || find_black_area(analysis, step);
}
