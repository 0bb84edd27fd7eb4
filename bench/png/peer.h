/* Another PNG decoder: from a file in memory to a frame of its shape. */
#ifndef SSIMCU_BENCH_PNG_PEER_H
#define SSIMCU_BENCH_PNG_PEER_H

#include "image/codec.h"

extern const char *const peer_name; /* NULL: this build has none */
bool peer_read(const ssimcu_file *file, ssimcu_frame *frame);

#endif
