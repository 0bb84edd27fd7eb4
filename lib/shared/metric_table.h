/* The properties of the metrics, one per row. For use inside the project only. It is a header
 * because the core and the QA program are separate libraries that both read it. */
#pragma once

#include "ssimcu.h"

#include <math.h>
#include <stdio.h>

enum { SSIMCU_METRIC_WHY = 120 };

struct ssimcu_metric_row {
    const char *name;     /* name for --metric and in Python */
    const char *key;      /* member of JSON, column of CSV */
    const char *title;    /* for people */
    double best;          /* the value of identical frames */
    double above, most;   /* range of a lower limit: above the one, at most the other */
    const char *expected; /* the same range in words */
    uint32_t least;       /* minimum pixels per side, without padding */
    int digits;           /* digits of a difference of two values, in reports */
    int near_1;           /* values crowd towards 1: six digits, on a logarithmic axis */
    int has_channels;     /* each channel has a separate value */
    int of_mean_mse;      /* a run's value is that of the mean mse, not the mean of the values */
    int is_srgb;          /* defined only for samples in sRGB */
    int may_be_nan;       /* a reproduced tool may have no value */
};

/* Each metric other than SSIM is one row: its enumerator, name, key, columns of CSV, article,
 * title, and the traits that are not 0. Other tables derive their rows from it. */
#define SSIMCU_OTHER_METRICS(ROW)                                                                  \
    ROW(PSNR, "psnr", "psnr", "psnr,mse,psnr_1,psnr_2,psnr_3", "a", "PSNR", .best = INFINITY,      \
        .above = 0, .most = 200, .expected = "a number of dB above 0, at most 200", .least = 1,    \
        .digits = 3, .has_channels = 1, .of_mean_mse = 1)                                          \
    ROW(MS_SSIM, "ms-ssim", "ms_ssim", "ms_ssim,ms_ssim_1,ms_ssim_2,ms_ssim_3", "an", "MS-SSIM",   \
        .best = 1, .above = 0, .most = 1, .expected = "a number above 0, at most 1", .least = 161, \
        .digits = 5, .near_1 = 1, .has_channels = 1, .may_be_nan = 1)                              \
    ROW(SSIMULACRA2, "ssimulacra2", "ssimulacra2", "ssimulacra2", "a", "SSIMULACRA2", .best = 100, \
        .above = -100, .most = 100, .expected = "a number above -100, at most 100", .least = 8,    \
        .digits = 3, .is_srgb = 1)                                                                 \
    SSIMCU_METRIC_OF_TESTS(ROW)

/* A build for tests/system/metric.py has one more row. */
#ifdef SSIMCU_TEST_ROWS
#    define SSIMCU_METRIC_OF_TESTS(ROW)                                                            \
        ROW(TEST, "mean-difference", "mean_difference",                                            \
            "mean_difference,mean_difference_1,mean_difference_2,mean_difference_3", "a",          \
            "Mean difference", .best = 1, .above = 0, .most = 1,                                   \
            .expected = "a number above 0, at most 1", .least = 1, .digits = 5, .near_1 = 1,       \
            .has_channels = 1)
#else
#    define SSIMCU_METRIC_OF_TESTS(ROW)
#endif

#define SSIMCU_METRIC_ROW(id, name_, key_, columns, article, title_, ...)                          \
    [SSIMCU_METRIC_##id] = {.name = (name_), .key = (key_), .title = (title_), __VA_ARGS__},

static const struct ssimcu_metric_row ssimcu_metric_rows[SSIMCU_METRICS] = {
    [SSIMCU_METRIC_SSIM] = {.name = "ssim",
                            .key = "ssim",
                            .title = "SSIM",
                            .best = 1,
                            .above = -1,
                            .most = 1,
                            .expected = "a number above -1, at most 1",
                            .least = 11,
                            .digits = 5,
                            .near_1 = 1,
                            .has_channels = 1},
    SSIMCU_OTHER_METRICS(SSIMCU_METRIC_ROW)};

static inline const struct ssimcu_metric_row *ssimcu_metric_row(ssimcu_metric metric)
{
    return &ssimcu_metric_rows[metric];
}

/* Reports why frames or planes of this size lack a metric. */
static inline void ssimcu_metric_too_small(ssimcu_metric metric, uint32_t width, uint32_t height,
                                           char text[SSIMCU_METRIC_WHY])
{
    const struct ssimcu_metric_row *const row = ssimcu_metric_row(metric);
    const int ssim = metric == SSIMCU_METRIC_SSIM;
    snprintf(text, SSIMCU_METRIC_WHY, "%ux%u pixels: %s%s %u or more a side%s", width, height,
             row->title, ssim ? ", its tiles and its map take" : " takes", row->least,
             ssim ? " (zero padding would score it)" : "");
}
