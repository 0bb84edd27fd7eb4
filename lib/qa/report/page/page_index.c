#include "report/page/page_index.h"
#include "report/folder/contents.h"
#include "report/html/head.h"
#include "report/html/html.h"
#include "report/page/page.h"
#include "report/page/rates.h"

#include <inttypes.h>
#include <math.h>

bool page_index_withdrawn(FILE *to, const char *why)
{
    return html_no_result(to, CONTENTS_INDEX_MARK, "ssimcu reports", why, NULL, NULL);
}

/* ---- The top --------------------------------------------------------------------------------- */

static void put_head(FILE *to, const struct index *index)
{
    head_plain(to, CONTENTS_INDEX_MARK);
    html_print(to, "%zu OUTs against %s", index->count, page_base(index->ref));
    head_end(to, "ssimcu reports");
}

static void put_top(FILE *to, const struct index *index)
{
    size_t bad = 0;
    for (size_t i = 0; i < index->count; i++) {
        const struct index_row *row = &index->row[i];
        bad += row->why || !(index->share || row->verdict->passed);
    }
    html_print(to,
               "<header class=\"top %s\">\n<h1>%zu OUTs <span class=\"against\">against</span> "
               "<bdi>%s</bdi></h1>\n<p class=\"verdict\">",
               bad > 0 ? "failed" : "open", index->count, page_base(index->ref));
    if (bad > 0)
        fprintf(to,
                "<span class=\"sign\" aria-hidden=\"true\">\xE2\x9C\x95</span> %zu of %zu not "
                "passed",
                bad, index->count);
    else
        fputs(index->share ? "Not judged" : "None failed", to);
    fputs("</p>\n</header>\n", to);
}

/* ---- The table ------------------------------------------------------------------------------- */

static void put_name(FILE *to, const struct index_row *row)
{
    if (row->folder) {
        fputs("<a href=\"", to);
        html_link(to, row->folder);
        fputs("/" CONTENTS_PAGE "\">", to);
    }
    html_name(to, page_base(row->name));
    if (row->folder) fputs("</a>", to);
}

/* Returns the place of the first frame whose value is the lowest: that of its worst tile, or of a
 * metric. */
static size_t place_of(const struct report *report, bool tile, ssimcu_metric metric, double lowest)
{
    size_t at = 0;
    for (; at + 1 < report->count; at++) {
        const struct point *const point = &report->point[at];
        if ((tile ? point->tile : point->value[metric]) == lowest) break;
    }
    return at;
}

/* Writes the lowest value and its frame. */
static void put_lowest(FILE *to, const struct index_row *row, bool tile, ssimcu_metric metric,
                       bool any, double lowest)
{
    char name[TEXT_FRAME] = "";
    html_cell(to, metric, any ? lowest : NAN);
    if (any && row->report->count > 0)
        page_name(row->report, place_of(row->report, tile, metric, lowest), name);
    html_print(to, "<td class=\"n\">%s</td>", name);
}

static void put_metric(FILE *to, const struct index_row *row, ssimcu_metric metric)
{
    const struct summary_metric *own = &row->summary->numbers.metrics[metric];
    const bool any = own->scored > 0;
    html_cell(to, metric, any ? own->score : NAN);
    html_cell(to, metric, any ? own->all.p5 : NAN);
    html_cell(to, metric, any ? own->all.p1 : NAN);
    put_lowest(to, row, false, metric, any, own->all.min);
}

/* Writes the worst tiles, which SSIM alone has. */
static void put_tiles(FILE *to, const struct index_row *row)
{
    const ssimcu_statistics *tiles = &row->summary->numbers.tiles;
    const bool any = row->summary->numbers.tiled > 0;
    html_cell(to, SSIMCU_METRIC_SSIM, any ? tiles->p5 : NAN);
    html_cell(to, SSIMCU_METRIC_SSIM, any ? tiles->p1 : NAN);
    put_lowest(to, row, true, SSIMCU_METRIC_SSIM, any, tiles->min);
}

