#include "record/summary.h"
#include "base/results.h"
#include "record/record.h"

#include "mean.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NO_SHOT = UINT32_MAX;

/* ---- Rankings -------------------------------------------------------------------------------- */

/* Returns the sort key of a frame. A tool's NaN is the worst. */
static double order_of(double value) { return isnan(value) ? -INFINITY : value; }

static bool is_worse(const struct ranking_entry *a, const struct ranking_entry *b)
{
    const double x = order_of(a->value), y = order_of(b->value);
    return x != y ? x < y : record_order(a->shot, a->frame, b->shot, b->frame) < 0;
}

static void free_entry(struct ranking_entry *entry)
{
    free(entry->shot);
    free(entry->ref);
    free(entry->out);
    free(entry->what);
}

bool ranking_add(struct ranking *ranking, const struct record *record, double value,
                 const char *what)
{
    struct ranking_entry entry = {.frame = record->frame,
                                  .value = value,
                                  .score = record->scored.score,
                                  .tile = record->scored.tile,
                                  .shot = record->shot};
    if (ranking->most == 0) return true;
    if (!ranking->entry) ranking->entry = calloc(ranking->most, sizeof *ranking->entry);
    if (!ranking->entry) return false;
    uint32_t at = ranking->count;
    if (at == ranking->most) {
        if (!is_worse(&entry, &ranking->entry[at - 1])) return true;
        at--;
        free_entry(&ranking->entry[at]);
    } else {
        ranking->count++;
    }
    for (; at > 0 && is_worse(&entry, &ranking->entry[at - 1]); at--)
        ranking->entry[at] = ranking->entry[at - 1];
    const bool shot = text_copy(&entry.shot, record->shot),
               ref = text_copy(&entry.ref, record->side[0].path),
               out = text_copy(&entry.out, record->side[1].path),
               text = text_copy(&entry.what, what);
    ranking->entry[at] = entry;
    return shot && ref && out && text;
}

void ranking_free(struct ranking *ranking)
{
    for (uint32_t i = 0; i < ranking->count; i++) free_entry(&ranking->entry[i]);
    free(ranking->entry);
}

/* ---- Adding ---------------------------------------------------------------------------------- */

void summary_start(struct summary *summary, uint32_t worst)
{
    *summary = (struct summary){.worst.most = worst, .worst_tiles.most = worst};
}

void summary_free(struct summary *summary)
{
    ranking_free(&summary->worst);
    ranking_free(&summary->worst_tiles);
    for (uint32_t i = 0; i < summary->shots; i++) free(summary->shot[i].name);
    free(summary->shot);
    free(summary->score);
    free(summary->left);
    times_free(&summary->times);
    summary_start(summary, 0);
}

/* Returns the index of the shot of that name, and adds a new one. Returns NO_SHOT without a name or
 * memory. The last shot is tried first, because consecutive frames mostly belong to one shot. */
static uint32_t shot_of(struct summary *summary, const char *name)
{
    if (!name) return NO_SHOT;
    for (uint32_t i = summary->shots; i-- > 0;)
        if (strcmp(summary->shot[i].name, name) == 0) return i;
    struct summary_shot shot = {0};
    if (results_grow(&summary->shot, summary->shots, &summary->shots_room, sizeof shot) &&
        text_copy(&shot.name, name)) {
        summary->shot[summary->shots] = shot;
        return summary->shots++;
    }
    summary->out_of_memory = true;
    return NO_SHOT;
}

static void count_kinds(const struct record *record, uint64_t *pairs, uint64_t *missing,
                        uint64_t *failed, uint64_t *checked)
{
    ++*pairs;
    *checked += record->kind == RECORD_CHECKED;
    *missing += record->kind == RECORD_MISSING;
    *failed += record->kind == RECORD_FAILED;
}

/* Returns the number of frames that a record misses: in a shot, all up to the next existing one. */
static uint64_t lacking_of(const struct record *record)
{
    uint64_t count = record->kind == RECORD_MISSING;
    for (size_t i = 0; i < record->findings.count; i++)
        if (record->findings.at[i].kind == FINDING_MISSING)
            count = finding_lacks(&record->findings.at[i]);
    return count;
}

/* Counts a frame, and lists it if it is one of the first. */
static void note_frame(uint64_t *count, char named[SUMMARY_NAMED], const struct record *record)
{
    enum { NAMED = 16, MORE = 4 /* bytes of " ..." */ };
    char name[TEXT_FRAME];
    const size_t used = strlen(named);
    const bool full = used > 0 && named[used - 1] == '.';
    text_frame(name, record->shot, record->frame);
    const bool fits = used + 1 + strlen(name) + MORE < SUMMARY_NAMED && *count < NAMED;
    ++*count;
    if (!full) snprintf(named + used, SUMMARY_NAMED - used, " %s", fits ? name : "...");
}

