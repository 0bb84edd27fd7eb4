#include "pair/differ.h"

#include "base/refuse.h"
#include "pair/region.h"

#include "sample_size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

void differ_take(struct pair *pair, uint8_t *black, uint8_t *mask)
{
    take_side(pair->plane[0], black);
    take_side(pair->plane[1], mask);
    pair->exact = true;
}

void differ_exactly(struct pair *pair)
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
            *mask++ = differs ? 255 : 0;
        }
    }
    differ_take(pair, ref.data, out.data);
}

void differ_mark(const struct differ_rank *rank, size_t pixels, uint8_t *mask)
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
        if (!none && !same) mask[i] = 255;
    }
}

/* ---- The largest group ----------------------------------------------------------------------- */

/* A group of pixels that touch each other, also by corners. */
struct group {
    uint32_t parent; /* the group that it has become part of; itself */
    uint64_t pixels;
    uint32_t left, top, right, bottom; /* right and bottom lie behind it */
};

/* Pixels of a row that follow each other. */
struct run {
    uint32_t from, to, group;
};

/* The runs of a row and of the one before, and all groups that these have. */
struct groups {
    struct run *run[2];
    uint32_t runs[2];
    struct group *group, *next;
    uint32_t count;
    uint64_t pixels; /* all that differ */
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

/* Finds the runs of a row, each a group of its own. */
static void find_runs(struct groups *groups, const uint8_t *row, uint32_t width, uint32_t y)
{
    groups->runs[1] = 0;
    for (uint32_t x = 0; x < width; x++) {
        if (!row[x]) continue;
        const uint32_t from = x, own = groups->count++;
        while (x < width && row[x]) x++;
        groups->run[1][groups->runs[1]++] = (struct run){from, x, own};
        groups->group[own] = (struct group){own, x - from, from, y, x, y + 1};
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

/* Keeps the groups of the row, and the largest of all. */
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

/* Counts what a mask has, whose first pixel is at x, y of the frame. */
static ssimcu_status count(const ssimcu_frame *mask, uint32_t x, uint32_t y,
                           ssimcu_differing *differing, ssimcu_message *message)
{
    struct groups groups;
    const bool good = make_groups(&groups, mask->width);
    for (uint32_t row = 0; row < mask->height && good; row++) {
        find_runs(&groups, (const uint8_t *)mask->data + row * mask->pitch, mask->width, row);
        join_rows(&groups);
        keep_row(&groups);
    }
    const struct group *best = &groups.best;
    *differing =
        (ssimcu_differing){.known = good,
                           .share = (double)groups.pixels / ((double)mask->width * mask->height),
                           .blob = best->pixels,
                           .x = best->pixels > 0 ? best->left + x : 0,
                           .y = best->pixels > 0 ? best->top + y : 0,
                           .width = best->right - best->left,
                           .height = best->bottom - best->top};
    free_groups(&groups);
    return good ? SSIMCU_OK : no_memory(message);
}

ssimcu_status differ_count(const struct pair *pair, ssimcu_differing *found,
                           ssimcu_message *message)
{
    return count(pair->plane[1], pair->x, pair->y, found, message);
}

enum { MOST_CHANNELS = 4 };

/* ---- Samples that are far apart -------------------------------------------------------------- */

/* Samples of one row, as numbers of which integers have 1 for white. */
static void take_row(const ssimcu_frame *frame, uint32_t y, float *value)
{
    const uint8_t *row = (const uint8_t *)frame->data + y * frame->pitch;
    const size_t count = (size_t)frame->width * frame->channels;
    if (frame->bits == SSIMCU_BITS_F32) {
        memcpy(value, row, count * sizeof *value);
        return;
    }
    const float white = (float)((1u << (frame->bits & 31)) - 1);
    for (size_t i = 0; i < count; i++) {
        uint16_t word;
        memcpy(&word, row + 2 * i, frame->bits == 8 ? 0 : sizeof word);
        value[i] = frame->bits == 8                 ? (float)row[i] / white
                   : frame->bits == SSIMCU_BITS_F16 ? ssimcu_half_value(word)
                                                    : (float)word / white;
    }
}

/* Marks the pixels of a row that differ. */
static void mark_row(const float *ref, const float *out, uint32_t width, uint32_t channels,
                     float above, uint8_t *mask)
{
    for (uint32_t x = 0; x < width; x++) {
        bool differs = false;
        for (uint32_t c = 0; c < channels; c++, ref++, out++)
            differs = differs || (!(fabsf(*ref - *out) <= above) && *ref != *out &&
                                  !(isnan(*ref) && isnan(*out)));
        mask[x] = differs ? 255 : 0;
    }
}

ssimcu_status differ_above(const struct pair *pair, double above,
                           const struct contract_region *region, ssimcu_differing *found,
                           ssimcu_message *message)
{
    const ssimcu_frame *ref = pair->plane[0], *out = pair->plane[1];
    const size_t row = (size_t)ref->width * MOST_CHANNELS;
    ssimcu_frame mask = {.width = ref->width, .height = ref->height, .channels = 1, .bits = 8};
    float *value = malloc(2 * row * sizeof *value);
    ssimcu_status status = value ? ssimcu_frame_alloc(&mask, message) : no_memory(message);
    for (uint32_t y = 0; y < ref->height && status == SSIMCU_OK; y++) {
        uint8_t *to = (uint8_t *)mask.data + y * mask.pitch;
        take_row(ref, y, value);
        take_row(out, y, value + row);
        if (ref->channels == out->channels)
            mark_row(value, value + row, ref->width, ref->channels, (float)above, to);
        else
            memset(to, 255, ref->width);
    }
    ssimcu_frame part = mask;
    if (status == SSIMCU_OK) region_cut(region, &part);
    if (status == SSIMCU_OK) status = count(&part, region->x, region->y, found, message);
    ssimcu_frame_free(&mask);
    free(value);
    return status;
}
