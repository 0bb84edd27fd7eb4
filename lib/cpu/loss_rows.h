/* Rows of the loss (loss.c): samples as numbers whose white is 1, and computations along a row. All
 * numbers are doubles. In a flat, bright frame whose noise is opposite on the other side, floats
 * would lose all digits of the noise, which determines the gradient. */
#pragma once

#include "core/contract.h"
#include "loss/loss.h"

void ssimcu_loss_read(const struct ssimcu_loss_samples *from, const char *row, int count,
                      double *to);

/* Rounds numbers to samples. */
void ssimcu_loss_write(const struct ssimcu_loss_samples *to, char *row, int count,
                       const double *from);

/* Multiplies samples by a factor in place. */
void ssimcu_loss_multiply(const struct ssimcu_loss_samples *samples, char *row, int count,
                          double factor);

/* Computes weighted sums down the rows of a window, of numbers and of their squares. */
void ssimcu_loss_down(const double *const row[SSIMCU_TAPS], int count, double *to);
void ssimcu_loss_down_squares(const double *const row[SSIMCU_TAPS], int count, double *to);

/* Computes weighted sums along a row: to[i] covers from[i] to from[i + SSIMCU_TAPS - 1]. */
void ssimcu_loss_across(const double *from, int count, double *to);

/* The same two for a mask of 0 and 1: the minimum over a window. */
void ssimcu_loss_least_down(const double *const row[SSIMCU_TAPS], int count, double *to);
void ssimcu_loss_least_across(const double *from, int count, double *to);

/* Computes 1 - SSIM from the means of s = REF + OUT, d = REF - OUT, s^2 and d^2 under windows.
 * Replaces the means by the derivatives with respect to them, the last two doubled. For identical
 * frames all are exactly 0. */
void ssimcu_loss_windows(double *s, double *d, double *ss, double *dd, int count, double *lost);
