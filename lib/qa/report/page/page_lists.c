/* The page's lists: shots, frames without score, and the table. The numbers of all frames follow
 * for the script. */
#include "base/text.h"
#include "facts/record.h"
#include "report/frames/report_frame.h"
#include "report/html/html.h"
#include "report/page/page.h"

#include <inttypes.h>
#include <string.h>

enum { PARTS_LISTED = 500, BROKEN_LISTED = 200 };

static void put_part_heads(const struct page *page)
{
    static const char *const heads[] = {"Frames",    "Mean",        "Lowest",
                                        "At frame",  "Lowest tile", "At frame",
                                        "Tiles 1 %", "5 %",         "50 %"};
    const size_t count = page->report->tiles.count > 0 ? sizeof heads / sizeof heads[0] : 4;
    html_head(page->to, false, "Shot");
    html_heads(page->to, true, heads, count);
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        if (page->report->metrics >> m & 1) {
            html_head(page->to, true, metrics_title(m));
            html_head(page->to, true, "Lowest");
        }
}

/* Writes a cell with a link to a frame, or an empty one. */
static void put_frame(const struct page *page, bool there, const char *part, int64_t frame)
{
    fputs("<td class=\"n\">", page->to);
    if (there) page_frame(page, part, frame);
    fputs("</td>", page->to);
}

static void put_part(const struct page *page, const struct summary_part *part)
{
    FILE *to = page->to;
    const struct summary_metric *ssim = &part->numbers.metrics[SSIMCU_METRIC_SSIM];
    const bool scored = ssim->scored > 0, any = part->numbers.tiled > 0;
    html_print(to, "<tr><th scope=\"row\"><bdi>%s</bdi></th><td class=\"n\">%" PRIu64 "</td>",
               part->name, part->pairs);
    html_cell(to, SSIMCU_METRIC_SSIM, scored ? ssim->score : NAN);
    html_cell(to, SSIMCU_METRIC_SSIM, scored ? ssim->all.min : NAN);
    put_frame(page, scored, part->name, part->worst);
    if (page->report->tiles.count > 0) {
        html_cell(to, SSIMCU_METRIC_SSIM, any ? part->numbers.tiles.min : NAN);
        put_frame(page, any, part->name, part->worst_tile);
        html_cell(to, SSIMCU_METRIC_SSIM, any ? part->numbers.tiles.p1 : NAN);
        html_cell(to, SSIMCU_METRIC_SSIM, any ? part->numbers.tiles.p5 : NAN);
        html_cell(to, SSIMCU_METRIC_SSIM, any ? part->numbers.tiles.p50 : NAN);
    }
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++) {
        const struct summary_metric *own = &part->numbers.metrics[m];
        if (!(page->report->metrics >> m & 1)) continue;
        html_cell(to, m, own->scored > 0 ? own->score : NAN);
        html_cell(to, m, own->scored > 0 ? own->all.min : NAN);
    }
    fputs("</tr>\n", to);
}

void page_parts(const struct page *page)
{
    const struct summary *summary = page->facts->summary;
    if (summary->parts < 2) return;
    fputs("<section id=\"shots\">\n<h2>Shots</h2>\n", page->to);
    if (page->report->tiles.count > 0)
        fputs("<p>Tiles 5 %: one frame of twenty has a lower worst tile.</p>\n", page->to);
    html_table(page->to, "Shots", NULL);
    put_part_heads(page);
    html_table_body(page->to);
    for (uint32_t i = 0; i < summary->parts && i < PARTS_LISTED; i++)
        put_part(page, &summary->part[i]);
    html_table_end(page->to);
    if (summary->parts > PARTS_LISTED)
        fprintf(page->to, "<p>And %u more.</p>\n", summary->parts - PARTS_LISTED);
    fputs("</section>\n", page->to);
}

