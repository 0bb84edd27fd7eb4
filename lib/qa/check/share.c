/* Which sequences a check looks at: those of its share, without those of earlier results. And how
 * the results of all shares become those of one. */
#include "check/check.h"

#include "base/refuse.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Shares ---------------------------------------------------------------------------------- */

/* A sequence that is dealt. */
struct dealt {
    size_t at;
    uint64_t weight;
};

static uint64_t bytes_of(const struct source *source, const struct alone_sequence *own)
{
    uint64_t bytes = 1;
    struct stat info;
    for (size_t i = 0; i < own->files; i++)
        if (stat(alone_file(source, own->first + i), &info) == 0) bytes += (uint64_t)info.st_size;
    return bytes;
}

static int by_weight(const void *a, const void *b)
{
    const struct dealt *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Weighs all sequences: by their frames, or, because nobody knows the frames of a video before it
 * is read, all by their bytes. */
static struct dealt *weigh(const struct check *check)
{
    struct dealt *dealt = calloc(check->sequences + 1, sizeof *dealt);
    bool video = false;
    for (size_t i = 0; i < check->sequences; i++) video = video || check->sequence[i].video;
    for (size_t i = 0; dealt && i < check->sequences; i++) {
        const struct alone_sequence *own = &check->sequence[i];
        dealt[i] = (struct dealt){i, video ? bytes_of(check->source, own) : own->files};
    }
    if (dealt) qsort(dealt, check->sequences, sizeof *dealt, by_weight);
    return dealt;
}

ssimcu_status check_take_share(struct check *check, ssimcu_message *message)
{
    const uint32_t shards = check->run.shards, own = check->run.shard - 1;
    if (shards < 2) return SSIMCU_OK;
    struct dealt *dealt = weigh(check);
    uint64_t *load = calloc(shards, sizeof *load);
    for (size_t i = 0; dealt && load && i < check->sequences; i++) {
        uint32_t least = 0;
        for (uint32_t k = 1; k < shards; k++)
            if (load[k] < load[least]) least = k;
        load[least] += dealt[i].weight;
        check->sequence[dealt[i].at].left_out = least != own;
    }
    const bool good = dealt && load;
    free(dealt), free(load);
    return good ? SSIMCU_OK : no_memory(message);
}

/* ---- Earlier results ------------------------------------------------------------------------- */

/* Returns whether the frames of a sequence are those of its files, none of which has changed. */
static bool is_unchanged(const struct check *check, const struct alone_sequence *own,
                         const struct check_shot *shot)
{
    size_t files = 0;
    if (own->video && own->files > 1) return false;
    for (size_t i = 0; i < shot->count; i++) {
        struct record_side side = shot->frame[i].file;
        side.path = shot->frame[i].path;
        if (!side.path) continue; /* frames that are missing */
        if (own->video && files == own->files) {
            if (strcmp(side.path, alone_file(check->source, own->first)) != 0) return false;
            continue;
        }
        if (files == own->files ||
            strcmp(side.path, alone_file(check->source, own->first + files)) != 0 ||
            !record_is_unchanged(&side))
            return false;
        files++;
    }
    return files == own->files;
}

static int by_name(const void *a, const void *b)
{
    const struct alone_sequence *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* Finds the lines of each sequence: the latest that are whole. Returns false if memory ran out. */
static bool find_lines(struct check *check)
{
    const struct check_earlier *earlier = &check->earlier;
    const struct alone_sequence **sorted = calloc(check->sequences + 1, sizeof(void *));
    if (!sorted) return false;
    for (size_t i = 0; i < check->sequences; i++) sorted[i] = &check->sequence[i];
    qsort(sorted, check->sequences, sizeof *sorted, by_name);
    for (size_t i = 0; i < earlier->count; i++) {
        const struct alone_sequence named = {.name = earlier->found[i].name}, *key = &named;
        const struct alone_sequence **own =
            bsearch(&key, sorted, check->sequences, sizeof *sorted, by_name);
        if (own && earlier->found[i].whole)
            check->known[*own - check->sequence] = &earlier->found[i];
    }
    free(sorted);
    return true;
}

ssimcu_status check_take_over(struct check *check, ssimcu_message *message)
{
    size_t taken = 0, all = 0;
    ssimcu_status status = find_lines(check) ? SSIMCU_OK : no_memory(message);
    for (size_t i = 0; i < check->sequences && status == SSIMCU_OK; i++) {
        struct alone_sequence *own = &check->sequence[i];
        struct check_shot shot = {0};
        bool known = check->known[i] && !own->left_out;
        all += !own->left_out;
        if (known) status = check_earlier_shot(check->known[i], &shot, message);
        known = known && status == SSIMCU_OK && is_unchanged(check, own, &shot);
        check_shot_free(&shot);
        if (!known) check->known[i] = NULL;
        own->left_out = own->left_out || known;
        taken += known;
    }
    hooks_log(&check->hooks, SSIMCU_LOG_DETAIL, "%zu of %zu sequences are taken over from %.300s",
              taken, all, check->resume);
    return status;
}

/* ---- The merge ------------------------------------------------------------------------------- */

/* Refuses a file that belongs to no whole, or not to that of the first. */
static ssimcu_status check_file(const struct check_earlier *earlier, size_t at,
                                ssimcu_message *message)
{
    const struct check_file *file = &earlier->file[at], *first = earlier->file;
    if (!file->complete)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "%.300s: is not complete: go on with --resume", file->path);
    if (at > 0 && (file->shards == 0 || first->shards == 0))
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "%.300s: results of a whole check have no others beside them",
                           file->shards == 0 ? file->path : first->path);
    if (file->shards != first->shards)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "%.300s: share %u of %u, others are of %u", file->path, file->shard,
                           file->shards, first->shards);
    if (file->sequences != first->sequences)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "%.300s: its share is of %llu sequences, others are of %llu: the files "
                           "have changed meanwhile",
                           file->path, (unsigned long long)file->sequences,
                           (unsigned long long)first->sequences);
    for (size_t i = 0; i < at; i++)
        if (file->shard == earlier->file[i].shard)
            return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                               "%.300s: share %u of %u is there twice", file->path, file->shard,
                               file->shards);
    return SSIMCU_OK;
}

