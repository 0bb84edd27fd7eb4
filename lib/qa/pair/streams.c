#include "pair/streams.h"

#include <stdio.h>
#include <string.h>

void streams_remark(const ssimcu_image_options *to, const char *name,
                    const ssimcu_clip_format *format)
{
    char line[400];
    if (!to || !to->remark || format->streams < 2) return;
    snprintf(line, sizeof line, "%.300s: has %u video streams; number %u is read (--stream)", name,
             format->streams, format->stream);
    to->remark(to->user, line);
}

void streams_note(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                  char text[STREAMS_TEXT])
{
    const ssimcu_clip_format *const side[2] = {ref, out};
    text[0] = '\0';
    for (int s = 0; s < 2; s++) {
        const size_t used = strlen(text);
        if (side[s]->streams > 1)
            snprintf(text + used, STREAMS_TEXT - used, "%s%u of %u in %s", used > 0 ? ", " : "",
                     side[s]->stream, side[s]->streams, s == 0 ? "REF" : "OUT");
    }
}
