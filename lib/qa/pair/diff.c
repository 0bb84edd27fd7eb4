#include "pair/diff.h"

#include "base/refuse.h"
#include "learned/ignored.h"
#include "pair/region.h"

#include "sample_size.h"

#include <stdlib.h>
#include <string.h>

enum { DIFFERS = 255, NOT_COUNTED = 1 }; /* bytes of a mask; 0: the pixels are equal */

/* ---- Masks ----------------------------------------------------------------------------------- */

static void take_side(ssimcu_frame *frame, void *mask)
{
    *frame = (ssimcu_frame){.width = frame->width,
                            .height = frame->height,
                            .channels = 1,
                            .bits = 8,
                            .pitch = frame->width,
                            .data = mask};
}

void diff_take(struct pair *pair, uint8_t *black, uint8_t *mask)
{
    take_side(pair->plane[0], black);
    take_side(pair->plane[1], mask);
    pair->exact = true;
}

void diff_exactly(struct pair *pair)
{
    const ssimcu_frame ref = pair->plane[0][0], out = pair->plane[1][0];
    const size_t pixel = ref.channels * ssimcu_sample_size(ref.bits);
    uint8_t *black = ref.data, *mask = out.data;
    for (uint32_t y = 0; y < ref.height; y++) {
        const uint8_t *a = (const uint8_t *)ref.data + y * ref.pitch,
                      *b = (const uint8_t *)out.data + y * out.pitch;
        for (uint32_t x = 0; x < ref.width; x++, a += pixel, b += pixel) {
            const bool differs = memcmp(a, b, pixel) != 0; /* read before it is overwritten */
            *black++ = 0;
            *mask++ = differs ? DIFFERS : 0;
        }
    }
    diff_take(pair, ref.data, out.data);
}

void diff_mark(const struct diff_rank *rank, size_t pixels, uint8_t *mask)
{
    for (size_t i = 0; i < pixels; i++) {
        const float *id[2], *coverage[2];
        for (int s = 0; s < 2; s++) {
            id[s] = rank->id[s] + i * rank->id_step;
            coverage[s] = rank->coverage[s] + i * rank->coverage_step;
        }
        const bool none = *coverage[0] <= DIFFER_COVERAGE && *coverage[1] <= DIFFER_COVERAGE,
                   same = memcmp(id[0], id[1], sizeof(float)) == 0 &&
                          fabsf(*coverage[0] - *coverage[1]) <= DIFFER_COVERAGE;
        if (!none && !same) mask[i] = DIFFERS;
    }
}

/* ---- The largest group ----------------------------------------------------------------------- */

/* A group of pixels that touch each other, also by corners. */
struct group {
    uint32_t parent; /* the group that it joined, or itself */
    uint64_t pixels;
    uint32_t left, top, right, bottom; /* right and bottom are the first pixels outside */
};

/* Consecutive pixels of a row. */
struct run {
    uint32_t from, to, group;
};

/* The runs of a row and of the row above, and all their groups. */
struct groups {
    struct run *run[2];
    uint32_t runs[2];
    struct group *group, *next;
    uint32_t count;
    uint64_t pixels;   /* all differing pixels */
    uint64_t left_out; /* pixels that do not count */
    struct group best;
};

static uint32_t root_of(const struct group *group, uint32_t at)
{
    while (group[at].parent != at) at = group[at].parent;
    return at;
}

static void join(struct group *group, uint32_t a, uint32_t b)
{
    a = root_of(group, a);
    b = root_of(group, b);
    if (a == b) return;
    struct group *to = &group[a < b ? a : b];
    const struct group *from = &group[a < b ? b : a];
    to->pixels += from->pixels;
    if (from->left < to->left) to->left = from->left;
    if (from->top < to->top) to->top = from->top;
    if (from->right > to->right) to->right = from->right;
    if (from->bottom > to->bottom) to->bottom = from->bottom;
    group[a < b ? b : a].parent = to->parent;
}

