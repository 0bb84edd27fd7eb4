/* Findings: a card with pictures for some, and rows of a table for the rest. */
#include "check/page/view.h"

#include "base/text.h"
#include "check/page/frames.h"
#include "options/files.h"
#include "report/folder/contents.h"
#include "report/html/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const WHICH[BESIDE] = {"Before,", "Frame", "Behind,"};

/* Begins a link to a file, by a relative way. Returns false if there is no memory for it. */
static bool begin_link(const struct view *view, const char *path)
{
    char *page = text_join(view->folder, "/", CONTENTS_PAGE, "");
    char *way = page ? files_way(page, path, "") : NULL;
    free(page);
    if (!way) return false;
    way[strlen(way) - 1] = '\0'; /* the slash behind a directory, which it is not */
    fputs("<a href=\"", view->to);
    html_link(view->to, way);
    fputs("\">", view->to);
    free(way);
    return true;
}

/* Writes a file as a link, and nothing of frames that are missing. */
static void put_path(const struct view *view, const struct collected_frame *frame)
{
    if (!frame->path) return;
    const bool link = begin_link(view, frame->path);
    html_name(view->to, frame->path);
    if (link) fputs("</a>", view->to);
}

/* Writes a frame's number, or the name of a picture without one. */
static void put_frame(const struct view *view, const struct collected_finding *finding)
{
    if (finding->frame >= 0)
        fprintf(view->to, "%" PRId64, finding->frame);
    else if (finding->at[HERE].path)
        html_name(view->to, text_base(finding->at[HERE].path));
}

static void put_place(FILE *to, const struct collected_finding *finding)
{
    if (finding->width > 0)
        fprintf(to, "%" PRIu32 " \xC3\x97 %" PRIu32 " at %" PRIu32 ", %" PRIu32, finding->width,
                finding->height, finding->x, finding->y);
}

static void put_kind(FILE *to, const struct collected_finding *finding)
{
    html_print(to, "<span class=\"state %s\">%s</span>", finding->fails ? "below" : "hinted",
               finding->kind);
}

/* ---- Cards ----------------------------------------------------------------------------------- */

/* A dark line below a bright one is visible on any picture. */
static void put_box(FILE *to, const struct picture_file *file, const struct picture_box *box)
{
    if (!(box->width > 0)) return;
    fprintf(to, "<svg class=\"box\" viewBox=\"0 0 %u %u\" aria-hidden=\"true\">", file->width,
            file->height);
    for (int over = 0; over < 2; over++)
        fprintf(to, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>",
                over ? "over" : "under", box->x, box->y, box->width, box->height);
    fputs("</svg>", to);
}

/* Returns how large a pixel is drawn: of a whole frame that was small as well. */
static uint32_t times_of(const struct picture_file *file)
{
    enum { SIDE = 384, MOST = 8 };
    const uint32_t longer = file->width > file->height ? file->width : file->height;
    const uint32_t times = longer > 0 ? SIDE / longer : 1;
    return times < 1 ? 1 : times > MOST ? MOST : times;
}

static void put_picture(const struct view *view, const struct collected_finding *finding, int which)
{
    const struct picture_file *file = &finding->picture[which];
    const struct collected_frame *frame = &finding->at[which];
    const uint32_t times = times_of(file);
    if (!file->name[0]) return;
    html_print(view->to,
               "<figure><div class=\"stack\"><a href=\"%s\"><img src=\"%s\" width=\"%u\" "
               "height=\"%u\" loading=\"lazy\" alt=\"%s %s\"></a>",
               file->name, file->name, file->width * times, file->height * times, WHICH[which],
               which == HERE ? finding->text : text_base(frame->path));
    put_box(view->to, file, &finding->box[which]);
    fprintf(view->to, "</div><figcaption>%s", WHICH[which]);
    if (frame->frame >= 0) fprintf(view->to, " %" PRId64, frame->frame);
    fputs("</figcaption></figure>\n", view->to);
}

static void put_pictures(const struct view *view, const struct collected_finding *finding)
{
    bool any = false;
    for (int which = 0; which < BESIDE; which++) any = any || finding->picture[which].name[0];
    if (any) {
        fputs("<div class=\"crops three\">\n", view->to);
        for (int which = 0; which < BESIDE; which++) put_picture(view, finding, which);
        fputs("</div>\n", view->to);
    }
    if (finding->why[0])
        html_print(view->to, "<p class=\"none\">%s: <bdi>%s</bdi></p>\n",
                   any ? "A picture is lacking" : "No pictures", finding->why);
}

