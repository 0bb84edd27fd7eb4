/* The numbers of all frames together: counts, means, the worst frame and the worst tile. */
#include "record/record.h"
#include "report/frames/report_frame.h"
#include "report/page/page.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

/* Returns whether SSIM is the only metric. */
static bool is_alone(const struct page *page)
{
    ssimcu_metric metric[SSIMCU_METRICS];
    return page_metrics(page->report, metric) == 1;
}

/* Adds a line below a number. */
static void add_line(struct model number, const char *what, ssimcu_metric metric, double value)
{
    char text[HTML_VALUE];
    model_list(number, "lines", "%s %s", what, html_value(text, metric, value));
}

static void add_frames(struct model to, const struct page *page)
{
    const struct summary *s = page->facts->summary;
    const struct model number = model_item(to, "numbers");
    model_text(number, "title", "Frames");
    model_number(number, "all", s->pairs);
    model_number(number, "value", s->pairs);
    model_text(number, "text", " %" PRIu64 " scored", s->scored);
    model_list(number, "lines", "%" PRIu64 " missing, %" PRIu64 " failed", s->missing, s->failed);
}

static void add_mean(struct model to, const struct page *page)
{
    const ssimcu_statistics *all = &page->facts->summary->numbers.metrics[SSIMCU_METRIC_SSIM].all;
    const struct model number = model_item(to, "numbers");
    char text[HTML_VALUE];
    model_text(number, "title", is_alone(page) ? "Mean" : "Mean SSIM");
    model_text(number, "id", "mean");
    model_value(number, "value", SSIMCU_METRIC_SSIM, all->mean);
    model_text(number, "text", " median %s", html_value(text, SSIMCU_METRIC_SSIM, all->p50));
    add_line(number, "lowest hundredth", SSIMCU_METRIC_SSIM, all->p1);
}

static void set_channels(struct model number, const struct report_frame *frame,
                         ssimcu_metric metric)
{
    const struct record *record = &frame->record;
    const double *channel = record_metric_channels(record, metric);
    char text[HTML_VALUE];
    for (uint32_t c = 0; channel && c < record->scored.channels; c++)
        if (c == 0)
            model_text(number, "text", " %s %s", contract_channel(record->scored.layout, c),
                       html_value(text, metric, channel[c]));
        else
            add_line(number, contract_channel(record->scored.layout, c), metric, channel[c]);
}

static void add_worst(struct model to, const struct page *page)
{
    const struct frame_list *worst = &page->report->worst;
    const bool pair = page->facts->pair, alone = is_alone(page);
    const ssimcu_metric metric = page->report->metric;
    if (worst->count == 0) return;
    const struct report_frame *frame = worst->frame[0];
    const struct model number = model_item(to, "numbers");
    model_text(number, "title", "%s%s%s", pair ? "" : "Worst frame", pair || alone ? "" : ", ",
               !alone ? metrics_title(metric)
               : pair ? "Score"
                      : "");
    model_text(number, "id", "worst");
    model_value(number, "value", metric, frame->value);
    if (pair) {
        set_channels(number, frame, metric);
    } else {
        model_text(number, "text", " frame ");
        page_frame(number, page, frame->record.shot, frame->record.frame);
    }
}

/* Adds the frame that is furthest beyond its limits. */
static void add_furthest(struct model to, const struct page *page)
{
    const struct report_frame *frame = page->report->worst.frame[0];
    const struct judged *judged = &frame->judged;
    const bool finite = isfinite(judged->excess), pair = page->facts->pair;
    const char *standing = verdict_standing(judged);
    const struct model number = model_item(to, "numbers");
    char excess[PAGE_EXCESS], text[VERDICT_FURTHEST];
    model_text(number, "title", "%c%s", toupper((unsigned char)standing[0]), standing + 1);
    model_text(number, "id", "furthest");
    if (finite) model_text(number, "value", "%s", page_excess(excess, judged->excess));
    model_text(number, "text", "%s%s%s", finite ? " x its limit" : "", finite && !pair ? ", " : "",
               pair ? "" : "frame ");
    if (!pair) page_frame(number, page, frame->record.shot, frame->record.frame);
    model_list(number, "lines", "%s", verdict_furthest(text, judged, &frame->record));
}

