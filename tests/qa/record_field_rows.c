/* Prints the rows of lib/qa/lines/record_facts.c for tests/system/record_fields.py, one of each
 * side: the path in JSON, the columns of CSV, and why there are none. */
#include "lines/fact.h"

/* Writes a text with the side in place of %. */
static void put(const char *text, int side)
{
    for (const char *at = text; *at; at++)
        if (*at == '%')
            fputs(fact_sides[side], stdout);
        else
            putchar(*at);
}

int main(void)
{
    for (const struct fact *fact = record_facts; fact->path; fact++)
        for (int s = 0; s < fact_places(fact); s++) {
            put(fact->path, s);
            putchar('\t');
            if (fact->column > 0) put(fact->columns, s);
            printf("\t%s\n", fact->column > 0 ? "" : fact->columns);
        }
    return ferror(stdout) != 0;
}
