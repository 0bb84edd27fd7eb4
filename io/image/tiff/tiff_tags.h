/* Which tags of a TIFF decide its pixels, and what of a directory libtiff does not tell. */
#ifndef SSIMCU_IMAGE_TIFF_TAGS_H
#define SSIMCU_IMAGE_TIFF_TAGS_H

#include "tiff_page.h"

/* Whether one of libtiff's complaints, which has its tag's name in quotes, is about a tag that
 * decides no pixel. An orientation that does not exist counts as upright, as in a JPEG. */
bool ssimcu_tiff_is_harmless(const char *complaint);

/* Whether the directory that libtiff is in has a tag that decides pixels twice. libtiff takes the
 * first, and others the last. */
bool ssimcu_tiff_has_twice(const ssimcu_tiff *t);

/* Whether the directory behind the one that libtiff is in would begin behind the file. */
bool ssimcu_tiff_lacks_next(const ssimcu_tiff *t);

#endif
