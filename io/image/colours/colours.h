/* The colours that a picture file declares, for callers that compare two. They never change
 * samples. For use inside the project only. */
#pragma once

#include "ssimcu_io.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names as in video, such as "smpte2084" and "bt2020", numbers, or a profile's name. They are "" if
 * the file declares nothing, or sRGB or BT.709. */
struct ssimcu_image_colours {
    char transfer[64], primaries[96];
};

/* Returns the colours of an image; all are "" for NULL. */
SSIMCU_API struct ssimcu_image_colours ssimcu_image_colours(const ssimcu_image *image);

/* Adds both names of a property to the text if both are given and differ. */
SSIMCU_API void ssimcu_colours_name(const char *property, const char *ref, const char *out,
                                    char *text, size_t size);

/* Writes the text of ssimcu_image_colours_differ. */
SSIMCU_API void ssimcu_colours_differ(const struct ssimcu_image_colours *ref,
                                      const struct ssimcu_image_colours *out, ssimcu_message *text);

/* Data that a reader has found in its file: an ICC profile, */
void ssimcu_colours_of_icc(const uint8_t *profile, size_t size,
                           struct ssimcu_image_colours *colours);
/* x and y of red, green, blue and white, */
void ssimcu_colours_of_xy(const double xy[8], struct ssimcu_image_colours *colours);
/* the power that converts samples to light, */
void ssimcu_colours_of_gamma(double gamma, struct ssimcu_image_colours *colours);
/* code points of ITU-T H.273. */
void ssimcu_colours_of_codes(unsigned primaries, unsigned transfer, bool full,
                             struct ssimcu_image_colours *colours);

enum { SSIMCU_ICC_MOST = 1 << 20 /* bytes of a profile that readers examine */ };
