/* A Cryptomatte of a pair is compared level after level. A level has two ranks of IDs and coverage:
 * red, green and blue of its picture are read at once, alpha then. */
#include "source/pictures.h"

#include "facts/record_parts.h"
#include "pair/differ.h"
#include "pair/pair.h"
#include "pair/slots.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a pixel: three samples of a level, the fourth, and the mask. */
enum { THREE = 3 * sizeof(float), ONE = sizeof(float), MASK = 1 };

size_t pictures_crypto_bytes(const ssimcu_frame *frame)
{
    return (size_t)frame->width * frame->height * (THREE + ONE + MASK);
}

/* Returns an error if a frame is none of so many floats for a pixel. */
static ssimcu_status check(const char *path, const ssimcu_frame *frame, size_t bytes,
                           const ssimcu_frame *first, ssimcu_message *message)
{
    if (frame->bits != SSIMCU_BITS_F32 || frame->channels * sizeof(float) != bytes)
        return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                           "%.300s: its Cryptomatte is no floats, and so has no IDs", path);
    if (frame->width == first->width && frame->height == first->height) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "%.300s: levels of its Cryptomatte have other sizes", path);
}

/* Reads channels of a side to a place in its memory. */
static ssimcu_status read_side(struct pair *pair, int side, const ssimcu_image_options *options,
                               size_t at, size_t bytes, ssimcu_message *message)
{
    const char *path = record_path(pair->record, side);
    ssimcu_image *image = NULL;
    ssimcu_status status = ssimcu_image_open_in(slots_files(pair), path, options, &image, message);
    ssimcu_frame frame = ssimcu_image_shape(image);
    if (status == SSIMCU_OK) status = check(path, &frame, bytes, pair->plane[side], message);
    frame.pitch = frame.width * bytes;
    frame.data = (char *)pair->memory[side] + at;
    if (status == SSIMCU_OK) status = ssimcu_image_decode(image, &frame, message);
    ssimcu_image_close(&image);
    return status;
}

/* Reads one of the lines of channels, of both sides. */
static ssimcu_status read_line(struct pair *pair, const ssimcu_image_options *options,
                               const char *line, size_t at, size_t bytes, ssimcu_message *message)
{
    ssimcu_image_options own = *options;
    char *channels = strndup(line, strcspn(line, "\n"));
    ssimcu_status status =
        channels ? SSIMCU_OK : ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    own.layer = NULL;
    own.channels = channels;
    own.remark = NULL; /* the first channels have told it */
    for (int side = 0; side < 2 && status == SSIMCU_OK; side++)
        status = read_side(pair, side, &own, at, bytes, message);
    free(channels);
    return status;
}

/* Marks what differs in the two ranks of a level that is in memory. */
static void mark_level(const struct pair *pair, size_t pixels, uint8_t *mask)
{
    struct differ_rank rank[2] = {{.id_step = 3, .coverage_step = 3},
                                  {.id_step = 3, .coverage_step = 1}};
    for (int side = 0; side < 2; side++) {
        const float *three = pair->memory[side], *one = three + 3 * pixels;
        rank[0].id[side] = three;
        rank[0].coverage[side] = three + 1;
        rank[1].id[side] = three + 2;
        rank[1].coverage[side] = one;
    }
    for (int r = 0; r < 2; r++) differ_mark(&rank[r], pixels, mask);
}

ssimcu_status pictures_crypto_compare(struct pair *pair, const char *rest,
                                      const ssimcu_image_options *options, ssimcu_message *message)
{
    const size_t pixels = (size_t)pair->plane[0]->width * pair->plane[0]->height;
    uint8_t *mask[2];
    ssimcu_status status = SSIMCU_OK;
    for (int side = 0; side < 2; side++) {
        mask[side] = (uint8_t *)pair->memory[side] + pixels * (THREE + ONE);
        memset(mask[side], 0, pixels);
        if (status == SSIMCU_OK)
            status = check(record_path(pair->record, side), pair->plane[side], THREE,
                           pair->plane[0], message);
    }
    for (bool fourth = true; status == SSIMCU_OK && *rest; fourth = !fourth) {
        status = read_line(pair, options, rest, fourth ? pixels * THREE : 0, fourth ? ONE : THREE,
                           message);
        if (status == SSIMCU_OK && fourth) mark_level(pair, pixels, mask[1]);
        rest += strcspn(rest, "\n");
        rest += *rest == '\n';
    }
    if (status == SSIMCU_OK) differ_take(pair, mask[0], mask[1]);
    return status;
}
