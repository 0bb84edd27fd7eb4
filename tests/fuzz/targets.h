/* What is fuzzed: every place where bytes from outside come in. A target takes one input, checks
 * what the headers promise, and aborts if that does not hold; sanitizers see to the rest.
 * entry.c makes a libFuzzer program of one target. replay.c runs all of them, as an ordinary
 * test, over the inputs that found something once (corpus/). run.sh builds and runs them at
 * length. */
#ifndef SSIMCU_FUZZ_TARGETS_H
#define SSIMCU_FUZZ_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void fuzz_target(const uint8_t *data, size_t size);

/* image        a picture file, through the public API
 * clip         a byte that chooses y4m or a raw format, then the stream
 * results      a byte of flags, then up to three files, divided by bytes of 0
 * list         a list of pairs
 * ranges       frame numbers
 * orientation  a JPEG's Exif data
 * limits       a file of limits
 * learned limits       a file of learned limits, or what is in one (learned.c)
 * calls        calls of the C API, see calls.c
 * check        a check of a sequence or a clip, see check.c
 * loss         a call of the loss, see loss.c
 * exr          an EXR, without the public API; its inputs that found something: corpus/image */
fuzz_target fuzz_image, fuzz_clip, fuzz_results, fuzz_list, fuzz_ranges, fuzz_orientation,
    fuzz_limits, fuzz_learned, fuzz_calls, fuzz_check, fuzz_loss, fuzz_exr;

/* Ends the program, naming what did not hold. */
#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))
_Noreturn void fuzz_fail(const char *condition, const char *file, int line);

/* Returns a copy of exactly `size` bytes from malloc, so that a read beyond it is seen. */
void *fuzz_copy(const void *data, size_t size);

/* Makes a regular file that holds the bytes. The name is valid until fuzz_file_close. */
struct fuzz_file {
    int fd;
    char path[32];
};
struct fuzz_file fuzz_file_open(const void *data, size_t size);
/* Makes a pipe that holds them and then ends; at most 32 KiB. */
struct fuzz_file fuzz_pipe_open(const void *data, size_t size);
void fuzz_file_close(struct fuzz_file *file);

/* Checks a message of a failed call: it is one line. */
bool fuzz_is_line(const char *text);

#endif
