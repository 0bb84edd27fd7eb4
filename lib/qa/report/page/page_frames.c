/* Frames with their pictures: REF, OUT, difference and heat map, the worst tile boxed and
 * magnified, and the scores. */
#include "facts/record.h"
#include "report/frames/report_frame.h"
#include "report/html/html.h"
#include "report/page/page.h"

#include <inttypes.h>

static const char *const VIEWS[] = {"REF", "OUT", "Difference", "Heat map"};
static const char *const CLASSES[] = {"ref", "out", "diff", "heat"};

/* Writes what a frame is called, and returns it. A pair has no number. */
enum { CALLED = TEXT_FRAME + 8 };
static const char *called(const struct page *page, const struct report_frame *frame,
                          char text[CALLED])
{
    char name[TEXT_FRAME];
    if (page->facts->pair) return "the pair";
    snprintf(text, CALLED, "frame %s", page_name(page, frame->at, name));
    return text;
}

/* A dark line below a bright one is visible on any picture. */
static void put_box(const struct page *page, const struct picture_file *file,
                    const struct picture_box *box)
{
    if (!(box->width > 0)) return;
    fprintf(page->to,
            "<svg class=\"box\" viewBox=\"0 0 %u %u\" aria-hidden=\"true\">"
            "<rect class=\"under\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>"
            "<rect class=\"over\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/></svg>",
            file->width, file->height, box->x, box->y, box->width, box->height, box->x, box->y,
            box->width, box->height);
}

/* Returns how large a pixel of the crop is drawn at first. */
static uint32_t times_of(const struct picture_file *crop)
{
    enum { SIDE = 352, MOST = 8 };
    const uint32_t longer = crop->width > crop->height ? crop->width : crop->height;
    const uint32_t times = longer > 0 ? SIDE / longer : 1;
    return times < 1 ? 1 : times > MOST ? MOST : times;
}

/* Writes a picture that links to its file. REF lies over OUT for the slider. Both are decoded
 * before they are shown, so that nothing blinks if REF takes the place of OUT. */
static void put_stack(const struct page *page, const struct report_frame *frame, int view,
                      bool crop)
{
    const struct picture *picture = frame->picture;
    const char *which = verdict_is_limited(&frame->judged) ? ", judged tile," : ", worst tile,";
    const struct picture_file *files = crop ? picture->crop : picture->whole, *file = &files[view];
    const uint32_t times = crop ? times_of(file) : 1, width = file->width * times,
                   height = file->height * times;
    char text[CALLED];
    html_print(page->to,
               "<div class=\"stack%s\"><a href=\"%s\"><img src=\"%s\" width=\"%u\" height=\"%u\" "
               "loading=\"lazy\" decoding=\"sync\" alt=\"%s%s of %s\"></a>",
               view == PICTURE_OUT ? " wipes" : "", file->name, file->name, width, height,
               VIEWS[view], crop ? which : "", called(page, frame, text));
    if (view == PICTURE_OUT)
        fprintf(page->to,
                "<img class=\"wiped js\" src=\"%s\" width=\"%u\" height=\"%u\" "
                "loading=\"lazy\" decoding=\"sync\" alt=\"\">",
                files[PICTURE_REF].name, width, height);
    put_box(page, file, crop ? &picture->crop_box : &picture->box);
    fputs("</div>", page->to);
}

static void put_wipe(const struct page *page, const struct report_frame *frame)
{
    char text[CALLED];
    html_print(
        page->to,
        "<label class=\"wipe js\"><span>OUT</span><input type=\"range\" min=\"0\" max=\"100\" "
        "value=\"0\" aria-label=\"wipe from OUT to REF, %s\"><span>REF</span></label>",
        called(page, frame, text));
}

/* A map of what is beyond floors has the same colours for every frame, and its limit in the middle.
 */
static void put_legend(const struct page *page, const struct picture *picture)
{
    if (picture->excess) {
        fputs("<p class=\"scale\"><span>2+</span><svg width=\"100%\" height=\"10\" "
              "aria-hidden=\"true\"><rect width=\"100%\" height=\"10\" "
              "fill=\"url(#heat)\"/><rect class=\"at\" x=\"50%\" width=\"2\" height=\"10\"/></svg>"
              "<span>0</span></p>",
              page->to);
        return;
    }
    fprintf(page->to,
            "<p class=\"scale\"><span>%.4f</span><svg width=\"100%%\" height=\"10\" "
            "aria-hidden=\"true\"><rect width=\"100%%\" height=\"10\" "
            "fill=\"url(#heat)\"/></svg><span>%.4f</span></p>",
            picture->low, picture->high);
}

