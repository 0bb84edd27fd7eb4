/* The inputs, the settings and the devices of the comparison. */
#include "report/page/page.h"

#include "base/json.h"

/* Adds a name or a path; NULL: the results are damaged. */
static void add_text(struct model to, const char *before, const char *text)
{
    model_texts(model_item(to, "texts"), "before text", before, text ? text : "?");
}

/* Sets a value of the header: texts with their own writing direction as "texts", others as "plain".
 */
static void set_value(struct model to, const json_t *value)
{
    if (json_is_string(value)) add_text(to, "", json_string_value(value));
    if (json_is_integer(value))
        model_text(to, "plain", "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_real(value)) model_text(to, "plain", "%.9g", json_real_value(value));
    if (json_is_boolean(value)) model_text(to, "plain", json_is_true(value) ? "yes" : "no");
    for (size_t i = 0; i < json_array_size(value); i++)
        add_text(to, i > 0 ? ", " : "", json_string_value(json_array_get(value, i)));
    if (json_is_array(value) && json_array_size(value) == 0) model_text(to, "plain", "none");
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

static void add_row(struct model to, const char *name, const json_t *value)
{
    if (!value || json_is_null(value)) return;
    const struct model input = model_item(to, "inputs");
    model_text(input, "name", "%s", name);
    set_value(input, value);
}

static void add_input(struct model to, const struct page *page)
{
    static const char *const rows[][2] = {{"paths", "Frames"},      {"ref", "REF"},
                                          {"out", "OUT"},           {"list", "List"},
                                          {"label", "Label"},       {"frames", "--frames"},
                                          {"missing", "--missing"}, {"recursive", "--recursive"},
                                          {"size", "--size"},       {"format", "--format"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        add_row(to, rows[i][1], json_object_get(page->facts->header->input, rows[i][0]));
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
    if (page->report->alone) {
        add_row(to, "Kinds that fail", json_object_get(page->facts->header->contract, "fail_on"));
        return;
    }
    set_devices(to, page);
    add_members(to, page->facts->header->contract);
    if (page->facts->score_seconds >= 0)
        model_text(made, "seconds", "%.1f", page->facts->score_seconds);
}
