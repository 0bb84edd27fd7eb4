/* The contact sheet: small pictures of OUT, coloured by the number that is judged. */
#include "facts/record.h"
#include "report/frames/report_frame.h"
#include "report/html/html.h"
#include "report/html/scale.h"
#include "report/page/page.h"

#include <math.h>

/* What colours the frames: how far they are from their limits, the worst tile, or the score. */
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

/* Returns a number that is higher for what is better. */
static double value_of(const struct shown *shown, const struct report_frame *frame)
{
    const ssimcu_scored *scored = &frame->record.scored;
    if (shown->limited) return 1 - verdict_excess(&frame->judged);
    return shown->tile && scored->tile.width > 0 ? scored->tile.score : scored->score;
}

/* Returns the class of a frame. One that is beyond any limit has a colour of those below. */
static unsigned class_of(const struct shown *shown, const struct report_frame *frame)
{
    const unsigned class = scale_class(&shown->classes, value_of(shown, frame));
    return frame->judged.faults && class > SCALE_BELOW ? SCALE_BELOW : class;
}

static void put_classes(FILE *to, const struct shown *shown)
{
    static const char *const words[SCALE_CLASSES] = {"beyond twice its limit", "beyond its limit",
                                                     "", "nearer than half", "within half of it"};
    const struct scale_classes *classes = &shown->classes;
    fputs("<p class=\"legend\">", to);
    for (unsigned k = 0; k < SCALE_CLASSES; k++) {
        if (k > 0 && k + 1 < SCALE_CLASSES && classes->end[k] <= classes->end[k - 1]) continue;
        fprintf(to, "<span class=\"key q%u\">", k);
        if (shown->limited)
            fprintf(to, "%s</span> ", words[k]);
        else if (k + 1 < SCALE_CLASSES)
            fprintf(to, "below %.6g</span> ", classes->end[k]);
        else
            fprintf(to, "from %.6g</span>", classes->end[k - 1]);
    }
    fputs("</p>\n", to);
}

/* Writes the number below a frame; digits are cut. */
static void put_number(const struct shown *shown, const struct report_frame *frame, char text[32])
{
    if (shown->limited)
        page_excess(text, frame->judged.excess);
    else
        snprintf(text, 32, "%.4f", floor(value_of(shown, frame) * 1e4) / 1e4);
}

static void put_thumbnail(const struct page *page, const struct report_frame *frame)
{
    const struct record *record = &frame->record;
    const struct picture *picture = frame->picture;
    char name[TEXT_FRAME];
    if (picture && picture->small.name[0])
        html_print(page->to,
                   "<img src=\"%s\" width=\"%u\" height=\"%u\" loading=\"lazy\" "
                   "alt=\"OUT of frame %s\">",
                   picture->small.name, picture->small.width, picture->small.height,
                   page_name(page, frame->at, name));
    else
        fprintf(page->to, "<span class=\"blank\">%s</span>",
                record->kind == RECORD_SCORED ? "no picture"
                                              : page_state(&page->report->point[frame->at]));
}

static void put_cell(const struct page *page, const struct shown *shown,
                     const struct report_frame *frame)
{
    const struct record *record = &frame->record;
    const char *state = page_state(&page->report->point[frame->at]);
    char class[16] = "none", name[TEXT_FRAME], four[32] = "";
    const bool scored = record->kind == RECORD_SCORED;
    if (scored && !isnan(value_of(shown, frame))) {
        snprintf(class, sizeof class, "q%u", class_of(shown, frame));
        put_number(shown, frame, four);
    }
    html_print(page->to, "<li class=\"%s %s\" data-frame=\"%s\">", class, state,
               page_name(page, frame->at, name));
    const bool leads = page_link(page, frame->at);
    put_thumbnail(page, frame);
    html_print(page->to, "<span class=\"caption\"><span>%s</span> <span>%s</span></span>", name,
               scored ? four : state);
    fputs(leads ? "</a></li>\n" : "</li>\n", page->to);
}

static void put_meaning(const struct page *page, const struct shown *shown)
{
    const struct report *report = page->report;
    if (report->stride > 1)
        fprintf(page->to, "<p>Of every %zu frames the one in which most is wrong", report->stride);
    else
        fputs("<p>OUT of every frame", page->to);
    fprintf(page->to, ", coloured by %s.</p>\n",
            shown->limited ? "how much of its limit it is: from 1 on it is beyond"
            : shown->tile  ? "its worst tile"
                           : "its score");
}

void page_sheet(const struct page *page)
{
    const struct report *report = page->report;
    const struct shown shown = shown_of(page);
    if (report->count < 2 || page->no_pictures) return;
    fputs("<section id=\"sheet\">\n<h2>Contact sheet</h2>\n", page->to);
    put_meaning(page, &shown);
    put_classes(page->to, &shown);
    fputs("<ol class=\"sheet\">\n", page->to);
    for (size_t i = 0; i < report->sheet.count; i++) put_cell(page, &shown, report->sheet.frame[i]);
    fputs("</ol>\n</section>\n", page->to);
}
