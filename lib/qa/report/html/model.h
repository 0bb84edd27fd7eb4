/* The contents of a page: texts and numbers under the names that a template uses. The template has
 * the markup. Calls continue if memory runs out; then `lost` is set, and the model is not valid. */
#pragma once

#include "record/metrics.h"

#include "fail.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* ---- Links and numbers, as notes have them, too ---------------------------------------------- */

/* Writes a relative path as the value of href. Bytes with a meaning in a URL or in HTML become
 * %HH. */
void html_link(FILE *to, const char *way);

/* Writes a value of a metric: six decimal places for SSIM and MS-SSIM, two for others, or "inf".
 * Digits are cut, not rounded, so that a value below a limit, or below 1, stays below it. Returns
 * `text`. */
enum { HTML_VALUE = 32 };
const char *html_value(char text[HTML_VALUE], ssimcu_metric metric, double value);

/* ---- Models ---------------------------------------------------------------------------------- */

/* An object of the model. It is passed by value. */
struct model {
    json_t *json;
    bool *lost;
};

/* Sets a member to a printf-formatted text. A control character, and a byte that is not UTF-8,
 * becomes \xHH. */
SSIMCU_PRINTF(3, 4)
void model_text(struct model to, const char *name, const char *format, ...);

/* Sets members to texts. `names` has their names, separated by spaces. NULL becomes "". */
void model_texts(struct model to, const char *names, ...);

void model_number(struct model to, const char *name, uint64_t number);
void model_flag(struct model to, const char *name, bool flag);

/* Sets "s" to the plural ending: "" for one, else "s". */
void model_plural(struct model to, uint64_t count);

/* Sets a member to a value of a metric, as html_value writes it; NAN: none. */
void model_value(struct model to, const char *name, ssimcu_metric metric, double value);

/* Sets a member to a relative path and its plain ending, as the value of href. Bytes with a meaning
 * in a URL or in HTML become %HH. */
void model_link(struct model to, const char *name, const char *way, const char *end);

/* Sets "box" to an area of a picture of `across` x `down` pixels; the page outlines it. */
void model_box(struct model to, uint32_t across, uint32_t down, const double part[4]);

/* Return a new object: as a member, or as the next element of an array member. */
struct model model_in(struct model to, const char *name);
struct model model_item(struct model to, const char *name);

/* Add a text, as model_text does, or a value, as model_value does, to an array member. */
SSIMCU_PRINTF(3, 4)
void model_list(struct model to, const char *name, const char *format, ...);
void model_list_value(struct model to, const char *name, ssimcu_metric metric, double value);

/* Markup for {{{name}}}, which its writer must have escaped. model_open begins it, model_close ends
 * it and sets the member. NULL: memory ran out. */
struct markup {
    FILE *to;
    char *text;
    size_t size;
};
FILE *model_open(struct model model, struct markup *markup);
void model_close(struct model to, const char *name, struct markup *markup);
