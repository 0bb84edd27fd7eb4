#include "chunks.h"
#include "inflate.h"

#include "sample_size.h"

#include <half.h>
#include <stdlib.h>
#include <string.h>

enum { RLE = 1, ZIP = 3 }; /* ZIPS is between them */

bool ssimcu_exr_unpacks(const struct ssimcu_exr_picture *picture)
{
    return picture->compression >= RLE && picture->compression <= ZIP;
}

struct ssimcu_exr_range ssimcu_exr_band_chunks(const struct ssimcu_exr_task *task,
                                               const struct ssimcu_exr_picture *picture,
                                               const struct ssimcu_exr_rows *band)
{
    const uint64_t across = exr_chunks_across(task, picture),
                   row =
                       (uint64_t)((int64_t)band->first - task->facts.data.y0) / picture->chunk_rows,
                   rows = ((uint64_t)band->count + picture->chunk_rows - 1) / picture->chunk_rows;
    return (struct ssimcu_exr_range){row * across, (row + rows) * across};
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Undoes run lengths: n >= 0 repeats the next byte n + 1 times, n < 0 copies -n bytes. */
static bool repeat_runs(const uint8_t *from, size_t size, uint8_t *to, size_t wanted)
{
    size_t at = 0, made = 0;
    while (at < size) {
        const uint8_t code = from[at++];
        const size_t run = code < 128 ? code + 1u : 256u - code, bytes = code < 128 ? 1 : run;
        if (run > wanted - made || bytes > size - at) return false;
        if (code < 128)
            memset(to + made, from[at], run);
        else
            memcpy(to + made, from + at, run);
        at += bytes;
        made += run;
    }
    return made == wanted;
}

/* Undoes the predictor: each byte is the difference to the previous one, plus 128. Eight bytes are
 * summed at once with shifts: one by one took half as long as inflating them. */
static void sum_differences(uint8_t *bytes, size_t size)
{
    typedef uint64_t words2 __attribute__((vector_size(16)));
    typedef uint8_t bytes16 __attribute__((vector_size(16)));
    const uint64_t each = 0x0101010101010101;
    uint64_t sum = 128; /* sum of all previous bytes; its lowest byte counts */
    size_t i = 0;
    for (; i + sizeof(words2) <= size; i += sizeof(words2)) {
        words2 x;
        memcpy(&x, bytes + i, sizeof x);
        x ^= 128 * each; /* subtracts 128 */
        for (int shift = 8; shift < 64; shift *= 2)
            x = (words2)((bytes16)x + (bytes16)(x << shift));
        const uint64_t first = sum + (x[0] >> 56), both = first + (x[1] >> 56);
        x = (words2)((bytes16)x + (bytes16)(words2){(sum & 255) * each, (first & 255) * each});
        memcpy(bytes + i, &x, sizeof x);
        sum = both;
    }
    for (; i < size; i++) bytes[i] = (uint8_t)(sum += (uint8_t)(bytes[i] - 128));
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* A chunk's samples as 16-bit numbers, whose two bytes are stored apart. A 32-bit sample is two of
 * them, the lower one first. */
struct words {
    const uint8_t *low, *high;
    size_t step; /* bytes from one number to the next */
};

static inline uint32_t word_at(const struct words *words, size_t i)
{
    return (uint32_t)words->low[i * words->step] | (uint32_t)words->high[i * words->step] << 8;
}

/* The destination of one row of a channel. */
struct row {
    uint8_t *to;    /* its first sample in the band */
    size_t stride;  /* samples of a pixel of the band */
    uint32_t count; /* pixels */
    bool is_half;   /* has 16 bits in the file */
    bool stays;     /* has 16 bits in the band, too */
};

static void put_row(const struct words *words, size_t first, const struct row *row)
{
    uint16_t *const half = (uint16_t *)(void *)row->to;
    float *const real = (float *)(void *)row->to;
    uint32_t *const bits = (uint32_t *)(void *)row->to;
    if (row->stays)
        for (uint32_t i = 0; i < row->count; i++)
            half[i * row->stride] = (uint16_t)word_at(words, first + i);
    else if (row->is_half)
        for (uint32_t i = 0; i < row->count; i++)
            real[i * row->stride] = imath_half_to_float((uint16_t)word_at(words, first + i));
    else
        for (uint32_t i = 0; i < row->count; i++)
            bits[i * row->stride] =
                word_at(words, first + 2 * i) | word_at(words, first + 2 * i + 1) << 16;
}

/* Writes the wanted channels of one row to the band. Returns the start of the next row. */
static size_t put_channels(const struct ssimcu_exr_task *task,
                           const struct ssimcu_exr_picture *picture, const struct exr_chunk *chunk,
                           const struct words *words, size_t first, int32_t y, uint8_t *to)
{
    const bool halves = task->facts.bits == SSIMCU_BITS_F16;
    for (struct exr_walk walk = exr_walk(&picture->channels); exr_walk_next(&walk);) {
        const struct exr_channel *const channel = &walk.channel;
        for (uint32_t c = 0; c < picture->count; c++)
            if (strcmp(picture->channel[c].name, channel->name) == 0)
                put_row(words, first,
                        &(struct row){to + c * ssimcu_sample_size(task->facts.bits), picture->count,
                                      chunk->width, channel->type == SSIMCU_EXR_HALF, halves});
        first += exr_chunks_samples(chunk, channel, y) * exr_chunks_sample_bytes(channel) / 2;
    }
    return first;
}

static void put_rows(const struct ssimcu_exr_task *task, const struct ssimcu_exr_picture *picture,
                     const struct exr_chunk *chunk, const struct words *words, int32_t band_y)
{
    const size_t pixel = picture->count * ssimcu_sample_size(task->facts.bits);
    const size_t pitch = pixel * exr_width(&task->facts.data);
    uint8_t *to = (uint8_t *)task->band + (size_t)((int64_t)chunk->y - band_y) * pitch +
                  (size_t)((int64_t)chunk->x - task->facts.data.x0) * pixel;
    size_t first = 0;
    for (uint32_t r = 0; r < chunk->rows; r++, to += pitch)
        first =
            put_channels(task, picture, chunk, words, first, (int32_t)((int64_t)chunk->y + r), to);
}

/* ---- A chunk --------------------------------------------------------------------------------- */

ssimcu_status ssimcu_exr_unpack(const struct ssimcu_exr_task *task,
                                const struct ssimcu_exr_picture *picture, uint64_t index, int32_t y)
{
    struct exr_chunk chunk;
    if (!exr_chunks_find(task, picture, index, &chunk)) return SSIMCU_ERROR_DATA;
    const size_t wanted = exr_chunks_bytes(&chunk, &picture->channels);
    if (chunk.size == wanted) { /* a chunk that compression would not shrink is stored raw */
        put_rows(task, picture, &chunk, &(struct words){chunk.bytes, chunk.bytes + 1, 2}, y);
        return SSIMCU_OK;
    }
    uint8_t *const bytes = malloc(wanted);
    if (!bytes) return SSIMCU_ERROR_MEMORY;
    const bool good = picture->compression == RLE
                          ? repeat_runs(chunk.bytes, chunk.size, bytes, wanted)
                          : ssimcu_inflate(chunk.bytes, chunk.size, bytes, wanted);
    if (good) {
        sum_differences(bytes, wanted);
        /* the even bytes come first, then the odd ones */
        put_rows(task, picture, &chunk, &(struct words){bytes, bytes + wanted / 2, 1}, y);
    }
    free(bytes);
    return good ? SSIMCU_OK : SSIMCU_ERROR_DATA;
}