/* Finds the runs of a row; each begins as a group. Pixels that do not count become 0. */
static void find_runs(struct groups *groups, uint8_t *row, uint32_t width, uint32_t y)
{
    groups->runs[1] = 0;
    for (uint32_t x = 0; x < width; x++) {
        groups->left_out += row[x] == NOT_COUNTED;
        if (row[x] == NOT_COUNTED) row[x] = 0;
    }
    for (uint32_t x = 0; x < width; x++) {
        if (!row[x]) continue;
        const uint32_t from = x, number = groups->count++;
        while (x < width && row[x]) x++;
        groups->run[1][groups->runs[1]++] = (struct run){from, x, number};
        groups->group[number] = (struct group){number, x - from, from, y, x, y + 1};
        groups->pixels += x - from;
    }
}

/* Joins the runs of a row with those above that they touch. */
static void join_rows(struct groups *groups)
{
    uint32_t above = 0;
    for (uint32_t i = 0; i < groups->runs[1]; i++) {
        const struct run *run = &groups->run[1][i];
        while (above < groups->runs[0] && groups->run[0][above].to < run->from) above++;
        for (uint32_t k = above; k < groups->runs[0] && groups->run[0][k].from <= run->to; k++)
            join(groups->group, run->group, groups->run[0][k].group);
    }
}

/* Keeps the groups of the row, and the largest of all groups. */
static void keep_row(struct groups *groups)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        struct group *group = &groups->group[i];
        if (group->parent == i && group->pixels > groups->best.pixels) groups->best = *group;
    }
    for (uint32_t i = 0; i < groups->runs[1]; i++) {
        struct run *run = &groups->run[1][i];
        struct group *root = &groups->group[root_of(groups->group, run->group)];
        if (root->pixels > 0) { /* its first run in this row */
            groups->next[kept] = *root;
            groups->next[kept].parent = kept;
            root->pixels = 0;
            root->left = kept++;
        }
        run->group = root->left;
    }
    struct group *free_now = groups->group;
    groups->group = groups->next;
    groups->next = free_now;
    groups->count = kept;
    struct run *row = groups->run[0];
    groups->run[0] = groups->run[1];
    groups->run[1] = row;
    groups->runs[0] = groups->runs[1];
}

static bool make_groups(struct groups *groups, uint32_t width)
{
    const size_t runs = (size_t)width / 2 + 2;
    *groups = (struct groups){
        .group = malloc(2 * runs * sizeof(struct group)),
        .next = malloc(2 * runs * sizeof(struct group)),
        .run = {malloc(runs * sizeof(struct run)), malloc(runs * sizeof(struct run))}};
    return groups->group && groups->next && groups->run[0] && groups->run[1];
}

static void free_groups(struct groups *groups)
{
    free(groups->group);
    free(groups->next);
    free(groups->run[0]);
    free(groups->run[1]);
}

/* Clears the area of a mask that lies in a rectangle. The mask's first pixel is at x, y of the
 * frame. */
static void clear(ssimcu_frame *mask, uint32_t x, uint32_t y, const struct ignored_rect *rect)
{
    const int64_t left = (int64_t)rect->x - x, top = (int64_t)rect->y - y,
                  right = left + rect->width, bottom = top + rect->height;
    const int64_t from = left > 0 ? left : 0, to = right < mask->width ? right : mask->width;
    for (int64_t row = top > 0 ? top : 0; row < bottom && row < mask->height && from < to; row++)
        memset((uint8_t *)mask->data + (size_t)row * mask->pitch + from, NOT_COUNTED,
               (size_t)(to - from));
}

/* Clears the pixels of a mask that the pair's rule ignores. The judge fails a pair whose areas
 * belong to frames of another size. */
static void leave_ignored(const struct pair *pair, const struct diff_rule *rule, uint32_t x,
                          uint32_t y, ssimcu_frame *mask)
{
    const struct ignored_areas *areas;
    size_t at = 0;
    while (rule->ignored && (areas = rule->ignored(rule->user, pair->record, &at)))
        for (size_t i = 0; i < areas->count; i++) clear(mask, x, y, &areas->rect[i]);
}

