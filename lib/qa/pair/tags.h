/* Tags: what the files of two videos say about their samples. Only this code assumes missing
 * tags. */
#pragma once

#include "video/clip.h"

enum { TAGS_TEXT = 200 }; /* bytes of the assumed tags, in words */

/* Turns the formats of REF and OUT into those that are compared. A side without a range, transfer,
 * matrix or chroma location takes that of the other. If both lack one, both get the matrix that REF
 * would have by itself. The chroma location is then left, unless both are files that usually have
 * it elsewhere. Tags that both have stay. */
void tags_settle(ssimcu_clip_format side[2]);

/* Returns whether both have a chroma location, and these differ. */
bool tags_sites_differ(const ssimcu_clip_format *ref, const ssimcu_clip_format *out);

/* Describes the tags that the sides took, such as "matrix bt709 in OUT, siting left in REF"; "":
 * none. `own`: the tags of each file. `light`: the transfer counts, too. */
void tags_taken(const ssimcu_clip_format *const own[2], const ssimcu_clip_format *const settled[2],
                bool light, char text[TAGS_TEXT]);
