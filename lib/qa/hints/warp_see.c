/* What is seen at the points of a warp: means of boxes of OUT, and of REF where they come from. */
#include "hints/warp.h"

/* ---- Samples --------------------------------------------------------------------------------- */

/* Returns floor(x) of a place in a frame or a little outside it, without a call: a look at a 4K
 * frame takes thousands. */
static long whole_of(double x)
{
    enum { OUTSIDE = 1 << 24 };
    return (long)(x + OUTSIDE) - OUTSIDE;
}

static uint32_t inside_of(long at, uint32_t size)
{
    return at < 0 ? 0 : at < (long)size ? (uint32_t)at : size - 1;
}

/* In one direction a box takes its samples at three places, each between two pixels. They are
 * listed with their weights. */
enum { TAPS = 6 };

struct taps {
    uint32_t at[TAPS];
    float weight[TAPS];
};

static struct taps taps_of(double centre, double box, uint32_t size)
{
    struct taps taps;
    for (int i = 0; i < TAPS; i += 2) {
        const double place = centre + (i / 2 - 1) * box / 3;
        const long left = whole_of(place);
        const float across = (float)(place - (double)left);
        taps.at[i] = inside_of(left, size);
        taps.at[i + 1] = inside_of(left + 1, size);
        taps.weight[i] = (1 - across) / 3;
        taps.weight[i + 1] = across / 3;
    }
    return taps;
}

/* Returns the mean of a box, from nine places in it. */
static float box_mean(const struct luma *luma, const struct taps *across, const struct taps *down)
{
    const ssimcu_frame *frame = luma->frame;
    float sum = 0;
    for (int j = 0; j < TAPS; j++) {
        const uint8_t *row = (const uint8_t *)luma->data + down->at[j] * frame->pitch;
        float part = 0;
        if (frame->bits == 8)
            for (int i = 0; i < TAPS; i++)
                part += across->weight[i] * (float)row[across->at[i] * luma->pixel];
        else
            for (int i = 0; i < TAPS; i++)
                part += across->weight[i] * luma_at(luma, across->at[i], down->at[j]);
        sum += down->weight[j] * part;
    }
    return frame->bits == 8 ? sum * luma->scale : sum;
}

/* Returns the same of a large box, for which whole pixels do. */
static float large_mean(const struct luma *luma, const struct taps *across, const struct taps *down)
{
    float sum = 0;
    for (int j = 0; j < TAPS; j += 2)
        for (int i = 0; i < TAPS; i += 2) sum += luma_at(luma, across->at[i], down->at[j]);
    return sum / 9;
}

/* The boxes that a point is seen with, across and down. */
struct boxes {
    struct taps own[2], ref[2][3]; /* boxes of OUT; those of REF before, at and behind it */
};

static double reach_of(double box) { return box / 2 > 1 ? box / 2 : 1; }

/* Finds the boxes of a point of the grid. Returns whether they lie inside. */
static bool find_boxes(const ssimcu_frame *frame, const struct warp *warp, double box,
                       const struct warp_point *point, struct boxes *boxes)
{
    const uint32_t size[2] = {frame->width, frame->height};
    for (int k = 0; k < 2; k++) {
        const double at = floor((point->at[k] + 1.0) / 2 * size[k]);
        const double from = at + warp->move[k] + warp->grow[k] * point->at[k];
        if (from < box + 1 || from > size[k] - box - 2) return false;
        boxes->own[k] = taps_of(at, box, size[k]);
        for (int i = 0; i < 3; i++)
            boxes->ref[k][i] = taps_of(from + (i - 1) * reach_of(box), box, size[k]);
    }
    return true;
}

/* Looks at a point of the grid. */
static void see_point(const struct luma luma[2], double box, const struct boxes *boxes,
                      struct warp_point *point)
{
    const struct taps *const own = boxes->own, (*const ref)[3] = boxes->ref;
    float (*const mean)(const struct luma *, const struct taps *, const struct taps *) =
        box < 8 ? box_mean : large_mean;
    const float width = (float)(2 * reach_of(box));
    point->rest = mean(&luma[1], &own[0], &own[1]) - mean(&luma[0], &ref[0][1], &ref[1][1]);
    point->gradient[0] =
        (mean(&luma[0], &ref[0][2], &ref[1][1]) - mean(&luma[0], &ref[0][0], &ref[1][1])) / width;
    point->gradient[1] =
        (mean(&luma[0], &ref[0][1], &ref[1][2]) - mean(&luma[0], &ref[0][1], &ref[1][0])) / width;
}

