/* Fields of a line of CSV. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Write a text, in quotes if needed, and a value as a field of CSV. NULL and NaN are empty fields.
 * fact_put_text returns false if memory runs out. */
bool fact_put_text(FILE *to, const char *text);
void fact_put_value(FILE *to, double value);
