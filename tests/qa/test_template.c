/* Templates and what fills them: sections, lookup, and text that no page may take for markup. */
#include "check.h"

#include "report/html/html_page.h"
#include "report/html/template.h"

#include <math.h>
#include <stdlib.h>

static bool is_template; /* what template_fill has returned last */

/* Fills a template from a model that is JSON. The text is the caller's to free. */
static char *filled(const char *template, const char *json)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    json_t *model = json_loads(json, 0, NULL);
    cr_assert(model, "%s", json);
    is_template = template_fill(to, template, model);
    json_decref(model);
    fclose(to);
    return text;
}

static void expect(const char *template, const char *json, const char *wanted)
{
    char *text = filled(template, json);
    cr_expect(is_template, "%s", template);
    cr_expect_str_eq(text, wanted, "%s of %s: %s, not %s", template, json, text, wanted);
    free(text);
}

Test(template, values)
{
    expect("", "{}", "");
    expect("a {{x}} b", "{\"x\":\"1\"}", "a 1 b");
    expect("{{x}}{{y}}{{z}}", "{\"x\":9007199254740993,\"y\":0.5,\"z\":true}",
           "90071992547409930.5");
    expect("{{gone}}{{x}}", "{\"x\":null}", "");
    expect("}} {x} { {", "{\"x\":1}", "}} {x} { {");
}

/* What comes from outside is never markup, first, last or in the middle, and whatever it imitates.
 */
Test(template, text_is_escaped)
{
    expect("<a href=\"{{x}}\">", "{\"x\":\"\\\"><script>'&amp;\"}",
           "<a href=\"&quot;&gt;&lt;script&gt;&#39;&amp;amp;\">");
    expect("{{x}}{{y}}", "{\"x\":\"{{y}}{{{y}}}\",\"y\":\"<\"}", "{{y}}{{{y}}}&lt;");
    expect("{{#x}}{{.}}{{/x}}", "{\"x\":[\"<a\",\"b>\",\"&\"]}", "&lt;ab&gt;&amp;");
    expect("{{x}}", "{\"x\":\"a\\nb\\u0007\\u0085\"}", "a\\nb\\x07\\xC2\\x85");
    expect("{{{x}}}", "{\"x\":\"<b>&amp;</b>\\n\"}", "<b>&amp;</b>\n");
}

Test(template, sections)
{
    expect("{{#x}}a{{/x}}{{^x}}b{{/x}}", "{\"x\":true}", "a");
    expect("{{#x}}a{{/x}}{{^x}}b{{/x}}", "{\"x\":0}", "a");
    expect("{{#x}}a{{/x}}{{^x}}b{{/x}}", "{\"x\":{}}", "a");
    static const char *const none[] = {"{}", "{\"x\":false}", "{\"x\":null}", "{\"x\":\"\"}",
                                       "{\"x\":[]}"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        expect("{{#x}}a{{#y}}{{z}}{{/y}}{{/x}}{{^x}}b{{/x}}", none[i], "b");
    expect("{{#x}}{{y}}{{z}},{{/x}}", "{\"x\":[{\"y\":1},{\"y\":2},{\"y\":3}],\"z\":\".\"}",
           "1.,2.,3.,");
    expect("{{#x}}{{#x}}{{.}}{{/x}};{{/x}}", "{\"x\":[{\"x\":[1,2]},{\"x\":[]},{\"x\":[3]}]}",
           "12;;3;");
    expect("{{#x}}{{y}}{{/x}}{{y}}", "{\"x\":{\"y\":1},\"y\":2}", "12");
}

/* A tag of a section takes its line along if nothing else is there, at the template's ends, too. */
Test(template, lines_of_tags_alone)
{
    expect("{{#x}}\na\n{{/x}}\n", "{\"x\":true}", "a\n");
    expect("<p>\n  {{^x}}\n  a\n  {{/x}}\n</p>\n", "{}", "<p>\n  a\n</p>\n");
    expect("{{#x}}a\n{{/x}}b", "{\"x\":true}", "a\nb");
    expect("{{x}}\n", "{\"x\":\"a\"}", "a\n");
}

Test(template, mistakes_are_noticed)
{
    static const char *const wrong[] = {"{{#x}}",
                                        "a{{/x}}",
                                        "{{#x}}{{/y}}",
                                        "{{^x}}{{#y}}{{/x}}{{/y}}",
                                        "{{#x}}{{#y}}{{/y}}",
                                        "{{#x}}b{{/y}}{{/x}}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        free(filled(wrong[i], "{\"x\":[1,2]}"));
        cr_expect_not(is_template, "%s", wrong[i]);
    }
    char deep[400] = "";
    for (int i = 0; i < 16; i++) strcat(deep, "{{#x}}");
    for (int i = 0; i < 16; i++) strcat(deep, "{{/x}}");
    free(filled(deep, "{\"x\":true}"));
    cr_expect_not(is_template);
}

