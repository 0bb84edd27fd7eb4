/* What the tests of io/ share: files of testdata/ and of a directory for one test, and images
 * read from them. */
#ifndef SSIMCU_TEST_IMAGE_FILE_H
#define SSIMCU_TEST_IMAGE_FILE_H

#include "ssimcu_io.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PADDING_BYTE = 0xA5, MAX_PATH = 512 };

typedef struct file_name {
    char text[MAX_PATH];
} file_name;

/* An empty directory, for a suite's .init and .fini. */
extern char scratch_directory[];
void make_scratch(void);
void remove_scratch(void);

/* Return the path of a file in testdata/, and of one in that directory. */
file_name testdata(const char *file);
file_name scratch(const char *file);

/* Returns all bytes of a file, for the caller to free. */
uint8_t *read_file(const char *path, size_t *size);

size_t row_bytes(const ssimcu_frame *frame);
uint8_t *row_of(const ssimcu_frame *frame, uint32_t y);

/* Allocates memory for pixels of frame's shape, all set to the padding byte. */
void allocate_frame(ssimcu_frame *frame);

/* Opens and decodes; on success frame->data is the caller's to free. */
ssimcu_status read_image(const char *path, const ssimcu_image_options *options, ssimcu_frame *frame,
                         ssimcu_message *message);

/* Does the same for the status alone. */
ssimcu_status try_image(const char *path, const ssimcu_image_options *options);

bool same_pixels(const ssimcu_frame *a, const ssimcu_frame *b);

/* Checks that a message is one line and starts with the file's path. */
void expect_message(const ssimcu_message *message, const char *path, const char *text);

#endif
