/* Values of options that name metrics, or are limits of them. */
#ifndef SSIMCU_CLI_OPTION_LIMITS_H
#define SSIMCU_CLI_OPTION_LIMITS_H

#include "option_rows.h"

/* Takes names of metrics with commas between; `field` is the run's options. */
bool option_take_metrics(void *field, const struct option_row *row, const char *text);

/* Takes the name of a tool; `field` is a ssimcu_compat. */
bool option_take_compat(void *field, const struct option_row *row, const char *text);

/* Takes a limit of SSIM, NUMBER, or of any metric, NAME=NUMBER: if the row's `least` is
 * SSIMCU_LIMIT_SCORE or SSIMCU_LIMIT_FRAME. */
bool option_take_limit(void *field, const struct option_row *row, const char *text);

/* Parses a finite number. Returns false if the text is something else. */
bool option_number(const char *text, double *number);

#endif
