#include "facts/summary.h"
#include "base/results.h"
#include "base/text.h"
#include "facts/record.h"

#include "mean.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NO_PART = UINT32_MAX;

/* ---- Rankings -------------------------------------------------------------------------------- */

/* Returns a value by which frames are ordered. A tool's NaN is the worst. */
static double order_of(double value) { return isnan(value) ? -INFINITY : value; }

static bool is_worse(const struct ranking_entry *a, const struct ranking_entry *b)
{
    const double x = order_of(a->value), y = order_of(b->value);
    return x != y ? x < y : record_order(a->part, a->frame, b->part, b->frame) < 0;
}

static void free_entry(struct ranking_entry *entry)
{
    free(entry->part);
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
                                  .part = record->part};
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
    const bool part = text_copy(&entry.part, record->part),
               ref = text_copy(&entry.ref, record->side[0].path),
               out = text_copy(&entry.out, record->side[1].path),
               text = text_copy(&entry.what, what);
    ranking->entry[at] = entry;
    return part && ref && out && text;
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
    for (uint32_t i = 0; i < summary->parts; i++) free(summary->part[i].name);
    free(summary->part);
    free(summary->score);
    free(summary->left);
    times_free(&summary->times);
    summary_start(summary, 0);
}

/* Returns the index of the part of that name, which is added if it is new; NO_PART without a name
 * or memory. The last part comes first, because frames of one part mostly follow each other. */
static uint32_t part_of(struct summary *summary, const char *name)
{
    if (!name) return NO_PART;
    for (uint32_t i = summary->parts; i-- > 0;)
        if (strcmp(summary->part[i].name, name) == 0) return i;
    struct summary_part part = {0};
    if (results_grow(&summary->part, summary->parts, &summary->parts_room, sizeof part) &&
        text_copy(&part.name, name)) {
        summary->part[summary->parts] = part;
        return summary->parts++;
    }
    summary->out_of_memory = true;
    return NO_PART;
}

static void count_kinds(const struct record *record, uint64_t *pairs, uint64_t *missing,
                        uint64_t *failed)
{
    ++*pairs;
    *missing += record->kind == RECORD_MISSING;
    *failed += record->kind == RECORD_FAILED;
}

/* Counts a frame, and names it if it is one of the first. */
static void note_frame(uint64_t *count, char named[SUMMARY_NAMED], const struct record *record)
{
    enum { NAMED = 16, MORE = 4 /* bytes of " ..." */ };
    char name[TEXT_FRAME];
    const size_t used = strlen(named);
    const bool full = used > 0 && named[used - 1] == '.';
    text_frame(name, record->part, record->frame);
    const bool fits = used + 1 + strlen(name) + MORE < SUMMARY_NAMED && *count < NAMED;
    ++*count;
    if (!full) snprintf(named + used, SUMMARY_NAMED - used, " %s", fits ? name : "...");
}

/* Adds a frame of OUT to those whose packets are known. One that OUT lacks lasts as long as any, if
 * others follow, because times tell that it is missing. */
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

/* Works out how long the frames last: as many times the mean time from one to the next. */
static void finish_coded(struct summary_coded *all)
{
    const double frames = (double)(all->last - all->first);
    const double each = frames > 0 ? (all->last_time - all->first_time) / frames : NAN;
    all->seconds = each > 0 ? each * (double)(all->frames + all->lacking) : NAN;
    all->rate = 8 * (double)all->bytes / all->seconds;
}

void summary_add(struct summary *summary, const struct record *record)
{
    const uint32_t index = part_of(summary, record->part);
    struct summary_part *part = index == NO_PART ? NULL : &summary->part[index];
    count_kinds(record, &summary->pairs, &summary->missing, &summary->failed);
    if (part) count_kinds(record, &part->pairs, &part->missing, &part->failed);
    add_coded(&summary->coded, record->frame, &record->coded[1],
              record->kind == RECORD_MISSING && record->missing[1]);
    if (!times_add(&summary->times, record->frame, time_of(&record->coded[0]),
                   time_of(&record->coded[1])))
        summary->out_of_memory = true;
    if (record->kind != RECORD_SCORED) return;
    if (record->variant.path) note_frame(&summary->variants, summary->variants_named, record);
    if (record->floor.stale) note_frame(&summary->stale, summary->stale_named, record);
    if (record->scored.light[0].outside != record->scored.light[1].outside &&
        summary->windows++ == 0)
        text_frame(summary->windows_frame, record->part, record->frame);
    const char *left = record->text[RECORD_LEFT];
    if (left && summary->left_frames++ == 0 && !(summary->left = strdup(left)))
        summary->out_of_memory = true;
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
        .part = index,
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
    if (x->part != y->part) return x->part < y->part ? -1 : 1; /* parts come in their order */
    return (x->frame > y->frame) - (x->frame < y->frame);
}

/* Sets the means of the channels, if every frame has the same layout. */
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

/* Computes the statistics of the worst tiles of `count` scores. Returns how many have tiles. `tile`
 * has room for all. */
static uint64_t measure_tiles(const struct summary_score *score, size_t count, double *tile,
                              ssimcu_statistics *tiles)
{
    size_t tiled = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(score[i].tile)) tile[tiled++] = score[i].tile;
    if (tiled > 0) *tiles = statistics_of(tile, tiled, 1);
    return tiled;
}

/* Returns the PSNR of the mean of mse, which counts identical frames as any other. */
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

/* Returns what a metric came to over `count` scores. `memory` has room for a number of each. */
static struct summary_metric metric_of(const struct summary_score *score, size_t count,
                                       ssimcu_metric metric, double *memory)
{
    struct summary_metric own = {0};
    bool undefined = false;
    for (size_t i = 0; i < count; i++) {
        undefined = undefined || (isnan(score[i].value[metric]) && score[i].metrics >> metric & 1);
        if (isnan(score[i].value[metric])) continue;
        own.identical += isinf(score[i].value[metric]);
        memory[own.scored++] = score[i].value[metric];
    }
    if (undefined) own.score = NAN;
    if (own.scored == 0) return own;
    own.all = statistics_of(memory, own.scored, metrics_best(metric));
    /* A NaN is the score of the run as well. Of frames that are all alike it is the value of each,
     * to the bit. */
    own.score = undefined                     ? NAN
                : own.all.min == own.all.max  ? own.all.min
                : metrics_of_mean_mse(metric) ? psnr_of_all(score, count)
                                              : own.all.mean;
    return own;
}

/* Computes the numbers of `count` scores, 1 or more. `memory` has room for a number of each. */
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

/* Finishes a part from its scores, which follow each other. */
static void finish_part(struct summary_part *part, const struct summary_score *score,
                        double *memory)
{
    part->numbers = measure(score, part->scored, memory);
    const double min = part->numbers.metrics[SSIMCU_METRIC_SSIM].all.min;
    for (size_t i = part->scored; i-- > 0;) {
        if (score[i].value[SSIMCU_METRIC_SSIM] == min) part->worst = score[i].frame;
        if (score[i].tile == part->numbers.tiles.min) part->worst_tile = score[i].frame;
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
    for (size_t at = 0; at < n && summary->score[at].part != NO_PART;) {
        struct summary_part *part = &summary->part[summary->score[at].part];
        while (at + part->scored < n &&
               summary->score[at + part->scored].part == summary->score[at].part)
            part->scored++;
        finish_part(part, &summary->score[at], memory);
        at += part->scored;
    }
    free(memory);
    return true;
}
