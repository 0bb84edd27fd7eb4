#include "report/page/page_index.h"
#include "report/contents.h"
#include "report/page/head.h"
#include "report/page/html.h"
#include "report/page/page.h"

#include <inttypes.h>

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

/* Returns the place of the first frame whose worst tile has this score. */
static size_t place_of(const struct report *report, double tile)
{
    size_t at = 0;
    while (at + 1 < report->count && report->point[at].tile != tile) at++;
    return at;
}

static void put_result(FILE *to, const struct index *index, const struct index_row *row,
                       uint32_t metrics)
{
    const struct page page = {.to = to, .report = row->report};
    const struct summary *summary = row->summary;
    const struct page_outcome outcome = page_outcome(row->verdict, index->share);
    const bool scored = summary->scored > 0;
    const struct statistics *tiles = &summary->tiles;
    const bool any = summary->tiled > 0;
    fprintf(to,
            "<td><span class=\"outcome %s\">%s %s</span></td><td class=\"n\">%" PRIu64
            "</td><td class=\"n\">%" PRIu64 "</td>",
            outcome.name, outcome.sign, outcome.text, summary->scored, row->verdict->bad);
    html_number(to, scored, summary->all.mean);
    html_number(to, scored, summary->all.min);
    html_number(to, any, tiles->min);
    fputs("<td class=\"n\">", to);
    if (any) page_name(&page, place_of(row->report, tiles->min));
    fputs("</td>", to);
    html_number(to, any, tiles->p1);
    html_number(to, any, tiles->p5);
    html_number(to, any, tiles->p50);
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++) {
        const struct summary_metric *own = &summary->metrics[m];
        if (!(metrics >> m & 1)) continue;
        html_cell(to, m, own->scored > 0 ? own->score : NAN);
        html_cell(to, m, own->scored > 0 ? own->all.min : NAN);
    }
}

/* Returns the metrics beside SSIM of which any OUT has a value. */
static uint32_t metrics_of(const struct index *index)
{
    uint32_t metrics = 0;
    for (size_t i = 0; i < index->count; i++)
        if (index->row[i].report) metrics |= index->row[i].report->metrics;
    return metrics & ~(1u << SSIMCU_METRIC_SSIM);
}

static void put_metric_heads(FILE *to, uint32_t metrics)
{
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        if (metrics >> m & 1)
            fprintf(to,
                    "<th scope=\"col\" class=\"n\">%s</th><th scope=\"col\" "
                    "class=\"n\">Lowest</th>",
                    metrics_titles[m]);
}

static void put_table(FILE *to, const struct index *index)
{
    static const char *const heads[] = {"Verdict", "Frames scored", "Beyond a limit", "Mean",
                                        "Lowest",  "Lowest tile",   "At frame",       "Tiles 1 %",
                                        "5 %",     "50 %"};
    enum { HEADS = sizeof heads / sizeof heads[0] };
    const uint32_t metrics = metrics_of(index);
    int columns = HEADS;
    for (int m = 0; m < SSIMCU_METRICS; m++) columns += metrics >> m & 1 ? 2 : 0;
    fputs("<section id=\"outs\">\n<h2>OUTs</h2>\n<p>Tiles 5 %: one frame of twenty has a lower "
          "worst tile.</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
          "aria-label=\"OUTs\"><table>\n<thead><tr><th scope=\"col\">OUT</th>",
          to);
    for (size_t i = 0; i < HEADS; i++)
        fprintf(to, "<th scope=\"col\"%s>%s</th>", i > 0 ? " class=\"n\"" : "", heads[i]);
    put_metric_heads(to, metrics);
    fputs("</tr></thead>\n<tbody>\n", to);
    for (size_t i = 0; i < index->count; i++) {
        const struct index_row *row = &index->row[i];
        fputs("<tr><th scope=\"row\">", to);
        if (!row->why) page_overlay_key(to, i);
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
    fputs("</tbody></table></div>\n</section>\n", to);
}

void page_index(FILE *to, const struct index *index)
{
    put_head(to, index);
    fputs("<body>\n", to);
    put_top(to, index);
    fputs("<main>\n", to);
    put_table(to, index);
    page_overlay(to, index);
    fputs("</main>\n</body>\n</html>\n", to);
}
