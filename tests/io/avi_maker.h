/* Writes a video without an encoder: an AVI with two streams of AVI_SIDE x AVI_SIDE pixels of BGR,
 * uncompressed. Each frame is as bright as its number. */
#ifndef SSIMCU_TEST_AVI_MAKER_H
#define SSIMCU_TEST_AVI_MAKER_H

enum { AVI_FRAMES = 40, AVI_SIDE = 64, AVI_BYTES = AVI_SIDE * AVI_SIDE * 3 };

/* `path` ends in XXXXXX, which is replaced. */
void avi_make(char *path);

#endif