/* Counts the marked pixels of a mask, whose first pixel is at x, y of the frame. */
static ssimcu_status count(const struct pair *pair, const struct diff_rule *rule,
                           ssimcu_frame *mask, uint32_t x, uint32_t y, ssimcu_diff *diff,
                           ssimcu_message *message)
{
    struct groups groups;
    const bool good = make_groups(&groups, mask->width);
    leave_ignored(pair, rule, x, y, mask);
    for (uint32_t row = 0; row < mask->height && good; row++) {
        find_runs(&groups, (uint8_t *)mask->data + row * mask->pitch, mask->width, row);
        join_rows(&groups);
        keep_row(&groups);
    }
    const struct group *best = &groups.best;
    const double pixels = (double)mask->width * mask->height - (double)groups.left_out;
    *diff = (ssimcu_diff){.known = good,
                          .ratio = pixels > 0 ? (double)groups.pixels / pixels : 0,
                          .cluster = best->pixels,
                          .x = best->pixels > 0 ? best->left + x : 0,
                          .y = best->pixels > 0 ? best->top + y : 0,
                          .width = best->right - best->left,
                          .height = best->bottom - best->top};
    free_groups(&groups);
    return good ? SSIMCU_OK : no_memory(message);
}

ssimcu_status diff_count_marked(const struct pair *pair, const struct diff_rule *rule,
                                ssimcu_diff *found, ssimcu_message *message)
{
    ssimcu_frame mask = pair->plane[1][0];
    return count(pair, rule, &mask, pair->x, pair->y, found, message);
}

/* ---- Samples that are far apart -------------------------------------------------------------- */

/* The samples of both sides are numbers of one scale on which every integer is exact. A product of
 * a sample, an alpha and the factors of two depths is below 2^53. So a difference of one level is
 * on the same side of a threshold in every pixel, whatever the two levels are. */
enum { MOST_CHANNELS = 4, COLOURS = 3 };

/* How the samples of a pair are compared. */
struct scale {
    double white;            /* white on the common scale */
    double factor[2];        /* converts integers to the scale; 0: they become the nearest floats */
    double limit;            /* samples further apart than this differ */
    double composited_limit; /* the same for composited samples, which are multiplied by white */
    ssimcu_alpha alpha;
};

/* Returns the white of a frame's samples; 0: floats, whose white is 1. */
static uint32_t white_of(const ssimcu_frame *frame)
{
    const bool floats = frame->bits == SSIMCU_BITS_F16 || frame->bits == SSIMCU_BITS_F32;
    return floats ? 0 : (1u << (frame->bits & 31)) - 1;
}

/* Returns the largest integer that is at most `above` times `white`, and at most white. */
static double whole_limit(double above, double white)
{
    if (above >= 1) return white;
    double limit = floor(above * white);
    while ((limit + 1) / white <= above) limit++;
    while (limit > 0 && limit / white > above) limit--;
    return limit;
}

static struct scale scale_of(const struct pair *pair, const struct diff_rule *rule)
{
    const uint32_t ref = white_of(pair->plane[0]), out = white_of(pair->plane[1]),
                   low = ref < out ? ref : out, high = ref < out ? out : ref;
    struct scale scale = {
        .white = 1, .limit = rule->above, .composited_limit = rule->above, .alpha = rule->alpha};
    if (low == 0) return scale;
    scale.white = high % low == 0 ? (double)high : (double)high * low;
    scale.factor[0] = scale.white / ref;
    scale.factor[1] = scale.white / out;
    scale.limit = whole_limit(rule->above, scale.white);
    scale.composited_limit = whole_limit(rule->above, scale.white * scale.white);
    return scale;
}

/* Returns a sample on the common scale, as a float. */
static double float_of(const ssimcu_frame *frame, const uint8_t *sample)
{
    const double number = ssimcu_sample_at(sample, frame->bits);
    const uint32_t white = white_of(frame);
    return white > 0 ? (double)(float)(number / white) : number;
}

