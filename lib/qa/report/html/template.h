/* Templates of pages: HTML with the tags of Mustache that pages need.
 *
 *   {{name}}              a text or a number of the model, escaped
 *   {{{name}}}            markup that is written as it is
 *   {{#name}}..{{/name}}  once for each element of an array; once for an object, whose members hide
 *                         those around it, for a text, a number and true; else not at all
 *   {{^name}}..{{/name}}  if {{#name}} writes nothing
 *
 * "." names the element of an array itself. A tag of a section that is alone on its line takes the
 * line with it. Names are looked up from the innermost section outwards; an empty text, false and
 * an empty array write nothing. */
#ifndef SSIMCU_QA_REPORT_TEMPLATE_H
#define SSIMCU_QA_REPORT_TEMPLATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes a template, filled in. Returns false if it is no template: a section does not end,
 * another one ends, or they are more than 16 deep. */
bool template_fill(FILE *to, const char *template, json_t *model);

/* Writes text, in an element or in an attribute with double quotes. A control character, and a byte
 * that is not UTF-8, becomes \xHH. */
void template_text(FILE *to, const char *text);

#endif
