/* The metrics, a row each: what every room knows of them. It is for the project alone, and is a
 * header because core and QA program are libraries of their own that both read it. */
#ifndef SSIMCU_METRIC_TABLE_H
#define SSIMCU_METRIC_TABLE_H

#include "ssimcu.h"

#include <math.h>

struct ssimcu_metric_row {
    const char *name;     /* as --metric takes it; Python's */
    const char *key;      /* member of JSON, column of CSV */
    const char *title;    /* for people */
    double best;          /* the value of identical frames */
    double above, most;   /* what a lower limit may be: above the one, at most the other */
    const char *expected; /* the same in words */
    uint32_t least;       /* fewest pixels a side, without padding */
    int digits;           /* of a difference of two values, on pages and for people */
    int near_1;           /* values crowd towards 1: six digits, on a logarithmic axis */
    int has_channels;     /* each channel has a value of its own */
    int of_mean_mse;      /* a run's value is that of the mean mse, not the mean of the values */
    int is_srgb;          /* it is defined for samples in sRGB alone */
};

/* The fields up to `digits`, in their order, and the traits that a metric has. */
static const struct ssimcu_metric_row ssimcu_metric_rows[SSIMCU_METRICS] = {
    [SSIMCU_METRIC_SSIM] = {"ssim", "ssim", "SSIM", 1, -1, 1, "a number above -1, at most 1", 11, 5,
                            .near_1 = 1, .has_channels = 1},
    [SSIMCU_METRIC_PSNR] = {"psnr", "psnr", "PSNR", INFINITY, 0, 200,
                            "a number of dB above 0, at most 200", 1, 3, .has_channels = 1,
                            .of_mean_mse = 1},
    [SSIMCU_METRIC_MS_SSIM] = {"ms-ssim", "ms_ssim", "MS-SSIM", 1, 0, 1,
                               "a number above 0, at most 1", 161, 5, .near_1 = 1,
                               .has_channels = 1},
    [SSIMCU_METRIC_SSIMULACRA2] = {"ssimulacra2", "ssimulacra2", "SSIMULACRA2", 100, -100, 100,
                                   "a number above -100, at most 100", 8, 3, .is_srgb = 1},
};

static inline const struct ssimcu_metric_row *ssimcu_metric_row(ssimcu_metric metric)
{
    return &ssimcu_metric_rows[metric];
}

#endif
