/* The metrics: their names, what their numbers may be, and their numbers as text. */
#ifndef SSIMCU_QA_METRICS_H
#define SSIMCU_QA_METRICS_H

#include "base/text.h"

#include "ssimcu.h"

/* Names, as --metric takes them. */
#define METRIC_SSIM "ssim"
#define METRIC_PSNR "psnr"
#define METRIC_MS_SSIM "ms-ssim"
#define METRIC_SSIMULACRA2 "ssimulacra2"

/* By ssimcu_metric, and ended by NULL: names; members of JSON and columns of CSV; names in pages.
 */
extern const char *const metrics_names[], *const metrics_keys[], *const metrics_titles[];

/* Finds the metric of a name that has `length` bytes. Returns false if there is none. */
bool metrics_find(const char *name, size_t length, ssimcu_metric *metric);

/* Returns the value of identical frames, which is infinite for PSNR. */
double metrics_best(ssimcu_metric metric);

/* Return whether a lower limit may be a number, and in words which may. */
bool metrics_allow(ssimcu_metric metric, double limit);
const char *metrics_expected(ssimcu_metric metric);

/* Writes a value with nine digits after the point, "inf" or "nan", as text_value does, and
 * returns `text`. */
const char *metrics_text(char text[TEXT_DIGITS], ssimcu_metric metric, double value);

#endif
