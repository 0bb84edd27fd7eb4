/* Messages about files that hold several video streams, of which one is read. */
#ifndef SSIMCU_QA_STREAMS_H
#define SSIMCU_QA_STREAMS_H

#include "video/clip.h"

enum { STREAMS_TEXT = 64 };

/* Remarks which stream is read of a file that has several. `to` may be NULL. */
void streams_remark(const ssimcu_image_options *to, const char *name,
                    const ssimcu_clip_format *format);

/* Says for results which streams are compared, such as "0 of 2 in OUT"; "": no file has several. */
void streams_note(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                  char text[STREAMS_TEXT]);

#endif