extern const struct html_asset calibrate_html, no_result_html, outs_html, page_html, plot_html,
    run_html, sides_html;

Test(template, all_of_ours_are_templates)
{
    const struct html_asset *const ours[] = {&calibrate_html, &no_result_html, &outs_html,
                                             &page_html,      &plot_html,      &run_html,
                                             &sides_html};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        free(filled(ours[i]->bytes, "{}"));
        cr_expect(is_template, "%.80s", ours[i]->bytes);
        cr_expect_eq(strlen(ours[i]->bytes), ours[i]->size);
    }
}

/* ---- Models ---------------------------------------------------------------------------------- */

static void fill_hostile(struct model page, const void *user)
{
    struct markup markup;
    model_text(page, "title", "%s", (const char *)user);
    model_text(page, "why", "%s", (const char *)user);
    model_flag(page, "had_pictures", true);
    for (int i = 0; i < 2; i++) model_link(model_item(page, "picture"), "href", user, "");
    model_value(page, "score", SSIMCU_METRIC_SSIM, 0.99999999);
    model_value(page, "psnr", SSIMCU_METRIC_PSNR, INFINITY);
    model_value(page, "none", SSIMCU_METRIC_SSIM, NAN);
    cr_expect_str_eq(json_string_value(json_object_get(page.json, "score")), "0.999999");
    cr_expect_str_eq(json_string_value(json_object_get(page.json, "psnr")), "inf");
    cr_expect_str_eq(json_string_value(json_object_get(page.json, "none")), "");
    if (model_open(page, &markup)) fputs("<b>", markup.to);
    model_close(page, "raw", &markup);
    cr_expect_str_eq(json_string_value(json_object_get(page.json, "raw")), "<b>");
    model_list(model_in(page, "in"), "list", "\xFF");
    cr_expect_not(*page.lost);
}

/* A name of any bytes stays text in the title, in the page and in a link. */
Test(template, hostile_names_on_a_page)
{
    const struct html_page page = {.mark = "<meta name=\"generator\" content=\"test",
                                   .kind = "test",
                                   .template = &no_result_html};
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    cr_assert(html_page_write(to, &page, fill_hostile, "</title>\xFF\"{{style}}\n\x7F%s"));
    fclose(to);
    cr_expect(strstr(text, "<title>&lt;/title&gt;\\xFF&quot;{{style}}\\n\\x7F%s - test</title>"),
              "%.600s", text);
    cr_expect(strstr(text, "verdict: &lt;/title&gt;\\xFF&quot;{{style}}\\n\\x7F%s</p>"));
    cr_expect(strstr(text, "<a href=\"%3C/title%3E%FF%22%7B%7Bstyle%7D%7D%0A%7F%25s\"></a>"), "%s",
              strstr(text, "<ul>"));
    cr_expect(strstr(text, "<body>\n<h1>") && strstr(text, "</ul>\n</body>\n</html>\n"));
    free(text);
}

static void fill_nothing(struct model page, const void *user)
{
    (void)user;
    *page.lost = true;
}

/* A page that lacks something for want of memory is no page. */
Test(template, lost_memory_is_told)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    const struct html_page page = {.mark = "", .kind = "", .template = &page_css};
    cr_expect_not(html_page_write(to, &page, fill_nothing, NULL));
    fclose(to);
    cr_expect_str_eq(text, "");
    free(text);
}
