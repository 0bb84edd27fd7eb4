#include "results/lines.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void summary_start(struct summary *summary, uint32_t worst)
{
    *summary = (struct summary){.worst_most = worst};
}

void summary_free(struct summary *summary)
{
    for (uint32_t i = 0; i < summary->worst_count; i++) {
        free(summary->worst[i].ref);
        free(summary->worst[i].out);
    }
    free(summary->worst);
    free(summary->score);
    summary_start(summary, 0);
}

static bool is_worse(const struct summary_worst *a, const struct summary_worst *b)
{
    return a->score != b->score ? a->score < b->score : a->frame < b->frame;
}

static char *copy(const char *text) { return text ? strdup(text) : NULL; }

/* Keeps the list sorted and no longer than asked for. */
static void note_worst(struct summary *summary, const struct record *record)
{
    struct summary_worst entry = {.frame = record->frame, .score = record->score};
    if (summary->worst_most == 0) return;
    if (!summary->worst) summary->worst = calloc(summary->worst_most, sizeof *summary->worst);
    if (!summary->worst) {
        summary->out_of_memory = true;
        return;
    }
    uint32_t at = summary->worst_count;
    if (at == summary->worst_most) {
        if (!is_worse(&entry, &summary->worst[at - 1])) return;
        at--;
        free(summary->worst[at].ref);
        free(summary->worst[at].out);
    } else {
        summary->worst_count++;
    }
    for (; at > 0 && is_worse(&entry, &summary->worst[at - 1]); at--)
        summary->worst[at] = summary->worst[at - 1];
    entry.ref = copy(record->side[0].path);
    entry.out = copy(record->side[1].path);
    summary->worst[at] = entry;
}

void summary_add(struct summary *summary, const struct record *record)
{
    summary->pairs++;
    if (record->kind == RECORD_MISSING) summary->missing++;
    if (record->kind == RECORD_FAILED) summary->failed++;
    if (record->kind != RECORD_SCORED) return;
    if (summary->scored == summary->room) {
        const size_t room = summary->room ? 2 * summary->room : 1024;
        struct summary_score *grown = realloc(summary->score, room * sizeof *grown);
        if (!grown) {
            summary->out_of_memory = true;
            return;
        }
        summary->score = grown;
        summary->room = room;
    }
    summary->score[summary->scored++] = (struct summary_score){record->frame, record->score};
    note_worst(summary, record);
}

static int by_frame(const void *a, const void *b)
{
    const struct summary_score *x = a, *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(const double *sorted, size_t count, double percent)
{
    const double position = (double)(count - 1) * percent / 100;
    const size_t below = (size_t)position;
    const double part = position - (double)below;
    if (part == 0) return sorted[below];
    return sorted[below] + (sorted[below + 1] - sorted[below]) * part;
}

bool summary_finish(struct summary *summary)
{
    const size_t n = summary->scored;
    if (summary->out_of_memory) return false;
    if (n == 0) return true;
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted) return false;
    double sum = 0, inverse = 0, square = 0;
    qsort(summary->score, n, sizeof *summary->score, by_frame);
    for (size_t i = 0; i < n; i++) {
        sorted[i] = summary->score[i].score;
        sum += sorted[i];
        inverse += 1 / sorted[i];
    }
    summary->mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (sorted[i] - summary->mean) * (sorted[i] - summary->mean);
    summary->stddev = sqrt(square / (double)n);
    qsort(sorted, n, sizeof *sorted, by_value);
    summary->min = sorted[0];
    summary->max = sorted[n - 1];
    summary->has_harmonic_mean = summary->min > 0;
    if (summary->has_harmonic_mean) summary->harmonic_mean = (double)n / inverse;
    summary->p1 = percentile(sorted, n, 1);
    summary->p5 = percentile(sorted, n, 5);
    summary->p50 = percentile(sorted, n, 50);
    free(sorted);
    return true;
}

uint64_t summary_below(const struct summary *summary, double limit)
{
    uint64_t count = 0;
    for (size_t i = 0; i < summary->scored; i++) count += summary->score[i].score < limit;
    return count;
}

static json_t *number(bool there, double value) { return there ? json_real(value) : json_null(); }

static json_t *worst_to_json(const struct summary_worst *worst)
{
    return json_pack("{s:I, s:f, s:o, s:o}", "frame", (json_int_t)worst->frame, "score",
                     worst->score, "ref", worst->ref ? path_to_json(worst->ref) : json_null(),
                     "out", worst->out ? path_to_json(worst->out) : json_null());
}

char *summary_to_json(const struct summary *s)
{
    const bool any = s->scored > 0;
    json_t *worst = json_array();
    for (uint32_t i = 0; i < s->worst_count; i++)
        json_array_append_new(worst, worst_to_json(&s->worst[i]));
    return line_of_json(
        json_pack("{s:s, s:b, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                  "type", "summary", "complete", (int)s->complete, "frames", (json_int_t)s->pairs,
                  "scored", (json_int_t)s->scored, "missing", (json_int_t)s->missing, "failed",
                  (json_int_t)s->failed, "mean", number(any, s->mean), "harmonic_mean",
                  number(s->has_harmonic_mean, s->harmonic_mean), "min", number(any, s->min), "max",
                  number(any, s->max), "p1", number(any, s->p1), "p5", number(any, s->p5), "p50",
                  number(any, s->p50), "stddev", number(any, s->stddev), "worst", worst));
}
