/* A record as a line of CSV: the facts that have columns, in the order of these. */
#include "lines/fact.h"

#include <stdlib.h>

/* Writes the names of a fact's columns. */
static bool put_names(FILE *to, const struct fact *fact, int side, const struct record *record)
{
    (void)record;
    for (const char *at = fact->columns; *at; at++)
        if (*at == '%')
            fputs(fact_sides[side], to);
        else
            fputc(*at, to);
    return true;
}

/* Writes a value; those of an object with commas between. */
static bool put_value(FILE *to, json_t *value)
{
    bool good = true;
    const char *name, *comma = "";
    json_t *member;
    if (json_is_string(value)) return fact_put_text(to, json_string_value(value));
    if (json_is_real(value)) fact_put_value(to, json_real_value(value));
    if (json_is_integer(value)) fprintf(to, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    json_object_foreach(value, name, member)
    {
        fputs(comma, to);
        comma = ",";
        good = put_value(to, member) && good;
    }
    return good;
}

static bool put_as_json(FILE *to, const struct fact *fact, struct telling telling)
{
    json_t *value = fact->kind->to_json(telling);
    const bool good = value && put_value(to, value);
    json_decref(value);
    return good;
}

static bool put_fact(FILE *to, const struct fact *fact, int side, const struct record *record)
{
    const struct telling telling = fact_of(fact, record, side);
    if (fact_in_csv(fact, record, side))
        return fact->kind->to_csv ? fact->kind->to_csv(to, telling)
                                  : put_as_json(to, fact, telling);
    for (const char *at = fact->columns; *at; at++)
        if (*at == ',') fputc(',', to);
    return true;
}

static const struct fact *in_column(int column)
{
    const struct fact *fact = record_facts;
    while (fact->path && fact->column != column) fact++;
    return fact->path ? fact : NULL;
}

/* Returns a line, the caller's to free, of what `put` writes for each fact; NULL if memory runs
 * out. */
static char *make_line(bool (*put)(FILE *, const struct fact *, int, const struct record *),
                       const struct record *record)
{
    char *line = NULL;
    size_t size;
    int column = 1;
    bool good = true;
    FILE *to = open_memstream(&line, &size);
    if (!to) return NULL;
    for (const struct fact *fact; (fact = in_column(column)); column++)
        for (int s = 0; s < fact_places(fact); s++) {
            if (column > 1 || s > 0) fputc(',', to);
            good = put(to, fact, s, record) && good;
        }
    good = good && !ferror(to);
    if (fclose(to) == 0 && good) return line;
    free(line);
    return NULL;
}

char *record_csv_names(void) { return make_line(put_names, NULL); }

char *record_to_csv(const struct record *record) { return make_line(put_fact, record); }
