/* Frames with their pictures: REF, OUT, difference and heat map, the worst tile boxed and
 * magnified, and the scores. */
#include "facts/record.h"
#include "report/frames/report_frame.h"
#include "report/page/page.h"

#include <inttypes.h>

enum { SIDE = 352 /* pixels of a drawn crop's longer side, at most */ };

static const char *const VIEWS[] = {"REF", "OUT", "Difference", "Heat map"};
static const char *const CLASSES[] = {"ref", "out", "diff", "heat"};

/* ---- Pictures -------------------------------------------------------------------------------- */

/* A frame and what it is called. */
struct card {
    const struct page *page;
    const struct report_frame *frame;
    char called[TEXT_FRAME + 8];
};

/* Adds a picture. REF lies over OUT for the slider. Both are decoded before they are shown, so that
 * nothing blinks if REF takes the place of OUT. */
static struct model add_figure(struct model group, const struct card *card, int view, bool crop)
{
    const struct picture *picture = card->frame->picture;
    const struct picture_file *files = crop ? picture->crop : picture->whole, *file = &files[view];
    const struct picture_box *box = crop ? &picture->crop_box : &picture->box;
    const uint32_t times = crop ? pictures_times(file, SIDE) : 1;
    const char *tile = verdict_is_limited(&card->frame->judged) ? "judged" : "worst";
    const struct model to = model_item(group, "figures");
    model_texts(to, "class file", crop ? "" : CLASSES[view], file->name);
    model_number(to, "width", file->width * times);
    model_number(to, "height", file->height * times);
    model_text(to, "alt", "%s%s%s%s of %s", VIEWS[view], crop ? ", " : "", crop ? tile : "",
               crop ? " tile," : "", card->called);
    if (view == PICTURE_OUT) model_text(to, "ref_file", "%s", files[PICTURE_REF].name);
    if (box->width > 0)
        model_box(to, file->width, file->height,
                  (const double[]){box->x, box->y, box->width, box->height});
    return to;
}

/* Sets the legend of a heat map. One of what is beyond floors has the same colours for every frame,
 * and its limit in the middle. */
static void set_legend(struct model to, const struct picture *picture)
{
    const struct model legend = model_in(to, "legend");
    char low[32] = "2+", high[32] = "0";
    if (!picture->excess) {
        snprintf(low, sizeof low, "%.4f", picture->low);
        snprintf(high, sizeof high, "%.4f", picture->high);
    }
    model_flag(legend, "marked", picture->excess);
    model_texts(legend, "low high", low, high);
}

static void add_view(struct model group, const struct card *card, int view)
{
    const struct record *record = &card->frame->record;
    const struct picture *picture = card->frame->picture;
    const struct model to = add_figure(group, card, view, false);
    model_text(to, "bold", "%s", VIEWS[view]);
    if (view == PICTURE_HEAT)
        model_text(to, "caption", "%s",
                   picture->excess ? "how much of its limit each tile uses; the mark is the limit"
                                   : "SSIM, stretched to this frame's range");
    else if (view == PICTURE_DIFFERENCE)
        model_text(to, "caption", "%g \xC3\x97 (OUT \xE2\x88\x92 REF); grey is equal",
                   picture->times);
    else if (record->side[view].path)
        model_text(to, "path", "%s",
                   view == PICTURE_REF ? record_reference(record) : record->side[view].path);
    if (view == PICTURE_OUT) model_text(to, "wipe", "%s", card->called);
    if (view == PICTURE_HEAT) set_legend(to, picture);
}

static void add_crops(struct model to, const struct card *card)
{
    const struct picture *picture = card->frame->picture;
    if (!picture->crop[0].name[0]) return;
    const struct model crops = model_item(to, "groups");
    model_text(crops, "group", "crops");
    model_number(crops, "times", pictures_times(picture->crop, SIDE));
    for (int view = 0; view < PICTURE_VIEWS; view++) {
        const struct model figure = add_figure(crops, card, view, true);
        if (view == PICTURE_DIFFERENCE)
            model_text(figure, "caption", "%s, %g \xC3\x97", VIEWS[view], picture->crop_times);
        else
            model_text(figure, "caption", "%s", VIEWS[view]);
    }
}

static bool has_pictures(const struct report_frame *frame)
{
    return frame->picture && !frame->picture->why[0];
}

