/* Remarks about files with several video streams, of which only one is read. */
#pragma once

#include "video/clip.h"

enum { STREAMS_TEXT = 64 };

/* Reports which stream is read of a file with several. `to` may be NULL. */
void streams_remark(const ssimcu_image_options *to, const char *name,
                    const ssimcu_clip_format *format);

/* Describes for results which streams are compared, such as "0 of 2 in OUT"; "": no file has
 * several. */
void streams_note(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                  char text[STREAMS_TEXT]);
