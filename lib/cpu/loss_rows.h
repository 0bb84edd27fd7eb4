/* Rows of the loss (loss.c): samples as numbers of which white has 1, and what is computed along a
 * row. All numbers are doubles. Floats would have no digits left of the noise of a flat, bright
 * frame, if the other side has the opposite noise; the gradient is made of it. */
#ifndef SSIMCU_LOSS_ROWS_H
#define SSIMCU_LOSS_ROWS_H

#include "core/contract.h"
#include "loss/loss.h"

void ssimcu_loss_read(const struct ssimcu_loss_samples *from, const char *row, int count,
                      double *to);

/* Rounds numbers to samples. */
void ssimcu_loss_write(const struct ssimcu_loss_samples *to, char *row, int count,
                       const double *from);

/* Multiplies samples by a factor where they are. */
void ssimcu_loss_multiply(const struct ssimcu_loss_samples *samples, char *row, int count,
                          double factor);

/* Weighted sums down the rows of a window, of numbers and of their squares. */
void ssimcu_loss_down(const double *const row[SSIMCU_TAPS], int count, double *to);
void ssimcu_loss_down_squares(const double *const row[SSIMCU_TAPS], int count, double *to);

/* Weighted sums along a row: to[i] is that of from[i] to from[i + SSIMCU_TAPS - 1]. */
void ssimcu_loss_across(const double *from, int count, double *to);

/* The same two for a mask of 0 and 1: the least of a window. */
void ssimcu_loss_least_down(const double *const row[SSIMCU_TAPS], int count, double *to);
void ssimcu_loss_least_across(const double *from, int count, double *to);

/* Turns the means of s = REF + OUT, d = REF - OUT, s^2 and d^2 under windows into 1 - SSIM. They
 * become its derivatives by them, the last two doubled. Of frames that are the same all are
 * exactly 0. */
void ssimcu_loss_windows(double *s, double *d, double *ss, double *dd, int count, double *lost);

#endif
