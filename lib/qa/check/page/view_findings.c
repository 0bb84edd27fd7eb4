/* Findings: a card with pictures for some, and rows of a table for the rest. */
#include "check/page/view.h"

#include "base/text.h"
#include "check/page/frames.h"
#include "options/files.h"
#include "report/folder/contents.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 384 /* pixels of a drawn picture's longer side, of a whole frame that was small, too */
};

/* Sets the relative way to a file. Without memory for it there is none. */
static void set_link(struct model to, const struct view *view, const char *path)
{
    char *page = text_join(view->folder, "/", CONTENTS_PAGE, "");
    char *way = page && path ? files_way(page, path, "") : NULL;
    if (way) way[strlen(way) - 1] = '\0'; /* the slash behind a directory, which it is not */
    model_link(to, "href", way ? way : "", "");
    free(page);
    free(way);
}

/* Sets what cards and rows have: what is found, and where. A picture without a number has its
 * name, and frames that are missing have no file. */
static void set_finding(struct model to, const struct view *view,
                        const struct collected_finding *finding)
{
    const char *const path = finding->at[HERE].path;
    char frame[24] = "", place[60] = "";
    if (finding->frame >= 0) snprintf(frame, sizeof frame, "%" PRId64, finding->frame);
    if (finding->width > 0)
        snprintf(place, sizeof place, "%" PRIu32 " \xC3\x97 %" PRIu32 " at %" PRIu32 ", %" PRIu32,
                 finding->width, finding->height, finding->x, finding->y);
    model_text(to, "state", finding->fails ? "below" : "hinted");
    model_texts(to, "kind text frame", finding->kind, finding->text, frame);
    model_texts(to, "picture_name place path", path && !frame[0] ? text_base(path) : "", place,
                path);
    set_link(to, view, path);
}

/* ---- Cards ----------------------------------------------------------------------------------- */

static void add_picture(struct model card, const struct collected_finding *finding, int which)
{
    static const char *const names[BESIDE] = {"Before,", "Frame", "Behind,"};
    const struct picture_file *file = &finding->picture[which];
    const struct picture_box *box = &finding->box[which];
    const struct collected_frame *frame = &finding->at[which];
    const uint32_t times = pictures_times(file, SIDE);
    const struct model to = model_item(card, "pictures");
    char number[24] = "";
    if (frame->frame >= 0) snprintf(number, sizeof number, "%" PRId64, frame->frame);
    model_text(to, "file", "%s", file->name);
    model_number(to, "width", file->width * times);
    model_number(to, "height", file->height * times);
    model_texts(to, "which shows beside", names[which],
                which == HERE ? finding->text : text_base(frame->path), number);
    if (box->width > 0)
        model_box(to, file->width, file->height,
                  (const double[]){box->x, box->y, box->width, box->height});
}

/* Adds a card; that of the first finding of its sequence has the sequence's name above it. */
static void add_card(struct model section, const struct view *view,
                     const struct collected_finding *finding, bool first)
{
    const struct model card = model_item(section, "cards");
    bool any = false;
    model_text(card, "sequence", "%s", first ? view->all->sequence[finding->sequence].name : "");
    set_finding(card, view, finding);
    for (int which = 0; which < BESIDE; which++) {
        if (!finding->picture[which].name[0]) continue;
        add_picture(card, finding, which);
        any = true;
    }
    model_flag(card, "any_pictures", any);
    model_text(card, "why", "%s", finding->why);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void add_section(struct model page, const struct view *view, bool fail)
{
    const struct collected *all = view->all;
    const struct model section = model_item(page, "findings");
    uint64_t shown = 0;
    size_t sequence = SIZE_MAX;
    for (size_t i = 0; i < all->findings; i++) {
        const struct collected_finding *finding = &all->finding[i];
        if (finding->fails != fail) continue;
        if (finding->shown) {
            add_card(section, view, finding, finding->sequence != sequence);
            sequence = finding->sequence;
            shown++;
        } else {
            const struct model row = model_item(section, "rows");
            model_text(row, "sequence", "%s", all->sequence[finding->sequence].name);
            set_finding(row, view, finding);
        }
    }
    model_text(section, "id", fail ? "failing" : "others");
    model_flag(section, "fail", fail);
    model_flag(section, "few_shown", shown < all->failing[fail]);
    model_number(section, "shown", shown);
    model_number(section, "all", all->failing[fail]);
    model_number(section, "most", FRAMES_SHOWN);
    model_flag(section, "tabled", shown < all->kept[fail]);
    if (all->kept[fail] < all->failing[fail])
        model_number(section, "more", all->failing[fail] - all->kept[fail]);
}

void view_findings(struct model page, const struct view *view)
{
    for (int fail = 1; fail >= 0; fail--)
        if (view->all->failing[fail] > 0) add_section(page, view, fail);
}
