/* Frames without a reference: shots are examined one after the other, and delivered like other
 * records.
 */
#include "run/run.h"

#include "base/refuse.h"
#include "detect/detect.h"
#include "record/record.h"
#include "source/noref.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The state of a check, in addition to its run. */
struct check {
    struct ssimcu_run *run;
    struct noref_shot *sequence; /* shots of the source */
    size_t sequences, at;        /* their number; the next one to deliver */
    struct known {               /* owned; earlier results of each */
        size_t first, count;     /* their lines; 0: none */
    } * known;
};

/* ---- Shares ---------------------------------------------------------------------------------- */

/* A shot to assign to a share. */
struct dealt {
    size_t at;
    uint64_t weight;
};

static uint64_t bytes_of(const struct source *source, const struct noref_shot *sequence)
{
    uint64_t bytes = 1;
    struct stat info;
    for (size_t i = 0; i < sequence->files; i++)
        if (stat(noref_file(source, sequence->first + i), &info) == 0)
            bytes += (uint64_t)info.st_size;
    return bytes;
}

static int by_weight(const void *a, const void *b)
{
    const struct dealt *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Weighs all shots by their frames. If the frames of a video are unknown before it is read, all are
 * weighed by their bytes. */
static struct dealt *weigh(const struct source *source, const struct noref_shot *sequence,
                           size_t sequences)
{
    struct dealt *dealt = calloc(sequences + 1, sizeof *dealt);
    bool video = false;
    for (size_t i = 0; i < sequences; i++) video = video || sequence[i].video;
    for (size_t i = 0; dealt && i < sequences; i++)
        dealt[i] = (struct dealt){i, video ? bytes_of(source, &sequence[i]) : sequence[i].files};
    if (dealt) qsort(dealt, sequences, sizeof *dealt, by_weight);
    return dealt;
}

/* Leaves out the shots of other shares. A shot stays whole, so that each frame has its neighbours.
 * The longest one is assigned first, each to the share with the least weight, so that all shares
 * agree. */
static ssimcu_status take_share(struct ssimcu_run *run, ssimcu_message *message)
{
    const uint32_t shards = run->options.run.shards, own = run->options.run.shard - 1;
    size_t sequences;
    struct noref_shot *sequence = noref_shots(run->source, &sequences);
    if (shards < 2) return SSIMCU_OK;
    struct dealt *dealt = weigh(run->source, sequence, sequences);
    uint64_t *load = calloc(shards, sizeof *load);
    for (size_t i = 0; dealt && load && i < sequences; i++) {
        uint32_t least = 0;
        for (uint32_t k = 1; k < shards; k++)
            if (load[k] < load[least]) least = k;
        load[least] += dealt[i].weight;
        sequence[dealt[i].at].left_out = least != own;
    }
    const bool good = dealt && load;
    free(dealt), free(load);
    return good ? SSIMCU_OK : no_memory(message);
}

/* ---- Earlier results ------------------------------------------------------------------------- */

/* Notes a file of a record. Returns whether it is the next one of its shot and unchanged. */
static bool is_next_file(const struct check *check, const struct noref_shot *sequence,
                         const struct record_side *side, size_t *files)
{
    const struct source *source = check->run->source;
    if (!side->path) return true; /* frames that are missing */
    if (sequence->video && *files == sequence->files)
        return strcmp(side->path, noref_file(source, sequence->first)) == 0;
    return *files < sequence->files &&
           strcmp(side->path, noref_file(source, sequence->first + (*files)++)) == 0 &&
           record_is_unchanged(side);
}

/* Returns whether a frame that could not be read may be readable now, because the machine failed
 * and not the file: too many open files, a lost disk, no memory, no module for its format. */
static bool may_be_read(const struct record *record)
{
    return record->kind == RECORD_FAILED && record->status != SSIMCU_ERROR_DATA &&
           findings_kinds(&record->findings) & finding_bit(FINDING_UNREADABLE);
}

/* Sets *whole to whether the lines cover a whole shot with unchanged files. */
static ssimcu_status compare(const struct check *check, const struct noref_shot *sequence,
                             const struct known *lines, bool *whole, ssimcu_message *message)
{
    const struct results_reader *earlier = &check->run->out->delivery.earlier;
    size_t files = 0;
    bool last = false;
    *whole = lines->count > 0 && !(sequence->video && sequence->files > 1);
    for (size_t i = 0; i < lines->count && *whole; i++) {
        struct record record;
        TRY(results_reader_record(earlier, lines->first + i, &record, message));
        *whole = is_next_file(check, sequence, &record.side[1], &files) && !may_be_read(&record);
        last = last || record.last;
        record_clear(&record);
    }
    for (size_t i = 1; i < lines->count; i++) /* the lines of two runs may have different frames */
        *whole = *whole && earlier->line[lines->first + i].file == earlier->line[lines->first].file;
    *whole = *whole && last && files == sequence->files;
    return SSIMCU_OK;
}

/* Finds the lines of a shot. Both are sorted by name; *at moves past the lines. */
static struct known find_lines(const struct results_reader *earlier, const char *name, size_t *at)
{
    while (*at < earlier->count && earlier->line[*at].shot &&
           strcmp(earlier->line[*at].shot, name) < 0)
        ++*at;
    struct known lines = {*at, 0};
    while (*at < earlier->count && earlier->line[*at].shot &&
           strcmp(earlier->line[*at].shot, name) == 0)
        ++*at, lines.count++;
    return lines;
}

/* Leaves out the shots that earlier results cover completely. */
static ssimcu_status take_over(struct check *check, ssimcu_message *message)
{
    const struct results_reader *earlier = &check->run->out->delivery.earlier;
    size_t taken = 0, all = 0, at = 0;
    const struct header *header = &check->run->out->delivery.header;
    if (!check->run->options.run.resume || earlier->count == 0) return SSIMCU_OK;
    if (!json_equal(json_object_get(header->input, "frames"),
                    json_object_get(earlier->header.input, "frames")) &&
        (header_is_chosen(header) || header_is_chosen(&earlier->header)))
        return SSIMCU_OK; /* frames requested now may be missing, and others not */
    for (size_t i = 0; i < check->sequences; i++) {
        struct noref_shot *own = &check->sequence[i];
        const struct known lines = find_lines(earlier, own->name, &at);
        bool whole = false;
        all += !own->left_out;
        if (!own->left_out) TRY(compare(check, own, &lines, &whole, message));
        if (whole) check->known[i] = lines;
        own->left_out = own->left_out || whole;
        taken += whole;
    }
    hooks_log(&check->run->hooks, SSIMCU_LOG_DETAIL, "%zu of %zu shots are reused from %.300s",
              taken, all, check->run->options.run.resume);
    return SSIMCU_OK;
}

/* Delivers earlier results of the shots before `at`. Returns false to end. */
static bool deliver_known(void *user, size_t at)
{
    struct check *check = user;
    struct delivery *delivery = &check->run->out->delivery;
    for (; check->at < at && delivery->status == SSIMCU_OK; check->at++) {
        const struct known *lines = &check->known[check->at];
        for (size_t i = 0; i < lines->count && delivery->status == SSIMCU_OK; i++) {
            struct record record;
            delivery->status = results_reader_record(&delivery->earlier, lines->first + i, &record,
                                                     &delivery->message);
            if (delivery->status != SSIMCU_OK) break;
            (void)delivery_take(delivery, &record, true);
            record_clear(&record);
        }
    }
    return delivery->status == SSIMCU_OK;
}

/* ---- The check ------------------------------------------------------------------------------- */

static bool take(void *user, struct record *record, bool known)
{
    return delivery_take(&((struct check *)user)->run->out->delivery, record, known);
}

static void show_progress(void *user, int64_t done)
{
    const struct hooks *hooks = &((struct check *)user)->run->hooks;
    if (hooks->call.progress) hooks->call.progress(hooks->call.user, done);
}

static ssimcu_status examine(struct check *check, ssimcu_message *message)
{
    struct ssimcu_run *run = check->run;
    const ssimcu_run_hooks *call = &run->hooks.call;
    struct delivery *delivery = &run->out->delivery;
    struct batch_times times = {0};
    const struct detect_config config = {.sequence = check->sequence,
                                         .frames = run->input.frames,
                                         .limits = run->input.limits,
                                         .threads = run->options.settings.threads,
                                         .memory_bytes = run->options.run.memory_bytes,
                                         .stop = &run->stop,
                                         .take = take,
                                         .before = deliver_known,
                                         .progress = show_progress,
                                         .user = check};
    if (call->begin) call->begin(call->user, source_count(run->source));
    const ssimcu_status status = detect_all(&config, run->source, &times, message);
    run->abandoned = times.abandoned;
    run->cancelled = ssimcu_is_stopped(&run->stop);
    if (status == SSIMCU_OK && !run->cancelled) (void)deliver_known(check, check->sequences);
    if (call->end) call->end(call->user);
    delivery->seconds = times.whole / 1e3;
    delivery->summary.complete =
        status == SSIMCU_OK && delivery->status == SSIMCU_OK && !run->cancelled;
    return status;
}

static ssimcu_status check_all(struct ssimcu_run *run, ssimcu_message *message)
{
    struct check check = {.run = run};
    check.sequence = noref_shots(run->source, &check.sequences);
    check.known = calloc(check.sequences + 1, sizeof *check.known);
    ssimcu_status status = check.known ? take_over(&check, message) : no_memory(message);
    if (status == SSIMCU_OK) status = examine(&check, message);
    free(check.known);
    return status;
}

static ssimcu_status open_frames(struct ssimcu_run *run, ssimcu_message *message)
{
    run->input.threads = run->options.settings.threads;
    TRY(noref_open(&run->input, &run->source, message));
    return take_share(run, message);
}

const struct work work_check = {.open = open_frames, .work = check_all};
