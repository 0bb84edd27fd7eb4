/* Frames with their pictures: REF, OUT, difference and heat map, the worst tile outlined and
 * magnified, and the scores. A frame without a reference is shown next to its neighbours. Others
 * have rows.
 */
#include "options/files.h"
#include "record/record.h"
#include "report/folder/contents.h"
#include "report/frames/report_frame.h"
#include "report/page/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 352,       /* longest side of a drawn crop in pixels */
    PLACE_SIDE = 384, /* the same for a place in a frame without a reference, or all of it */
    BROKEN_LISTED = 200
};

static const char *const VIEWS[] = {"REF", "OUT", "Difference", "Heat map"};
static const char *const CLASSES[] = {"ref", "out", "diff", "heat"};

/* ---- Pictures -------------------------------------------------------------------------------- */

/* A frame and its name. */
struct card {
    const struct page *page;
    const struct report_frame *frame;
    char called[TEXT_FRAME + 8];
};

/* Adds a picture at this scale. */
static struct model add_file(struct model group, const struct picture_file *file, uint32_t times)
{
    const struct picture_box *box = &file->box;
    const struct model to = model_item(group, "figures");
    model_texts(to, "file", file->name);
    model_number(to, "width", file->width * times);
    model_number(to, "height", file->height * times);
    if (box->width > 0)
        model_box(to, file->width, file->height,
                  (const double[]){box->x, box->y, box->width, box->height});
    return to;
}

/* Adds a picture of a pair. REF is on top of OUT for the slider. Both are decoded before they are
 * shown, to avoid flicker when REF replaces OUT. */
static struct model add_figure(struct model group, const struct card *card, int view, bool crop)
{
    const struct picture *picture = card->frame->picture;
    const struct picture_file *files = crop ? picture->crop : picture->whole;
    const char *tile = verdict_is_limited(&card->frame->judged) ? "judged" : "worst";
    const struct model to =
        add_file(group, &files[view], crop ? pictures_times(&files[view], SIDE) : 1);
    model_texts(to, "class", crop ? "" : CLASSES[view]);
    model_text(to, "alt", "%s%s%s%s of %s", VIEWS[view], crop ? ", " : "", crop ? tile : "",
               crop ? " tile," : "", card->called);
    if (view == PICTURE_OUT) model_text(to, "ref_file", "%s", files[PICTURE_REF].name);
    return to;
}

/* Adds the pictures of a frame without a reference: the previous frame, this one and the next at
 * each place. */
static void add_places(struct model to, const struct report_frame *frame)
{
    static const char *const names[PICTURE_BESIDE] = {"Before,", "Frame", "Behind,"};
    char line[FINDING_LINE];
    findings_line(line, sizeof line, &frame->record.findings, ~(finding_mask)0);
    for (const struct picture *of = frame->picture; of < frame->picture + frame->pictures; of++) {
        struct model group = {NULL, to.lost};
        if (of->why[0]) model_text(to, "lack", "%s", of->why);
        for (int which = 0; which < PICTURE_BESIDE; which++) {
            const struct picture_file *file = &of->whole[which];
            const struct picture_frame *beside = &of->beside[which];
            if (!file->name[0]) continue;
            if (!group.json) group = model_item(to, "groups");
            model_flag(to, "some", true);
            const struct model figure = add_file(group, file, pictures_times(file, PLACE_SIDE));
            model_text(figure, "alt", "%s %s", names[which],
                       which == PICTURE_HERE ? line : text_base(beside->path));
            if (beside->frame >= 0)
                model_text(figure, "caption", "%s %" PRId64, names[which], beside->frame);
            else
                model_text(figure, "caption", "%s", names[which]);
            model_text(group, "group", "crops three");
        }
    }
}

/* Sets the legend of a heat map. Maps of learned limits use the same colours for every frame, with
 * the limit in the middle. */
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
                   picture->excess ? "each tile as a multiple of its limit; the mark is the limit"
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
    const ssimcu_scored *scored = &card->frame->record.scored;
    if (card->page->report->alone) {
        add_places(to, card->frame);
        return;
    }
    model_flag(to, "shown", has_pictures(card->frame));
    if (!has_pictures(card->frame)) {
        if (!card->page->no_pictures) /* else page_frames gives the reason for all */
            model_text(to, "lack", "%s", picture ? picture->why : "none were made");
        return;
    }
    /* The score of a frame with ignored tiles leaves them out, and that of its picture does not. */
    if (scored->ignored.tiles == 0 && fabs(picture->score - scored->score) > 1e-4)
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

/* Adds the values of all metrics, and of their channels. If there is only SSIM, it is the score. */
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

/* Adds the first of all judged numbers and the share of its limit. The limits that a file has for
 * the frame follow, with their rules. */