/* Reads the samples of a row. */
static void take_row(const ssimcu_frame *frame, uint32_t y, double factor, double *value)
{
    const uint8_t *row = (const uint8_t *)frame->data + y * frame->pitch;
    const size_t count = (size_t)frame->width * frame->channels,
                 size = ssimcu_sample_size(frame->bits);
    uint16_t word;
    if (factor == 0)
        for (size_t i = 0; i < count; i++) value[i] = float_of(frame, row + i * size);
    else if (size == 1)
        for (size_t i = 0; i < count; i++) value[i] = row[i] * factor;
    else
        for (size_t i = 0; i < count; i++, value[i - 1] = word * factor)
            memcpy(&word, row + i * size, sizeof word);
}

/* Composites a pixel over black or white. The colours to compare are multiplied by white. */
static void composite(const double *pixel, uint32_t channels, const struct scale *scale,
                      bool on_white, double colour[COLOURS])
{
    const uint32_t colours = channels > 2 ? COLOURS : 1;
    const bool has_alpha = channels > colours && scale->alpha != SSIMCU_ALPHA_IGNORE;
    const double alpha = has_alpha ? pixel[colours] : scale->white,
                 rest = on_white ? scale->white * (scale->white - alpha) : 0;
    for (uint32_t c = 0; c < COLOURS; c++)
        colour[c] = pixel[colours == COLOURS ? c : 0] * alpha + rest;
}

static bool is_apart(double ref, double out, double limit)
{
    return ref != out && !(fabs(ref - out) <= limit) && !(isnan(ref) && isnan(out));
}

/* Returns whether pixels differ if one has alpha, or other channels than the other. */
static bool composited_differ(const double *ref, uint32_t ref_channels, const double *out,
                              uint32_t out_channels, const struct scale *scale)
{
    const bool over_black = scale->alpha != SSIMCU_ALPHA_WHITE,
               over_white = !over_black || scale->alpha == SSIMCU_ALPHA_WORST;
    bool differ = false;
    for (int on_white = over_black ? 0 : 1; on_white <= (int)over_white && !differ; on_white++) {
        double a[COLOURS], b[COLOURS];
        composite(ref, ref_channels, scale, on_white, a);
        composite(out, out_channels, scale, on_white, b);
        for (uint32_t c = 0; c < COLOURS; c++)
            differ = differ || is_apart(a[c], b[c], scale->composited_limit);
    }
    return differ;
}

/* Fills in the mask of a pair. `value`: room for a row of samples of each side. */
static void mark(const struct pair *pair, const struct scale *scale, double *value[2],
                 ssimcu_frame *mask)
{
    const uint32_t ref = pair->plane[0]->channels, out = pair->plane[1]->channels;
    for (uint32_t y = 0; y < mask->height; y++) {
        uint8_t *to = (uint8_t *)mask->data + y * mask->pitch;
        for (int s = 0; s < 2; s++) take_row(pair->plane[s], y, scale->factor[s], value[s]);
        const double *a = value[0], *b = value[1];
        for (uint32_t x = 0; x < mask->width; x++, a += ref, b += out) {
            bool differs = false;
            if (ref != out || ref % 2 == 0)
                differs = composited_differ(a, ref, b, out, scale);
            else
                for (uint32_t c = 0; c < ref; c++)
                    differs = differs || is_apart(a[c], b[c], scale->limit);
            to[x] = differs ? DIFFERS : 0;
        }
    }
}

ssimcu_status diff_count(const struct pair *pair, const struct diff_rule *rule,
                         const struct contract_region *region, ssimcu_diff *found,
                         ssimcu_message *message)
{
    const struct scale scale = scale_of(pair, rule);
    const ssimcu_frame *ref = pair->plane[0];
    const size_t row = (size_t)ref->width * MOST_CHANNELS;
    ssimcu_frame mask = {.width = ref->width, .height = ref->height, .channels = 1, .bits = 8};
    double *values = malloc(2 * row * sizeof *values), *value[2] = {values, values + row};
    ssimcu_status status = values ? ssimcu_frame_alloc(&mask, message) : no_memory(message);
    if (status == SSIMCU_OK) mark(pair, &scale, value, &mask);
    ssimcu_frame part = mask;
    if (status == SSIMCU_OK) region_cut(region, &part);
    if (status == SSIMCU_OK)
        status = count(pair, rule, &part, region->x, region->y, found, message);
    ssimcu_frame_free(&mask);
    free(values);
    return status;
}
