/* Pictures of findings: the place in its frame, and in the frames before and behind it. The frames
 * are read again, each once, on a few threads. */
#ifndef SSIMCU_QA_CHECK_PAGE_FRAMES_H
#define SSIMCU_QA_CHECK_PAGE_FRAMES_H

#include "check/page/collect.h"
#include "source/source.h"

enum { FRAMES_SHOWN = 200 /* findings with pictures, at most */ };

/* Chooses the findings that are shown: those that fail first, and of each kind in each sequence as
 * many. A frame that was unreadable has no picture. Makes the files in `directory`. `memory_bytes`:
 * most for frames; 0: any. Errors: WRITE, MEMORY. */
ssimcu_status frames_draw(struct collected *all, const char *directory,
                          const struct source_input *input, uint64_t memory_bytes,
                          ssimcu_message *message);

#endif
