#include "report/page/page_index.h"
#include "report/folder/contents.h"
#include "report/html/html_page.h"
#include "report/page/page.h"
#include "report/page/plot.h"
#include "report/page/rates.h"

#include <inttypes.h>
#include <math.h>

extern const struct html_asset outs_html;

bool page_index_withdrawn(FILE *to, const void *why)
{
    return html_no_result(to, CONTENTS_INDEX_MARK, "ssimcu reports", why, NULL, NULL);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static void add_value(struct model row, ssimcu_metric metric, bool any, double value)
{
    model_list_value(row, "cells", metric, any ? value : NAN);
}

/* Returns the place of the first frame with the lowest value, of its worst tile or of a metric. */
static size_t place_of(const struct report *report, bool tile, ssimcu_metric metric, double lowest)
{
    size_t at = 0;
    for (; at + 1 < report->count; at++) {
        const struct point *const point = &report->point[at];
        if ((tile ? point->tile : point->value[metric]) == lowest) break;
    }
    return at;
}

/* Adds the lowest value and its frame. */
static void add_lowest(struct model to, const struct index_row *row, bool tile,
                       ssimcu_metric metric, bool any, double lowest)
{
    char name[TEXT_FRAME] = "";
    add_value(to, metric, any, lowest);
    if (any && row->report->count > 0)
        page_name(row->report, place_of(row->report, tile, metric, lowest), name);
    model_list(to, "cells", "%s", name);
}

/* Adds the values of a metric, and for SSIM the worst tiles. */
static void add_metric(struct model to, const struct index_row *row, ssimcu_metric metric)
{
    const struct summary_numbers *numbers = &row->summary->numbers;
    const struct summary_metric *result = &numbers->metrics[metric];
    const bool any = result->scored > 0, tiled = numbers->tiled > 0;
    add_value(to, metric, any, result->score);
    add_value(to, metric, any, result->all.p5);
    add_value(to, metric, any, result->all.p1);
    add_lowest(to, row, false, metric, any, result->all.min);
    if (metric != SSIMCU_METRIC_SSIM) return;
    add_value(to, metric, tiled, numbers->tiles.p5);
    add_value(to, metric, tiled, numbers->tiles.p1);
    add_lowest(to, row, true, metric, tiled, numbers->tiles.min);
}

/* ---- The table ------------------------------------------------------------------------------- */

/* The metrics of the table, in display order. SSIM is always included. */
struct columns {
    ssimcu_metric metric[SSIMCU_METRICS];
    size_t count;
};

static struct columns columns_of(const struct index *index)
{
    const uint32_t metrics = rates_metrics(index) | 1u << SSIMCU_METRIC_SSIM;
    struct columns columns = {.count = 0};
    ssimcu_metric order[SSIMCU_METRICS];
    rates_order(index, order);
    for (int i = 0; i < SSIMCU_METRICS; i++)
        if (metrics >> order[i] & 1) columns.metric[columns.count++] = order[i];
    return columns;
}

/* Adds the heads: the subject of a column, and below it the kind of value. Tiles have no mean. */
static void add_heads(struct model page, const char *title, bool tiles)
{
    static const char *const values[] = {"Mean", "5 %", "1 %", "Lowest", "At frame"};
    const struct model head = model_item(page, "heads");
    model_number(head, "span", 5 - tiles);
    model_texts(head, "head", title);
    for (int i = tiles; i < 5; i++) model_list(page, "values", "%s", values[i]);
}

static void add_row(struct model page, const struct index *index, size_t at,
                    const struct columns *columns)
{
    const struct index_row *row = &index->row[at];
    const struct model to = model_item(page, "rows");
    char key[PLOT_KEY];
    model_texts(to, "key name why", row->why ? "" : plot_key(key, at), page_base(row->name),
                row->why);
    model_number(to, "columns", 8 + 5 * columns->count);
    if (row->folder) model_link(to, "href", row->folder, "/" CONTENTS_PAGE);
    if (row->why) return;
    const struct page_outcome outcome = page_outcome(row->verdict, index->share);
    const double rate = row->summary->coded.rate;
    const struct model result = model_in(to, "result");
    model_texts(result, "class sign text", outcome.name, outcome.sign, outcome.text);
    model_list(result, "cells", "%" PRIu64, row->summary->scored);
    model_list(result, "cells", "%" PRIu64, row->verdict->bad);
    if (isnan(rate))
        model_list(result, "cells", "%s", "");
    else
        model_list(result, "cells", "%.1f", rate / 1000);
    for (size_t i = 0; i < columns->count; i++) add_metric(result, row, columns->metric[i]);
}

/* ---- The page -------------------------------------------------------------------------------- */

static void set_top(struct model page, const struct index *index)
{
    size_t bad = 0;
    for (size_t i = 0; i < index->count; i++) {
        const struct index_row *row = &index->row[i];
        bad += row->why || !(index->share || row->verdict->passed);
    }
    model_text(page, "title", "%zu OUTs against %s", index->count, page_base(index->ref));
    model_number(page, "count", index->count);
    model_texts(page, "outcome ref words sides", bad > 0 ? "failed" : "open", page_base(index->ref),
                bad > 0        ? ""
                : index->share ? "Not judged"
                               : "None failed",
                index->sides ? SIDES_FOLDER "/" CONTENTS_PAGE : "");
    if (bad > 0) model_number(page, "bad", bad);
}

static void fill(struct model page, const void *user)
{
    const struct index *const index = user;
    const struct columns columns = columns_of(index);
    set_top(page, index);
    for (size_t i = 0; i < columns.count; i++) {
        add_heads(page, metrics_title(columns.metric[i]), false);
        if (columns.metric[i] == SSIMCU_METRIC_SSIM) add_heads(page, "Worst tiles", true);
    }
    for (size_t i = 0; i < index->count; i++) add_row(page, index, i, &columns);
    page_rates(page, index);
    page_overlay(page, index);
}

bool page_index(FILE *to, const void *index)
{
    const struct html_page page = {
        .mark = CONTENTS_INDEX_MARK, .kind = "ssimcu reports", .template = &outs_html};
    return html_page_write(to, &page, fill, index);
}