static void put_card(const struct view *view, const struct collected_finding *finding)
{
    fprintf(view->to, "<article class=\"card\" data-state=\"%s\">\n<header><h3>%s",
            finding->fails ? "below" : "hinted", finding->frame >= 0 ? "Frame " : "");
    put_frame(view, finding);
    fputs("</h3>", view->to);
    put_kind(view->to, finding);
    html_print(view->to, "<b>%s</b></header>\n<ul class=\"scores\">", finding->text);
    if (finding->width > 0) {
        fputs("<li><span>place</span> ", view->to);
        put_place(view->to, finding);
        fputs("</li>", view->to);
    }
    if (finding->at[HERE].path) {
        fputs("<li><span>file</span> ", view->to);
        put_path(view, &finding->at[HERE]);
        fputs("</li>", view->to);
    }
    fputs("</ul>\n", view->to);
    put_pictures(view, finding);
    fputs("</article>\n", view->to);
}

/* Writes the cards of a section, under the names of their sequences. */
static void put_cards(const struct view *view, bool fail)
{
    const struct collected *all = view->all;
    size_t sequence = SIZE_MAX;
    for (size_t i = 0; i < all->findings; i++) {
        const struct collected_finding *finding = &all->finding[i];
        if (finding->fails != fail || !finding->shown) continue;
        if (finding->sequence != sequence)
            html_print(view->to, "<h3 class=\"sequence\"><bdi>%s</bdi></h3>\n",
                       all->sequence[finding->sequence].name);
        sequence = finding->sequence;
        put_card(view, finding);
    }
}

/* ---- The rest -------------------------------------------------------------------------------- */

static void put_row(const struct view *view, const struct collected_finding *finding)
{
    fputs("<tr><th scope=\"row\" class=\"shot\">", view->to);
    html_name(view->to, view->all->sequence[finding->sequence].name);
    fputs("</th><td class=\"n\">", view->to);
    put_frame(view, finding);
    fputs("</td><td>", view->to);
    put_kind(view->to, finding);
    html_print(view->to, "</td><td>%s</td><td>", finding->text);
    put_place(view->to, finding);
    fputs("</td><td class=\"path\">", view->to);
    put_path(view, &finding->at[HERE]);
    fputs("</td></tr>\n", view->to);
}

static void put_rest(const struct view *view, bool fail)
{
    const struct collected *all = view->all;
    html_table(view->to, fail ? "More findings that fail" : "More findings that do not fail", NULL);
    html_head(view->to, false, "Sequence");
    html_head(view->to, true, "Frame");
    html_heads(view->to, false, (const char *const[]){"Kind", "What", "Place", "File"}, 4);
    html_table_body(view->to);
    for (size_t i = 0; i < all->findings; i++)
        if (all->finding[i].fails == fail && !all->finding[i].shown)
            put_row(view, &all->finding[i]);
    html_table_end(view->to);
}

void view_findings(const struct view *view, bool fail)
{
    const struct collected *all = view->all;
    uint64_t shown = 0;
    if (all->failing[fail] == 0) return;
    for (size_t i = 0; i < all->findings; i++)
        shown += all->finding[i].fails == fail && all->finding[i].shown;
    fprintf(view->to, "<section id=\"%s\">\n<h2>%s</h2>\n", fail ? "failing" : "others",
            fail ? "Findings that fail" : "Findings that do not fail");
    if (shown < all->failing[fail])
        fprintf(view->to,
                "<p>%" PRIu64 " of %" PRIu64 " with pictures, of which the page has %d: of every "
                "kind in every sequence as many.</p>\n",
                shown, all->failing[fail], FRAMES_SHOWN);
    put_cards(view, fail);
    if (shown < all->kept[fail]) put_rest(view, fail);
    if (all->kept[fail] < all->failing[fail])
        fprintf(view->to, "<p>And %" PRIu64 " more, which the results name.</p>\n",
                all->failing[fail] - all->kept[fail]);
    fputs("</section>\n", view->to);
}
