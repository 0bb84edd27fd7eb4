/* The metrics: their names, what their numbers may be, and their numbers as text. */
#ifndef SSIMCU_QA_METRICS_H
#define SSIMCU_QA_METRICS_H

#include "base/text.h"

#include "ssimcu.h"

/* Return names: as --metric takes it; member of JSON and column of CSV; for people. */
const char *metrics_name(ssimcu_metric metric);
const char *metrics_key(ssimcu_metric metric);
const char *metrics_title(ssimcu_metric metric);

/* Finds the metric of a name that has `length` bytes. Returns false if there is none. */
bool metrics_find(const char *name, size_t length, ssimcu_metric *metric);

/* Returns the value of identical frames, which is infinite for PSNR. */
double metrics_best(ssimcu_metric metric);

/* Whether values crowd towards 1, so that they take a logarithmic axis and more digits. */
bool metrics_near_1(ssimcu_metric metric);

/* Returns the digits after the point of a difference of two values. */
int metrics_digits(ssimcu_metric metric);

/* Returns those of a mask of metrics that a plane of this size has; `pads`: SSIM has a window for
 * each pixel. */
uint32_t metrics_that_fit(uint32_t metrics, uint32_t width, uint32_t height, bool pads);

/* Whether a mask of metrics holds one that is defined for samples in sRGB alone. */
bool metrics_any_srgb(uint32_t metrics);

/* Whether each channel has a value of its own. */
bool metrics_has_channels(ssimcu_metric metric);

/* Whether a tool that is reproduced may have no value of it. */
bool metrics_may_be_nan(ssimcu_metric metric);

/* Whether a run's value is that of the mean mse, as PSNR's is, and not the mean of the values. */
bool metrics_of_mean_mse(ssimcu_metric metric);

/* Return whether a lower limit may be a number, and in words which may. */
bool metrics_allow(ssimcu_metric metric, double limit);
const char *metrics_expected(ssimcu_metric metric);

/* Writes a value with nine digits after the point, "inf" or "nan", as text_value does, and
 * returns `text`. */
const char *metrics_text(char text[TEXT_DIGITS], ssimcu_metric metric, double value);

#endif