static ssimcu_status check_shares(const struct check_earlier *earlier, ssimcu_message *message)
{
    const uint32_t shards = earlier->file[0].shards;
    ssimcu_status status = SSIMCU_OK;
    for (size_t i = 0; i < earlier->files && status == SSIMCU_OK; i++)
        status = check_file(earlier, i, message);
    for (uint32_t shard = 1; shard <= shards && status == SSIMCU_OK; shard++) {
        bool there = false;
        for (size_t i = 0; i < earlier->files && !there; i++)
            there = earlier->file[i].shard == shard;
        if (!there)
            status = ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                                 "merge: share %u of %u is not there", shard, shards);
    }
    return status;
}

static int by_place(const void *a, const void *b)
{
    const struct check_found *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

/* Puts the sequences in order. Machines that saw other files would deal some twice, or not at all.
 */
static ssimcu_status order(struct check_earlier *earlier, ssimcu_message *message)
{
    const uint64_t all = earlier->file[0].shards ? earlier->file[0].sequences : earlier->count;
    if (earlier->count > 0) qsort(earlier->found, earlier->count, sizeof *earlier->found, by_place);
    for (size_t i = 0; i < earlier->count; i++)
        if (earlier->found[i].place != i)
            return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                               "%.300s: sequence %.200s: the shares are of other files",
                               earlier->found[i].path, earlier->found[i].name);
    if (earlier->count == all) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "merge: sequence %zu of %llu is in no share: the shares are of other files",
                       earlier->count + 1, (unsigned long long)all);
}

/* Takes from the header what the results are of. */
static ssimcu_status take_header(struct check *check, ssimcu_message *message)
{
    const json_t *header = check->earlier.header, *frames = json_object_get(header, "frames"),
                 *fails = json_object_get(header, "fail_on");
    const size_t count = json_array_size(frames);
    check->paths = calloc(count + 1, sizeof *check->paths);
    if (!check->paths) return no_memory(message);
    for (size_t i = 0; i < count; i++) {
        const char *path = json_string_value(json_array_get(frames, i));
        check->paths[i] = path ? path : "";
    }
    check->run.out = check->paths;
    check->run.outs = (uint32_t)count;
    check->run.list =
        json_string_value(json_object_get(json_object_get(header, "options"), "list"));
    check->fails = 0;
    for (int k = 0; k < CHECK_KINDS; k++)
        for (size_t i = 0; i < json_array_size(fails); i++) {
            const char *name = json_string_value(json_array_get(fails, i));
            if (name && strcmp(name, check_kind_name(k)) == 0) check->fails |= 1u << k;
        }
    return SSIMCU_OK;
}

/* Refuses to write over what is merged. */
static ssimcu_status check_output(const ssimcu_run_options *run, ssimcu_message *message)
{
    struct stat output, other;
    if (!run->output || stat(run->output, &output) != 0) return SSIMCU_OK;
    for (uint32_t i = 0; i < run->merges; i++)
        if (stat(run->merge[i], &other) == 0 && other.st_dev == output.st_dev &&
            other.st_ino == output.st_ino)
            return refuse(message, "--output %.200s: would overwrite an input, results %.200s",
                          run->output, run->merge[i]);
    return SSIMCU_OK;
}

ssimcu_status check_merge_open(struct check *check, ssimcu_message *message)
{
    const ssimcu_run_options *run = &check->run;
    ssimcu_status status = check_output(run, message);
    for (uint32_t i = 0; i < run->merges && status == SSIMCU_OK; i++)
        status = check_earlier_add(&check->earlier, run->merge[i], NULL, true, message);
    if (status == SSIMCU_OK) status = check_shares(&check->earlier, message);
    if (status == SSIMCU_OK) status = order(&check->earlier, message);
    return status == SSIMCU_OK ? take_header(check, message) : status;
}

ssimcu_status check_merge(struct check *check, ssimcu_message *message)
{
    for (size_t i = 0; i < check->earlier.count && check->status == SSIMCU_OK; i++) {
        struct check_shot shot;
        check->status = check_earlier_shot(&check->earlier.found[i], &shot, &check->message);
        if (check->status == SSIMCU_OK) check_hand_out(check, &shot);
        check_shot_free(&shot);
    }
    if (check->status == SSIMCU_OK) return SSIMCU_OK;
    return ssimcu_fail(message, check->status, "%s", check->message.text);
}
