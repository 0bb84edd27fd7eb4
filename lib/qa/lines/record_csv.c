/* A record as a line of CSV: the facts that have columns, in column order. */
#include "lines/fact.h"

#include <stdlib.h>
#include <string.h>

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

/* Writes a value; the values of an object are separated by commas. */
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

static bool put_as_json(FILE *to, const struct fact *fact, struct fact_source telling)
{
    json_t *value = fact->kind->to_json(telling);
    const bool good = value && put_value(to, value);
    json_decref(value);
    return good;
}

static bool put_fact(FILE *to, const struct fact *fact, int side, const struct record *record)
{
    const struct fact_source telling = fact_of(fact, record, side);
    return fact->kind->to_csv ? fact->kind->to_csv(to, telling) : put_as_json(to, fact, telling);
}

static size_t commas_in(const char *columns)
{
    size_t count = 0;
    for (const char *at = columns; *at; at++) count += *at == ',';
    return count;
}

/* Writes commas in pieces, because each call locks the file, and most columns are empty. */
static void put_commas(FILE *to, size_t count)
{
    static const char commas[] = ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,";
    for (size_t left = count, piece; left > 0; left -= piece) {
        piece = left < sizeof commas - 1 ? left : sizeof commas - 1;
        fwrite(commas, 1, piece, to);
    }
}

enum { MOST_COLUMNS = 64 };

/* Lists the facts of all columns in order. NULL ends the list. */
static void in_order(const struct fact *order[MOST_COLUMNS])
{
    memset(order, 0, MOST_COLUMNS * sizeof *order);
    for (const struct fact *fact = record_facts; fact->path; fact++)
        if (fact->column > 0) order[fact->column - 1] = fact;
}

/* Returns a line with the output of `put` for each fact, or for each that the record has. The
 * caller frees it. NULL: memory runs out. */
static char *make_line(bool (*put)(FILE *, const struct fact *, int, const struct record *),
                       const struct record *record)
{
    const struct fact *order[MOST_COLUMNS];
    char *line = NULL;
    size_t size, commas = 0;
    bool good = true;
    in_order(order);
    FILE *to = open_memstream(&line, &size);
    if (!to) return NULL;
    for (int column = 0; order[column]; column++)
        for (int s = 0; s < fact_places(order[column]); s++) {
            commas += column > 0 || s > 0;
            if (record && !fact_in_csv(order[column], record, s)) {
                commas += commas_in(order[column]->columns);
                continue;
            }
            put_commas(to, commas);
            commas = 0;
            good = put(to, order[column], s, record) && good;
        }
    put_commas(to, commas);
    good = good && !ferror(to);
    if (fclose(to) == 0 && good) return line;
    free(line);
    return NULL;
}

char *record_csv_names(void) { return make_line(put_names, NULL); }

char *record_to_csv(const struct record *record) { return make_line(put_fact, record); }
