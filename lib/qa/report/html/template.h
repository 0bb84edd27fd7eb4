/* Templates of pages: HTML with the subset of Mustache tags that pages need.
 *
 *   {{name}}              a text or a number of the model, escaped (xml_text)
 *   {{{name}}}            markup, written unchanged
 *   {{#name}}..{{/name}}  once per element of an array; once for an object, whose members hide
 *                         outer ones, for a text, a number and true; else not at all
 *   {{^name}}..{{/name}}  if {{#name}} writes nothing
 *
 * "." names the element of an array. A section tag that has its line for itself removes the line.
 * Names are looked up from the innermost section outwards. An empty text, false and an empty array
 * write nothing. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes a filled-in template. Returns false if the template is not valid: a section does not end,
 * another one ends, or sections are more than 16 deep. */
bool template_fill(FILE *to, const char *template, json_t *model);
