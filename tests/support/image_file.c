#include "image_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PADDING = 24 }; /* bytes after each row */

char scratch_directory[] = "/tmp/ssimcu-test-image-XXXXXX";

void make_scratch(void) { cr_assert(mkdtemp(scratch_directory)); }

void remove_scratch(void)
{
    char command[MAX_PATH];
    snprintf(command, sizeof command, "rm -r '%s'", scratch_directory);
    cr_expect(system(command) == 0);
}

file_name testdata(const char *file)
{
    file_name path;
    snprintf(path.text, sizeof path.text, "%s/%s", SSIMCU_TESTDATA, file);
    return path;
}

file_name scratch(const char *file)
{
    file_name path;
    snprintf(path.text, sizeof path.text, "%s/%s", scratch_directory, file);
    return path;
}

size_t row_bytes(const ssimcu_frame *frame)
{
    return (size_t)frame->width * frame->channels * ((frame->bits % SSIMCU_BITS_FLOAT + 7) / 8);
}

uint8_t *row_of(const ssimcu_frame *frame, uint32_t y)
{
    return (uint8_t *)frame->data + y * frame->pitch;
}

void allocate_frame(ssimcu_frame *frame)
{
    frame->pitch = row_bytes(frame) + PADDING;
    frame->data = malloc(frame->pitch * frame->height);
    cr_assert(frame->data);
    memset(frame->data, PADDING_BYTE, frame->pitch * frame->height);
}

ssimcu_status read_image(const char *path, const ssimcu_image_options *options, ssimcu_frame *frame,
                         ssimcu_message *message)
{
    ssimcu_image *image = NULL;
    ssimcu_status status = ssimcu_image_open(path, options, &image, message);
    cr_assert((status == SSIMCU_OK) == (image != NULL));
    if (status != SSIMCU_OK) return status;
    *frame = ssimcu_image_shape(image);
    cr_assert(frame->data == NULL && frame->pitch == 0);
    allocate_frame(frame);
    status = ssimcu_image_decode(image, frame, message);
    if (status != SSIMCU_OK) free(frame->data);
    ssimcu_image_close(&image);
    cr_assert_null(image);
    return status;
}

ssimcu_status try_image(const char *path, const ssimcu_image_options *options)
{
    ssimcu_frame frame = {0};
    const ssimcu_status status = read_image(path, options, &frame, NULL);
    if (status == SSIMCU_OK) free(frame.data);
    return status;
}

uint8_t *read_file(const char *path, size_t *size)
{
    FILE *const file = fopen(path, "rb");
    cr_assert(file, "%s", path);
    cr_assert(fseek(file, 0, SEEK_END) == 0);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *const bytes = malloc(*size + 1);
    cr_assert(bytes);
    cr_assert(fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

bool same_pixels(const ssimcu_frame *a, const ssimcu_frame *b)
{
    if (a->width != b->width || a->height != b->height || a->channels != b->channels ||
        a->bits != b->bits)
        return false;
    for (uint32_t y = 0; y < a->height; y++)
        if (memcmp(row_of(a, y), row_of(b, y), row_bytes(a)) != 0) return false;
    return true;
}

void expect_message(const ssimcu_message *message, const char *path, const char *text)
{
    cr_expect(strncmp(message->text, path, strlen(path)) == 0, "%s", message->text);
    cr_expect(strstr(message->text, text), "\"%s\" lacks \"%s\"", message->text, text);
    cr_expect_null(strchr(message->text, '\n'));
}
