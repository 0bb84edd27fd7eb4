/* Views that have been checked: the library's own copy, with every default filled in. Pictures pass
 * through the library in this form; a frame becomes a view on the way in. */
#ifndef SSIMCU_VIEW_H
#define SSIMCU_VIEW_H

#include "core/samples.h"
#include "ssimcu.h"

/* Checks a caller's view and fills in *view. The message calls it `name`. Without want_data the
 * pointers are neither looked at nor copied.
 * Errors: ARGUMENT, LIMIT. */
ssimcu_status ssimcu_view_check(const ssimcu_view *theirs, const char *name, int want_data,
                                ssimcu_view *view, ssimcu_message *message);

/* Returns the view of a frame that has been checked. */
ssimcu_view ssimcu_view_of_frame(const ssimcu_frame *frame);

/* All functions below take views that have been checked. */

size_t ssimcu_view_bytes(const ssimcu_view *view); /* bytes of one frame without padding */

struct ssimcu_samples ssimcu_view_samples(const ssimcu_view *view);

/* Returns the bits of the samples if their peak is 2^bits - 1. For 9 bits and more the peak may
 * also be that number in the upper bits of 16. Returns 0 for other peaks and for floats. */
uint32_t ssimcu_view_bits(const ssimcu_view *view);

/* Returns the number of zero bits below samples that lie in the upper bits of 16. */
uint32_t ssimcu_view_low_bits(const ssimcu_view *view);

/* Returns 1 if the view, in host memory, has an alpha channel that is not the peak everywhere.
 * Stops reading at the first such row. */
int ssimcu_view_is_transparent(const ssimcu_view *view);

/* Whether two views are equal in everything except where their data is. */
int ssimcu_view_matches(const ssimcu_view *a, const ssimcu_view *b);

#endif
