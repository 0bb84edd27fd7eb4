/* The contact sheet: small pictures of OUT, coloured by the judged number. */
#include "record/record.h"
#include "report/frames/report_frame.h"
#include "report/html/scale.h"
#include "report/page/page.h"

#include <math.h>

/* The number that colours the frames: the share of the limit, the worst tile, or the score. */
struct shown {
    bool limited, tile;
    struct scale_classes classes;
};

static struct shown shown_of(const struct page *page)
{
    const bool limited = page->report->limited;
    return (struct shown){limited, page->report->tiles.count > 0,
                          limited ? scale_classes_of_limits() : scale_classes_of_scores()};
}

/* Returns a number that is higher for better frames. */
static double value_of(const struct shown *shown, const struct report_frame *frame)
{
    const ssimcu_scored *scored = &frame->record.scored;
    if (shown->limited) return 1 - verdict_excess(&frame->judged);
    return shown->tile && scored->tile.width > 0 ? scored->tile.score : scored->score;
}

/* Returns the class of a frame. A frame beyond any limit has a colour of that range. */
static unsigned class_of(const struct shown *shown, const struct report_frame *frame)
{
    const unsigned class = scale_class(&shown->classes, value_of(shown, frame));
    return frame->judged.fails && class > SCALE_BELOW ? SCALE_BELOW : class;
}

static void add_classes(struct model to, const struct shown *shown)
{
    static const char *const words[SCALE_CLASSES] = {"over 2 x its limit", "over its limit", "",
                                                     "over 0.5 x its limit",
                                                     "up to 0.5 x its limit"};
    const struct scale_classes *classes = &shown->classes;
    for (unsigned k = 0; k < SCALE_CLASSES; k++) {
        const bool last = k + 1 == SCALE_CLASSES;
        if (k > 0 && !last && classes->end[k] <= classes->end[k - 1]) continue;
        const struct model class = model_item(to, "classes");
        model_number(class, "class", k);
        if (shown->limited)
            model_text(class, "meaning", "%s", words[k]);
        else
            model_text(class, "meaning", last ? "from %.6g" : "below %.6g",
                       classes->end[last ? k - 1 : k]);
    }
}

/* Writes the number below a frame; digits are cut. */
static void put_number(const struct shown *shown, const struct report_frame *frame, char text[32])
{
    if (shown->limited)
        page_excess(text, frame->judged.excess);
    else
        snprintf(text, 32, "%.4f", floor(value_of(shown, frame) * 1e4) / 1e4);
}

static void add_cell(struct model to, const struct page *page, const struct shown *shown,
                     const struct report_frame *frame)
{
    const struct picture *picture = frame->picture;
    const char *state = page_state(&page->report->point[frame->at]);
    const struct model cell = model_item(to, "sheet_cells");
    char class[16] = "none", name[TEXT_FRAME], four[32] = "", anchor[PAGE_ANCHOR];
    const bool scored = frame->record.kind == RECORD_SCORED;
    if (scored && !isnan(value_of(shown, frame))) {
        snprintf(class, sizeof class, "q%u", class_of(shown, frame));
        put_number(shown, frame, four);
    }
    model_texts(cell, "class state name href caption blank", class, state,
                page_name(page->report, frame->at, name), page_anchor(page, frame->at, anchor),
                scored ? four : state, scored ? "no picture" : state);
    if (!picture || !picture->small.name[0]) return;
    const struct model small = model_in(cell, "small");
    model_text(small, "file", "%s", picture->small.name);
    model_number(small, "width", picture->small.width);
    model_number(small, "height", picture->small.height);
}

void page_sheet(struct model to, const struct page *page)
{
    const struct report *report = page->report;
    const struct shown shown = shown_of(page);
    const char *by = shown.limited ? "its multiple of its limit; above 1 it is over the limit"
                     : shown.tile  ? "its worst tile"
                                   : "its score";
    const bool any = report->count > 1 && !page->no_pictures;
    model_flag(to, "any_sheet", any);
    if (!any) return;
    if (report->stride > 1)
        model_text(to, "sheet", "The worst frame of every %zu, coloured by %s.", report->stride,
                   by);
    else
        model_text(to, "sheet", "OUT of every frame, coloured by %s.", by);
    add_classes(to, &shown);
    for (size_t i = 0; i < report->sheet.count; i++)
        add_cell(to, page, &shown, report->sheet.frame[i]);
}