void page_broken(const struct page *page)
{
    const struct frame_list *rows = &page->report->rows;
    const uint64_t all = page->facts->summary->missing + page->facts->summary->failed;
    uint64_t listed = 0;
    char name[TEXT_FRAME];
    if (all == 0) return;
    fputs("<section id=\"broken\">\n<h2>Without score</h2>\n", page->to);
    html_table(page->to, "Frames without score", NULL);
    html_head(page->to, true, "Frame");
    html_heads(page->to, false, (const char *const[]){"State", "Why", "Files"}, 3);
    html_table_body(page->to);
    for (size_t i = 0; i < rows->count && listed < BROKEN_LISTED; i++) {
        const struct report_frame *frame = rows->frame[i];
        if (frame->record.kind == RECORD_SCORED) continue;
        const char *state = page_state(&page->report->point[frame->at]);
        const char *ref = frame->record.side[0].path, *out = frame->record.side[1].path;
        page_name(page, frame->at, name);
        html_print(page->to,
                   "<tr data-frame=\"%s\"><th scope=\"row\" class=\"n\">%s</th><td><span "
                   "class=\"state %s\">%s</span></td><td>",
                   name, name, state, state);
        page_reasons(page, frame);
        fputs("</td><td class=\"path\">", page->to);
        if (ref) html_print(page->to, "REF <bdi>%s</bdi><br>", ref);
        if (out) html_print(page->to, "OUT <bdi>%s</bdi>", out);
        fputs("</td></tr>\n", page->to);
        listed++;
    }
    html_table_end(page->to);
    if (listed < all)
        fprintf(page->to, "<p>And %" PRIu64 " more, which the results name.</p>\n", all - listed);
    fputs("</section>\n", page->to);
}

/* ---- Table ----------------------------------------------------------------------------------- */

static void put_filters(const struct page *page)
{
    static const char *const states[] = {"all", "below", "hinted", "missing", "failed"};
    static const char *const names[] = {"All", "Below a limit", "Hinted", "Missing", "Failed"};
    fputs("<div class=\"filters js\" role=\"group\" aria-label=\"Rows to show\">", page->to);
    for (int i = 0; i < 5; i++)
        fprintf(page->to,
                "<button type=\"button\" data-filter=\"%s\" aria-pressed=\"%s\">%s</button>",
                states[i], i == 0 ? "true" : "false", names[i]);
    fputs("<input type=\"search\" id=\"search\" placeholder=\"Frame, file, hint\" "
          "aria-label=\"Search the rows\"><output id=\"rows-shown\"></output></div>\n",
          page->to);
}

static void put_heads(const struct page *page, bool parts)
{
    ssimcu_metric metric[SSIMCU_METRICS];
    const size_t count = page_metrics(page->report, metric);
    html_head(page->to, true, "Frame");
    if (parts) html_head(page->to, false, "Shot");
    for (size_t i = 0; i < count; i++)
        html_head(page->to, true, count > 1 ? metrics_title(metric[i]) : "Score");
    if (page->report->tiles.count > 0) html_head(page->to, true, "Worst tile");
    if (page->report->limited) {
        html_head(page->to, true, "Of its limit");
        html_head(page->to, false, "Nearest or beyond");
    }
    html_heads(page->to, false, (const char *const[]){"State", "Hints", "OUT"}, 3);
}

/* Writes how much of its limit a frame is, and what. */
static void put_excess(FILE *to, const struct report_frame *frame)
{
    char excess[PAGE_EXCESS], text[VERDICT_FURTHEST];
    const bool limited = verdict_is_limited(&frame->judged);
    html_print(to, "<td class=\"n\">%s</td><td>%s</td>",
               limited ? page_excess(excess, frame->judged.excess) : "",
               limited ? verdict_furthest(text, &frame->judged, &frame->record) : "");
}

static void put_row(const struct page *page, const struct report_frame *frame, bool parts)
{
    FILE *to = page->to;
    const struct record *record = &frame->record;
    const bool scored = record->kind == RECORD_SCORED;
    const char *state = page_state(&page->report->point[frame->at]);
    char id[PAGE_ID], name[TEXT_FRAME];
    ssimcu_metric metric[SSIMCU_METRICS];
    const size_t count = page_metrics(page->report, metric);
    fprintf(to, "<tr id=\"row-%s\" data-state=\"%s\"><th scope=\"row\" class=\"n\">",
            page_id(page, frame->at, id), state);
    if (page_has_card(page, frame))
        page_frame(page, record->part, record->frame);
    else
        html_text(to, page_name(page, frame->at, name));
    fputs("</th>", to);
    if (parts) {
        fputs("<td class=\"shot\">", to);
        if (record->part) html_name(to, record->part);
        fputs("</td>", to);
    }
    for (size_t i = 0; i < count; i++) html_cell(to, metric[i], record_value(record, metric[i]));
    if (page->report->tiles.count > 0)
        html_cell(to, SSIMCU_METRIC_SSIM,
                  scored && record->scored.tile.width > 0 ? record->scored.tile.score : NAN);
    if (page->report->limited) put_excess(to, frame);
    fprintf(to, "<td><span class=\"state %s\">%s</span></td><td>", state, state);
    page_hints(page, record->scored.hints);
    fputs("</td><td class=\"path\">", to);
    if (record->side[1].path) html_name(to, page_base(record->side[1].path));
    fputs("</td></tr>\n", to);
}