static void add_limits(struct model to, const struct report_frame *frame)
{
    const struct judged *judged = &frame->judged;
    char text[VERDICT_FURTHEST], excess[PAGE_EXCESS], limit[VERDICT_LIMIT];
    if (verdict_is_limited(judged)) {
        const struct model score =
            add_score(to, verdict_standing(judged), verdict_furthest(text, judged, &frame->record));
        if (isfinite(judged->excess)) {
            model_text(score, "before", ", %s x ", page_excess(excess, judged->excess));
            model_text(score, "code", "%s",
                       verdict_limit_text(limit, &judged->own, judged->furthest));
        }
    }
    for (int fault = 0; fault < FINDING_MISSING; fault++)
        if (judged->own.rule[fault] && fault != FINDING_LEARNED) /* its tile is shown with it */
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
    if (!page->report->alone) model_value(to, "value", metric, frame->value);
    page_findings(to, "hints", frame);
    page_reasons(to, frame);
}

/* Sets the relative path to a frame's file; no path if memory runs out. */
static void set_link(struct model to, const struct page *page, const char *path)
{
    char *page_path = text_join(page->folder, "/", CONTENTS_PAGE, "");
    char *way = page_path ? files_way(page_path, path, "") : NULL;
    if (way) way[strlen(way) - 1] = '\0'; /* a file has no slash at the end */
    model_link(to, "href", way ? way : "", "");
    free(page_path), free(way);
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
    if (page->report->alone && frame->record.side[1].path) {
        const struct model file = add_score(to, "file", "");
        model_texts(file, "path", frame->record.side[1].path);
        set_link(file, page, frame->record.side[1].path);
    }
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

/* ---- Sections -------------------------------------------------------------------------------- */

/* Adds a table row for a frame without a card. */
static void add_row(struct model section, const struct page *page, const struct report_frame *frame)
{
    const char *ref = frame->record.side[0].path, *out = frame->record.side[1].path;
    const struct model row = model_item(section, "rows");
    char name[TEXT_FRAME];
    model_texts(row, "name state ref out", page_name(page->report, frame->at, name),
                page_state(&page->report->point[frame->at]), ref, out);
    page_findings(row, "hints", frame);
    page_reasons(row, frame);
    if (page->report->alone && out) set_link(row, page, out);
}

static struct model add_section(struct model to, const char *id, const char *title,
                                const char *table)
{
    const struct model section = model_item(to, "sections");
    model_texts(section, "id title table", id, title, table);
    return section;
}

/* Frames without score. */
static void add_broken(struct model to, const struct page *page)
{
    const struct frame_list *rows = &page->report->rows;
    const uint64_t all = page->facts->summary->missing + page->facts->summary->failed;
    uint64_t listed = 0;
    if (all == 0) return;
    const struct model section = add_section(to, "broken", "Without score", "Frames without score");
    model_flag(to, "any_broken", true);
    for (size_t i = 0; i < rows->count && listed < BROKEN_LISTED; i++) {
        if (rows->frame[i]->record.kind == RECORD_SCORED) continue;
        add_row(section, page, rows->frame[i]);
        listed++;
    }
    model_flag(section, "tabled", listed > 0);
    if (listed < all) model_number(section, "more", all - listed);
}

/* Frames without a reference with findings: those that fail, or the others. */
static void add_found(struct model to, const struct page *page, bool fail)
{
    const struct report *report = page->report;
    size_t all = 0, shown = 0, listed = 0;
    for (size_t i = 0; i < report->count; i++)
        all += report->point[i].kinds && (report->point[i].fails != 0) == fail;
    if (all == 0) return;
    const struct model section =
        fail ? add_section(to, "failing", "Findings that fail", "More findings that fail")
             : add_section(to, "others", "Findings that do not fail",
                           "More findings that do not fail");
    for (size_t i = 0; i < report->rows.count; i++) {
        const struct report_frame *frame = report->rows.frame[i];
        if ((frame->judged.fails != 0) != fail) continue;
        if (page_has_card(page, frame))
            add_card(section, page, frame), shown++;
        else
            add_row(section, page, frame), listed++;
    }
    model_flag(section, "few_shown", shown < all);
    model_number(section, "with_pictures", shown);
    model_number(section, "all", all);
    model_number(section, "most", COLLECT_SHOWN);
    model_flag(section, "tabled", listed > 0);
    if (shown + listed < all) model_number(section, "more", all - shown - listed);
}

void page_frames(struct model to, const struct page *page)
{
    if (page->report->alone) {
        for (int fail = 1; fail >= 0; fail--) add_found(to, page, fail);
        return;
    }
    add_broken(to, page);
    model_flag(to, "any_cards", page->cards > 0);
    if (page->cards == 0) return;
    const struct model section =
        add_section(to, "frames", page->facts->pair ? "Pictures" : "Frames", "");
    model_flag(section, "pairs", true);
    model_text(section, "no_pictures", "%s", page->no_pictures ? page->no_pictures : "");
    if (!page->no_pictures) add_stops(section);
    for (size_t i = 0; i < page->cards; i++) add_card(section, page, page->card[i]);
}
