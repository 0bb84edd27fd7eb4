/* Pictures for bench_png: what frames to compare look like, each written by libpng. */
#ifndef SSIMCU_BENCH_PNG_PICTURES_H
#define SSIMCU_BENCH_PNG_PICTURES_H

#include "ssimcu_io.h"

enum { PICTURES = 13 };

struct picture {
    const char *name;
    char path[512];
};

/* Writes all of them into `directory`; the photo gives the size and some of the content. */
void write_pictures(const char *directory, const ssimcu_frame *photo, struct picture *pictures);

#endif
