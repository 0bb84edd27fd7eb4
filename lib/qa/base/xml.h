/* Texts in XML and HTML. Characters that XML cannot contain are escaped first, as on the console
 * (text_escape). */
#pragma once

#include <stdio.h>

/* Writes a text between tags, or in an attribute with double quotes. */
void xml_text(FILE *to, const char *text);

/* Writes an attribute, with a space before it. */
void xml_attribute(FILE *to, const char *name, const char *text);
