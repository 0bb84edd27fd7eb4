/* Moved by parts of a pixel, or scaled: where in REF each pixel of OUT comes from is fitted to the
 * frames, by Gauss-Newton steps on means of ever smaller boxes. Each step follows REF's gradient at
 * a grid of points. At the end nine regions must agree with the fit one by one: an object that
 * moved is no warp. */
#include "hints/warp.h"

#include <stdlib.h>
#include <string.h>

enum {
    COARSEST = 32, /* boxes across the frame in the first step */
    STEPS = 4,     /* most steps with boxes of one size */
    REGIONS = 3,   /* regions across and down */
    TELLING = 6,   /* least regions with enough detail that confirm a warp */
    FEW = 3,       /* the same, if nothing is moved */
    SIDE_LEAST = 64,
    LAST_BOX = 4 /* pixels; the regions are asked with these */
};

/* Least displacement that is said, and the most that a region may differ from the fit, in pixels.
 */
static const double LEAST = 0.25, AGREES = 0.2;

/* Largest share of the misfit that may remain. Half a pixel under noise of four levels leaves 0.73,
 * blurred text and coders 0.93. */
static const double EXPLAINS = 0.8;

/* The same after a first step, which must lead somewhere. */
static const double STARTS = 0.95;

/* Side of the smallest boxes, in pixels. */
static const double SMALLEST = 1.5;

/* ---- The fit --------------------------------------------------------------------------------- */

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Returns the median of what remains, without its sign; negative: too few points are inside. */
static float typical_rest(const struct warp_point point[WARP_POINTS])
{
    float rest[WARP_POINTS];
    size_t count = 0;
    for (uint32_t i = 0; i < WARP_POINTS; i++)
        if (point[i].inside) rest[count++] = fabsf(point[i].rest);
    qsort(rest, count, sizeof *rest, compare_floats);
    return count < WARP_POINTS / 16 ? -1 : rest[count / 2];
}

/* Solves a x = b for a symmetric, positive matrix, and leaves the diagonal of its inverse in
 * `variance`. Returns false if the matrix is singular. */
static bool solve(uint32_t n, double a[4][4], double b[4], double variance[4])
{
    double work[4][8] = {{0}};
    for (uint32_t i = 0; i < n; i++) {
        memcpy(work[i], a[i], n * sizeof **a);
        work[i][n + i] = 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        const double pivot = work[i][i];
        if (!(pivot > 1e-12)) return false;
        for (uint32_t k = 0; k < 2 * n; k++) work[i][k] /= pivot;
        for (uint32_t j = 0; j < n; j++) {
            const double factor = work[j][i];
            for (uint32_t k = 0; k < 2 * n && j != i; k++) work[j][k] -= factor * work[i][k];
        }
    }
    double x[4] = {0};
    for (uint32_t i = 0; i < n; i++) {
        variance[i] = work[i][n + i];
        for (uint32_t k = 0; k < n; k++) x[i] += work[i][n + k] * b[k];
    }
    memcpy(b, x, n * sizeof *b);
    return true;
}

/* Fits a change of the warp to the points of a region, or to all (region < 0). `typical`: that of
 * typical_rest. `change`: move and grow across, then down; a region has the moves alone. Points
 * that fit badly weigh little. Returns false if there is too little detail. `deviation`: standard
 * errors. */
