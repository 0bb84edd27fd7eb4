/* Fields of a line of CSV. */
#ifndef SSIMCU_QA_CSV_FIELD_H
#define SSIMCU_QA_CSV_FIELD_H

#include <stdbool.h>
#include <stdio.h>

/* Write a field of CSV, in quotes if it needs them, and a value; NULL and NaN are empty fields.
 * fact_put_text returns false if memory runs out. */
bool fact_put_text(FILE *to, const char *text);
void fact_put_value(FILE *to, double value);

#endif
