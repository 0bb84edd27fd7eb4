#include "report/page/page.h"

#include "report/folder/contents.h"
#include "report/html/head.h"
#include "report/html/html.h"

static void add_old_picture(void *user, const char *name)
{
    const struct model to = model_item(*(const struct model *)user, "picture");
    model_link(to, "href", name);
    model_text(to, "name", "%s", name);
}

static void list_old_pictures(struct model page, const void *user)
{
    contents_each_picture(user, add_old_picture, &page);
}

bool page_write_withdrawn(FILE *to, const char *why, const char *folder)
{
    return html_no_result(to, CONTENTS_MARK, "ssimcu report", why, list_old_pictures, folder);
}

static void put_navigation(const struct page *page)
{
    const struct summary *summary = page->facts->summary;
    const struct {
        const char *id, *name;
        bool there;
    } sections[] = {{"plot", "Plot", true},
                    {"broken", "Without score", summary->missing + summary->failed > 0},
                    {"frames", "Frames", page->cards > 0},
                    {"shots", "Shots", summary->parts > 1},
                    {"sheet", "Contact sheet", !page->no_pictures},
                    {"table", "Table", true}};
    if (page->report->count < 2) return;
    fputs("<nav aria-label=\"Sections\"><ul>", page->to);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (sections[i].there)
            fprintf(page->to, "<li><a href=\"#%s\">%s</a></li>", sections[i].id, sections[i].name);
    fputs("</ul></nav>\n", page->to);
}

void page_write(const struct page *page)
{
    head_scripts(page->to, CONTENTS_MARK, &page_js, &cards_js);
    page_title(page);
    head_end(page->to, "ssimcu report");
    fputs("<body>\n", page->to);
    page_verdict(page);
    put_navigation(page);
    fputs("<main>\n", page->to);
    page_facts(page);
    page_plot(page);
    page_broken(page);
    page_frames(page);
    page_parts(page);
    page_sheet(page);
    page_table(page);
    fputs("</main>\n", page->to);
    page_data(page);
    head_script(page->to, &page_js);
    head_script(page->to, &cards_js);
    fputs("</body>\n</html>\n", page->to);
}
