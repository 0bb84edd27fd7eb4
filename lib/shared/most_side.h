/* The maximum width and height of a frame. */
#pragma once

/* A side is below 2^24, so that its product with a pixel's bytes fits in 32 bits. */
enum { SSIMCU_MOST_SIDE = (1 << 24) - 1 };
