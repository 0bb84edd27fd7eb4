/* Limits on the size of a picture or a frame of video. */
#pragma once

#include "ssimcu_io.h"

/* Returns the options with every limit of 0 replaced by its default. NULL means all defaults. */
SSIMCU_API ssimcu_image_options ssimcu_limits_fill(const ssimcu_image_options *options);

/* Checks a size against filled-in limits. `name` is for the message. Errors: LIMIT. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_limits_check(const ssimcu_image_options *limits,
                                                               const char *name, uint32_t width,
                                                               uint32_t height,
                                                               ssimcu_message *message);
