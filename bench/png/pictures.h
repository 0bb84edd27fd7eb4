/* Pictures for bench_png: kinds of frame that people compare, each written by libpng. */
#ifndef SSIMCU_BENCH_PNG_PICTURES_H
#define SSIMCU_BENCH_PNG_PICTURES_H

#include "ssimcu_io.h"

enum { PICTURES = 13 };

struct picture {
    const char *name;
    char path[512];
};

/* Writes all pictures into `directory`. The photo gives their size and some of their content. */
void write_pictures(const char *directory, const ssimcu_frame *photo, struct picture *pictures);

#endif
