/* The page's lists: shots, and the table. The numbers of all frames follow for the script. */
#include "record/record.h"
#include "report/frames/report_frame.h"
#include "report/page/page.h"
#include "report/page/plot.h"

#include <inttypes.h>
#include <string.h>

enum { PARTS_LISTED = 500 };

/* ---- Shots ----------------------------------------------------------------------------------- */

static void add_part_heads(struct model to, const struct page *page)
{
    static const char *const heads[] = {"Frames",    "Mean",        "Lowest",
                                        "At frame",  "Lowest tile", "At frame",
                                        "Tiles 1 %", "5 %",         "50 %"};
    const size_t count = page->report->tiles.count > 0 ? sizeof heads / sizeof heads[0] : 4;
    for (size_t i = 0; i < count; i++) model_list(to, "shot_heads", "%s", heads[i]);
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        if (page->report->metrics >> m & 1) {
            model_list(to, "shot_heads", "%s", metrics_title(m));
            model_list(to, "shot_heads", "Lowest");
        }
}

/* Adds a cell with a value of a metric, or an empty one. */
static void add_value(struct model row, ssimcu_metric metric, bool there, double value)
{
    const struct model cell = model_item(row, "cells");
    model_value(cell, "name", metric, there ? value : NAN);
}

/* Adds a cell with a link to a frame, or an empty one. */
static void add_frame(struct model row, const struct page *page, bool there, const char *shot,
                      int64_t frame)
{
    const struct model cell = model_item(row, "cells");
    if (there) page_frame(cell, page, shot, frame);
}

static void add_shot(struct model to, const struct page *page, const struct summary_shot *shot)
{
    const struct summary_metric *ssim = &shot->numbers.metrics[SSIMCU_METRIC_SSIM];
    const ssimcu_statistics *tiles = &shot->numbers.tiles;
    const bool scored = ssim->scored > 0, any = shot->numbers.tiled > 0;
    const struct model row = model_item(to, "shots");
    model_text(row, "shot", "%s", shot->name);
    model_number(model_item(row, "cells"), "name", shot->pairs);
    add_value(row, SSIMCU_METRIC_SSIM, scored, ssim->score);
    add_value(row, SSIMCU_METRIC_SSIM, scored, ssim->all.min);
    add_frame(row, page, scored, shot->name, shot->worst);
    if (page->report->tiles.count > 0) {
        add_value(row, SSIMCU_METRIC_SSIM, any, tiles->min);
        add_frame(row, page, any, shot->name, shot->worst_tile);
        add_value(row, SSIMCU_METRIC_SSIM, any, tiles->p1);
        add_value(row, SSIMCU_METRIC_SSIM, any, tiles->p5);
        add_value(row, SSIMCU_METRIC_SSIM, any, tiles->p50);
    }
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++) {
        const struct summary_metric *result = &shot->numbers.metrics[m];
        if (!(page->report->metrics >> m & 1)) continue;
        add_value(row, m, result->scored > 0, result->score);
        add_value(row, m, result->scored > 0, result->all.min);
    }
}

void page_parts(struct model to, const struct page *page)
{
    const struct summary *summary = page->facts->summary;
    model_flag(to, "any_shots", summary->shots > 1);
    if (summary->shots < 2) return;
    model_flag(to, "tiled", page->report->tiles.count > 0);
    add_part_heads(to, page);
    for (uint32_t i = 0; i < summary->shots && i < PARTS_LISTED; i++)
        add_shot(to, page, &summary->shot[i]);
    if (summary->shots > PARTS_LISTED)
        model_number(to, "shots_more", summary->shots - PARTS_LISTED);
}

/* ---- Table ----------------------------------------------------------------------------------- */

static void add_heads(struct model to, const struct page *page)
{
    ssimcu_metric metric[SSIMCU_METRICS];
    const size_t count = page_metrics(page->report, metric);
    for (size_t i = 0; i < count; i++)
        model_list(to, "value_heads", "%s", count > 1 ? metrics_title(metric[i]) : "Score");
    if (page->report->tiles.count > 0) model_list(to, "value_heads", "Worst tile");
}

static void add_values(struct model row, const struct page *page, const struct record *record)
{
    ssimcu_metric metric[SSIMCU_METRICS];
    const size_t count = page_metrics(page->report, metric);
    const bool tiled = record->kind == RECORD_SCORED && record->scored.tile.width > 0;
    for (size_t i = 0; i < count; i++)
        model_list_value(row, "values", metric[i], record_value(record, metric[i]));
    if (page->report->tiles.count > 0)
        model_list_value(row, "values", SSIMCU_METRIC_SSIM,
                         tiled ? record->scored.tile.score : NAN);
}

