#include "report/page/page.h"

#include "report/folder/contents.h"
#include "report/html/html_page.h"

extern const struct html_asset run_html;

static void add_old_picture(void *user, const char *name)
{
    const struct model to = model_item(*(const struct model *)user, "picture");
    model_link(to, "href", name, "");
    model_text(to, "name", "%s", name);
}

static void list_old_pictures(struct model page, const void *user)
{
    if (!contents_each_picture(user, add_old_picture, &page)) *page.lost = true;
}

bool page_write_withdrawn(FILE *to, const void *withdrawn)
{
    const struct page_withdrawn *reason = withdrawn;
    return html_no_result(to, CONTENTS_MARK, "ssimcu report", reason->why, list_old_pictures,
                          reason->folder);
}

static void fill(struct model to, const void *user)
{
    const struct page *page = user;
    model_flag(to, "pair", page->facts->pair);
    model_flag(to, "alone", page->report->alone);
    model_flag(to, "several", page->report->count > 1 && !page->report->alone);
    model_flag(to, "limited", page->report->limited);
    page_verdict(to, page);
    page_facts(to, page);
    page_frames(to, page);
    if (page->report->alone) {
        page_noref_shots(to, page);
        return;
    }
    page_plot(to, page);
    page_parts(to, page);
    page_sheet(to, page);
    page_table(to, page);
    page_data(to, page);
}

bool page_write(FILE *to, const void *user)
{
    const struct page *page = user;
    struct html_page run = {.mark = CONTENTS_MARK,
                            .kind = "ssimcu report",
                            .template = &run_html,
                            .pictures = true,
                            .script = {&page_js, &cards_js}};
    if (page->report->alone) run.script[0] = NULL; /* it runs no script */
    return html_page_write(to, &run, fill, page);
}