static void put_view(const struct page *page, const struct report_frame *frame, int view)
{
    fprintf(page->to, "<figure class=\"%s\">", CLASSES[view]);
    put_stack(page, frame, view, false);
    fprintf(page->to, "<figcaption><b>%s</b> ", VIEWS[view]);
    if (view == PICTURE_HEAT)
        fputs(frame->picture->excess ? "how much of its limit each tile uses; the mark is the limit"
                                     : "SSIM, stretched to this frame's range",
              page->to);
    else if (view == PICTURE_DIFFERENCE)
        fprintf(page->to, "%g \xC3\x97 (OUT \xE2\x88\x92 REF); grey is equal",
                frame->picture->times);
    else if (frame->record.side[view].path)
        html_name(page->to, view == PICTURE_REF ? record_reference(&frame->record)
                                                : frame->record.side[view].path);
    fputs("</figcaption>", page->to);
    if (view == PICTURE_OUT) put_wipe(page, frame);
    if (view == PICTURE_HEAT) put_legend(page, frame->picture);
    fputs("</figure>\n", page->to);
}

static void put_crops(const struct page *page, const struct report_frame *frame)
{
    const struct picture *picture = frame->picture;
    if (!picture->crop[0].name[0]) return;
    fprintf(page->to, "<div class=\"crops\" data-times=\"%u\">\n", times_of(picture->crop));
    for (int view = 0; view < PICTURE_VIEWS; view++) {
        fputs("<figure>", page->to);
        put_stack(page, frame, view, true);
        fprintf(page->to, "<figcaption>%s", VIEWS[view]);
        if (view == PICTURE_DIFFERENCE) fprintf(page->to, ", %g \xC3\x97", picture->crop_times);
        fputs("</figcaption></figure>\n", page->to);
    }
    fputs("</div>\n", page->to);
}

static bool has_pictures(const struct report_frame *frame)
{
    return frame->picture && !frame->picture->why[0];
}

static void put_pictures(const struct page *page, const struct report_frame *frame)
{
    const struct picture *picture = frame->picture;
    if (!has_pictures(frame)) {
        if (!page->no_pictures) /* else page_frames has said it of all */
            html_print(page->to, "<p class=\"none\">No pictures: <bdi>%s</bdi></p>\n",
                       picture ? picture->why : "none were made");
        return;
    }
    if (fabs(picture->score - frame->record.scored.score) > 1e-4)
        html_print(page->to,
                   "<p class=\"none\">These files have changed since they were scored: they score "
                   "%F now.</p>\n",
                   picture->score);
    fputs("<div class=\"views\">\n", page->to);
    for (int view = 0; view < PICTURE_VIEWS; view++) put_view(page, frame, view);
    fputs("</div>\n", page->to);
    put_crops(page, frame);
}

static void put_number(const struct page *page, const char *name, ssimcu_metric metric,
                       double value)
{
    char text[HTML_VALUE];
    html_print(page->to, "<li><span>%s</span> %s</li>\n", name, html_value(text, metric, value));
}

/* Writes the values of all metrics, and of their channels. SSIM alone is just the score. */
static void put_metrics(const struct page *page, const struct record *record)
{
    ssimcu_metric metric[SSIMCU_METRICS];
    const size_t count = page_metrics(page->report, metric);
    for (size_t i = 0; i < count; i++) {
        const double *channel = record_metric_channels(record, metric[i]);
        if (!record_has(record, metric[i])) continue;
        put_number(page, count > 1 ? metrics_title(metric[i]) : "score", metric[i],
                   record_value(record, metric[i]));
        for (uint32_t c = 0; channel && c < record->scored.channels && record->scored.channels > 1;
             c++)
            put_number(page, contract_channel(record->scored.layout, c), metric[i], channel[c]);
    }
}

/* Names the limits that a file has for the frame, and the rules that they are of. */
static void put_limits(const struct page *page, const struct limits *own)
{
    char text[VERDICT_LIMIT];
    for (int fault = 0; fault < FAULT_MISSING; fault++) {
        if (!own->rule[fault] || fault == FAULT_FLOOR)
            continue; /* its tile has that one beside it */
        html_print(page->to, "<li><span>limit</span> <code>%s</code></li>\n",
                   verdict_limit_text(text, own, fault));
    }
}

/* Says what comes first of all that limits judge, and how much of its limit it is. */
static void put_furthest(const struct page *page, const struct report_frame *frame)
{
    const struct judged *judged = &frame->judged;
    char text[VERDICT_FURTHEST], excess[PAGE_EXCESS], limit[VERDICT_LIMIT];
    if (!verdict_is_limited(judged)) return;
    html_print(page->to, "<li><span>%s</span> %s", verdict_standing(judged),
               verdict_furthest(text, judged, &frame->record));
    if (isfinite(judged->excess))
        html_print(page->to, ", %s of <code>%s</code>", page_excess(excess, judged->excess),
                   verdict_limit_text(limit, &judged->own, judged->furthest));
    fputs("</li>\n", page->to);
}

static void put_scores(const struct page *page, const struct report_frame *frame)
{
    const struct record *record = &frame->record;
    const ssimcu_tile *tile = &record->scored.tile;
    const struct limits *own = &frame->judged.own;
    fputs("<ul class=\"scores\">\n", page->to);
    put_metrics(page, record);
    if (tile->width > 0) {
        put_number(page, "worst tile", SSIMCU_METRIC_SSIM, tile->score);
        fprintf(page->to, "<li><span>its place</span> %u \xC3\x97 %u at %u, %u</li>\n", tile->width,
                tile->height, tile->x, tile->y);
    }
    put_furthest(page, frame);
    put_limits(page, own);
    for (int side = 0; side < 2; side++)
        if (record->scored.light[side].known)
            fprintf(page->to, "<li><span>%s clamped</span> %.4f %%</li>\n", VIEWS[side],
                    100 * record->scored.light[side].clamped);
    fputs("</ul>\n", page->to);
}

