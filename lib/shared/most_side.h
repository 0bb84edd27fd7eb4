/* The greatest width and height of a frame. */
#ifndef SSIMCU_MOST_SIDE_H
#define SSIMCU_MOST_SIDE_H

/* A side is below 2^24, so that any product of a side with a pixel's bytes fits in 32 bits. */
enum { SSIMCU_MOST_SIDE = (1 << 24) - 1 };

#endif
