/* Checked views: the library's copy, with every default filled in. Pictures pass through the
 * library in this form; frames become views first. */
#pragma once

#include "core/samples.h"
#include "ssimcu.h"

/* Checks a caller's view and fills in *view. The message calls it `name`. Without want_data the
 * pointers are ignored. Errors: ARGUMENT, LIMIT. */
ssimcu_status ssimcu_view_check(const ssimcu_view *theirs, const char *name, int want_data,
                                ssimcu_view *view, ssimcu_message *message);

/* Returns the view of a checked frame. */
ssimcu_view ssimcu_view_of_frame(const ssimcu_frame *frame);

/* All functions below take checked views. */

size_t ssimcu_view_bytes(const ssimcu_view *view); /* bytes of one frame without padding */

struct ssimcu_samples ssimcu_view_samples(const ssimcu_view *view);

/* Returns the bits of the samples if their peak is 2^bits - 1. From 9 bits on, the peak may also be
 * that number in the upper bits of 16. Returns 0 for other peaks and for floats. */
uint32_t ssimcu_view_bits(const ssimcu_view *view);

/* Returns the number of zero bits below samples that lie in the upper bits of 16. */
uint32_t ssimcu_view_low_bits(const ssimcu_view *view);

/* Returns 1 if the view, in host memory, has an alpha channel that is not the peak everywhere.
 * Stops reading at the first such row. */
int ssimcu_view_is_transparent(const ssimcu_view *view);

/* Returns whether two views are equal in everything except their data pointers. */
int ssimcu_view_matches(const ssimcu_view *a, const ssimcu_view *b);
