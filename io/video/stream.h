/* Uncompressed frames, one after the other, in a file or a pipe: what y4m and raw video share. */
#ifndef SSIMCU_VIDEO_STREAM_H
#define SSIMCU_VIDEO_STREAM_H

#include "video/clip_codec.h"

/* The state of a clip that is such a stream. */
typedef struct ssimcu_stream {
    ssimcu_reader *reader;
    bool is_file;   /* and not a pipe */
    int64_t size;   /* of a file, when it was opened */
    int64_t start;  /* of a file: its first frame, or what stands before that */
    int64_t offset; /* of a file: where it goes on */
    size_t between; /* bytes that stand before each frame, at least */
} ssimcu_stream;

/* Opens `path` and makes clip->state. The stream begins at the file's first byte, without anything
 * before its frames. Errors: FILE, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_stream_open(ssimcu_clip *clip, const char *path,
                                                   ssimcu_stopped *stopped,
                                                   ssimcu_message *message);

/* Goes past the line that stands before a frame and writes it to `line`, without its line break:
 * empty where a file has no line of less than `size` bytes here. Sets *end at the stream's end.
 * Errors: FILE, DATA (longer, from a pipe). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_stream_line(ssimcu_clip *clip, char *line, size_t size,
                                                   bool *end, ssimcu_message *message);

/* The codec's functions. Where a frame has been announced by what stands before it, `end` is NULL
 * for next: the stream must not end there. Samples above 8 bits are little-endian words; read
 * brings them to the machine's order. */
int64_t ssimcu_stream_count(const ssimcu_clip *clip);
SSIMCU_MUST_CHECK ssimcu_status ssimcu_stream_next(ssimcu_clip *clip, void *data,
                                                   ssimcu_clip_place *place, bool *end,
                                                   ssimcu_message *message);
SSIMCU_MUST_CHECK ssimcu_status ssimcu_stream_read(const ssimcu_clip *clip, ssimcu_clip_place place,
                                                   void *data, ssimcu_message *message);
void ssimcu_stream_close(ssimcu_clip *clip);

#endif
