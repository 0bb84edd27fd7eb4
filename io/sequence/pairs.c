/* Finds matching files of two sequences by merging two sorted lists. */
#define _POSIX_C_SOURCE 200809L

#include "sequence/sequence.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

/* A file that will become half of a pair. */
struct entry {
    const char *path, *shot, *stem;
    size_t stem_length;
    int64_t number;
    int side;
    bool listed; /* it comes from a directory, which may hold other shots, too */
};

static struct entry make_entry(const ssimcu_sequence *sequence, size_t i, int side)
{
    const struct ssimcu_sequence_file *file = &sequence->file[i];
    const char *slash = strrchr(file->path, '/');
    const char *stem = slash ? slash + 1 : file->path;
    const char *dot = strrchr(stem, '.');
    return (struct entry){.path = file->path,
                          .shot = file->shot,
                          .stem = stem,
                          .stem_length = dot ? (size_t)(dot - stem) : strlen(stem),
                          .number = file->number,
                          .side = side,
                          .listed = sequence->listed};
}

static int compare_stems(const struct entry *a, const struct entry *b)
{
    const size_t shorter = a->stem_length < b->stem_length ? a->stem_length : b->stem_length;
    const int order = memcmp(a->stem, b->stem, shorter);
    return order ? order : (a->stem_length > b->stem_length) - (a->stem_length < b->stem_length);
}

