/* Frames with their pictures: REF, OUT and heat map, the worst tile boxed and magnified, and the
 * scores. */
#include "report/page/html.h"
#include "report/page/page.h"

#include <inttypes.h>

static const char *const VIEWS[] = {"REF", "OUT", "Heat map"};
static const char *const CLASSES[] = {"ref", "out", "heat"};

/* Writes "frame 12", or "the pair" for a pair, which has no number. */
static void put_name(const struct page *page, const struct report_frame *frame)
{
    if (page->facts->pair)
        fputs("the pair", page->to);
    else {
        fputs("frame ", page->to);
        page_name(page, frame->at);
    }
}

static void put_image(const struct page *page, const struct report_frame *frame,
                      const struct picture_file *file, int view, const char *what)
{
    fprintf(page->to,
            "<img src=\"%s\" width=\"%u\" height=\"%u\" loading=\"lazy\" "
            "alt=\"%s%s of ",
            file->name, file->width, file->height, VIEWS[view], what);
    put_name(page, frame);
    fputs("\">", page->to);
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

/* Writes a picture that links to its file, which is larger than a narrow page shows it. */
static void put_stack(const struct page *page, const struct report_frame *frame, int view,
                      bool crop)
{
    const struct picture *picture = frame->picture;
    const struct picture_file *file = crop ? &picture->crop[view] : &picture->whole[view];
    const bool wipes = !crop && view == PICTURE_OUT;
    fprintf(page->to, "<div class=\"stack\"><a href=\"%s\">", file->name);
    put_image(page, frame, file, view, crop ? ", worst tile magnified," : "");
    fputs("</a>", page->to);
    if (wipes)
        fprintf(page->to,
                "<img class=\"wiped js\" src=\"%s\" width=\"%u\" height=\"%u\" "
                "loading=\"lazy\" alt=\"\">",
                picture->whole[PICTURE_REF].name, file->width, file->height);
    put_box(page, file, crop ? &picture->crop_box : &picture->box);
    fputs("</div>", page->to);
}

static void put_wipe(const struct page *page, const struct report_frame *frame)
{
    fputs("<label class=\"wipe js\"><span>OUT</span><input type=\"range\" min=\"0\" max=\"100\" "
          "value=\"0\" aria-label=\"wipe from OUT to REF, ",
          page->to);
    put_name(page, frame);
    fputs("\"><span>REF</span></label>", page->to);
}

static void put_legend(const struct page *page, const struct picture *picture)
{
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
        fputs("SSIM, stretched to this frame's range", page->to);
    else if (frame->record.side[view].path)
        page_file(page, frame->record.side[view].path);
    fputs("</figcaption>", page->to);
    if (view == PICTURE_OUT) put_wipe(page, frame);
    if (view == PICTURE_HEAT) put_legend(page, frame->picture);
    fputs("</figure>\n", page->to);
}

static void put_crops(const struct page *page, const struct report_frame *frame)
{
    if (!frame->picture->crop[0].name[0]) return;
    fputs("<div class=\"crops\">\n", page->to);
    for (int view = 0; view < PICTURE_VIEWS; view++) {
        fputs("<figure>", page->to);
        put_stack(page, frame, view, true);
        fprintf(page->to, "<figcaption>%s, worst tile</figcaption></figure>\n", VIEWS[view]);
    }
    fputs("</div>\n", page->to);
}

static void put_pictures(const struct page *page, const struct report_frame *frame)
{
    const struct picture *picture = frame->picture;
    if (!picture || picture->why[0]) {
        if (page->no_pictures) return; /* page_frames has said it of all */
        fputs("<p class=\"none\">No pictures: ", page->to);
        html_name(page->to, picture ? picture->why : "none were made");
        fputs("</p>\n", page->to);
        return;
    }
    if (fabs(picture->score - frame->record.score) > 1e-4) {
        fputs("<p class=\"none\">These files have changed since they were scored: they score ",
              page->to);
        html_score(page->to, picture->score);
        fputs(" now.</p>\n", page->to);
    }
    fputs("<div class=\"views\">\n", page->to);
    for (int view = 0; view < PICTURE_VIEWS; view++) put_view(page, frame, view);
    fputs("</div>\n", page->to);
}

static void put_row(const struct page *page, const char *name, double score)
{
    fputs("<tr><th scope=\"row\">", page->to);
    html_text(page->to, name);
    fputs("</th><td>", page->to);
    html_score(page->to, score);
    fputs("</td></tr>\n", page->to);
}

static void put_scores(const struct page *page, const struct report_frame *frame)
{
    const struct record *record = &frame->record;
    const struct record_tile *tile = &record->tile;
    fputs("<table class=\"scores\"><tbody>\n", page->to);
    put_row(page, "score", record->score);
    for (uint32_t c = 0; c < record->channels && record->channels > 1; c++)
        put_row(page, contract_channel(record->layout, c), record->channel[c]);
    if (tile->known) {
        put_row(page, "worst tile", tile->score);
        fprintf(page->to,
                "<tr><th scope=\"row\">its place</th><td>%u \xC3\x97 %u at %u, %u</td></tr>\n",
                tile->width, tile->height, tile->x, tile->y);
    }
    for (int side = 0; side < 2; side++)
        if (record->light[side].known)
            fprintf(page->to, "<tr><th scope=\"row\">%s clamped</th><td>%.4f %%</td></tr>\n",
                    VIEWS[side], 100 * record->light[side].clamped);
    fputs("</tbody></table>\n", page->to);
}

static void put_card_start(const struct page *page, const struct report_frame *frame)
{
    FILE *to = page->to;
    const struct record *record = &frame->record;
    const struct point *point = &page->report->point[frame->at];
    char id[PAGE_ID];
    fprintf(to, "<article class=\"card\" id=\"frame-%s\" data-frame=\"",
            page_id(page, frame->at, id));
    page_name(page, frame->at);
    fprintf(to, "\" data-state=\"%s\" data-score=\"", page_state(point));
    html_score(to, record->score);
    if (record->tile.known) {
        fputs("\" data-tile=\"", to);
        html_score(to, record->tile.score);
        fprintf(to, "\" data-place=\"%ux%u+%u+%u", record->tile.width, record->tile.height,
                record->tile.x, record->tile.y);
    }
    fputs("\">\n<header><h3>", to);
    if (page->facts->pair)
        fputs("The pair", to);
    else {
        fputs("Frame ", to);
        page_name(page, frame->at);
    }
    fputs("</h3><b class=\"score\">", to);
    html_score(to, record->score);
    fputs("</b>", to);
    if (record->part) {
        fputs("<span class=\"part\">", to);
        html_name(to, record->part);
        fputs("</span>", to);
    }
    page_hints(page, record->hints);
    fputs("<button type=\"button\" class=\"enlarge js\" aria-pressed=\"false\">Enlarge</button>"
          "</header>\n",
          to);
    page_reasons(page, frame);
}

static void put_card(const struct page *page, const struct report_frame *frame)
{
    put_card_start(page, frame);
    put_pictures(page, frame);
    fputs("<div class=\"detail\">\n", page->to);
    put_scores(page, frame);
    if (frame->picture && !frame->picture->why[0]) put_crops(page, frame);
    fputs("</div>\n</article>\n", page->to);
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

void page_frames(const struct page *page)
{
    if (page->cards == 0) return;
    fputs("<section id=\"frames\">\n", page->to);
    fprintf(page->to, "<h2>%s</h2>\n", page->facts->pair ? "Pictures" : "Frames");
    if (page->no_pictures) {
        fputs("<p class=\"none\">There are no pictures: ", page->to);
        html_name(page->to, page->no_pictures);
        fputs("</p>\n", page->to);
    }
    if (!page->facts->pair)
        fputs("<p>The lowest scores, the lowest tiles, and frames beyond a limit or with a hint, "
              "above all where one begins; the worst first.</p>\n",
              page->to);
    if (!page->no_pictures) put_gradient(page->to);
    for (size_t i = 0; i < page->cards; i++) put_card(page, page->card[i]);
    fputs("</section>\n", page->to);
}
