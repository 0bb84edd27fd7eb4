/* What is said of files that hold several video streams, of which one is read. */
#ifndef SSIMCU_QA_STREAMS_H
#define SSIMCU_QA_STREAMS_H

#include "video/clip.h"

enum { STREAMS_TEXT = 64 };

/* Says for people which stream is read. Returns false if the file has no other. */
bool streams_say(const char *name, const ssimcu_clip_format *format, char *text, size_t size);

/* Says for results which streams are compared, such as "0 of 2 in OUT"; "": no file has several. */
void streams_note(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                  char text[STREAMS_TEXT]);

#endif
