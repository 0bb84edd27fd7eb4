#include "report/html/html_page.h"

#include "report/html/template.h"

#include "ssimcu.h"

#include <time.h>
#include <unistd.h>

extern const struct html_asset page_html, no_result_html; /* the frame of every page, and a body */

static void set_asset(struct model to, const char *code, const char *hash,
                      const struct html_asset *asset)
{
    if (json_object_set_new(to.json, code, json_stringn(asset->bytes, asset->size)) != 0)
        *to.lost = true;
    model_text(to, hash, "%s", asset->hash);
}

static void set_head(struct model to, const struct html_page *page)
{
    struct markup mark; /* it is the beginning of a tag */
    if (model_open(to, &mark)) fputs(page->mark, mark.to);
    model_close(to, "mark", &mark);
    model_texts(to, "version kind", ssimcu_version(), page->kind);
    model_flag(to, "pictures", page->pictures);
    model_flag(to, "scripted", page->script[0] != NULL);
    set_asset(to, "style", "style_hash", &page_css);
    for (int i = 0; i < 2 && page->script[i]; i++)
        set_asset(model_item(to, "scripts"), "code", "hash", page->script[i]);
}

static void set_made(struct model to)
{
    char host[256] = "", date[32], machine_date[32];
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(machine_date, sizeof machine_date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
    if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
    model_texts(to, "time date host version", machine_date, date, host, ssimcu_version());
}

bool html_page_write(FILE *to, const struct html_page *page, html_fill *fill, const void *user)
{
    bool lost = false;
    struct markup body;
    const struct model model = {json_object(), &lost}, head = {json_object(), &lost};
    set_made(model_in(model, "made"));
    fill(model, user);
    set_head(head, page);
    model_text(head, "title", "%s", json_string_value(json_object_get(model.json, "title")));
    bool good = model_open(head, &body) && !lost;
    if (good) good = template_fill(body.to, page->template->bytes, model.json);
    model_close(head, "body", &body);
    if (good && !lost) good = template_fill(to, page_html.bytes, head.json);
    json_decref(model.json);
    json_decref(head.json);
    return good && !lost;
}

void html_part(struct model to, const char *name, const struct html_asset *template,
               struct model part)
{
    struct markup markup;
    if (model_open(to, &markup) && !template_fill(markup.to, template->bytes, part.json))
        *to.lost = true;
    model_close(to, name, &markup);
}

/* ---- No result ------------------------------------------------------------------------------- */

struct no_result {
    const char *why;
    html_fill *list;
    const void *user;
};

static void fill_no_result(struct model page, const void *user)
{
    const struct no_result *result = user;
    model_texts(page, "title why", "No result", result->why);
    model_flag(page, "had_pictures", result->list != NULL);
    if (result->list) result->list(page, result->user);
}

bool html_no_result(FILE *to, const char *mark, const char *kind, const char *why, html_fill *list,
                    const void *user)
{
    const struct html_page page = {.mark = mark, .kind = kind, .template = &no_result_html};
    return html_page_write(to, &page, fill_no_result, &(struct no_result){why, list, user});
}