/* ---- Fetching -------------------------------------------------------------------------------- */

/* Adds all pixels between the first box across and down, and the last. */
static void add_block(const struct look *look, int side, const struct taps *left,
                      const struct taps *top, const struct taps *right, const struct taps *bottom)
{
    const uint32_t x = left->at[0], y = top->at[0];
    fetch_add(look, side, 0,
              (ssimcu_patch){.x = x,
                             .y = y,
                             .columns = right->at[TAPS - 1] - x + 1,
                             .rows = bottom->at[TAPS - 1] - y + 1,
                             .step = 1});
}

/* Adds the nine pixels of a large box, which mostly are equally far apart. */
static void add_spots(const struct look *look, int side, const struct taps *across,
                      const struct taps *down)
{
    const uint32_t *const x = across->at, *const y = down->at, step = x[2] - x[0];
    if (step > 0 && x[4] - x[2] == step && y[2] - y[0] == step && y[4] - y[2] == step) {
        fetch_add(look, side, 0, (ssimcu_patch){0, x[0], y[0], 3, 3, step});
        return;
    }
    for (int i = 0; i < TAPS; i += 2)
        for (int k = 0; k < TAPS; k += 2)
            fetch_add(look, side, 0, (ssimcu_patch){0, x[i], y[k], 1, 1, 1});
}

/* Adds what a point is seen with: blocks, or single pixels if these are fewer bytes. */
static void add_boxes(const struct look *look, double box, const struct boxes *boxes)
{
    enum { LARGE = 24 };
    const struct taps *const own = boxes->own, (*const ref)[3] = boxes->ref;
    if (box < LARGE) {
        add_block(look, 1, &own[0], &own[1], &own[0], &own[1]);
        add_block(look, 0, &ref[0][0], &ref[1][0], &ref[0][2], &ref[1][2]);
        return;
    }
    add_spots(look, 1, &own[0], &own[1]);
    for (int i = 0; i < 3; i++) add_spots(look, 0, &ref[0][i], &ref[1][1]);
    for (int i = 0; i < 3; i += 2) add_spots(look, 0, &ref[0][1], &ref[1][i]);
}

/* Fetches what the points that lie inside are seen with. */
static void fetch_points(const struct look *look, const struct warp *warp, double box,
                         const struct warp_point point[WARP_POINTS])
{
    struct boxes boxes;
    if (!look->fetch) return;
    for (uint32_t i = 0; i < WARP_POINTS; i++)
        if (point[i].inside && find_boxes(look->frame[0], warp, box, &point[i], &boxes))
            add_boxes(look, box, &boxes);
    fetch_now(look);
}

/* ---- Points ---------------------------------------------------------------------------------- */

void warp_see(const struct look *look, const struct warp *warp, double box, bool roughly,
              struct warp_point point[WARP_POINTS])
{
    const struct luma luma[2] = {luma_of(look, 0), luma_of(look, 1)};
    struct boxes boxes;
    for (uint32_t i = 0; i < WARP_POINTS; i++) {
        const uint32_t cell[2] = {i % WARP_GRID, i / WARP_GRID};
        point[i].inside = !roughly || (cell[0] % 2 == cell[1] / 2 % 2 && cell[1] % 2 == 0);
        for (int k = 0; k < 2; k++) point[i].at[k] = (float)((2.0 * cell[k] + 1) / WARP_GRID - 1);
    }
    fetch_points(look, warp, box, point);
    for (uint32_t i = 0; i < WARP_POINTS; i++) {
        if (!point[i].inside) continue;
        point[i].inside = find_boxes(look->frame[0], warp, box, &point[i], &boxes);
        if (point[i].inside) see_point(luma, box, &boxes, &point[i]);
    }
}
