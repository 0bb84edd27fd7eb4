/* What was compared, how and by what. */
#include "report/page/page.h"

#include "base/json.h"

/* Sets a value of the header: a text as "texts", whose direction is its own, others as "plain". */
static void set_value(struct model to, const json_t *value)
{
    struct markup text; /* not escaped: the template does that */
    if (json_is_string(value)) model_list(to, "texts", json_string_value(value));
    if (!model_open(to, &text)) return;
    if (json_is_integer(value))
        fprintf(text.to, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_real(value)) fprintf(text.to, "%.9g", json_real_value(value));
    if (json_is_boolean(value)) fputs(json_is_true(value) ? "yes" : "no", text.to);
    for (size_t i = 0; i < json_array_size(value);
         i++) { /* names, unless the results are damaged */
        const char *name = json_string_value(json_array_get(value, i));
        fprintf(text.to, "%s%s", i > 0 ? ", " : "", name ? name : "?");
    }
    model_close(to, "plain", &text);
}

static void add_members(struct model to, json_t *object)
{
    const char *name, *before = "";
    json_t *value;
    json_object_foreach(object, name, value)
    {
        const struct model member = model_item(to, "contract");
        model_texts(member, "before name", before, name);
        set_value(member, value);
        if (json_is_object(value)) add_members(to, value);
        before = " \xC2\xB7 ";
    }
}

static void add_input(struct model to, const struct page *page)
{
    static const char *const rows[][2] = {{"ref", "REF"},
                                          {"out", "OUT"},
                                          {"list", "List"},
                                          {"label", "Label"},
                                          {"frames", "--frames"},
                                          {"missing", "--missing"},
                                          {"recursive", "--recursive"},
                                          {"size", "--size"},
                                          {"format", "--format"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const json_t *value = json_object_get(page->facts->header->input, rows[i][0]);
        if (!value || json_is_null(value)) continue;
        const struct model input = model_item(to, "inputs");
        model_text(input, "name", "%s", rows[i][1]);
        set_value(input, value);
    }
}

static void set_devices(struct model to, const struct page *page)
{
    static const char *const backends[] = {"cpu", "cuda"};
    const char *name[2] = {"", ""};
    for (int i = 0; i < 2; i++) {
        if (!page->report->has_backend[i]) continue;
        name[i] = header_device(page->facts->header->device, backends[i]);
        if (!name[i]) name[i] = backends[i];
    }
    const bool less_exact = page->report->has_backend[1] && page->report->tiles.count > 0;
    model_text(to, "devices", "%s%s%s%s", name[0], name[0][0] && name[1][0] ? "; " : "", name[1],
               less_exact ? "; tiles within 1e-5 there, frames within 1e-6" : "");
}

void page_facts(struct model to, const struct page *page)
{
    const struct model made = {json_object_get(to.json, "made"), to.lost};
    page_numbers(to, page);
    add_input(to, page);
    set_devices(to, page);
    add_members(to, page->facts->header->contract);
    if (page->facts->score_seconds >= 0)
        model_text(made, "seconds", "%.1f", page->facts->score_seconds);
}