static void set_pictures(struct model to, const struct card *card)
{
    const struct picture *picture = card->frame->picture;
    model_flag(to, "shown", has_pictures(card->frame));
    if (!has_pictures(card->frame)) {
        if (!card->page->no_pictures) /* else page_frames has said it of all */
            model_text(to, "lack", "%s", picture ? picture->why : "none were made");
        return;
    }
    if (fabs(picture->score - card->frame->record.scored.score) > 1e-4)
        model_value(to, "rescored", SSIMCU_METRIC_SSIM, picture->score);
    const struct model views = model_item(to, "groups");
    model_text(views, "group", "views");
    for (int view = 0; view < PICTURE_VIEWS; view++) add_view(views, card, view);
    add_crops(to, card);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

static struct model add_score(struct model to, const char *name, const char *value)
{
    const struct model score = model_item(to, "scores");
    model_texts(score, "name value", name, value);
    return score;
}

static void add_value(struct model to, const char *name, ssimcu_metric metric, double value)
{
    char text[HTML_VALUE];
    (void)add_score(to, name, html_value(text, metric, value));
}

/* Adds the values of all metrics, and of their channels. SSIM alone is just the score. */
static void add_metrics(struct model to, const struct page *page, const struct record *record)
{
    ssimcu_metric metric[SSIMCU_METRICS];
    const size_t count = page_metrics(page->report, metric);
    for (size_t i = 0; i < count; i++) {
        const double *channel = record_metric_channels(record, metric[i]);
        if (!record_has(record, metric[i])) continue;
        add_value(to, count > 1 ? metrics_title(metric[i]) : "score", metric[i],
                  record_value(record, metric[i]));
        for (uint32_t c = 0; channel && c < record->scored.channels && record->scored.channels > 1;
             c++)
            add_value(to, contract_channel(record->scored.layout, c), metric[i], channel[c]);
    }
}

/* Adds what comes first of all that limits judge, and how much of its limit it is. Limits follow
 * that a file has for the frame, and the rules that they are of. */
static void add_limits(struct model to, const struct report_frame *frame)
{
    const struct judged *judged = &frame->judged;
    char text[VERDICT_FURTHEST], excess[PAGE_EXCESS], limit[VERDICT_LIMIT];
    if (verdict_is_limited(judged)) {
        const struct model score =
            add_score(to, verdict_standing(judged), verdict_furthest(text, judged, &frame->record));
        if (isfinite(judged->excess)) {
            model_text(score, "before", ", %s of ", page_excess(excess, judged->excess));
            model_text(score, "code", "%s",
                       verdict_limit_text(limit, &judged->own, judged->furthest));
        }
    }
    for (int fault = 0; fault < FAULT_MISSING; fault++)
        if (judged->own.rule[fault] && fault != FAULT_FLOOR) /* its tile has that one beside it */
            model_text(add_score(to, "limit", ""), "code", "%s",
                       verdict_limit_text(limit, &judged->own, fault));
}

static void add_scores(struct model to, const struct card *card)
{
    const struct record *record = &card->frame->record;
    const ssimcu_tile *tile = &record->scored.tile;
    char text[80];
    add_metrics(to, card->page, record);
    if (tile->width > 0) {
        add_value(to, "worst tile", SSIMCU_METRIC_SSIM, tile->score);
        snprintf(text, sizeof text, "%u \xC3\x97 %u at %u, %u", tile->width, tile->height, tile->x,
                 tile->y);
        (void)add_score(to, "its place", text);
    }
    add_limits(to, card->frame);
    for (int side = 0; side < 2; side++) {
        if (!record->scored.light[side].known) continue;
        snprintf(text, sizeof text, "%.4f %%", 100 * record->scored.light[side].clamped);
        (void)add_score(to, side == 0 ? "REF clamped" : "OUT clamped", text);
    }
}

/* ---- Cards ----------------------------------------------------------------------------------- */

static void set_head(struct model to, const struct page *page, const struct report_frame *frame)
{
    const struct record *record = &frame->record;
    const ssimcu_tile place = verdict_place(&frame->judged, record);
    const ssimcu_metric metric = page->report->metric;
    const bool ssim = metric == SSIMCU_METRIC_SSIM;
    char id[PAGE_ID], name[TEXT_FRAME];
    model_texts(to, "id name state", page_id(page, frame->at, id),
                page_name(page->report, frame->at, name),
                page_state(&page->report->point[frame->at]));
    model_value(to, "score", SSIMCU_METRIC_SSIM,
                record_has(record, SSIMCU_METRIC_SSIM) ? record->scored.score : NAN);
    if (record->scored.tile.width > 0) {
        model_value(to, "tile", SSIMCU_METRIC_SSIM, record->scored.tile.score);
        model_text(to, "tile_place", "%ux%u+%u+%u", place.width, place.height, place.x, place.y);
    }
    model_text(to, "metric", "%s%s", ssim ? "" : metrics_title(metric), ssim ? "" : " ");
    model_value(to, "value", metric, frame->value);
    page_hints(to, "hints", record->scored.hints);
    page_reasons(to, frame);
}

static void add_card(struct model page_model, const struct page *page,
                     const struct report_frame *frame)
{
    const struct model to = model_item(page_model, "cards");
    struct card card = {page, frame, "the pair"};
    char name[TEXT_FRAME];
    if (!page->facts->pair)
        snprintf(card.called, sizeof card.called, "frame %s",
                 page_name(page->report, frame->at, name));
    set_head(to, page, frame);
    add_scores(to, &card);
    set_pictures(to, &card);
}

/* Defines the colours of the heat maps, for their legends. */
static void add_stops(struct model to)
{
    enum { STOPS = 9 };
    uint8_t rgb[STOPS][3];
    pictures_legend(rgb, STOPS);
    for (int i = 0; i < STOPS; i++) {
        const struct model stop = model_item(to, "stops");
        model_text(stop, "at", "%.1f", 100.0 * i / (STOPS - 1));
        model_text(stop, "colour", "%02x%02x%02x", rgb[i][0], rgb[i][1], rgb[i][2]);
    }
}

void page_frames(struct model to, const struct page *page)
{
    model_flag(to, "any_cards", page->cards > 0);
    model_text(to, "no_pictures", "%s", page->no_pictures ? page->no_pictures : "");
    if (!page->no_pictures) add_stops(to);
    for (size_t i = 0; i < page->cards; i++) add_card(to, page, page->card[i]);
}
