/* The contact sheet: small pictures of OUT, coloured by the number that is judged. */
#include "facts/record.h"
#include "report/frames/report_frame.h"
#include "report/html/html.h"
#include "report/html/scale.h"
#include "report/page/page.h"

#include <math.h>

/* The number that colours the frames. */
struct shown {
    bool tile;                    /* the worst tile, else the score */
    double limit;                 /* its limit; NaN: none */
    struct scale_classes classes; /* classes of its values */
};

/* Returns the tile, which tells local damage. A lone limit on the score comes before it. */
static struct shown shown_of(const struct page *page)
{
    const struct limits *limits = &page->facts->verdict->limits;
    const bool tile =
        page->report->tiles.count > 0 &&
        (limits_has(limits, SSIMCU_LIMIT_MIN_TILE) || !limits_has(limits, SSIMCU_LIMIT_MIN_FRAME));
    const double limit =
        limits_number(limits, tile ? SSIMCU_LIMIT_MIN_TILE : SSIMCU_LIMIT_MIN_FRAME);
    return (struct shown){tile, limit, scale_classes_of(limit)};
}

static double value_of(const struct shown *shown, const struct record *record)
{
    return shown->tile && record->scored.tile.width > 0 ? record->scored.tile.score
                                                        : record->scored.score;
}

/* Returns the class of a frame. One that is beyond any limit has a colour of those below. */
static unsigned class_of(const struct shown *shown, const struct report_frame *frame)
{
    const unsigned class = scale_class(&shown->classes, value_of(shown, &frame->record));
    return frame->judged.faults && class > SCALE_BELOW ? SCALE_BELOW : class;
}

static void put_classes(FILE *to, const struct scale_classes *classes)
{
    fputs("<p class=\"legend\">", to);
    for (unsigned k = 0; k < SCALE_CLASSES; k++) {
        if (k > 0 && k + 1 < SCALE_CLASSES && classes->end[k] <= classes->end[k - 1]) continue;
        fprintf(to, "<span class=\"key q%u\">", k);
        if (k + 1 < SCALE_CLASSES)
            fprintf(to, "below %.6g</span> ", classes->end[k]);
        else
            fprintf(to, "from %.6g</span>", classes->end[k - 1]);
    }
    fputs("</p>\n", to);
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
    const double value = value_of(shown, record);
    if (scored && !isnan(value)) {
        snprintf(class, sizeof class, "q%u", class_of(shown, frame));
        snprintf(four, sizeof four, "%.4f", floor(value * 1e4) / 1e4); /* digits are cut */
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
    fprintf(page->to, ", coloured by its %s", shown->tile ? "worst tile" : "score");
    if (isfinite(shown->limit))
        fprintf(page->to, " against <code>%s %.9g</code>; orange is below a limit",
                shown->tile ? "--min-tile" : "--min-frame", shown->limit);
    fputs(".</p>\n", page->to);
}

void page_sheet(const struct page *page)
{
    const struct report *report = page->report;
    const struct shown shown = shown_of(page);
    if (report->count < 2 || page->no_pictures) return;
    fputs("<section id=\"sheet\">\n<h2>Contact sheet</h2>\n", page->to);
    put_meaning(page, &shown);
    put_classes(page->to, &shown.classes);
    fputs("<ol class=\"sheet\">\n", page->to);
    for (size_t i = 0; i < report->sheet.count; i++) put_cell(page, &shown, report->sheet.frame[i]);
    fputs("</ol>\n</section>\n", page->to);
}
