/* The numbers of all frames together: counts, means, the worst frame and the worst tile. */
#include "facts/record.h"
#include "report/frames/report_frame.h"
#include "report/html/html.h"
#include "report/page/page.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

/* Returns whether there is no metric beside SSIM. */
static bool is_alone(const struct page *page)
{
    ssimcu_metric metric[SSIMCU_METRICS];
    return page_metrics(page->report, metric) == 1;
}

static void put_frames(const struct page *page)
{
    const struct summary *s = page->facts->summary;
    fprintf(page->to,
            "<dl><dt>Frames</dt><dd><b data-frames=\"%" PRIu64 "\">%" PRIu64 "</b> %" PRIu64
            " scored<br>%" PRIu64 " missing, %" PRIu64 " failed</dd></dl>\n",
            s->pairs, s->pairs, s->scored, s->missing, s->failed);
}

static void put_mean(const struct page *page)
{
    const ssimcu_statistics *all = &page->facts->summary->numbers.metrics[SSIMCU_METRIC_SSIM].all;
    html_print(
        page->to,
        "<dl><dt>%s</dt><dd><b id=\"mean\">%F</b> median %F<br>lowest hundredth %F</dd></dl>\n",
        is_alone(page) ? "Mean" : "Mean SSIM", all->mean, all->p50, all->p1);
}

static void put_channels(const struct page *page, const struct report_frame *frame,
                         ssimcu_metric metric)
{
    const struct record *record = &frame->record;
    const double *channel = record_metric_channels(record, metric);
    char text[HTML_VALUE];
    for (uint32_t c = 0; channel && c < record->scored.channels; c++)
        fprintf(page->to, "%s%s %s", c > 0 ? "<br>" : "",
                contract_channel(record->scored.layout, c), html_value(text, metric, channel[c]));
}

static void put_worst(const struct page *page)
{
    const struct frame_list *worst = &page->report->worst;
    if (worst->count == 0) return;
    const struct report_frame *frame = worst->frame[0];
    const bool pair = page->facts->pair, alone = is_alone(page);
    char text[HTML_VALUE];
    fprintf(page->to, "<dl><dt>%s%s%s</dt><dd><b id=\"worst\">%s</b> ", pair ? "" : "Worst frame",
            pair || alone ? "" : ", ",
            !alone ? metrics_title(page->report->metric)
            : pair ? "Score"
                   : "",
            html_value(text, page->report->metric, frame->value));
    if (pair) {
        put_channels(page, frame, page->report->metric);
    } else {
        fputs("frame ", page->to);
        page_frame(page, frame->record.part, frame->record.frame);
    }
    fputs("</dd></dl>\n", page->to);
}

/* Writes the frame that is furthest beyond its limits. */
static void put_furthest(const struct page *page)
{
    const struct report_frame *frame = page->report->worst.frame[0];
    const struct judged *judged = &frame->judged;
    char excess[PAGE_EXCESS], text[VERDICT_FURTHEST];
    const char *standing = verdict_standing(judged);
    fprintf(page->to, "<dl><dt>%c%s</dt><dd>", toupper((unsigned char)standing[0]), standing + 1);
    if (isfinite(judged->excess))
        fprintf(page->to, "<b id=\"furthest\">%s</b> of its limit",
                page_excess(excess, judged->excess));
    if (!page->facts->pair) {
        fputs(isfinite(judged->excess) ? ", frame " : "frame ", page->to);
        page_frame(page, frame->record.part, frame->record.frame);
    }
    html_print(page->to, "<br>%s</dd></dl>\n",
               verdict_furthest(text, &frame->judged, &frame->record));
}

static void put_worst_tile(const struct page *page)
{
    const struct frame_list *tiles = &page->report->tiles;
    if (tiles->count == 0) return;
    const struct record *record = &tiles->frame[0]->record;
    const ssimcu_tile *tile = &record->scored.tile;
    const struct summary *summary = page->facts->summary;
    html_print(page->to, "<dl><dt>Worst tile</dt><dd><b id=\"worst-tile\">%F</b> ", tile->score);
    if (!page->facts->pair) {
        fputs("frame ", page->to);
        page_frame(page, record->part, record->frame);
        fputs("<br>", page->to);
    }
    fprintf(page->to, "%u \xC3\x97 %u pixels at %u, %u", tile->width, tile->height, tile->x,
            tile->y);
    if (!page->facts->pair && summary->numbers.tiled > 0)
        html_print(page->to, "<br>median %F, lowest twentieth %F, hundredth %F",
                   summary->numbers.tiles.p50, summary->numbers.tiles.p5,
                   summary->numbers.tiles.p1);
    fputs("</dd></dl>\n", page->to);
}

/* Writes how a metric beside SSIM is spread over the frames. */
static void put_spread(FILE *to, const struct summary_metric *own, ssimcu_metric metric)
{
    char median[HTML_VALUE], lowest[HTML_VALUE];
    if (metrics_of_mean_mse(metric)) fputs("of the mean squared error<br>", to);
    fprintf(to, "median %s<br>lowest %s", html_value(median, metric, own->all.p50),
            html_value(lowest, metric, own->all.min));
    if (own->identical > 0)
        fprintf(to, "<br>%" PRIu64 " identical frame%s", own->identical,
                own->identical == 1 ? "" : "s");
}

/* Writes a metric: of a pair its channels, of a batch how the frames are spread. */
static void put_metric(const struct page *page, ssimcu_metric metric)
{
    const struct summary_metric *own = &page->facts->summary->numbers.metrics[metric];
    const bool pair = page->facts->pair;
    char text[HTML_VALUE];
    if (own->scored == 0) return;
    fprintf(page->to, "<dl><dt>%s%s</dt><dd><b data-metric=\"%s\">%s</b> ", pair ? "" : "Mean ",
            metrics_title(metric), metrics_key(metric), html_value(text, metric, own->score));
    if (!pair)
        put_spread(page->to, own, metric);
    else if (page->report->worst.count > 0)
        put_channels(page, page->report->worst.frame[0], metric);
    fputs("</dd></dl>\n", page->to);
}

/* Writes what OUT takes, if it is compressed. */
static void put_rate(const struct page *page)
{
    const struct summary_coded *coded = &page->facts->summary->coded;
    if (coded->frames == 0 || isnan(coded->rate)) return;
    fprintf(page->to,
            "<dl><dt>Bit rate</dt><dd><b id=\"rate\">%.1f</b> kbit/s<br>%" PRIu64
            " bytes in %.3f s</dd></dl>\n",
            coded->rate / 1000, coded->bytes, coded->seconds);
}

void page_numbers(const struct page *page)
{
    const struct report_facts *facts = page->facts;
    ssimcu_metric metric[SSIMCU_METRICS];
    const size_t count = page_metrics(page->report, metric);
    if (!facts->pair) put_frames(page);
    for (size_t i = 0; i < count && !facts->pair; i++)
        if (metric[i] != SSIMCU_METRIC_SSIM)
            put_metric(page, metric[i]);
        else if (facts->summary->numbers.metrics[SSIMCU_METRIC_SSIM].scored > 0)
            put_mean(page);
    const bool limited = page->report->limited;
    if (limited) put_furthest(page);
    if (!limited || page->facts->pair) put_worst(page);
    for (size_t i = 1; i < count && facts->pair; i++) put_metric(page, metric[i]);
    if (!limited || page->facts->pair) put_worst_tile(page);
    put_rate(page);
}