static void put_buttons(FILE *to)
{
    fputs(
        "<span class=\"buttons js\"><span class=\"pixels\">Pixels "
        "<button type=\"button\" class=\"smaller\" aria-label=\"Smaller pixels\">\xE2\x88\x92"
        "</button> <output>1:1</output> "
        "<button type=\"button\" class=\"larger\" aria-label=\"Larger pixels\">+</button></span>"
        "<button type=\"button\" class=\"flicker\" aria-pressed=\"false\">REF over OUT</button>"
        "<button type=\"button\" class=\"enlarge\" aria-pressed=\"false\">Enlarge</button></span>",
        to);
}

static void put_card_start(const struct page *page, const struct report_frame *frame)
{
    FILE *to = page->to;
    const struct record *record = &frame->record;
    const ssimcu_tile *tile = &record->scored.tile, place = verdict_place(&frame->judged, record);
    char id[PAGE_ID], name[TEXT_FRAME], text[HTML_VALUE];
    html_print(to,
               "<article class=\"card\" id=\"frame-%s\" tabindex=\"-1\" data-frame=\"%s\" "
               "data-state=\"%s\" data-score=\"",
               page_id(page, frame->at, id), page_name(page, frame->at, name),
               page_state(&page->report->point[frame->at]));
    if (record_has(record, SSIMCU_METRIC_SSIM)) html_score(to, record->scored.score);
    if (tile->width > 0)
        html_print(to, "\" data-tile=\"%F\" data-place=\"%ux%u+%u+%u", tile->score, place.width,
                   place.height, place.x, place.y);
    html_print(to, "\">\n<header><h3>%s%s</h3><b class=\"score\">",
               page->facts->pair ? "The pair" : "Frame ", page->facts->pair ? "" : name);
    if (page->report->metric != SSIMCU_METRIC_SSIM)
        fprintf(to, "%s ", metrics_title(page->report->metric));
    fprintf(to, "%s</b>", html_value(text, page->report->metric, frame->value));
    page_hints(page, record->scored.hints);
    if (has_pictures(frame)) put_buttons(to);
    fputs("</header>\n", to);
    page_reasons(page, frame);
}

static void put_card(const struct page *page, const struct report_frame *frame)
{
    put_card_start(page, frame);
    put_scores(page, frame);
    put_pictures(page, frame);
    fputs("</article>\n", page->to);
}

/* Defines the colours of the heat maps, for their legends. */
static void put_gradient(FILE *to)
{
    enum { STOPS = 9 };
    uint8_t rgb[STOPS][3];
    pictures_legend(rgb, STOPS);
    fputs("<svg class=\"symbols\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>"
          "<linearGradient id=\"heat\">",
          to);
    for (int i = 0; i < STOPS; i++)
        fprintf(to, "<stop offset=\"%.1f%%\" stop-color=\"#%02x%02x%02x\"/>",
                100.0 * i / (STOPS - 1), rgb[i][0], rgb[i][1], rgb[i][2]);
    fputs("</linearGradient></defs></svg>\n", to);
}

static void put_keys(const struct page *page)
{
    fprintf(page->to,
            "<p class=\"keys js\">%s<span><kbd>F</kbd> REF over OUT and back</span> "
            "<span><kbd>\xE2\x86\x90</kbd> <kbd>\xE2\x86\x92</kbd> slide REF over OUT</span> "
            "<span><kbd>E</kbd> enlarge</span> "
            "<span><kbd>+</kbd> <kbd>\xE2\x88\x92</kbd> pixels of the worst tile</span></p>\n",
            page->facts->pair ? ""
                              : "<span><kbd>N</kbd> next frame</span> "
                                "<span><kbd>P</kbd> previous frame</span> ");
}

void page_frames(const struct page *page)
{
    if (page->cards == 0) return;
    fprintf(page->to, "<section id=\"frames\">\n<h2>%s</h2>\n",
            page->facts->pair ? "Pictures" : "Frames");
    if (page->no_pictures)
        html_print(page->to, "<p class=\"none\">There are no pictures: <bdi>%s</bdi></p>\n",
                   page->no_pictures);
    if (!page->facts->pair)
        fprintf(page->to, "<p>%s, above all where one begins; the worst first.</p>\n",
                page->report->limited
                    ? "Frames that are furthest beyond their limits or nearest to them, and those "
                      "with a hint"
                    : "The lowest scores, the lowest tiles, and frames beyond a limit or with a "
                      "hint");
    if (!page->no_pictures) put_keys(page);
    if (!page->no_pictures) put_gradient(page->to);
    for (size_t i = 0; i < page->cards; i++) put_card(page, page->card[i]);
    fputs("</section>\n", page->to);
}
