/* Views once they are checked: the library's own copy, with every default filled in. The form in
 * which pictures pass through the library; a frame becomes one on the way in. */
#ifndef SSIMCU_VIEW_H
#define SSIMCU_VIEW_H

#include "core/samples.h"
#include "ssimcu.h"

/* Checks a caller's view, which `name` names in the message, and fills in *view. Without want_data
 * the pointers are neither looked at nor taken. Errors: ARGUMENT, LIMIT. */
ssimcu_status ssimcu_view_check(const ssimcu_view *theirs, const char *name, int want_data,
                                ssimcu_view *view, ssimcu_message *message);

/* The view of a frame that has been checked. */
ssimcu_view ssimcu_view_of_frame(const ssimcu_frame *frame);

/* The rest is about views that have been checked. */

size_t ssimcu_view_bytes(const ssimcu_view *view); /* of one frame without padding */

struct ssimcu_samples ssimcu_view_samples(const ssimcu_view *view);

/* Bits of the samples, 0 when they are floats or their peak is neither 2^bits - 1 nor, of 9
 * bits and more, that in the upper bits of 16. */
uint32_t ssimcu_view_bits(const ssimcu_view *view);

/* 1 when the view, in host memory, has an alpha channel that is not the peak everywhere. Reads the
 * samples until it meets a reason to say so. */
int ssimcu_view_is_transparent(const ssimcu_view *view);

/* Whether two views differ in nothing but where their data is. */
int ssimcu_view_matches(const ssimcu_view *a, const ssimcu_view *b);

#endif