static bool fit(const struct warp_point point[WARP_POINTS], double typical, int region,
                double change[4], double deviation[4])
{
    const uint32_t n = region < 0 ? 4 : 2;
    const double wide = 3 * typical + 1e-6;
    double a[4][4] = {{0}}, b[4] = {0}, squares = 0, weights = 0, mean = 0;
    if (typical < 0) return false;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < WARP_POINTS; i++) {
            const struct warp_point *p = &point[i];
            const int own = (int)(i / WARP_GRID * REGIONS / WARP_GRID * REGIONS +
                                  i % WARP_GRID * REGIONS / WARP_GRID);
            if (!p->inside || (region >= 0 && own != region)) continue;
            const double apart = p->rest / wide, weight = 1 / (1 + apart * apart);
            if (pass == 0) {
                weights += weight;
                mean += weight * p->rest;
                continue;
            }
            const double rest = p->rest - mean / weights;
            const double row[4] = {p->gradient[0],
                                   n == 4 ? p->gradient[0] * p->at[0] : p->gradient[1],
                                   p->gradient[1], p->gradient[1] * p->at[1]};
            for (uint32_t j = 0; j < n; j++) {
                for (uint32_t k = 0; k < n; k++) a[j][k] += weight * row[j] * row[k];
                b[j] += weight * row[j] * rest;
            }
            squares += weight * rest * rest;
        }
    if (!solve(n, a, b, deviation)) return false;
    for (uint32_t k = 0; k < n; k++) {
        change[k] = b[k];
        deviation[k] = sqrt(deviation[k] * squares / weights);
    }
    return true;
}

static double most_of(const double value[4])
{
    double most = 0;
    for (int k = 0; k < 4; k++) most = fmax(most, fabs(value[k]));
    return most;
}

/* Moves the warp by what the points say. Returns false if there is too little detail, or the frames
 * have nothing in common. */
static bool step(const struct warp_point point[WARP_POINTS], double box, struct warp *warp,
                 double deviation[4])
{
    double change[4];
    if (!fit(point, typical_rest(point), -1, change, deviation) || most_of(change) > 4 * box)
        return false;
    warp->move[0] += change[0], warp->grow[0] += change[1];
    warp->move[1] += change[2], warp->grow[1] += change[3];
    return true;
}

/* Improves the warp with boxes of one size, until it changes little. */
static bool improve(const struct look *look, double box, struct warp *warp,
                    struct warp_point point[WARP_POINTS], double deviation[4])
{
    for (int i = 0; i < STEPS; i++) {
        const struct warp before = *warp;
        warp_see(look, warp, box, box > SMALLEST, point);
        if (!step(point, box, warp, deviation)) return false;
        const double change[4] = {warp->move[0] - before.move[0], warp->grow[0] - before.grow[0],
                                  warp->move[1] - before.move[1], warp->grow[1] - before.grow[1]};
        if (most_of(change) < (box > SMALLEST ? 0.05 : 0.01) * box) break;
    }
    return true;
}

/* Returns whether the regions agree with the warp within `apart` pixels. At least `least` of them
 * must have detail. */
static bool is_confirmed(const struct warp_point point[WARP_POINTS], int least, double apart)
{
    int telling = 0, agreeing = 0;
    const double typical = typical_rest(point);
    for (int region = 0; region < REGIONS * REGIONS; region++) {
        double change[4], deviation[4];
        if (!fit(point, typical, region, change, deviation)) continue;
        if (fmax(deviation[0], deviation[1]) > AGREES / 2) continue;
        telling++;
        agreeing += fabs(change[0]) < apart && fabs(change[1]) < apart;
    }
    return telling >= least && agreeing + (telling >= TELLING) >= telling;
}

/* Returns whether nothing is moved: the whole frame says so, or what regions have detail. */
static bool is_in_register(const struct warp_point point[WARP_POINTS])
{
    double change[4], deviation[4];
    if (is_confirmed(point, FEW, AGREES / 2)) return true;
    return fit(point, typical_rest(point), -1, change, deviation) && most_of(change) < LEAST / 2 &&
           most_of(deviation) < LEAST / 4;
}

/* Returns the squares of what remains, each up to a limit, so that a few points do not drown the
 * others. */
static double squares_of(const struct warp_point point[WARP_POINTS], float limit)
{
    double sum = 0;
    for (uint32_t i = 0; i < WARP_POINTS; i++)
        if (point[i].inside) sum += fmin(point[i].rest * point[i].rest, limit * limit);
    return sum;
}

/* Rounds to one decimal; zero has no sign. */
static double tenths(double value) { return round(value * 10) / 10 + 0.0; }

