/* A Cryptomatte of a pair is compared in strips of rows: of each all levels are read at once, if
 * one part of the file has them, so that the file is unpacked once. A level has two ranks, each of
 * an ID and its coverage. */
#include "source/pictures.h"

#include "base/refuse.h"
#include "facts/record_parts.h"
#include "pair/differ.h"
#include "pair/pair.h"
#include "pair/slots.h"

#include "fail.h"
#include "image/channels.h"

#include <stdlib.h>
#include <string.h>

/* Samples of a level, and the most levels that are read at once. */
enum { RANKS = 2, LEVEL = 2 * RANKS, MOST_LEVELS = SSIMCU_EXR_CHANNELS / LEVEL };

/* Bytes for samples: there is room for one level of all rows. Strips of more levels have fewer
 * rows, but one at least. */
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
    char *channels; /* their names, with commas between */
    uint32_t count;
    ssimcu_image *image[2];
};

/* Returns an error if an image is none of so many floats for a pixel. */
static ssimcu_status check(const struct pair *pair, int side, const struct levels *levels,
                           ssimcu_message *message)
{
    const char *path = record_path(pair->record, side);
    const ssimcu_frame shape = ssimcu_image_shape(levels->image[side]), *first = pair->plane[0];
    if (shape.bits != SSIMCU_BITS_F32 || shape.channels != LEVEL * levels->count)
        return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                           "%.300s: its Cryptomatte is no floats, and so has no IDs", path);
    if (shape.width == first->width && shape.height == first->height) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "%.300s: levels of its Cryptomatte have other sizes", path);
}

static void close_levels(struct levels *levels)
{
    for (int side = 0; side < 2; side++) ssimcu_image_close(&levels->image[side]);
    free(levels->channels);
}

/* Opens the levels of some lines. */
static ssimcu_status open_levels(const struct pair *pair, const ssimcu_image_options *options,
                                 const char *lines, size_t length, struct levels *levels,
                                 ssimcu_message *message)
{
    ssimcu_image_options own = *options;
    own.remark = NULL; /* the pair's own channels have told it */
    *levels = (struct levels){.channels = strndup(lines, length)};
    ssimcu_status status = levels->channels ? SSIMCU_OK : no_memory(message);
    for (size_t i = 0; i < length && status == SSIMCU_OK; i++)
        if (lines[i] == '\n') {
            levels->channels[i] = i + 1 < length ? ',' : '\0';
            levels->count++;
        }
    for (int side = 0; side < 2 && status == SSIMCU_OK; side++)
        status = ssimcu_image_open_many(slots_files(pair), record_path(pair->record, side), &own,
                                        levels->channels, &levels->image[side], message);
    for (int side = 0; side < 2 && status == SSIMCU_OK; side++)
        status = check(pair, side, levels, message);
    if (status != SSIMCU_OK) close_levels(levels);
    return status;
}

/* Opens as many levels as can be read at once, or the next one. `used`: bytes of their lines. */
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
    *used = one; /* they lie in parts of their own */
    return open_levels(pair, options, lines, one, levels, message);
}

/* Marks what differs in a strip of so many pixels that is in memory. */
static void mark_strip(const struct pair *pair, uint32_t levels, size_t pixels, uint8_t *mask)
{
    const size_t step = (size_t)LEVEL * levels;
    for (uint32_t r = 0; r < RANKS * levels; r++) {
        struct differ_rank rank = {.id_step = step, .coverage_step = step};
        for (int side = 0; side < 2; side++) {
            rank.id[side] = (const float *)pair->memory[side] + (size_t)2 * r;
            rank.coverage[side] = rank.id[side] + 1;
        }
        differ_mark(&rank, pixels, mask);
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

/* Marks what differs in levels, strip after strip. */
static ssimcu_status mark_levels(const struct pair *pair, const struct levels *levels,
                                 uint8_t *mask, ssimcu_message *message)
{
    const uint32_t width = pair->plane[0]->width, height = pair->plane[0]->height,
                   most = height > levels->count ? height / levels->count : 1;
    ssimcu_status status = SSIMCU_OK;
    for (uint32_t y = 0; y < height && status == SSIMCU_OK; y += most) {
        const uint32_t rows = most < height - y ? most : height - y;
        for (int side = 0; side < 2 && status == SSIMCU_OK; side++)
            status = read_strip(pair, side, levels, y, rows, message);
        if (status == SSIMCU_OK)
            mark_strip(pair, levels->count, (size_t)width * rows, mask + (size_t)y * width);
    }
    return status;
}

ssimcu_status pictures_crypto_compare(struct pair *pair, const char *levels,
                                      const ssimcu_image_options *options, ssimcu_message *message)
{
    const size_t pixels = (size_t)pair->plane[0]->width * pair->plane[0]->height;
    uint8_t *mask[2];
    ssimcu_status status = SSIMCU_OK;
    for (int side = 0; side < 2; side++) {
        mask[side] = (uint8_t *)pair->memory[side] + sample_bytes(pair->plane[0]);
        memset(mask[side], 0, pixels);
    }
    for (size_t used; *levels && status == SSIMCU_OK; levels += used) {
        struct levels next;
        status = open_next(pair, options, levels, &next, &used, message);
        if (status != SSIMCU_OK) break;
        status = mark_levels(pair, &next, mask[1], message);
        close_levels(&next);
    }
    if (status == SSIMCU_OK) differ_take(pair, mask[0], mask[1]);
    return status;
}