static void add_worst_tile(struct model to, const struct page *page)
{
    const struct frame_list *tiles = &page->report->tiles;
    const struct summary *summary = page->facts->summary;
    const bool pair = page->facts->pair;
    char place[80], median[HTML_VALUE], p5[HTML_VALUE], p1[HTML_VALUE];
    if (tiles->count == 0) return;
    const struct record *record = &tiles->frame[0]->record;
    const ssimcu_tile *tile = &record->scored.tile;
    const struct model number = model_item(to, "numbers");
    snprintf(place, sizeof place, "%u \xC3\x97 %u pixels at %u, %u", tile->width, tile->height,
             tile->x, tile->y);
    model_texts(number, "title id", "Worst tile", "worst-tile");
    model_value(number, "value", SSIMCU_METRIC_SSIM, tile->score);
    model_text(number, "text", " %s", pair ? place : "frame ");
    if (pair) return;
    page_frame(number, page, record->shot, record->frame);
    model_list(number, "lines", "%s", place);
    if (summary->numbers.tiled == 0) return;
    model_list(number, "lines", "median %s, lowest twentieth %s, hundredth %s",
               html_value(median, SSIMCU_METRIC_SSIM, summary->numbers.tiles.p50),
               html_value(p5, SSIMCU_METRIC_SSIM, summary->numbers.tiles.p5),
               html_value(p1, SSIMCU_METRIC_SSIM, summary->numbers.tiles.p1));
}

/* Adds a metric: for a pair its channels, for a batch the distribution of frames. */
static void add_metric(struct model to, const struct page *page, ssimcu_metric metric)
{
    const struct summary_metric *result = &page->facts->summary->numbers.metrics[metric];
    const bool pair = page->facts->pair, mse = metrics_of_mean_mse(metric);
    char text[HTML_VALUE];
    if (result->scored == 0) return;
    const struct model number = model_item(to, "numbers");
    model_text(number, "title", "%s%s", pair ? "" : "Mean ", metrics_title(metric));
    model_text(number, "key", "%s", metrics_key(metric));
    model_value(number, "value", metric, result->score);
    if (pair && page->report->worst.count > 0)
        set_channels(number, page->report->worst.frame[0], metric);
    if (pair) return;
    if (mse) {
        model_text(number, "text", " of the mean squared error");
        add_line(number, "median", metric, result->all.p50);
    } else {
        model_text(number, "text", " median %s", html_value(text, metric, result->all.p50));
    }
    add_line(number, "lowest", metric, result->all.min);
    if (result->identical > 0)
        model_list(number, "lines", "%" PRIu64 " identical frame%s", result->identical,
                   text_plural(result->identical));
}

/* Adds the size and rate of OUT if it is compressed. */
static void add_rate(struct model to, const struct page *page)
{
    const struct summary_coded *coded = &page->facts->summary->coded;
    if (coded->frames == 0 || isnan(coded->rate)) return;
    const struct model number = model_item(to, "numbers");
    model_texts(number, "title id", "Bit rate", "rate");
    model_text(number, "value", "%.1f", coded->rate / 1000);
    model_text(number, "text", " kbit/s");
    model_list(number, "lines", "%" PRIu64 " bytes in %.3f s", coded->bytes, coded->seconds);
}

void page_numbers(struct model to, const struct page *page)
{
    const struct report_facts *facts = page->facts;
    ssimcu_metric metric[SSIMCU_METRICS];
    const size_t count = page_metrics(page->report, metric);
    if (page->report->alone) {
        page_noref_numbers(to, page);
        return;
    }
    if (!facts->pair) add_frames(to, page);
    for (size_t i = 0; i < count && !facts->pair; i++)
        if (metric[i] != SSIMCU_METRIC_SSIM)
            add_metric(to, page, metric[i]);
        else if (facts->summary->numbers.metrics[SSIMCU_METRIC_SSIM].scored > 0)
            add_mean(to, page);
    const bool limited = page->report->limited;
    if (limited) add_furthest(to, page);
    if (!limited || facts->pair) add_worst(to, page);
    for (size_t i = 1; i < count && facts->pair; i++) add_metric(to, page, metric[i]);
    if (!limited || facts->pair) add_worst_tile(to, page);
    add_rate(to, page);
}