static int compare_numbers(const struct entry *a, const struct entry *b)
{
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_parts(const struct entry *a, const struct entry *b)
{
    return a->shot && b->shot ? strcmp(a->shot, b->shot) : 0;
}

static int by_part(const void *a, const void *b) { return compare_parts(a, b); }

static int by_stem(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int order = compare_stems(x, y);
    return order ? order : x->side - y->side;
}

static int by_number(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int order = compare_numbers(x, y);
    return order ? order : x->side - y->side;
}

static int by_frame(const void *a, const void *b)
{
    const struct ssimcu_pair *x = a, *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static struct entry *collect(const ssimcu_sequence *ref, const ssimcu_sequence *out)
{
    struct entry *entry = malloc((ref->count + out->count) * sizeof *entry);
    if (!entry) return NULL;
    for (size_t i = 0; i < ref->count; i++) entry[i] = make_entry(ref, i, 0);
    for (size_t i = 0; i < out->count; i++) entry[ref->count + i] = make_entry(out, i, 1);
    return entry;
}

static bool any_common_stem(struct entry *entry, size_t count)
{
    qsort(entry, count, sizeof *entry, by_stem);
    for (size_t i = 1; i < count; i++)
        if (entry[i].side != entry[i - 1].side && compare_stems(&entry[i], &entry[i - 1]) == 0)
            return true;
    return false;
}

/* Sorts the pairs by number if the numbers are distinct. Otherwise numbers them in order. */
static ssimcu_status number(struct ssimcu_pair *pair, size_t count, ssimcu_message *message)
{
    struct ssimcu_pair *sorted = malloc(count * sizeof *sorted);
    if (!sorted) return ssimcu_no_memory(message, "the frames");
    memcpy(sorted, pair, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_frame);
    bool numbered = sorted[0].frame >= 0;
    for (size_t i = 1; i < count; i++)
        if (sorted[i].frame == sorted[i - 1].frame) numbered = false;
    if (numbered)
        memcpy(pair, sorted, count * sizeof *sorted);
    else
        for (size_t i = 0; i < count; i++) pair[i].frame = (int64_t)i;
    free(sorted);
    return SSIMCU_OK;
}

/* Adds the pairs of sorted entries. */
static ssimcu_status join(const struct entry *entry, size_t count,
                          int (*compare)(const struct entry *, const struct entry *),
                          ssimcu_pairs *pairs, ssimcu_message *message)
{
    const size_t first = pairs->count;
    for (size_t i = 0; i < count; i++) {
        const bool second = i > 0 && compare(&entry[i], &entry[i - 1]) == 0;
        if (second && entry[i].side == entry[i - 1].side)
            FAIL(MISMATCH, "%.200s and %.200s have the same name", entry[i - 1].path,
                 entry[i].path);
        if (!second)
            pairs->pair[pairs->count++] =
                (struct ssimcu_pair){.frame = entry[i].number, .shot = entry[i].shot};
        struct ssimcu_pair *pair = &pairs->pair[pairs->count - 1];
        *(entry[i].side ? &pair->out : &pair->ref) = entry[i].path;
    }
    return number(pairs->pair + first, pairs->count - first, message);
}

/* Returns whether the ranges select the frame of a pair. */
static bool is_chosen(const ssimcu_ranges *ranges, const struct ssimcu_pair *pair)
{
    const bool other = pair->shot && ranges->shot && strcmp(ranges->shot, pair->shot) != 0;
    return !other && ssimcu_ranges_hold(ranges, pair->frame);
}

/* Adds an empty pair for each required frame that neither side has. In a tree, in which no
 * directory may have it, these come first. */
static bool add_lacking(const ssimcu_pairs *pairs, const ssimcu_ranges *ranges, bool tree,
                        ssimcu_pairs *chosen)
{
    bool *there = calloc(ranges->count + 1, sizeof *there);
    for (size_t i = 0; there && i < pairs->count; i++) {
        const int64_t *at = ssimcu_ranges_find(ranges, pairs->pair[i].frame);
        if (at && is_chosen(ranges, &pairs->pair[i])) there[at - ranges->number] = true;
    }
    for (size_t i = 0; there && i < ranges->count - ranges->open; i++)
        if (!there[i])
            chosen->pair[chosen->count++] = (struct ssimcu_pair){
                .frame = ranges->number[i], .shot = tree ? ranges->shot : NULL};
    free(there);
    return there != NULL;
}

/* Keeps the frames of the ranges, and adds an empty pair for each frame that neither side has. */
static ssimcu_status select_frames(ssimcu_pairs *pairs, const ssimcu_ranges *ranges,
                                   ssimcu_message *message)
{
    const bool tree = pairs->count > 0 && pairs->pair[0].shot;
    ssimcu_pairs chosen = {.pair = malloc((pairs->count + ranges->count) * sizeof *chosen.pair)};
    if (!chosen.pair || !add_lacking(pairs, ranges, tree, &chosen)) {
        free(chosen.pair);
        return ssimcu_no_memory(message, "the frames");
    }
    for (size_t i = 0; i < pairs->count; i++)
        if (is_chosen(ranges, &pairs->pair[i])) chosen.pair[chosen.count++] = pairs->pair[i];
    if (!tree) qsort(chosen.pair, chosen.count, sizeof *chosen.pair, by_frame);
    free(pairs->pair);
    *pairs = chosen;
    return SSIMCU_OK;
}

static void cut_to_shorter(ssimcu_pairs *pairs)
{
    size_t ref_end = 0, out_end = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        if (pairs->pair[i].ref) ref_end = i + 1;
        if (pairs->pair[i].out) out_end = i + 1;
    }
    pairs->count = ref_end < out_end ? ref_end : out_end;
}

/* Returns whether two names differ only in their number and their extension. */
static bool same_shot(const struct entry *a, const struct entry *b)
{
    size_t start[2], end[2];
    if (!ssimcu_sequence_digits(a->stem, &start[0], &end[0]) ||
        !ssimcu_sequence_digits(b->stem, &start[1], &end[1]))
        return false;
    const size_t tail = a->stem_length - end[0];
    return start[0] == start[1] && memcmp(a->stem, b->stem, start[0]) == 0 &&
           tail == b->stem_length - end[1] && memcmp(a->stem + end[0], b->stem + end[1], tail) == 0;
}

/* Fails with MISMATCH if pairing by number could mix up two shots of one directory. */
static ssimcu_status check_shots(const struct entry *entry, size_t count, ssimcu_message *message)
{
    const struct entry *first[2] = {NULL, NULL};
    for (size_t i = 0; i < count; i++) {
        const int side = entry[i].side;
        if (!entry[i].listed || entry[i].number < 0) continue;
        if (!first[side]) first[side] = &entry[i];
        if (same_shot(first[side], &entry[i])) continue;
        FAIL(MISMATCH,
             "%.150s and %.150s belong to different shots: expected a pattern (NAME.####.png), "
             "which takes one shot",
             first[side]->path, entry[i].path);
    }
    return SSIMCU_OK;
}

static bool each_has_a_number(const struct entry *entry, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (entry[i].side == entry[i - 1].side && entry[i].number == entry[i - 1].number)
            return false;
    return entry[0].number >= 0;
}

static const struct entry *first_of(const struct entry *entry, size_t count, int side)
{
    for (size_t i = 0; i < count; i++)
        if (entry[i].side == side) return &entry[i];
    return NULL;
}

/* Adds the pairs of two directories or patterns, by name if possible, otherwise by number. */
static ssimcu_status match(struct entry *entry, size_t count, bool by_name, ssimcu_pairs *pairs,
                           ssimcu_message *message)
{
    const bool both = first_of(entry, count, 0) && first_of(entry, count, 1);
    if (by_name && (any_common_stem(entry, count) || !both))
        return join(entry, count, compare_stems, pairs, message);
    qsort(entry, count, sizeof *entry, by_number);
    TRY(check_shots(entry, count, message));
    if (!each_has_a_number(entry, count))
        FAIL(MISMATCH,
             "cannot pair files: expected equal names, or one number in each, found names such as "
             "%.120s and %.120s",
             first_of(entry, count, 0)->path, first_of(entry, count, 1)->path);
    return join(entry, count, compare_numbers, pairs, message);
}

/* Adds the pairs of each shot separately. Without trees there is one shot. */
static ssimcu_status match_parts(struct entry *entry, size_t count, bool by_name,
                                 ssimcu_pairs *pairs, ssimcu_message *message)
{
    qsort(entry, count, sizeof *entry, by_part);
    for (size_t start = 0, end; start < count; start = end) {
        for (end = start + 1; end < count && compare_parts(&entry[start], &entry[end]) == 0; end++)
            continue;
        TRY(match(entry + start, end - start, by_name, pairs, message));
    }
    return SSIMCU_OK;
}

ssimcu_status ssimcu_pairs_match(const ssimcu_sequence *ref, const ssimcu_sequence *out,
                                 const ssimcu_ranges *ranges, bool shortest, ssimcu_pairs *pairs,
                                 ssimcu_message *message)
{
    const size_t count = ref->count + out->count;
    const bool by_name = ref->listed && out->listed && !out->by_number;
    struct entry *entry = collect(ref, out);
    *pairs = (ssimcu_pairs){.pair = malloc(count * sizeof *pairs->pair)};
    ssimcu_status status = entry && pairs->pair ? match_parts(entry, count, by_name, pairs, message)
                                                : ssimcu_no_memory(message, "the frames");
    if (status == SSIMCU_OK && ranges) status = select_frames(pairs, ranges, message);
    if (status == SSIMCU_OK && shortest) cut_to_shorter(pairs);
    free(entry);
    if (status != SSIMCU_OK) ssimcu_pairs_free(pairs);
    return status;
}

/* Numbers the files of each directory of a tree separately. */
static ssimcu_status number_parts(ssimcu_pairs *pairs, const ssimcu_sequence *out,
                                  ssimcu_message *message)
{
    for (size_t i = 0; i < pairs->count; i++) pairs->pair[i].frame = out->file[i].number;
    for (size_t start = 0, end; start < pairs->count; start = end) {
        for (end = start + 1;
             end < pairs->count && strcmp(pairs->pair[start].shot, pairs->pair[end].shot) == 0;)
            end++;
        TRY(number(pairs->pair + start, end - start, message));
    }
    return SSIMCU_OK;
}

ssimcu_status ssimcu_pairs_still(const char *ref, const ssimcu_sequence *out,
                                 const ssimcu_ranges *ranges, ssimcu_pairs *pairs,
                                 ssimcu_message *message)
{
    *pairs = (ssimcu_pairs){out->count, malloc(out->count * sizeof *pairs->pair)};
    if (!pairs->pair) return ssimcu_no_memory(message, "the frames");
    for (size_t i = 0; i < out->count; i++)
        pairs->pair[i] = (struct ssimcu_pair){out->numbered ? out->file[i].number : (int64_t)i, ref,
                                              out->file[i].path, out->file[i].shot};
    ssimcu_status status = SSIMCU_OK;
    if (out->tree) status = number_parts(pairs, out, message);
    if (status == SSIMCU_OK && ranges) status = select_frames(pairs, ranges, message);
    if (status != SSIMCU_OK) ssimcu_pairs_free(pairs);
    for (size_t i = 0; i < pairs->count; i++) pairs->pair[i].ref = ref;
    return status;
}

void ssimcu_pairs_free(ssimcu_pairs *pairs)
{
    free(pairs->pair);
    *pairs = (ssimcu_pairs){0};
}
