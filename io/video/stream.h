/* Uncompressed frames one after the other in a file or a pipe, as in y4m and raw video. */
#pragma once

#include "video/clip_codec.h"

/* The state of such a clip. */
typedef struct ssimcu_stream {
    ssimcu_reader *reader;
    bool is_file;   /* a regular file, not a pipe */
    int64_t size;   /* the file's size when it was opened */
    int64_t start;  /* offset of a file's first frame, or of the line before it */
    int64_t offset; /* offset of the next read from a file */
    size_t between; /* minimum number of bytes before each frame */
} ssimcu_stream;

/* Opens `path` and sets clip->state. The stream begins at the file's first byte, with no lines
 * before its frames. Errors: FILE, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_stream_open(ssimcu_clip *clip, const char *path,
                                                   ssimcu_message *message);

/* Reads the line before a frame, without its line break. In a file, a line of `size` bytes or more
 * is returned empty. Sets *end at the end of the stream. Errors: FILE, DATA (a pipe's line is
 * longer). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_stream_line(ssimcu_clip *clip, char *line, size_t size,
                                                   bool *end, ssimcu_message *message);

/* Checks the size of the stream's frames, and counts those of a file. Errors: LIMIT. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_stream_check(ssimcu_clip *clip, ssimcu_message *message);

/* Functions of the codec. If next's `end` is NULL, the stream must not end here, because a line has
 * announced the frame. Samples above 8 bits are stored as little-endian words; read converts them
 * to the machine's order. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_stream_next(ssimcu_clip *clip, void *data,
                                                   ssimcu_clip_place *place, bool *end,
                                                   ssimcu_message *message);
SSIMCU_MUST_CHECK ssimcu_status ssimcu_stream_read(const ssimcu_clip *clip, ssimcu_clip_place place,
                                                   void *data, ssimcu_message *message);
void ssimcu_stream_close(ssimcu_clip *clip);
