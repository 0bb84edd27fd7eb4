/* A DWA chunk begins with eleven counters and, since version 2, with rules. Each rule defines how
 * channels of one name and type are stored: lossily, as run lengths, or deflated ("unknown"). The
 * names of counters and methods are those of OpenEXR's ImfDwaCompressor.h. */
#include "chunks.h"
#include "inflate.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DWAA = 8, DWAB = 9 };

enum counter {
    VERSION,
    UNKNOWN_UNCOMPRESSED_SIZE,
    UNKNOWN_COMPRESSED_SIZE,
    AC_COMPRESSED_SIZE,
    DC_COMPRESSED_SIZE,
    RLE_COMPRESSED_SIZE,
    RLE_UNCOMPRESSED_SIZE,
    RLE_RAW_SIZE,
    AC_UNCOMPRESSED_COUNT,
    DC_UNCOMPRESSED_COUNT,
    AC_COMPRESSION,
    COUNTERS
};

enum method { UNKNOWN, LOSSY_DCT, RLE };

/* The header of a chunk's data. */
struct head {
    uint64_t counter[COUNTERS];
    const uint8_t *rules, *data, *end;
};

static bool read_head(const struct exr_chunk *chunk, struct head *head)
{
    if (chunk->size < COUNTERS * 8) return false;
    for (int i = 0; i < COUNTERS; i++) head->counter[i] = exr_number_at(chunk->bytes + 8 * i, 8);
    head->rules = head->data = chunk->bytes + COUNTERS * 8;
    head->end = chunk->bytes + chunk->size;
    if (head->counter[VERSION] < 2) return true;
    if (head->end - head->data < 2) return false;
    const uint32_t size = (uint32_t)exr_number_at(head->data, 2); /* its two bytes count */
    if (size < 2 || size > (size_t)(head->end - head->data)) return false;
    head->rules += 2;
    head->data += size;
    return true;
}

/* ---- Methods --------------------------------------------------------------------------------- */

/* The rules of versions 0 and 1. */
static enum method old_method(const char *name, uint32_t type)
{
    static const char *const lossy[] = {"r",   "red",  "g", "grn", "green", "b",
                                        "blu", "blue", "y", "by",  "ry"};
    if (strcasecmp(name, "a") == 0) return RLE;
    for (size_t i = 0; i < sizeof lossy / sizeof lossy[0]; i++)
        if (type != SSIMCU_EXR_UINT && strcasecmp(name, lossy[i]) == 0) return LOSSY_DCT;
    return UNKNOWN;
}

/* Finds the method of a channel by the last matching rule. Returns false if the rules are
 * damaged. */
static bool find_method(const struct head *head, const struct exr_channel *channel,
                        enum method *method)
{
    const char *const dot = strrchr(channel->name, '.'), *const name =
                                                             dot ? dot + 1 : channel->name;
    *method = UNKNOWN;
    if (head->counter[VERSION] < 2) {
        *method = old_method(name, channel->type);
        return true;
    }
    for (const uint8_t *at = head->rules; at < head->data;) {
        const uint8_t *const end = memchr(at, 0, (size_t)(head->data - at));
        if (!end || head->data - end < 3) return false;
        const uint8_t flags = end[1], type = end[2];
        const char *const wanted = (const char *)at;
        if (type == channel->type &&
            (flags & 1 ? strcasecmp(name, wanted) : strcmp(name, wanted)) == 0)
            *method = (enum method)(flags >> 2 & 3);
        at = end + 3;
    }
    return *method <= RLE;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

/* Total sizes of a chunk's channels. */
struct sums {
    uint64_t unknown, rle; /* bytes */
    uint64_t blocks;       /* blocks of 8 x 8 samples, each with one DC value */
};

static bool sum_channels(const struct head *head, const struct exr_chunk *chunk,
                         const struct ssimcu_exr_list *channels, struct sums *sums)
{
    *sums = (struct sums){0};
    for (struct exr_walk walk = exr_walk(channels); exr_walk_next(&walk);) {
        enum method method;
        uint64_t rows = 0, across = 0;
        if (!find_method(head, &walk.channel, &method)) return false;
        for (int64_t y = chunk->y; y < (int64_t)chunk->y + chunk->rows; y++) {
            const uint64_t samples = exr_chunks_samples(chunk, &walk.channel, y);
            if (samples > 0) across = samples, rows++;
        }
        const uint64_t bytes = across * rows * exr_chunks_sample_bytes(&walk.channel);
        if (method == UNKNOWN) sums->unknown += bytes;
        if (method == RLE) sums->rle += bytes;
        if (method == LOSSY_DCT) sums->blocks += ((across + 7) / 8) * ((rows + 7) / 8);
    }
    return true;
}

/* Inflates the channels that are only deflated, and checks that they are complete. */
static ssimcu_status check_unknown(const struct head *head, uint64_t wanted)
{
    const uint64_t size = head->counter[UNKNOWN_COMPRESSED_SIZE];
    if (head->counter[UNKNOWN_UNCOMPRESSED_SIZE] != wanted) return SSIMCU_ERROR_DATA;
    if (wanted == 0) return SSIMCU_OK;
    if (size > (uint64_t)(head->end - head->data)) return SSIMCU_ERROR_DATA;
    uint8_t *const bytes = malloc(wanted);
    if (!bytes) return SSIMCU_ERROR_MEMORY;
    const bool good = ssimcu_inflate(head->data, size, bytes, wanted);
    free(bytes);
    return good ? SSIMCU_OK : SSIMCU_ERROR_DATA;
}

static ssimcu_status check_chunk(const struct exr_chunk *chunk,
                                 const struct ssimcu_exr_list *channels)
{
    struct head head;
    struct sums sums;
    if (!read_head(chunk, &head) || !sum_channels(&head, chunk, channels, &sums) ||
        head.counter[RLE_RAW_SIZE] != sums.rle ||
        head.counter[DC_UNCOMPRESSED_COUNT] != sums.blocks ||
        (head.counter[AC_COMPRESSED_SIZE] == 0 && head.counter[AC_UNCOMPRESSED_COUNT] > 0))
        return SSIMCU_ERROR_DATA;
    return check_unknown(&head, sums.unknown);
}

ssimcu_status ssimcu_exr_dwa_check(struct ssimcu_exr_task *task,
                                   const struct ssimcu_exr_picture *picture)
{
    if (picture->compression != DWAA && picture->compression != DWAB) return SSIMCU_OK;
    for (uint64_t i = 0; i < picture->chunk_count; i++) {
        struct exr_chunk chunk;
        ssimcu_status status = SSIMCU_ERROR_DATA;
        if (exr_chunks_find(task, picture, i, &chunk))
            status = chunk.size == exr_chunks_bytes(&chunk, &picture->channels)
                         ? SSIMCU_OK /* stored as it is */
                         : check_chunk(&chunk, &picture->channels);
        if (status == SSIMCU_ERROR_MEMORY)
            return exr_fail(task, status, "out of memory (checking an EXR)");
        if (status != SSIMCU_OK)
            return exr_fail(task, status,
                            "damaged EXR (chunk %llu of %llu does not hold its pixels)",
                            (unsigned long long)i + 1, (unsigned long long)picture->chunk_count);
    }
    return SSIMCU_OK;
}