static void add_row(struct model to, const struct page *page, const struct report_frame *frame)
{
    const struct record *record = &frame->record;
    const struct judged *judged = &frame->judged;
    const char *out = record->side[1].path;
    const bool limited = verdict_is_limited(judged);
    const struct model row = model_item(to, "frames");
    char id[PAGE_ID], name[TEXT_FRAME], anchor[PAGE_ANCHOR] = "", excess[PAGE_EXCESS],
                                        text[VERDICT_FURTHEST];
    if (page_has_card(page, frame)) (void)page_anchor(page, frame->at, anchor);
    model_texts(row, "id state href name part", page_id(page, frame->at, id),
                page_state(&page->report->point[frame->at]), anchor,
                page_name(page->report, frame->at, name), record->shot);
    add_values(row, page, record);
    model_texts(row, "excess furthest", limited ? page_excess(excess, judged->excess) : "",
                limited ? verdict_furthest(text, judged, record) : "");
    page_findings(row, "hints", frame);
    model_text(row, "out", "%s", out ? page_base(out) : "");
}

void page_table(struct model to, const struct page *page)
{
    const struct report *report = page->report;
    if (report->count < 2) return;
    model_flag(to, "some_rows", report->rows.count < report->count);
    model_number(to, "rows", report->rows.count);
    model_number(to, "frames_all", report->count);
    model_flag(to, "parted", report->bands > 0);
    add_heads(to, page);
    for (size_t i = 0; i < report->rows.count; i++) add_row(to, page, report->rows.frame[i]);
}

/* ---- Numbers for the script ------------------------------------------------------------------ */

/* Writes the values of all frames. Infinity is written as a number beyond the range of a script,
 * which reads it as infinite. */
static void put_list(FILE *to, const char *before, const char *name, const struct plot_values *of)
{
    char text[HTML_VALUE];
    fprintf(to, "%s\"%s\":[", before, name);
    for (size_t i = 0; i < of->report->count; i++) {
        const double value = plot_value(of, i);
        const char *number = isnan(value)   ? "null"
                             : isinf(value) ? "1e999"
                             : of->excess   ? page_excess(text, value)
                                            : html_value(text, of->metric, value);
        fprintf(to, "%s%s", i > 0 ? "," : "", number);
    }
    fputc(']', to);
}

/* Writes the values of metrics other than SSIM. */
static void put_metrics(FILE *to, const struct page *page)
{
    ssimcu_metric metric[SSIMCU_METRICS];
    const size_t count = page_metrics(page->report, metric);
    const char *before = ",\"metrics\":{";
    for (size_t i = 0; i < count; i++) {
        if (metric[i] == SSIMCU_METRIC_SSIM) continue;
        put_list(to, before, metrics_title(metric[i]),
                 &(struct plot_values){page->report, metric[i], false, false});
        before = ",";
    }
    if (count > 1) fputc('}', to);
}

/* Writes the frames: numbers, or names as JSON texts. Bytes with a meaning in HTML or JSON are
 * written as numbers. Characters that xml_text would escape are escaped first. */
static void put_names(FILE *to, const struct page *page)
{
    char name[TEXT_FRAME], shown[4 * TEXT_FRAME];
    for (size_t i = 0; i < page->report->count; i++) {
        const int64_t frame = page->report->point[i].frame;
        if (i > 0) fputc(',', to);
        if (page->report->bands == 0) {
            fprintf(to, "%" PRId64, frame);
            continue;
        }
        text_escape(shown, text_frame(name, page_part(page, i), frame));
        fputc('"', to);
        for (const char *at = shown; *at; at++)
            if (strchr("\"\\<>&", *at))
                fprintf(to, "\\u%04x", (unsigned char)*at);
            else
                fputc(*at, to);
        fputc('"', to);
    }
}

/* Sets "data" to numbers, single letters and names of frames, as JSON. */
void page_data(struct model model, const struct page *page)
{
    const struct report *report = page->report;
    const struct plot_values scores = {report, SSIMCU_METRIC_SSIM, false, false},
                             tiles = {report, SSIMCU_METRIC_SSIM, true, false},
                             excesses = {report, SSIMCU_METRIC_SSIM, false, true};
    struct markup data;
    FILE *to = model_open(model, &data);
    if (!to) return;
    fputs("{\"frames\":[", to);
    put_names(to, page);
    fprintf(to, "],\"named\":%s", report->bands > 0 ? "true" : "false");
    put_list(to, ",", "scores", &scores);
    if (report->tiles.count > 0) put_list(to, ",", "tiles", &tiles);
    put_metrics(to, page);
    if (report->limited) put_list(to, ",", "excess", &excesses);
    fputs(",\"states\":\"", to);
    for (size_t i = 0; i < report->count; i++) fputc(page_state(&report->point[i])[0], to);
    fputs("\"}", to);
    model_close(model, "data", &data);
}
