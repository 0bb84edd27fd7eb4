/* Pictures of linear light, as a screen shows them. */
#ifndef SSIMCU_QA_MAPS_CURVE_H
#define SSIMCU_QA_MAPS_CURVE_H

#include "maps/maps.h"

/* Makes of a frame of floats one of 16-bit samples, grey or RGB, on the curve of sRGB, with memory
 * from ssimcu_frame_alloc. Alpha, by which colours are multiplied already, lets the background
 * through. What is not finite is 0. Errors: LIMIT, MEMORY. */
ssimcu_status shown_curve(const struct shown_frame *frame, const ssimcu_frame *from,
                          ssimcu_frame *to, ssimcu_message *message);

#endif