/* The metrics of the table, in the order in which they are shown. SSIM is always there. */
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

static void put_result(FILE *to, const struct index *index, const struct index_row *row,
                       const struct columns *columns)
{
    const struct summary *summary = row->summary;
    const struct page_outcome outcome = page_outcome(row->verdict, index->share);
    fprintf(to,
            "<td><span class=\"outcome %s\">%s %s</span></td><td class=\"n\">%" PRIu64
            "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">",
            outcome.name, outcome.sign, outcome.text, summary->scored, row->verdict->bad);
    if (!isnan(summary->coded.rate)) fprintf(to, "%.1f", summary->coded.rate / 1000);
    fputs("</td>", to);
    for (size_t i = 0; i < columns->count; i++) {
        put_metric(to, row, columns->metric[i]);
        if (columns->metric[i] == SSIMCU_METRIC_SSIM) put_tiles(to, row);
    }
}

/* Writes the heads: what a column is of, and below it what it is. */
static void put_heads(FILE *to, const struct columns *columns)
{
    static const char *const facts[] = {"Verdict", "Frames", "Beyond", "kbit/s"};
    static const char *const values[] = {"Mean", "5 %", "1 %", "Lowest", "At frame"};
    fputs("<th scope=\"col\" rowspan=\"2\">OUT</th>", to);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        fprintf(to, "<th scope=\"col\" rowspan=\"2\"%s>%s</th>", i > 0 ? " class=\"n\"" : "",
                facts[i]);
    for (size_t i = 0; i < columns->count; i++) {
        fprintf(to, "<th scope=\"colgroup\" colspan=\"5\">%s</th>",
                metrics_title(columns->metric[i]));
        if (columns->metric[i] == SSIMCU_METRIC_SSIM)
            fputs("<th scope=\"colgroup\" colspan=\"4\">Worst tiles</th>", to);
    }
    fputs("</tr><tr>", to);
    for (size_t i = 0; i < columns->count; i++) {
        html_heads(to, true, values, 5);
        if (columns->metric[i] == SSIMCU_METRIC_SSIM)
            html_heads(to, true, values + 1, 4); /* tiles have no mean */
    }
}

static void put_row(FILE *to, const struct index *index, size_t at, const struct columns *columns)
{
    const struct index_row *row = &index->row[at];
    fputs("<tr><th scope=\"row\">", to);
    if (!row->why) page_overlay_key(to, at);
    put_name(to, row);
    fputs("</th>", to);
    if (row->why)
        html_print(to, "<td colspan=\"%zu\">No result: <bdi>%s</bdi></td>", 8 + 5 * columns->count,
                   row->why);
    else
        put_result(to, index, row, columns);
    fputs("</tr>\n", to);
}

static void put_table(FILE *to, const struct index *index)
{
    const struct columns columns = columns_of(index);
    fputs("<section id=\"outs\">\n<h2>OUTs</h2>\n<p>Beyond: so many frames are beyond a limit. "
          "5 %: one frame of twenty is below, or has a worst tile below.</p>\n",
          to);
    html_table(to, "OUTs", NULL);
    put_heads(to, &columns);
    html_table_body(to);
    for (size_t i = 0; i < index->count; i++) put_row(to, index, i, &columns);
    html_table_end(to);
    fputs("</section>\n", to);
}

void page_index(FILE *to, const struct index *index)
{
    put_head(to, index);
    fputs("<body>\n", to);
    put_top(to, index);
    fputs("<main>\n", to);
    put_table(to, index);
    if (index->sides)
        fputs("<p><a href=\"" SIDES_FOLDER "/" CONTENTS_PAGE
              "\">The same frames of two OUTs, one over the other</a></p>\n",
              to);
    page_rates(to, index);
    page_overlay(to, index);
    fputs("</main>\n</body>\n</html>\n", to);
}
