/* The sequences: what each comes to, and where its findings lie. */
#include "check/page/view.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LISTED = 1000, STRIP_WIDTH = COLLECT_STRIP };

/* Draws ticks at the places of a strip with this mark, if there are any. */
static void set_ticks(struct model to, const char *name, const struct collected_sequence *sequence,
                      uint8_t mark, const char *tick)
{
    const int64_t places = (sequence->last - sequence->first) / sequence->per + 1;
    struct markup path;
    if (!sequence->strip || !model_open(to, &path)) return;
    for (int64_t i = 0; i < COLLECT_STRIP; i++)
        if (sequence->strip[i] == mark)
            fprintf(path.to, "M%.1f %s", ((double)i + 0.5) * STRIP_WIDTH / (double)places, tick);
    model_close(to, name, &path);
}

/* Draws the sequence as a line from its first number to its last, and what is found as ticks. */
static void set_strip(struct model row, const struct collected_sequence *sequence)
{
    if (sequence->first < 0) return;
    const struct model strip = model_in(row, "strip");
    model_text(strip, "first", "%" PRId64, sequence->first);
    model_text(strip, "last", "%" PRId64, sequence->last);
    set_ticks(strip, "short", sequence, 1, "5v6");
    set_ticks(strip, "long", sequence, 2, "1v14");
}

static void add_row(struct model page, const struct collected_sequence *sequence)
{
    const struct model row = model_item(page, "sequences");
    model_text(row, "name", "%s", sequence->name);
    model_number(row, "frames", sequence->frames);
    model_number(row, "read", sequence->read);
    model_number(row, "missing", sequence->missing);
    model_number(row, "found", sequence->found);
    model_number(row, "failed", sequence->failed);
    set_strip(row, sequence);
}

/* Sequences that fail come first, then those with findings; else they stay in order. */
static int by_state(const void *a, const void *b)
{
    const struct collected_sequence *x = *(const struct collected_sequence *const *)a,
                                    *y = *(const struct collected_sequence *const *)b;
    const int states[2] = {2 * (x->failed > 0) + (x->found > 0),
                           2 * (y->failed > 0) + (y->found > 0)};
    return states[0] != states[1] ? states[1] - states[0] : (x > y) - (x < y);
}

void view_sequences(struct model page, const struct collected *all)
{
    const size_t count = all->sequences;
    const struct collected_sequence **row = count > LISTED ? malloc(count * sizeof *row) : NULL;
    for (size_t i = 0; i < count && row; i++) row[i] = &all->sequence[i];
    if (row) qsort(row, count, sizeof(const struct collected_sequence *), by_state);
    model_flag(page, "any_sequences", count > 0);
    for (size_t i = 0; i < count && i < LISTED; i++)
        add_row(page, row ? row[i] : &all->sequence[i]);
    if (count > LISTED) model_number(page, "unlisted", count - LISTED);
    free(row);
}
