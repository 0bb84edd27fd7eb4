#include "report/page/bjontegaard.h"

#include <math.h>

enum { TERMS = 4, FIT_LEAST = 4 };

/* A function given by its points, with ascending x. */
struct curve {
    size_t count;
    double x[BD_POINTS], y[BD_POINTS], slope[BD_POINTS];
    /* One cubic for all points, in x shifted and scaled to [-1, 1]. */
    double middle, half, term[TERMS];
};

/* ---- PCHIP ----------------------------------------------------------------------------------- */

/* Returns the slope at an end, from the parabola through three points. It never opposes the first
 * piece, and is at most three times as steep. */
static double end_slope(double h0, double h1, double d0, double d1)
{
    const double slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (slope * d0 <= 0) return 0;
    return d0 * d1 < 0 && fabs(slope) > 3 * fabs(d0) ? 3 * d0 : slope;
}

/* Sets the slopes. An inner slope is the harmonic mean of both sides, weighted by the steps. */
static void set_slopes(struct curve *curve)
{
    const size_t last = curve->count - 1;
    double h[BD_POINTS] = {0}, d[BD_POINTS] = {0};
    for (size_t i = 0; i < last; i++) {
        h[i] = curve->x[i + 1] - curve->x[i];
        d[i] = (curve->y[i + 1] - curve->y[i]) / h[i];
    }
    curve->slope[0] = last > 1 ? end_slope(h[0], h[1], d[0], d[1]) : d[0];
    curve->slope[last] =
        last > 1 ? end_slope(h[last - 1], h[last - 2], d[last - 1], d[last - 2]) : d[0];
    for (size_t i = 1; i < last; i++) {
        const double a = 2 * h[i] + h[i - 1], b = h[i] + 2 * h[i - 1];
        curve->slope[i] = d[i - 1] * d[i] <= 0 ? 0 : (a + b) / (a / d[i - 1] + b / d[i]);
    }
}

/* Fills in the four terms of piece i, in x - x[i]. */
static void piece_of(const struct curve *curve, size_t i, double term[TERMS])
{
    const double h = curve->x[i + 1] - curve->x[i], d = (curve->y[i + 1] - curve->y[i]) / h;
    term[0] = curve->y[i];
    term[1] = curve->slope[i];
    term[2] = (3 * d - 2 * curve->slope[i] - curve->slope[i + 1]) / h;
    term[3] = (curve->slope[i] + curve->slope[i + 1] - 2 * d) / (h * h);
}

static double value_of(const double term[TERMS], double x)
{
    return term[0] + x * (term[1] + x * (term[2] + x * term[3]));
}

/* Returns the integral from 0 to x. */
static double integral_of(const double term[TERMS], double x)
{
    return x * (term[0] + x * (term[1] / 2 + x * (term[2] / 3 + x * term[3] / 4)));
}

static double pchip_at(const struct curve *curve, double x)
{
    double term[TERMS];
    size_t i = 0;
    while (i + 2 < curve->count && x > curve->x[i + 1]) i++;
    piece_of(curve, i, term);
    return value_of(term, x - curve->x[i]);
}

static double pchip_integral(const struct curve *curve, double low, double high)
{
    double sum = 0, term[TERMS];
    for (size_t i = 0; i + 1 < curve->count; i++) {
        const double from = fmax(low, curve->x[i]), to = fmin(high, curve->x[i + 1]);
        if (from >= to) continue;
        piece_of(curve, i, term);
        sum += integral_of(term, to - curve->x[i]) - integral_of(term, from - curve->x[i]);
    }
    return sum;
}

/* ---- One cubic ------------------------------------------------------------------------------- */

/* Solves linear equations with a symmetric positive definite matrix. The last column is the
 * right-hand side. */
static void solve(double row[TERMS][TERMS + 1], double result[TERMS])
{
    for (int i = 0; i < TERMS; i++)
        for (int k = i + 1; k < TERMS; k++) {
            const double factor = row[k][i] / row[i][i];
            for (int c = i; c <= TERMS; c++) row[k][c] -= factor * row[i][c];
        }
    for (int i = TERMS - 1; i >= 0; i--) {
        result[i] = row[i][TERMS];
        for (int c = i + 1; c < TERMS; c++) result[i] -= row[i][c] * result[c];
        result[i] /= row[i][i];
    }
}

/* Fits a cubic by least squares. */
static void fit_cubic(struct curve *curve)
{
    double row[TERMS][TERMS + 1] = {{0}};
    const double low = curve->x[0], high = curve->x[curve->count - 1];
    curve->middle = (low + high) / 2;
    curve->half = (high - low) / 2;
    for (size_t i = 0; i < curve->count; i++) {
        const double x = (curve->x[i] - curve->middle) / curve->half;
        const double power[TERMS] = {1, x, x * x, x * x * x};
        for (int a = 0; a < TERMS; a++) {
            for (int b = 0; b < TERMS; b++) row[a][b] += power[a] * power[b];
            row[a][TERMS] += power[a] * curve->y[i];
        }
    }
    solve(row, curve->term);
}

static double cubic_integral(const struct curve *curve, double low, double high)
{
    return curve->half * (integral_of(curve->term, (high - curve->middle) / curve->half) -
                          integral_of(curve->term, (low - curve->middle) / curve->half));
}

