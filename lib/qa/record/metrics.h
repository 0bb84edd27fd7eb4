/* The metrics: their names, their ranges, and their values as text. */
#pragma once

#include "base/text.h"

#include "ssimcu.h"

/* Return names: as --metric takes it; as JSON and CSV have it; for users. */
const char *metrics_name(ssimcu_metric metric);
const char *metrics_key(ssimcu_metric metric);
const char *metrics_title(ssimcu_metric metric);

/* Finds the metric of a name of `length` bytes. Returns false if there is none. */
bool metrics_find(const char *name, size_t length, ssimcu_metric *metric);

/* Returns the value of identical frames, which is infinite for PSNR. */
double metrics_best(ssimcu_metric metric);

/* Returns whether values crowd towards 1 and need a logarithmic axis and more digits. */
bool metrics_near_1(ssimcu_metric metric);

/* Returns the decimal places for a difference of two values. */
int metrics_digits(ssimcu_metric metric);

/* Returns those of a mask of metrics that a plane of this size supports. `pads`: SSIM pads, so that
 * each pixel has a window. */
uint32_t metrics_that_fit(uint32_t metrics, uint32_t width, uint32_t height, bool pads);

/* Returns whether a mask of metrics has one that is defined only for sRGB samples. */
bool metrics_any_srgb(uint32_t metrics);

/* Returns whether each channel has a value. */
bool metrics_has_channels(ssimcu_metric metric);

/* Returns whether a reproduced tool may lack a value of it. */
bool metrics_may_be_nan(ssimcu_metric metric);

/* Returns whether a run's value comes from the mean mse, as PSNR's does, and not from the mean of
 * the values. */
bool metrics_of_mean_mse(ssimcu_metric metric);

/* Return whether a number is valid as a lower limit, and the valid range in words. */
bool metrics_allow(ssimcu_metric metric, double limit);
const char *metrics_expected(ssimcu_metric metric);

/* Writes a value with nine decimal places, "inf" or "nan", as text_value does, and returns
 * `text`. */
const char *metrics_text(char text[TEXT_DIGITS], ssimcu_metric metric, double value);