/* Adds a frame of OUT to those whose packets are known. A frame that OUT lacks counts like any
 * other if others follow it, because the times show the gap. */
static void add_coded(struct summary_coded *all, int64_t frame, const ssimcu_coded *coded,
                      bool lacks)
{
    if (!coded->known) {
        all->behind += lacks && all->frames > 0;
        return;
    }
    all->lacking += all->behind;
    all->behind = 0;
    all->frames++;
    all->bytes += coded->bytes;
    if (isnan(coded->time)) return;
    if (!all->timed || frame < all->first) all->first = frame, all->first_time = coded->time;
    if (!all->timed || frame > all->last) all->last = frame, all->last_time = coded->time;
    all->timed = true;
}

static double time_of(const ssimcu_coded *coded) { return coded->known ? coded->time : NAN; }

/* Computes the duration of the frames: their number times the mean interval. */
static void finish_coded(struct summary_coded *all)
{
    const double frames = (double)(all->last - all->first);
    const double each = frames > 0 ? (all->last_time - all->first_time) / frames : NAN;
    all->seconds = each > 0 ? each * (double)(all->frames + all->lacking) : NAN;
    all->rate = 8 * (double)all->bytes / all->seconds;
}

void summary_add(struct summary *summary, const struct record *record)
{
    const uint32_t index = shot_of(summary, record->shot);
    struct summary_shot *shot = index == NO_SHOT ? NULL : &summary->shot[index];
    count_kinds(record, &summary->pairs, &summary->missing, &summary->failed, &summary->checked);
    if (shot) count_kinds(record, &shot->pairs, &shot->missing, &shot->failed, &shot->checked);
    add_coded(&summary->coded, record->frame, &record->coded[1],
              record->kind == RECORD_MISSING && record->missing[1]);
    if (!times_add(&summary->times, record->frame, time_of(&record->coded[0]),
                   time_of(&record->coded[1])))
        summary->out_of_memory = true;
    summary->lacking += lacking_of(record);
    const char *left = record->text[RECORD_LEFT];
    if (left && (record->kind == RECORD_SCORED || record->kind == RECORD_CHECKED) &&
        summary->left_frames++ == 0 && !(summary->left = strdup(left)))
        summary->out_of_memory = true;
    if (record->kind != RECORD_SCORED) return;
    if (record->variant.path) note_frame(&summary->variants, summary->variants_named, record);
    if (record->learned.stale) note_frame(&summary->stale, summary->stale_named, record);
    if (record->scored.light[0].outside != record->scored.light[1].outside &&
        summary->windows++ == 0)
        text_frame(summary->windows_frame, record->shot, record->frame);
    const bool ranked = record_has(record, summary->metric);
    if (!results_grow(&summary->score, summary->scored, &summary->room, sizeof *summary->score) ||
        (ranked &&
         !ranking_add(&summary->worst, record, record_value(record, summary->metric), NULL)) ||
        (record->scored.tile.width > 0 &&
         !ranking_add(&summary->worst_tiles, record, record->scored.tile.score, NULL))) {
        summary->out_of_memory = true;
        return;
    }
    struct summary_score *score = &summary->score[summary->scored++];
    *score = (struct summary_score){
        .frame = record->frame,
        .shot = index,
        .metrics = record->metrics,
        .mse = record->mse,
        .layout = record->scored.channels > 0 ? record->scored.layout : NULL,
        .channels = record->scored.channels,
        .tile = record->scored.tile.width > 0 ? record->scored.tile.score : NAN};
    for (int m = 0; m < SSIMCU_METRICS; m++) score->value[m] = record_value(record, m);
    memcpy(score->channel, record->scored.channel, sizeof score->channel);
}

/* ---- Statistics ------------------------------------------------------------------------------ */

static int by_frame(const void *a, const void *b)
{
    const struct summary_score *x = a, *y = b;
    if (x->shot != y->shot) return x->shot < y->shot ? -1 : 1; /* shots stay in their order */
    return (x->frame > y->frame) - (x->frame < y->frame);
}