/* ---- Two curves ------------------------------------------------------------------------------ */

/* Makes a curve of sorted points: quality over rate, or rate over quality. */
static void make_curve(const struct bd_point *point, size_t count, bool over_quality,
                       struct curve *curve)
{
    curve->count = count;
    for (size_t i = 0; i < count; i++) {
        const double rate = log10(point[i].rate);
        curve->x[i] = over_quality ? point[i].quality : rate;
        curve->y[i] = over_quality ? rate : point[i].quality;
    }
    set_slopes(curve);
    if (count >= FIT_LEAST) fit_cubic(curve);
}

/* Returns the mean distance from the first curve to the second over their common range, by PCHIP
 * and by one cubic. */
static void compare(const struct curve *first, const struct curve *second, double *mean,
                    double *mean_fit)
{
    const double low = fmax(first->x[0], second->x[0]);
    const double high = fmin(first->x[first->count - 1], second->x[second->count - 1]);
    *mean = *mean_fit = NAN;
    if (!(low < high)) return;
    *mean = (pchip_integral(second, low, high) - pchip_integral(first, low, high)) / (high - low);
    if (first->count >= FIT_LEAST && second->count >= FIT_LEAST)
        *mean_fit =
            (cubic_integral(second, low, high) - cubic_integral(first, low, high)) / (high - low);
}

/* Returns a place where the difference changes its sign, between two places with opposite signs. */
static double meet(const struct curve *first, const struct curve *second, double low, double high)
{
    const bool above = pchip_at(second, low) > pchip_at(first, low);
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if ((pchip_at(second, middle) > pchip_at(first, middle)) == above)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Finds the first crossing of the curves, if they differ by more than a ten-thousandth of the
 * rate. */
static void find_crossing(const struct curve *first, const struct curve *second, struct bd *bd)
{
    enum { STEPS = 400 };
    const double least = log10(1.0001);
    double last = 0, place = bd->low;
    for (int i = 0; i <= STEPS && !bd->crosses; i++) {
        const double x = bd->low + (bd->high - bd->low) * i / STEPS;
        const double now = pchip_at(second, x) - pchip_at(first, x);
        if (fabs(now) < least) continue;
        bd->crosses = last * now < 0;
        if (bd->crosses) bd->at = meet(first, second, place, x);
        last = now;
        place = x;
    }
}

/* Returns whether rate and quality rise from each point to the next. */
static bool rises(const struct bd_point *point, size_t count)
{
    bool good = true;
    for (size_t i = 1; i < count; i++)
        good = good && point[i].rate > point[i - 1].rate && point[i].quality > point[i - 1].quality;
    return good;
}

struct bd bd_of(const struct bd_point *first, size_t firsts, const struct bd_point *second,
                size_t seconds)
{
    struct curve a, b;
    struct bd bd = {.lack = BD_NONE};
    if (firsts < 2 || seconds < 2 || firsts > BD_POINTS || seconds > BD_POINTS) bd.lack = BD_FEW;
    if (bd.lack == BD_NONE && !(rises(first, firsts) && rises(second, seconds))) bd.lack = BD_FALLS;
    if (bd.lack != BD_NONE) return bd;
    make_curve(first, firsts, false, &a);
    make_curve(second, seconds, false, &b);
    compare(&a, &b, &bd.quality, &bd.quality_fit);
    make_curve(first, firsts, true, &a);
    make_curve(second, seconds, true, &b);
    compare(&a, &b, &bd.rate, &bd.rate_fit);
    bd.rate = 100 * (pow(10, bd.rate) - 1);
    bd.rate_fit = 100 * (pow(10, bd.rate_fit) - 1);
    if (isnan(bd.rate)) return bd;
    bd.low = fmax(a.x[0], b.x[0]);
    bd.high = fmin(a.x[firsts - 1], b.x[seconds - 1]);
    bd.share =
        (bd.high - bd.low) / (fmax(a.x[firsts - 1], b.x[seconds - 1]) - fmin(a.x[0], b.x[0]));
    find_crossing(&a, &b, &bd);
    return bd;
}

double bd_quality(const struct bd_point *point, size_t count, double rate)
{
    struct curve curve;
    if (count == 1) return point->quality;
    make_curve(point, count, false, &curve);
    return pchip_at(&curve, log10(rate));
}

void bd_hull(const struct bd_point *point, size_t count, bool *on)
{
    size_t kept[BD_POINTS], n = 0;
    for (size_t i = 0; i < count; i++) on[i] = false;
    for (size_t i = 0; i < count && i < BD_POINTS; i++) {
        if (n > 0 && point[i].quality <= point[kept[n - 1]].quality) continue;
        for (; n > 0; n--) {
            const struct bd_point *const b = &point[kept[n - 1]];
            if (b->rate == point[i].rate) continue; /* the better of two at one rate stays */
            if (n < 2) break;
            const struct bd_point *const a = &point[kept[n - 2]];
            const double from = log10(a->rate);
            const double all = (point[i].quality - a->quality) / (log10(point[i].rate) - from);
            if ((b->quality - a->quality) / (log10(b->rate) - from) > all) break;
        }
        kept[n++] = i;
    }
    for (size_t i = 0; i < n; i++) on[kept[i]] = true;
}
