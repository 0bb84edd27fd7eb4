/* Which files of two sequences belong together: a merge of two sorted lists. */
#define _POSIX_C_SOURCE 200809L

#include "sequence/sequence.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

/* One file on its way into a pair. */
struct entry {
    const char *path, *stem;
    size_t stem_length;
    int64_t number;
    int side;
};

static struct entry make_entry(const struct ssimcu_sequence_file *file, int side)
{
    const char *slash = strrchr(file->path, '/');
    const char *stem = slash ? slash + 1 : file->path;
    const char *dot = strrchr(stem, '.');
    return (struct entry){file->path, stem, dot ? (size_t)(dot - stem) : strlen(stem), file->number,
                          side};
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
    for (size_t i = 0; i < ref->count; i++) entry[i] = make_entry(&ref->file[i], 0);
    for (size_t i = 0; i < out->count; i++) entry[ref->count + i] = make_entry(&out->file[i], 1);
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

/* Sorted entries -> pairs. Numbers are the frames where no two pairs share one. */
static ssimcu_status join(const struct entry *entry, size_t count,
                          int (*compare)(const struct entry *, const struct entry *),
                          ssimcu_pairs *pairs, ssimcu_message *message)
{
    for (size_t i = 0; i < count; i++) {
        const bool second = i > 0 && compare(&entry[i], &entry[i - 1]) == 0;
        if (second && entry[i].side == entry[i - 1].side)
            return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                               "%.200s and %.200s have the same name", entry[i - 1].path,
                               entry[i].path);
        if (!second) pairs->pair[pairs->count++] = (struct ssimcu_pair){.frame = entry[i].number};
        struct ssimcu_pair *pair = &pairs->pair[pairs->count - 1];
        *(entry[i].side ? &pair->out : &pair->ref) = entry[i].path;
    }
    struct ssimcu_pair *sorted = malloc(pairs->count * sizeof *sorted);
    if (!sorted) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory for the frames");
    memcpy(sorted, pairs->pair, pairs->count * sizeof *sorted);
    qsort(sorted, pairs->count, sizeof *sorted, by_frame);
    bool numbered = sorted[0].frame >= 0;
    for (size_t i = 1; i < pairs->count; i++)
        if (sorted[i].frame == sorted[i - 1].frame) numbered = false;
    if (numbered)
        memcpy(pairs->pair, sorted, pairs->count * sizeof *sorted);
    else
        for (size_t i = 0; i < pairs->count; i++) pairs->pair[i].frame = (int64_t)i;
    free(sorted);
    return SSIMCU_OK;
}

/* Keeps the frames of the ranges and puts empty pairs where there are none. */
static ssimcu_status select_frames(ssimcu_pairs *pairs, const ssimcu_ranges *ranges,
                                   ssimcu_message *message)
{
    struct ssimcu_pair *chosen = malloc(ranges->count * sizeof *chosen);
    if (!chosen) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory for the frames");
    for (size_t i = 0, k = 0; i < ranges->count; i++) {
        while (k < pairs->count && pairs->pair[k].frame < ranges->number[i]) k++;
        const bool there = k < pairs->count && pairs->pair[k].frame == ranges->number[i];
        chosen[i] = there ? pairs->pair[k] : (struct ssimcu_pair){.frame = ranges->number[i]};
    }
    free(pairs->pair);
    *pairs = (ssimcu_pairs){ranges->count, chosen};
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

static ssimcu_status match(struct entry *entry, size_t count, const ssimcu_sequence *ref,
                           const ssimcu_sequence *out, ssimcu_pairs *pairs, ssimcu_message *message)
{
    if (ref->listed && out->listed && any_common_stem(entry, count))
        return join(entry, count, compare_stems, pairs, message);
    if (!ref->numbered || !out->numbered)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "which files belong together? names such as %.120s and %.120s neither "
                           "agree nor hold a number of their own",
                           ref->file[0].path, out->file[0].path);
    qsort(entry, count, sizeof *entry, by_number);
    return join(entry, count, compare_numbers, pairs, message);
}

ssimcu_status ssimcu_pairs_match(const ssimcu_sequence *ref, const ssimcu_sequence *out,
                                 const ssimcu_ranges *ranges, bool shortest, ssimcu_pairs *pairs,
                                 ssimcu_message *message)
{
    const size_t count = ref->count + out->count;
    struct entry *entry = collect(ref, out);
    *pairs = (ssimcu_pairs){.pair = malloc(count * sizeof *pairs->pair)};
    ssimcu_status status = entry && pairs->pair ? match(entry, count, ref, out, pairs, message)
                                                : ssimcu_fail(message, SSIMCU_ERROR_MEMORY,
                                                              "out of memory for the frames");
    if (status == SSIMCU_OK && ranges) status = select_frames(pairs, ranges, message);
    if (status == SSIMCU_OK && shortest) cut_to_shorter(pairs);
    free(entry);
    if (status != SSIMCU_OK) ssimcu_pairs_free(pairs);
    return status;
}

ssimcu_status ssimcu_pairs_still(const char *ref, const ssimcu_sequence *out,
                                 const ssimcu_ranges *ranges, ssimcu_pairs *pairs,
                                 ssimcu_message *message)
{
    *pairs = (ssimcu_pairs){out->count, malloc(out->count * sizeof *pairs->pair)};
    if (!pairs->pair)
        return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory for the frames");
    for (size_t i = 0; i < out->count; i++)
        pairs->pair[i] = (struct ssimcu_pair){out->numbered ? out->file[i].number : (int64_t)i, ref,
                                              out->file[i].path};
    ssimcu_status status = SSIMCU_OK;
    if (ranges) status = select_frames(pairs, ranges, message);
    if (status != SSIMCU_OK) ssimcu_pairs_free(pairs);
    for (size_t i = 0; i < pairs->count; i++) pairs->pair[i].ref = ref;
    return status;
}

void ssimcu_pairs_free(ssimcu_pairs *pairs)
{
    free(pairs->pair);
    *pairs = (ssimcu_pairs){0};
}