/* Sets the means of the channels, if all frames have the same layout. */
static void measure_channels(const struct summary_score *score, size_t count,
                             struct summary_numbers *numbers)
{
    bool same = score->layout != NULL, all_are_1[3] = {true, true, true};
    for (size_t i = 0; i < count && same; i++) {
        same = score[i].layout && strcmp(score[i].layout, score->layout) == 0;
        for (uint32_t c = 0; c < 3; c++) {
            numbers->channel[c] += score[i].channel[c];
            all_are_1[c] = all_are_1[c] && score[i].channel[c] == 1;
        }
    }
    for (uint32_t c = 0; c < 3; c++)
        numbers->channel[c] = ssimcu_mean_of(numbers->channel[c] / (double)count, all_are_1[c]);
    numbers->layout = same ? score->layout : NULL;
    numbers->channels = score->channels;
}

/* Computes the statistics of the worst tiles of `count` scores. Returns the number of scores with
 * tiles. `tile` has room for all. */
static uint64_t measure_tiles(const struct summary_score *score, size_t count, double *tile,
                              ssimcu_statistics *tiles)
{
    size_t tiled = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(score[i].tile)) tile[tiled++] = score[i].tile;
    if (tiled > 0) *tiles = statistics_of(tile, tiled, 1);
    return tiled;
}

/* Returns the PSNR of the mean mse, which includes identical frames. */
static double psnr_of_all(const struct summary_score *score, size_t count)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(score[i].value[SSIMCU_METRIC_PSNR])) continue;
        sum += score[i].mse;
        n++;
    }
    return sum > 0 ? 10 * log10((double)n / sum) : INFINITY;
}

/* Returns a metric's statistics over `count` scores. `memory` has room for `count` numbers. */
static struct summary_metric metric_of(const struct summary_score *score, size_t count,
                                       ssimcu_metric metric, double *memory)
{
    struct summary_metric result = {0};
    bool undefined = false;
    for (size_t i = 0; i < count; i++) {
        undefined = undefined || (isnan(score[i].value[metric]) && score[i].metrics >> metric & 1);
        if (isnan(score[i].value[metric])) continue;
        result.identical += isinf(score[i].value[metric]);
        memory[result.scored++] = score[i].value[metric];
    }
    if (undefined) result.score = NAN;
    if (result.scored == 0) return result;
    result.all = statistics_of(memory, result.scored, metrics_best(metric));
    /* If a value is NaN, so is the score of the run. If all frames are equal, the score is their
     * value, to the bit. */
    result.score = undefined                          ? NAN
                   : result.all.min == result.all.max ? result.all.min
                   : metrics_of_mean_mse(metric)      ? psnr_of_all(score, count)
                                                      : result.all.mean;
    return result;
}

/* Computes the statistics of `count` scores, 1 or more. `memory` has room for `count` numbers. */
static struct summary_numbers measure(const struct summary_score *score, size_t count,
                                      double *memory)
{
    struct summary_numbers numbers = {.tiled = 0};
    for (int m = 0; m < SSIMCU_METRICS; m++)
        numbers.metrics[m] = metric_of(score, count, m, memory);
    numbers.tiled = measure_tiles(score, count, memory, &numbers.tiles);
    measure_channels(score, count, &numbers);
    return numbers;
}

/* Finishes a shot from its scores, which are consecutive. */
static void finish_shot(struct summary_shot *shot, const struct summary_score *score,
                        double *memory)
{
    shot->numbers = measure(score, shot->scored, memory);
    const double min = shot->numbers.metrics[SSIMCU_METRIC_SSIM].all.min;
    for (size_t i = shot->scored; i-- > 0;) {
        if (score[i].value[SSIMCU_METRIC_SSIM] == min) shot->worst = score[i].frame;
        if (score[i].tile == shot->numbers.tiles.min) shot->worst_tile = score[i].frame;
    }
}

bool summary_finish(struct summary *summary)
{
    const size_t n = summary->scored;
    if (summary->out_of_memory) return false;
    finish_coded(&summary->coded);
    times_finish(&summary->times);
    if (n == 0) return true;
    double *memory = malloc(n * sizeof *memory);
    if (!memory) return false;
    qsort(summary->score, n, sizeof *summary->score, by_frame);
    summary->numbers = measure(summary->score, n, memory);
    for (size_t at = 0; at < n && summary->score[at].shot != NO_SHOT;) {
        struct summary_shot *shot = &summary->shot[summary->score[at].shot];
        while (at + shot->scored < n &&
               summary->score[at + shot->scored].shot == summary->score[at].shot)
            shot->scored++;
        finish_shot(shot, &summary->score[at], memory);
        at += shot->scored;
    }
    free(memory);
    return true;
}
