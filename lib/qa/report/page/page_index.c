#include "report/page/page_index.h"
#include "report/folder/contents.h"
#include "report/html/head.h"
#include "report/html/html.h"
#include "report/page/page.h"
#include "report/page/rates.h"

#include <inttypes.h>
#include <math.h>

void page_index_withdrawn(FILE *to, const char *why)
{
    head_start(to, CONTENTS_INDEX_MARK);
    fputs("<title>No result - ssimcu reports</title>\n</head>\n<body>\n<h1>No result</h1>\n<p>The "
          "last run ended before it came to a verdict: ",
          to);
    html_text(to, why);
    fputs("</p>\n</body>\n</html>\n", to);
}

/* ---- The top --------------------------------------------------------------------------------- */

static void put_head(FILE *to, const struct index *index)
{
    head_plain(to, CONTENTS_INDEX_MARK);
    fprintf(to, "%zu OUTs against ", index->count);
    html_text(to, page_base(index->ref));
    head_end(to, "ssimcu reports");
}

/* Returns whether an OUT has passed, or has nothing to pass. */
static bool is_good(const struct index *index, const struct index_row *row)
{
    return !row->why && (index->share || row->verdict->passed);
}

static void put_top(FILE *to, const struct index *index)
{
    size_t bad = 0;
    for (size_t i = 0; i < index->count; i++) bad += !is_good(index, &index->row[i]);
    fprintf(to, "<header class=\"top %s\">\n<h1>%zu OUTs <span class=\"against\">against</span> ",
            bad > 0 ? "failed" : "open", index->count);
    html_name(to, page_base(index->ref));
    fputs("</h1>\n<p class=\"verdict\">", to);
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
    const struct page page = {.to = to, .report = row->report};
    html_cell(to, metric, any ? lowest : NAN);
    fputs("<td class=\"n\">", to);
    if (any && row->report->count > 0)
        page_name(&page, place_of(row->report, tile, metric, lowest));
    fputs("</td>", to);
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

static void put_result(FILE *to, const struct index *index, const struct index_row *row,
                       uint32_t metrics)
{
    const struct summary *summary = row->summary;
    const struct page_outcome outcome = page_outcome(row->verdict, index->share);
    const ssimcu_statistics *tiles = &summary->numbers.tiles;
    const bool any = summary->numbers.tiled > 0;
    fprintf(to,
            "<td><span class=\"outcome %s\">%s %s</span></td><td class=\"n\">%" PRIu64
            "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">",
            outcome.name, outcome.sign, outcome.text, summary->scored, row->verdict->bad);
    if (!isnan(summary->coded.rate)) fprintf(to, "%.1f", summary->coded.rate / 1000);
    fputs("</td>", to);
    put_metric(to, row, SSIMCU_METRIC_SSIM);
    html_number(to, any, tiles->p5);
    html_number(to, any, tiles->p1);
    put_lowest(to, row, true, SSIMCU_METRIC_SSIM, any, tiles->min);
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        if (metrics >> m & 1) put_metric(to, row, m);
}

/* Writes the heads: what a column is of, and below it what it is. */
static void put_heads(FILE *to, uint32_t metrics)
{
    static const char *const facts[] = {"Verdict", "Frames scored", "Beyond a limit", "kbit/s"};
    static const char *const of_metric = "<th scope=\"col\" class=\"n\">Mean</th>";
    static const char *const low = "<th scope=\"col\" class=\"n\">5 %</th>"
                                   "<th scope=\"col\" class=\"n\">1 %</th>"
                                   "<th scope=\"col\" class=\"n\">Lowest</th>"
                                   "<th scope=\"col\" class=\"n\">At frame</th>";
    fputs("<tr><th scope=\"col\" rowspan=\"2\">OUT</th>", to);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        fprintf(to, "<th scope=\"col\" rowspan=\"2\"%s>%s</th>", i > 0 ? " class=\"n\"" : "",
                facts[i]);
    fputs("<th scope=\"colgroup\" colspan=\"5\">SSIM</th>"
          "<th scope=\"colgroup\" colspan=\"4\">Worst tiles</th>",
          to);
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        if (metrics >> m & 1)
            fprintf(to, "<th scope=\"colgroup\" colspan=\"5\">%s</th>", metrics_title(m));
    fprintf(to, "</tr><tr>%s%s%s", of_metric, low, low);
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        if (metrics >> m & 1) fprintf(to, "%s%s", of_metric, low);
    fputs("</tr>", to);
}

static void put_row(FILE *to, const struct index *index, size_t at, uint32_t metrics)
{
    const struct index_row *row = &index->row[at];
    int columns = 13;
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++) columns += metrics >> m & 1 ? 5 : 0;
    fputs("<tr><th scope=\"row\">", to);
    if (!row->why) page_overlay_key(to, at);
    put_name(to, row);
    fputs("</th>", to);
    if (row->why) {
        fprintf(to, "<td colspan=\"%d\">No result: ", columns);
        html_name(to, row->why);
        fputs("</td>", to);
    } else
        put_result(to, index, row, metrics);
    fputs("</tr>\n", to);
}

static void put_table(FILE *to, const struct index *index)
{
    const uint32_t metrics = rates_metrics(index);
    fputs("<section id=\"outs\">\n<h2>OUTs</h2>\n<p>5 %: one frame of twenty is below, or has a "
          "worst tile below.</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
          "aria-label=\"OUTs\"><table>\n<thead>",
          to);
    put_heads(to, metrics);
    fputs("</thead>\n<tbody>\n", to);
    for (size_t i = 0; i < index->count; i++) put_row(to, index, i, metrics);
    fputs("</tbody></table></div>\n</section>\n", to);
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
