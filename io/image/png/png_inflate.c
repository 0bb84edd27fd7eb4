#include "png_inflate.h"

#include "image/release.h"

#include <isa-l/crc.h>
#include <string.h>

/* ---- Compressed bytes, out of the IDATs ------------------------------------------------------ */

/* Begins the next IDAT. Except for the first, checks the CRC of the previous one. */
static bool next_idat(ssimcu_png_inflater *z, bool first)
{
    ssimcu_png_chunk chunk;
    if (!first) {
        if (ssimcu_png_u32(z->file->bytes + z->at) != z->crc) return false;
        z->at += 4;
    }
    if (!ssimcu_png_chunk_at(z->file, z->at, &chunk)) return false;
    z->all_read = chunk.type != SSIMCU_PNG_IDAT;
    if (z->all_read) return true;
    z->at += 8;
    z->left = chunk.size;
    z->crc = crc32_gzip_refl(0, (uint8_t *)chunk.data - 4, 4); /* CRC of the type; the call only
                                                                  reads */
    return true;
}

/* Moves the unread bytes to the start of the window and fills the rest of it. */
static bool refill(ssimcu_png_inflater *z)
{
    struct inflate_state *const igzip = &z->igzip;
    memmove(z->window, igzip->next_in, igzip->avail_in);
    igzip->next_in = z->window;
    while (igzip->avail_in < SSIMCU_PNG_WINDOW && !z->all_read) {
        if (z->left == 0) {
            if (!next_idat(z, false)) return false;
            continue;
        }
        const uint32_t room = SSIMCU_PNG_WINDOW - igzip->avail_in;
        const uint32_t size = room < z->left ? room : z->left;
        uint8_t *const to = z->window + igzip->avail_in;
        memcpy(to, z->file->bytes + z->at, size);
        z->crc = crc32_gzip_refl(z->crc, to, size);
        z->at += size;
        z->left -= size;
        igzip->avail_in += size;
    }
    ssimcu_release_bytes(z->file, z->at);
    return true;
}

/* Returns the next whole byte, possibly from igzip's bit buffer; -1 if there is none. */
static int next_byte(ssimcu_png_inflater *z)
{
    struct inflate_state *const igzip = &z->igzip;
    if (igzip->read_in_length >= 8) {
        const int byte = (int)(igzip->read_in & 255);
        igzip->read_in >>= 8;
        igzip->read_in_length -= 8;
        return byte;
    }
    if (igzip->avail_in == 0 && !refill(z)) return -1;
    if (igzip->avail_in == 0) return -1;
    igzip->avail_in--;
    return *igzip->next_in++;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Bytes that must be available when a block begins. A header has fewer than 320. igzip treats every
 * block as the stream's last one (see begin_block). With 4 KB or less left it would build no tables
 * that decode two or three symbols at once. */
enum { BLOCK_START = 6 << 10 };

/* Begins a block and makes igzip treat it as the stream's last one, so that igzip stops at its end.
 * Only there does igzip reveal the place of the next header. */
static bool begin_block(ssimcu_png_inflater *z, uint8_t *to)
{
    struct inflate_state *const igzip = &z->igzip;
    if (igzip->avail_in < BLOCK_START && !refill(z)) return false;
    if (igzip->read_in_length == 0) {
        const int byte = next_byte(z);
        if (byte < 0) return false;
        igzip->read_in = (uint64_t)byte;
        igzip->read_in_length = 8;
    }
    if (!ssimcu_png_block_is_good(igzip->read_in, (uint32_t)igzip->read_in_length, igzip->next_in,
                                  igzip->avail_in, &z->last))
        return false;
    igzip->read_in |= 1;
    igzip->block_state = ISAL_BLOCK_NEW_HDR;
    const uint32_t history = z->made < SSIMCU_PNG_HISTORY ? (uint32_t)z->made : SSIMCU_PNG_HISTORY;
    return isal_inflate_set_dict(igzip, to - history, history) == COMP_OK;
}

/* Lets igzip continue. Returns false if the data is damaged or ends. */
static bool advance(ssimcu_png_inflater *z)
{
    struct inflate_state *const igzip = &z->igzip;
    if (igzip->avail_in == 0 && !refill(z)) return false;
    const uint32_t in = igzip->avail_in, out = igzip->avail_out;
    const int state = (int)igzip->block_state, bits = igzip->read_in_length;
    if (isal_inflate(igzip) != ISAL_DECOMP_OK) return false;
    z->made += out - igzip->avail_out;
    return in != igzip->avail_in || out != igzip->avail_out || state != (int)igzip->block_state ||
           bits != igzip->read_in_length;
}

/* Inflates up to `size` bytes; fewer only at the stream's end. */
static bool inflate_some(ssimcu_png_inflater *z, uint8_t *to, size_t size, size_t *got)
{
    struct inflate_state *const igzip = &z->igzip;
    igzip->next_out = to;
    igzip->avail_out = (uint32_t)size;
    while (igzip->avail_out > 0) {
        if (igzip->block_state != ISAL_BLOCK_FINISH) {
            if (!advance(z)) return false;
            continue;
        }
        if (z->last) break;
        if (!begin_block(z, igzip->next_out)) return false;
    }
    *got = size - igzip->avail_out;
    return true;
}

/* ---- The stream ------------------------------------------------------------------------------ */

bool ssimcu_png_inflate_start(ssimcu_png_inflater *z, const ssimcu_file *file, size_t data,
                              uint64_t size)
{
    z->file = file;
    z->at = data;
    z->left = 0;
    z->last = false;
    z->made = 0;
    isal_inflate_init(&z->igzip);
    z->igzip.next_in = z->window;
    z->igzip.block_state = ISAL_BLOCK_FINISH; /* the state after a block */
    if (!next_idat(z, true)) return false;
    const int method = next_byte(z), flags = method < 0 ? -1 : next_byte(z);
    if (method < 0 || flags < 0 || (method & 15) != 8 || (method << 8 | flags) % 31 != 0)
        return false;
    /* A window below 32 KB limits how far deflate may refer back, which igzip does not check. If
     * the whole stream fits into the window, no reference can exceed it. */
    const int window_bits = (method >> 4) + 8;
    const bool preset = flags & 32;
    return !preset && window_bits <= 15 &&
           (window_bits == 15 || size <= (uint64_t)1 << window_bits);
}

bool ssimcu_png_inflate(ssimcu_png_inflater *z, uint8_t *to, size_t size)
{
    size_t got = 0;
    return inflate_some(z, to, size, &got) && got == size;
}

bool ssimcu_png_inflate_finish(ssimcu_png_inflater *z, uint8_t *spare, uint32_t adler, size_t *next)
{
    struct inflate_state *const igzip = &z->igzip;
    size_t surplus = 0;
    if (!inflate_some(z, spare, 1, &surplus) || surplus) return false;
    igzip->read_in >>= igzip->read_in_length % 8;
    igzip->read_in_length -= igzip->read_in_length % 8;
    uint8_t sum[4];
    for (int i = 0; i < 4; i++) {
        const int byte = next_byte(z);
        if (byte < 0) return false;
        sum[i] = (uint8_t)byte;
    }
    if (ssimcu_png_u32(sum) != adler || igzip->read_in_length || igzip->avail_in) return false;
    if (!refill(z) || igzip->avail_in) return false; /* empty IDATs may follow */
    *next = z->at;
    return true;
}
