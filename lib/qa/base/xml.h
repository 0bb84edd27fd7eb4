/* Texts in XML. Characters that XML cannot contain are escaped first, as on the console
 * (text_escape). */
#pragma once

#include <stdio.h>

/* Writes a text between tags. */
void xml_text(FILE *to, const char *text);

/* Writes an attribute, with a space before it. */
void xml_attribute(FILE *to, const char *name, const char *text);
