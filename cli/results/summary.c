#include "results/json.h"
#include "results/lines.h"

#include <math.h>
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

static char *copy(struct summary *summary, const char *text)
{
    char *made = text ? strdup(text) : NULL;
    if (text && !made) summary->out_of_memory = true;
    return made;
}

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
    entry.ref = copy(summary, record->side[0].path);
    entry.out = copy(summary, record->side[1].path);
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

static json_t *worst_to_json(const struct summary *s)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < s->worst_count; i++) {
        const struct summary_worst *worst = &s->worst[i];
        struct object entry;
        object_start(&entry);
        object_count(&entry, "frame", worst->frame);
        object_real(&entry, "score", worst->score);
        object_path(&entry, "ref", worst->ref);
        object_path(&entry, "out", worst->out);
        list = array_add(list, object_end(&entry));
    }
    return list;
}

/* `complete` stays the second member: loaded.c knows even a line that is too long by it. */
char *summary_to_json(const struct summary *s)
{
    const struct {
        const char *name;
        bool there;
        double value;
    } number[] = {
        {"mean", s->scored > 0, s->mean}, {"harmonic_mean", s->has_harmonic_mean, s->harmonic_mean},
        {"min", s->scored > 0, s->min},   {"max", s->scored > 0, s->max},
        {"p1", s->scored > 0, s->p1},     {"p5", s->scored > 0, s->p5},
        {"p50", s->scored > 0, s->p50},   {"stddev", s->scored > 0, s->stddev}};
    struct object summary;
    object_start(&summary);
    object_text(&summary, "type", "summary");
    object_bool(&summary, "complete", s->complete);
    object_count(&summary, "frames", (int64_t)s->pairs);
    object_count(&summary, "scored", (int64_t)s->scored);
    object_count(&summary, "missing", (int64_t)s->missing);
    object_count(&summary, "failed", (int64_t)s->failed);
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++)
        object_put(&summary, number[i].name,
                   number[i].there ? json_real(number[i].value) : json_null());
    object_put(&summary, "worst", worst_to_json(s));
    return line_of_json(object_end(&summary));
}
