/* Compares a Cryptomatte in strips of rows. All levels of a strip are read at once if they are in
 * one part of the file, which is then unpacked only once. A level has two ranks, each with an ID
 * and its coverage. */
#include "source/pictures.h"

#include "base/refuse.h"
#include "pair/slots.h"
#include "record/record_types.h"

#include <stdlib.h>
#include <string.h>

/* Samples of a level, and the most levels that one read takes. */
enum { RANKS = 2, LEVEL = 2 * RANKS, MOST_LEVELS = SSIMCU_EXR_CHANNELS / LEVEL };

/* Bytes for samples: one level of all rows. Strips of more levels have fewer rows, but at least
 * one. */
static size_t sample_bytes(const ssimcu_frame *frame)
{
    const size_t rows = frame->height > MOST_LEVELS ? frame->height : MOST_LEVELS;
    return frame->width * rows * LEVEL * sizeof(float);
}

size_t pictures_crypto_bytes(const ssimcu_frame *frame)
{
    return sample_bytes(frame) + (size_t)frame->width * frame->height; /* and the mask */
}

/* Levels of both sides, open. */
struct levels {
    char *channels; /* their names, separated by commas */
    uint32_t count;
    ssimcu_image *image[2];
};

/* Fails unless an image has so many floats per pixel. */
static ssimcu_status check(const struct pair *pair, int side, const struct levels *levels,
                           ssimcu_message *message)
{
    const char *path = record_path(pair->record, side);
    const ssimcu_frame shape = ssimcu_image_shape(levels->image[side]), *first = pair->plane[0];
    if (shape.bits != SSIMCU_BITS_F32 || shape.channels != LEVEL * levels->count)
        FAIL(UNSUPPORTED, "%.300s: its Cryptomatte has no IDs, because it has no floats", path);
    if (shape.width == first->width && shape.height == first->height) return SSIMCU_OK;
    FAIL(MISMATCH, "%.300s: the levels of its Cryptomatte have different sizes", path);
}

static void close_levels(struct levels *levels)
{
    for (int side = 0; side < 2; side++) ssimcu_image_close(&levels->image[side]);
    free(levels->channels);
}

/* Opens the levels on some lines. */
static ssimcu_status open_levels(const struct pair *pair, const ssimcu_image_options *options,
                                 const char *lines, size_t length, struct levels *levels,
                                 ssimcu_message *message)
{
    ssimcu_image_options quiet = *options;
    quiet.remark = NULL; /* already reported for the pair's channels */
    *levels = (struct levels){.channels = strndup(lines, length)};
    ssimcu_status status = levels->channels ? SSIMCU_OK : no_memory(message);
    for (size_t i = 0; i < length && status == SSIMCU_OK; i++)
        if (lines[i] == '\n') {
            levels->channels[i] = i + 1 < length ? ',' : '\0';
            levels->count++;
        }
    for (int side = 0; side < 2 && status == SSIMCU_OK; side++)
        status = ssimcu_image_open_many(slots_files(pair), record_path(pair->record, side), &quiet,
                                        levels->channels, &levels->image[side], message);
    for (int side = 0; side < 2 && status == SSIMCU_OK; side++)
        status = check(pair, side, levels, message);
    if (status != SSIMCU_OK) close_levels(levels);
    return status;
}

/* Opens as many levels as one read takes, or else only the next. `used`: bytes of their lines. */
static ssimcu_status open_next(const struct pair *pair, const ssimcu_image_options *options,
                               const char *lines, struct levels *levels, size_t *used,
                               ssimcu_message *message)
{
    const size_t one = strcspn(lines, "\n") + 1;
    uint32_t count = 0;
    for (*used = 0; lines[*used] && count < MOST_LEVELS; count++)
        *used += strcspn(lines + *used, "\n") + 1;
    if (count > 1 && open_levels(pair, options, lines, *used, levels, NULL) == SSIMCU_OK)
        return SSIMCU_OK;
    *used = one; /* they are in different parts */
    return open_levels(pair, options, lines, one, levels, message);
}

/* Marks the differing pixels of a strip in memory. */
static void mark_strip(const struct pair *pair, uint32_t levels, size_t pixels, uint8_t *mask)
{
    const size_t step = (size_t)LEVEL * levels;
    for (uint32_t r = 0; r < RANKS * levels; r++) {
        struct diff_rank rank = {.id_step = step, .coverage_step = step};
        for (int side = 0; side < 2; side++) {
            rank.id[side] = (const float *)pair->memory[side] + (size_t)2 * r;
            rank.coverage[side] = rank.id[side] + 1;
        }
        diff_mark(&rank, pixels, mask);
    }
}

static ssimcu_status read_strip(const struct pair *pair, int side, const struct levels *levels,
                                uint32_t y, uint32_t rows, ssimcu_message *message)
{
    ssimcu_frame strip = ssimcu_image_shape(levels->image[side]);
    strip.pitch = (size_t)strip.width * strip.channels * sizeof(float);
    strip.height = rows;
    strip.data = pair->memory[side];
    return ssimcu_image_decode_strip(levels->image[side], y, &strip, message);
}

/* Marks the differing pixels of some levels, strip after strip. */
static ssimcu_status mark_levels(const struct pair *pair, const struct levels *levels,
                                 uint8_t *mask, ssimcu_message *message)
{
    const uint32_t width = pair->plane[0]->width, height = pair->plane[0]->height,
                   most = height > levels->count ? height / levels->count : 1;
    for (uint32_t y = 0; y < height; y += most) {
        const uint32_t rows = most < height - y ? most : height - y;
        for (int side = 0; side < 2; side++) TRY(read_strip(pair, side, levels, y, rows, message));
        mark_strip(pair, levels->count, (size_t)width * rows, mask + (size_t)y * width);
    }
    return SSIMCU_OK;
}

ssimcu_status pictures_crypto_compare(struct pair *pair, const char *levels,
                                      const ssimcu_image_options *options, ssimcu_message *message)
{
    const size_t pixels = (size_t)pair->plane[0]->width * pair->plane[0]->height;
    uint8_t *mask[2];
    for (int side = 0; side < 2; side++) {
        mask[side] = (uint8_t *)pair->memory[side] + sample_bytes(pair->plane[0]);
        memset(mask[side], 0, pixels);
    }
    for (size_t used; *levels; levels += used) {
        struct levels next;
        TRY(open_next(pair, options, levels, &next, &used, message));
        const ssimcu_status status = mark_levels(pair, &next, mask[1], message);
        close_levels(&next);
        TRY(status);
    }
    diff_take(pair, mask[0], mask[1]);
    return SSIMCU_OK;
}
