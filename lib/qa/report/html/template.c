#include "report/html/template.h"

#include "base/xml.h"

#include <string.h>

enum { DEPTH = 16, NAME = 32 };

struct filling {
    FILE *to;
    const char *start; /* start of the template */
    json_t *in[DEPTH]; /* models of the enclosing sections, the innermost last */
    size_t depth;
};

/* ---- Values ---------------------------------------------------------------------------------- */

static json_t *find(const struct filling *filling, const char *name)
{
    json_t *found = NULL;
    if (strcmp(name, ".") == 0) return filling->in[filling->depth - 1];
    for (size_t i = filling->depth; i-- > 0 && !found;)
        found = json_object_get(filling->in[i], name);
    return found;
}

static bool is_shown(const json_t *value)
{
    if (json_is_array(value)) return json_array_size(value) > 0;
    if (json_is_string(value)) return json_string_length(value) > 0;
    return value && !json_is_null(value) && !json_is_false(value);
}

static void put_value(FILE *to, const json_t *value, bool raw)
{
    if (json_is_integer(value)) fprintf(to, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_real(value)) fprintf(to, "%.9g", json_real_value(value));
    if (!json_is_string(value)) return;
    if (raw)
        fwrite(json_string_value(value), 1, json_string_length(value), to);
    else
        xml_text(to, json_string_value(value));
}

/* ---- Tags ------------------------------------------------------------------------------------ */

struct tag {
    char kind; /* one of '#', '^', '/' and '{'; ' ': a value */
    char name[NAME];
    const char *from, *end; /* range in the template; the whole line if the tag has it for itself */
};

/* Returns whether the tag has its line for itself, and then extends it to the line. */
static bool take_line(const char *start, struct tag *tag)
{
    const char *from = tag->from, *end = tag->end;
    while (from > start && from[-1] == ' ') from--;
    if ((from > start && from[-1] != '\n') || *end != '\n') return false;
    tag->from = from;
    tag->end = end + 1;
    return true;
}

/* Finds the next tag. Returns false if there is none. */
static bool next_tag(const struct filling *filling, const char *at, struct tag *tag)
{
    const char *open = strstr(at, "{{"), *close = open ? strstr(open, "}}") : NULL;
    if (!close) return false;
    const char *name = open + 2;
    tag->kind = strchr("#^/{", *name) ? *name++ : ' ';
    tag->from = open;
    tag->end = close + 2 + (tag->kind == '{');
    snprintf(tag->name, sizeof tag->name, "%.*s", (int)(close - name), name);
    if (strchr("#^/", tag->kind)) (void)take_line(filling->start, tag);
    return true;
}

/* ---- Sections -------------------------------------------------------------------------------- */

static const char *fill(struct filling *filling, const char *at, const char *name, bool shown);

/* Fills a section for one model. Returns its end; NULL: no end. */
static const char *fill_with(struct filling *filling, const struct tag *tag, json_t *model,
                             bool shown)
{
    if (filling->depth == DEPTH) return NULL;
    filling->in[filling->depth++] = model;
    const char *end = fill(filling, tag->end, tag->name, shown);
    filling->depth--;
    return end;
}

static const char *fill_section(struct filling *filling, const struct tag *tag, bool shown)
{
    json_t *value = shown ? find(filling, tag->name) : NULL;
    const bool wanted = shown && is_shown(value) == (tag->kind == '#');
    const char *end = tag->end;
    if (!wanted || tag->kind == '^' || !json_is_array(value))
        return fill_with(filling, tag, value, wanted);
    for (size_t i = 0; i < json_array_size(value) && end; i++)
        end = fill_with(filling, tag, json_array_get(value, i), true);
    return end;
}

/* Fills the template up to the end of the section of this name; NULL: to the end of the template.
 * Returns the rest; NULL: the template is not valid. */
static const char *fill(struct filling *filling, const char *at, const char *name, bool shown)
{
    struct tag tag;
    while (at && next_tag(filling, at, &tag)) {
        if (shown) fwrite(at, 1, (size_t)(tag.from - at), filling->to);
        at = tag.end;
        if (tag.kind == '/') return name && strcmp(name, tag.name) == 0 ? at : NULL;
        if (tag.kind == '#' || tag.kind == '^')
            at = fill_section(filling, &tag, shown);
        else if (shown)
            put_value(filling->to, find(filling, tag.name), tag.kind == '{');
    }
    if (name || !at) return NULL;
    fputs(at, filling->to);
    return at + strlen(at);
}

bool template_fill(FILE *to, const char *template, json_t *model)
{
    struct filling filling = {to, template, {model}, 1};
    return fill(&filling, template, NULL, true) != NULL;
}
