/* What `--check` of all benchmarks shares. It holds small and ragged sizes of what a program times
 * against a reference, and times nothing. Tests run it. */
#ifndef SSIMCU_BENCH_CHECKS_H
#define SSIMCU_BENCH_CHECKS_H

#include "ssimcu.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether --check is all that the program was asked for. */
bool check_asked(int argc, char **argv);

/* Whether there is a CUDA device. If not, it ends the program if SSIMCU_REQUIRE has cuda. */
bool check_has_cuda(void);

/* Ends the program as a skipped test if there is no CUDA device. */
void check_needs_cuda(void);

/* Counts a result, and says what it is of if it is wrong. */
void check_that(bool right, const char *what, ...) __attribute__((format(printf, 2, 3)));

/* Returns the larger error. NaN is larger than any. */
static inline double check_worse(double worst, double error)
{
    return error <= worst ? worst : error;
}

/* Prints how many results were right, and returns what main returns. */
int check_end(void);

/* Makes a side of a pair, 0 or 1: waves under noise. Integers alone; alpha counts. */
ssimcu_frame check_frame(uint32_t width, uint32_t height, uint32_t channels, uint32_t bits,
                         int side);

/* Small and ragged sizes. The last is large enough for the tensor cores. */
enum { CHECK_SIZES = 5 };
extern const struct check_size {
    uint32_t width, height;
} check_sizes[CHECK_SIZES];

/* Gives the path of a file in a folder for this run, which check_end removes. */
enum { CHECK_PATH = 128 };
void check_path(char path[CHECK_PATH], const char *name);

/* Writes a clip of one grey frame of 8 bits again and again, as y4m. */
void check_write_clip(const char *path, const ssimcu_frame *frame, int count);

#ifdef __cplusplus
}
#endif

#endif
