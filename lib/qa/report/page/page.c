#include "report/page/page.h"

#include "report/folder/contents.h"
#include "report/html/head.h"
#include "report/html/html.h"
#include "report/html/page_assets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- The page -------------------------------------------------------------------------------- */

static void put_old_picture(void *user, const char *name)
{
    FILE *to = user;
    fputs("<li><a href=\"", to);
    html_link(to, name);
    fputs("\">", to);
    html_text(to, name);
    fputs("</a></li>\n", to);
}

void page_write_withdrawn(FILE *to, const char *why, const char *folder)
{
    head_start(to, CONTENTS_MARK);
    fputs("<title>No result - ssimcu report</title>\n</head>\n<body>\n<h1>No result</h1>\n<p>The "
          "last "
          "run ended before it came to a verdict: ",
          to);
    html_text(to, why);
    fputs("</p>\n<p>Pictures of the report before it:</p>\n<ul>\n", to);
    contents_each_picture(folder, put_old_picture, to);
    fputs("</ul>\n</body>\n</html>\n", to);
}

/* The page fetches its own pictures alone, and runs its own script alone. */
static void put_head(const struct page *page)
{
    FILE *to = page->to;
    head_start(to, CONTENTS_MARK);
    fprintf(to,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "img-src 'self'; style-src '%s'; script-src '%s' '%s'; base-uri 'none'; form-action "
            "'none'\">\n",
            page_css_hash, page_js_hash, cards_js_hash);
    head_title(to);
    page_title(page);
    head_end(to, "ssimcu report");
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

static void put_script(FILE *to, const unsigned char *script, size_t size)
{
    fputs("<script>", to);
    fwrite(script, 1, size, to);
    fputs("</script>\n", to);
}

void page_write(const struct page *page)
{
    put_head(page);
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
    put_script(page->to, page_js, page_js_size);
    put_script(page->to, cards_js, cards_js_size);
    fputs("</body>\n</html>\n", page->to);
}
