/* Linear light as a screen shows it. */
#ifndef SSIMCU_QA_MAPS_CURVE_H
#define SSIMCU_QA_MAPS_CURVE_H

#include "maps/maps.h"

/* Turns a frame of floats into 16-bit samples, grey or RGB, on the sRGB curve, with memory from
 * ssimcu_frame_alloc. Colours are already multiplied by alpha, which lets the background through.
 * NaN and infinity become 0. Errors: LIMIT, MEMORY. */
ssimcu_status shown_curve(const struct shown_frame *frame, const ssimcu_frame *from,
                          ssimcu_frame *to, ssimcu_message *message);

#endif
