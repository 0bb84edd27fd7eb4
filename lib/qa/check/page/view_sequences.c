/* The sequences: what each comes to, and where its findings lie. */
#include "check/page/view.h"

#include "report/html/html.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LISTED = 1000, STRIP_WIDTH = COLLECT_STRIP, STRIP_HEIGHT = 16 };

/* Writes ticks at the places of a strip with this mark. */
static void put_ticks(FILE *to, const struct collected_sequence *sequence, uint8_t mark,
                      const char *class, const char *tick)
{
    const int64_t places = (sequence->last - sequence->first) / sequence->per + 1;
    bool any = false;
    for (int64_t i = 0; i < COLLECT_STRIP && !any; i++) any = sequence->strip[i] == mark;
    if (!any) return;
    fprintf(to, "<path class=\"curve %s\" d=\"", class);
    for (int64_t i = 0; i < COLLECT_STRIP; i++)
        if (sequence->strip[i] == mark)
            fprintf(to, "M%.1f %s", ((double)i + 0.5) * STRIP_WIDTH / (double)places, tick);
    fputs("\"/>", to);
}

/* Draws the sequence as a line from its first number to its last, and what is found as ticks. */
static void put_strip(FILE *to, const struct collected_sequence *sequence)
{
    if (sequence->first < 0) return;
    fprintf(to, "<span class=\"strip\">%" PRId64 " ", sequence->first);
    fprintf(to,
            "<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\" "
            "aria-label=\"where findings lie\">"
            "<line class=\"grid\" x2=\"%d\" y1=\"8\" y2=\"8\"/>",
            STRIP_WIDTH, STRIP_HEIGHT, STRIP_WIDTH);
    if (sequence->strip) {
        put_ticks(to, sequence, 1, "score", "5v6");
        put_ticks(to, sequence, 2, "tile", "1v14");
    }
    fprintf(to, "</svg> %" PRId64 "</span>", sequence->last);
}

static void put_row(FILE *to, const struct collected_sequence *sequence)
{
    const uint64_t numbers[] = {sequence->frames, sequence->read, sequence->missing,
                                sequence->found, sequence->failed};
    fputs("<tr><th scope=\"row\" class=\"shot\">", to);
    html_name(to, sequence->name);
    fputs("</th><td>", to);
    put_strip(to, sequence);
    fputs("</td>", to);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fprintf(to, "<td class=\"n\">%" PRIu64 "</td>", numbers[i]);
    fputs("</tr>\n", to);
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

static void put_table(const struct view *view)
{
    const struct collected *all = view->all;
    const struct collected_sequence **row =
        all->sequences > LISTED ? malloc(all->sequences * sizeof *row) : NULL;
    for (size_t i = 0; i < all->sequences && row; i++) row[i] = &all->sequence[i];
    if (row) qsort(row, all->sequences, sizeof(const struct collected_sequence *), by_state);
    html_table(view->to, "Sequences", NULL);
    html_heads(view->to, false, (const char *const[]){"Sequence", "Where"}, 2);
    html_heads(view->to, true,
               (const char *const[]){"Frames", "Read", "Missing", "With findings", "Fail"}, 5);
    html_table_body(view->to);
    for (size_t i = 0; i < all->sequences && i < LISTED; i++)
        put_row(view->to, row ? row[i] : &all->sequence[i]);
    html_table_end(view->to);
    free(row);
}

void view_sequences(const struct view *view)
{
    const size_t count = view->all->sequences;
    if (count == 0) return;
    fputs("<section id=\"sequences\">\n<h2>Sequences</h2>\n<p>A long tick is a frame that "
          "fails, a short one another finding, from the first frame to the last.</p>\n",
          view->to);
    put_table(view);
    if (count > LISTED)
        fprintf(view->to, "<p>And %zu more, which the results name.</p>\n", count - LISTED);
    fputs("</section>\n", view->to);
}
