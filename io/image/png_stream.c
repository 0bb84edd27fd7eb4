/* The end of a PNG's image data, for files that libpng reads. The data is inflated a second time.
 * The fast reader checks the same while it reads, so few files come here. */
#include "png_readers.h"

#include <zlib.h>

/* Inflates the bytes of one IDAT and drops what comes out. Returns zlib's state. */
static int inflate_idat(z_stream *z, const ssimcu_png_chunk *chunk, uint64_t raw)
{
    uint8_t dropped[1 << 14];
    int state = Z_OK;
    z->next_in = (Bytef *)(uintptr_t)chunk->data; /* zlib only reads */
    z->avail_in = chunk->size;
    do {
        z->next_out = dropped;
        z->avail_out = sizeof dropped;
        state = inflate(z, Z_NO_FLUSH);
    } while (state == Z_OK && z->avail_out == 0 && z->total_out <= raw);
    return state == Z_BUF_ERROR ? Z_OK : state; /* BUF_ERROR: it needs the next IDAT */
}

/* Inflates all IDATs. Returns what is wrong, NULL if nothing is. */
static const char *find_trouble(z_stream *z, const ssimcu_file *file, uint64_t raw, int *state)
{
    ssimcu_png_chunk chunk = {.next = SSIMCU_PNG_SIGNATURE};
    while (ssimcu_png_chunk_at(file, chunk.next, &chunk) && chunk.type != SSIMCU_PNG_IEND) {
        if (chunk.type != SSIMCU_PNG_IDAT || chunk.size == 0) continue;
        if (*state == Z_STREAM_END) return "surplus data";
        *state = inflate_idat(z, &chunk, raw);
        if (*state == Z_STREAM_END && z->avail_in) return "surplus data";
        if (*state != Z_OK && *state != Z_STREAM_END) return z->msg ? z->msg : "wrong data";
        if (z->total_out > raw) return "too much image data";
    }
    return *state == Z_STREAM_END ? NULL : "the checksum is missing"; /* libpng had all rows */
}

ssimcu_status ssimcu_png_check_stream(const ssimcu_file *file, uint64_t raw)
{
    z_stream z = {0};
    int state = inflateInit(&z);
    const char *const trouble = state == Z_OK ? find_trouble(&z, file, raw, &state) : "";
    inflateEnd(&z);
    if (!trouble) return SSIMCU_OK;
    if (state == Z_MEM_ERROR) return ssimcu_file_fail(file, SSIMCU_ERROR_MEMORY, "out of memory");
    return ssimcu_file_fail(file, SSIMCU_ERROR_DATA, "damaged PNG (IDAT: %s)", trouble);
}
