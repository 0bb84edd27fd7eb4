/* What a page shows, as texts and numbers that a template has names for. The markup is the
 * template's. Calls go on if memory runs out; then `lost` is set, and the model is of no use. */
#ifndef SSIMCU_QA_REPORT_MODEL_H
#define SSIMCU_QA_REPORT_MODEL_H

#include "facts/metrics.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* ---- Links and numbers, as notes have them, too ---------------------------------------------- */

/* Writes a relative way to a file as the value of href. Bytes with a meaning in a URL or in HTML
 * become %HH. */
void html_link(FILE *to, const char *way);

/* Writes a value of a metric: that of SSIM and MS-SSIM in six digits, any other in two after the
 * point, or as "inf". Digits are cut and not rounded: what is below a limit, or below 1, is below
 * it here, too. Returns `text`. */
enum { HTML_VALUE = 32 };
const char *html_value(char text[HTML_VALUE], ssimcu_metric metric, double value);

/* ---- Models ---------------------------------------------------------------------------------- */

/* An object of the model. It is passed by value. */
struct model {
    json_t *json;
    bool *lost;
};

/* Sets a member to a text, as printf makes it. A control character, and a byte that is not UTF-8,
 * becomes \xHH. */
void model_text(struct model to, const char *name, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* Sets members to texts, whose names stand in one text, separated by spaces; NULL: "". */
void model_texts(struct model to, const char *names, ...);

void model_number(struct model to, const char *name, uint64_t number);
void model_flag(struct model to, const char *name, bool flag);

/* Sets "s" to the ending of a plural: "", or "s" unless there is one. */
void model_plural(struct model to, uint64_t count);

/* Sets a member to a value of a metric, as html_value writes it; NAN: it has none. */
void model_value(struct model to, const char *name, ssimcu_metric metric, double value);

/* Sets a member to a relative way and its plain end, as the value of href. Bytes with a meaning in
 * a URL or in HTML become %HH. */
void model_link(struct model to, const char *name, const char *way, const char *end);

/* Sets "box" to a part of a picture of `across` x `down` pixels, which the page frames. */
void model_box(struct model to, uint32_t across, uint32_t down, const double part[4]);

/* Returns a new object: as a member, and as the next element of a member that is an array. */
struct model model_in(struct model to, const char *name);
struct model model_item(struct model to, const char *name);

/* Adds a text to a member that is an array of texts. */
void model_list(struct model to, const char *name, const char *text);

/* Markup for {{{name}}}, which what made it has escaped: model_open begins it, model_close ends it
 * and sets the member. NULL: memory ran out. */
struct markup {
    FILE *to;
    char *text;
    size_t size;
};
FILE *model_open(struct model model, struct markup *markup);
void model_close(struct model to, const char *name, struct markup *markup);

#endif
