/* Tags: what the files of two videos say of their samples. This is the only place where a side that
 * says nothing is taken for something. */
#ifndef SSIMCU_QA_TAGS_H
#define SSIMCU_QA_TAGS_H

#include "video/clip.h"

enum { TAGS_TEXT = 200 }; /* bytes of what was taken, in words */

/* Makes the formats of REF and OUT those as which the frames are compared. A side that does not say
 * its range, its transfer, its matrix or the place of its chroma takes what the other side says. If
 * neither says it, both have the matrix that REF would have alone. Chroma is then left, unless both
 * are files that usually have it elsewhere. What both say stays. */
void tags_settle(ssimcu_clip_format side[2]);

/* Returns whether both name a place of chroma, and not the same. */
bool tags_sites_differ(const ssimcu_clip_format *ref, const ssimcu_clip_format *out);

/* Writes what the sides took, such as "matrix bt709 in OUT, siting left in REF"; "": nothing.
 * `own` is what each file says. `light`: the transfer counts as well. */
void tags_taken(const ssimcu_clip_format *const own[2], const ssimcu_clip_format *const settled[2],
                bool light, char text[TAGS_TEXT]);

#endif
