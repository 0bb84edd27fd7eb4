/* Texts in XML. What XML cannot hold is escaped first, as on the console (text_escape). */
#ifndef SSIMCU_QA_XML_H
#define SSIMCU_QA_XML_H

#include <stdio.h>

/* Writes a text between tags. */
void xml_text(FILE *to, const char *text);

/* Writes an attribute, with a space before it. */
void xml_attribute(FILE *to, const char *name, const char *text);

#endif
