/* What a picture file says of its colours, for callers that compare two. Samples are never changed
 * by it. Inside the project only. */
#ifndef SSIMCU_IMAGE_COLOURS_H
#define SSIMCU_IMAGE_COLOURS_H

#include "ssimcu_io.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names as in video, such as "smpte2084" and "bt2020", numbers, or a profile's name; "": the file
 * says nothing, or that it has those of sRGB or BT.709. */
struct ssimcu_image_colours {
    char transfer[64], primaries[96];
};

/* Returns the colours of an image; nothing is said for NULL. */
SSIMCU_API struct ssimcu_image_colours ssimcu_image_colours(const ssimcu_image *image);

/* Adds both names of a property to the text if both are given and differ. */
SSIMCU_API void ssimcu_colours_name(const char *property, const char *ref, const char *out,
                                    char *text, size_t size);

/* Writes what ssimcu_image_colours_differ writes. */
SSIMCU_API void ssimcu_colours_differ(const struct ssimcu_image_colours *ref,
                                      const struct ssimcu_image_colours *out, ssimcu_message *text);

/* What a reader has found in its file: an ICC profile, */
void ssimcu_colours_of_icc(const uint8_t *profile, size_t size,
                           struct ssimcu_image_colours *colours);
/* x and y of red, green, blue and white, */
void ssimcu_colours_of_xy(const double xy[8], struct ssimcu_image_colours *colours);
/* the power that makes light of samples, */
void ssimcu_colours_of_gamma(double gamma, struct ssimcu_image_colours *colours);
/* code points of ITU-T H.273. */
void ssimcu_colours_of_codes(unsigned primaries, unsigned transfer, bool full,
                             struct ssimcu_image_colours *colours);

enum { SSIMCU_ICC_MOST = 1 << 20 /* bytes of a profile that readers look at */ };

#endif
