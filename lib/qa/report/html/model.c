#include "report/html/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void html_link(FILE *to, const char *way)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    for (; *way; way++)
        if (strchr(plain, *way))
            fputc(*way, to);
        else
            fprintf(to, "%%%02X", (unsigned char)*way);
}

const char *html_value(char text[HTML_VALUE], ssimcu_metric metric, double value)
{
    enum { CUT = 3 };
    if (metrics_near_1(metric)) {
        text_digits(text, value);
        text[strlen(text) - CUT] = '\0';
    } else {
        snprintf(text, HTML_VALUE, isinf(value) ? "inf" : "%.2f", floor(value * 100) / 100);
    }
    return text;
}

/* ---- Models ---------------------------------------------------------------------------------- */

/* Sets a member to a value, and takes ownership of it. */
static void set(struct model to, const char *name, json_t *value)
{
    if (json_object_set_new(to.json, name, value) != 0) *to.lost = true;
}

/* Returns a text without control characters; NULL if memory runs out. */
static json_t *plain(const char *text)
{
    char *shown = malloc(4 * strlen(text) + 1);
    if (shown) text_escape(shown, text);
    json_t *value = json_string(shown);
    free(shown);
    return value;
}

/* Returns a printf-formatted text, in the same way. */
static json_t *formatted(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) (void)vsnprintf(text, (size_t)length + 1, format, arguments);
    json_t *value = text ? plain(text) : NULL;
    free(text);
    return value;
}

void model_text(struct model to, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(to, name, formatted(format, arguments));
    va_end(arguments);
}

void model_texts(struct model to, const char *names, ...)
{
    va_list arguments;
    va_start(arguments, names);
    while (*names) {
        char name[32];
        const size_t length = strcspn(names, " ");
        const char *text = va_arg(arguments, const char *);
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        set(to, name, plain(text ? text : ""));
        names += length + strspn(names + length, " ");
    }
    va_end(arguments);
}

void model_number(struct model to, const char *name, uint64_t number)
{
    set(to, name, json_integer((json_int_t)number));
}

void model_flag(struct model to, const char *name, bool flag) { set(to, name, json_boolean(flag)); }

void model_plural(struct model to, uint64_t count)
{
    model_text(to, "s", "%s", text_plural(count));
}

void model_value(struct model to, const char *name, ssimcu_metric metric, double value)
{
    char text[HTML_VALUE] = "";
    model_text(to, name, "%s", isnan(value) ? "" : html_value(text, metric, value));
}

void model_link(struct model to, const char *name, const char *way, const char *end)
{
    struct markup link;
    if (model_open(to, &link)) html_link(link.to, way), html_link(link.to, end);
    model_close(to, name, &link);
}

void model_box(struct model to, uint32_t across, uint32_t down, const double part[4])
{
    static const char *const names[] = {"x", "y", "w", "h"};
    const struct model box = model_in(to, "box");
    model_number(box, "across", across);
    model_number(box, "down", down);
    for (int i = 0; i < 4; i++) model_text(box, names[i], "%.2f", part[i]);
}

struct model model_in(struct model to, const char *name)
{
    set(to, name, json_object());
    return (struct model){json_object_get(to.json, name), to.lost};
}

/* Adds a value to the array of this name, and creates the array if needed. */
static json_t *append(struct model to, const char *name, json_t *value)
{
    if (!json_object_get(to.json, name)) set(to, name, json_array());
    if (json_array_append_new(json_object_get(to.json, name), value) == 0) return value;
    *to.lost = true;
    return NULL;
}

struct model model_item(struct model to, const char *name)
{
    return (struct model){append(to, name, json_object()), to.lost};
}

void model_list(struct model to, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)append(to, name, formatted(format, arguments));
    va_end(arguments);
}

void model_list_value(struct model to, const char *name, ssimcu_metric metric, double value)
{
    char text[HTML_VALUE];
    model_list(to, name, "%s", isnan(value) ? "" : html_value(text, metric, value));
}

FILE *model_open(struct model model, struct markup *markup)
{
    *markup = (struct markup){0};
    markup->to = open_memstream(&markup->text, &markup->size);
    if (!markup->to) *model.lost = true;
    return markup->to;
}

void model_close(struct model to, const char *name, struct markup *markup)
{
    bool good = markup->to && !ferror(markup->to);
    if (markup->to && fclose(markup->to) != 0) good = false;
    set(to, name, good ? json_stringn(markup->text, markup->size) : NULL);
    free(markup->text);
}