/* Says a shift, with a decimal unless it is by whole pixels. */
static bool say_shift(const struct look *look, double right, double down)
{
    const bool whole = right == round(right) && down == round(down);
    return whole ? hints_add(look->hints, "shift %+d %+d", (int)right, (int)down)
                 : hints_add(look->hints, "shift %+.1f %+.1f", right, down);
}

static bool say(const struct look *look, const struct warp *warp)
{
    double scale[2];
    const uint32_t size[2] = {look->frame[0]->width, look->frame[0]->height};
    const bool grows = fabs(warp->grow[0]) >= LEAST || fabs(warp->grow[1]) >= LEAST;
    const bool moves = fabs(warp->move[0]) >= LEAST || fabs(warp->move[1]) >= LEAST;
    for (int k = 0; k < 2; k++) scale[k] = 1 / (1 + 2 * warp->grow[k] / size[k]);
    const bool scaled = grows && hints_add(look->hints, "scale %.4f %.4f", scale[0], scale[1]);
    return (moves && say_shift(look, tenths(-warp->move[0]), tenths(-warp->move[1]))) || scaled;
}

/* Takes one step with boxes of this size. Returns whether OUT then fits better, as it does if it is
 * moved by about a box or less. */
static bool starts(const struct look *look, double box, struct warp *warp,
                   struct warp_point point[WARP_POINTS])
{
    double deviation[4];
    warp_see(look, warp, box, true, point);
    const float limit = 3 * typical_rest(point);
    const double before = squares_of(point, limit);
    if (!step(point, box, warp, deviation)) return false;
    warp_see(look, warp, box, true, point);
    return squares_of(point, limit) < STARTS * before;
}

/* Returns the squares of what remains, up to `limit` each, at a quarter of the points. */
static double rough_squares(const struct look *look, const struct warp *warp, float limit,
                            struct warp_point point[WARP_POINTS])
{
    warp_see(look, warp, LAST_BOX, true, point);
    return squares_of(point, limit);
}

/* Fits the warp with boxes of this size and ever smaller ones. `limit`, `before`: as rough_squares
 * has them without a warp. Returns whether it moves anything. */
static bool find(const struct look *look, double box, float limit, double before, struct warp *warp,
                 struct warp_point point[WARP_POINTS])
{
    double deviation[4];
    *warp = (struct warp){{0}, {0}};
    if (!starts(look, box, warp, point)) return false;
    for (; box > SMALLEST; box /= 2)
        if (!improve(look, box, warp, point, deviation)) return false;
    if (rough_squares(look, warp, limit, point) > STARTS * before) return false;
    if (!improve(look, SMALLEST, warp, point, deviation)) return false;
    const double far = fmax(fmax(fabs(warp->move[0]), fabs(warp->move[1])),
                            fmax(fabs(warp->grow[0]), fabs(warp->grow[1])));
    return far >= LEAST && far >= 6 * most_of(deviation);
}

bool warp_look(const struct look *look)
{
    struct warp_point point[WARP_POINTS];
    struct warp warp = {{0}, {0}};
    const uint32_t width = look->frame[0]->width, height = look->frame[0]->height;
    const double box[] = {LAST_BOX, 3 * LAST_BOX, (double)width / COARSEST};
    if (width < SIDE_LEAST || height < SIDE_LEAST) return false;
    warp_see(look, &warp, LAST_BOX, false, point);
    if (is_in_register(point)) return false; /* as most frames are */
    const float limit = 3 * typical_rest(point);
    const double before = squares_of(point, limit),
                 rough = rough_squares(look, &warp, limit, point);
    for (int i = 0; i < 3; i++) {
        if (!find(look, box[i], limit, rough, &warp, point)) continue;
        warp_see(look, &warp, LAST_BOX, false, point);
        if (squares_of(point, limit) < EXPLAINS * before && is_confirmed(point, TELLING, AGREES))
            return say(look, &warp);
    }
    return false;
}
