/* The Multi-Picture Format (CIPA DC-007): further pictures behind the first of a JPEG. */
#ifndef SSIMCU_IMAGE_MPF_H
#define SSIMCU_IMAGE_MPF_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many pictures a file has, from the data of its marker, which begins with "MPF" and a
 * zero. Previews of the first picture do not count. Returns 1 if the marker says nothing else. */
uint32_t ssimcu_mpf_pictures(const uint8_t *data, size_t size);

#endif
