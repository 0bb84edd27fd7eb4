/* What the files of the fake CUDA share, and what fake_nvdec.c tells it. */
#ifndef SSIMCU_TESTS_FAKE_CUDA_H
#define SSIMCU_TESTS_FAKE_CUDA_H

#include <stddef.h>

/* Notes that memory lies on a device, or, with 0 bytes, that it no longer does. Many threads call
 * it. The program exports it under this name. */
typedef void fake_cuda_lies_function(const void *memory, size_t bytes, int device);
#define FAKE_CUDA_LIES "fake_cuda_lies"
fake_cuda_lies_function fake_cuda_lies;

/* Notes that a device reads memory. Ends the program if that lies on another one. */
void fake_cuda_read(const void *memory, int device);

/* Notes that host memory was pinned. */
void fake_cuda_pins(void);

/* Returns how many devices there are. */
int fake_cuda_devices(void);

#endif
