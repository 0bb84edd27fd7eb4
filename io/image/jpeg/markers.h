/* Data from the markers of a JPEG: the orientation, the profile, and further pictures.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the orientation, 1 to 8, from Exif data, which may begin with "Exif" and two zeros, as in
 * a marker. It is the first value of tag 0x0112 in IFD 0, an integer of any type. Returns 1,
 * upright, if the tag is missing, lies outside the data or has another value. */
unsigned ssimcu_orientation(const uint8_t *data, size_t size);

/* Does the same, but returns 0 if the tag is missing. */
unsigned ssimcu_orientation_said(const uint8_t *data, size_t size);

/* Copies the ICC profile of a JPEG, or its first `room` bytes. Returns its size; 0: none. */
size_t ssimcu_jpeg_profile(const uint8_t *jpeg, size_t size, uint8_t *to, size_t room);

/* Returns whether a JPEG of this size begins here. */
bool ssimcu_jpeg_has_size(const uint8_t *jpeg, size_t size, uint32_t width, uint32_t height);

/* Returns how many pictures a file has, from the data of its marker, which begins with "MPF" and a
 * zero: the Multi-Picture Format (CIPA DC-007). Previews of the first picture do not count. Returns
 * 1 if the marker names no others. */
uint32_t ssimcu_mpf_pictures(const uint8_t *data, size_t size);