void page_table(const struct page *page)
{
    const struct report *report = page->report;
    if (report->count < 2) return;
    fputs("<section id=\"table\">\n<h2>Table</h2>\n", page->to);
    if (report->rows.count < report->count)
        fprintf(page->to,
                "<p>%zu of %zu frames: what is wrong with any, then hints, then the lowest scores. "
                "The results have them all.</p>\n",
                report->rows.count, report->count);
    put_filters(page);
    html_table(page->to, "Table of frames", "rows");
    put_heads(page, report->bands > 0);
    html_table_body(page->to);
    for (size_t i = 0; i < report->rows.count; i++)
        put_row(page, report->rows.frame[i], report->bands > 0);
    html_table_end(page->to);
    fputs("</section>\n", page->to);
}

/* ---- Numbers for the script ------------------------------------------------------------------ */

/* Writes the values of a metric, or of the worst tiles. The number that stands for an infinite one
 * is beyond what a script can hold, which makes it infinite. */
static void put_list(const struct page *page, const char *name, bool tile, ssimcu_metric metric)
{
    char text[HTML_VALUE];
    fprintf(page->to, "\"%s\":[", name);
    for (size_t i = 0; i < page->report->count; i++) {
        const struct point *point = &page->report->point[i];
        const double value = tile ? point->tile : point->value[metric];
        if (i > 0) fputc(',', page->to);
        if (isnan(value))
            fputs("null", page->to);
        else if (isinf(value))
            fputs("1e999", page->to);
        else
            fputs(html_value(text, metric, value), page->to);
    }
    fputc(']', page->to);
}

/* Writes how much of their limits frames are. */
static void put_excesses(const struct page *page)
{
    char text[PAGE_EXCESS];
    fputs(",\"excess\":[", page->to);
    for (size_t i = 0; i < page->report->count; i++) {
        const double excess = page->report->point[i].excess;
        fprintf(page->to, "%s%s", i > 0 ? "," : "",
                isnan(excess)   ? "null"
                : isinf(excess) ? "1e999"
                                : page_excess(text, excess));
    }
    fputc(']', page->to);
}

/* Writes the values of metrics beside SSIM, if there are any. */
static void put_metrics(const struct page *page)
{
    ssimcu_metric metric[SSIMCU_METRICS];
    const size_t count = page_metrics(page->report, metric);
    const char *before = ",\"metrics\":{";
    for (size_t i = 0; i < count; i++) {
        if (metric[i] == SSIMCU_METRIC_SSIM) continue;
        fputs(before, page->to);
        put_list(page, metrics_title(metric[i]), false, metric[i]);
        before = ",";
    }
    if (count > 1) fputc('}', page->to);
}

/* Writes the frames: numbers, or names as JSON texts. Bytes with a meaning in HTML or JSON are
 * written as numbers; what html_text would escape is escaped before. */
static void put_names(const struct page *page)
{
    char name[TEXT_FRAME], shown[4 * TEXT_FRAME];
    for (size_t i = 0; i < page->report->count; i++) {
        const int64_t frame = page->report->point[i].frame;
        if (i > 0) fputc(',', page->to);
        if (page->report->bands == 0) {
            fprintf(page->to, "%" PRId64, frame);
            continue;
        }
        text_escape(shown, text_frame(name, page_part(page, i), frame));
        fputc('"', page->to);
        for (const char *at = shown; *at; at++)
            if (strchr("\"\\<>&", *at))
                fprintf(page->to, "\\u%04x", (unsigned char)*at);
            else
                fputc(*at, page->to);
        fputc('"', page->to);
    }
}

/* Writes numbers, single letters and names of frames. */
void page_data(const struct page *page)
{
    const struct report *report = page->report;
    fputs("<script type=\"application/json\" id=\"data\">{\"frames\":[", page->to);
    put_names(page);
    fprintf(page->to, "],\"named\":%s,", report->bands > 0 ? "true" : "false");
    put_list(page, "scores", false, SSIMCU_METRIC_SSIM);
    if (report->tiles.count > 0) fputc(',', page->to);
    if (report->tiles.count > 0) put_list(page, "tiles", true, SSIMCU_METRIC_SSIM);
    put_metrics(page);
    if (report->limited) put_excesses(page);
    fputs(",\"states\":\"", page->to);
    for (size_t i = 0; i < report->count; i++) fputc(page_state(&report->point[i])[0], page->to);
    fputs("\"}</script>\n", page->to);
}
