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

static bool put_fact(FILE *to, const struct fact *fact, int side, const struct record *record)
{
    if (fact_in_csv(fact, record, side)) return fact->kind->to_csv(to, fact_of(fact, record, side));
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
