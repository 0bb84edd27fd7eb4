/* Deflate with igzip. It accepts some codes that zlib refuses, so the checksum decides whether the
 * data is right. */
#include "inflate.h"

#include <isa-l/igzip_lib.h>

/* igzip leaves the upper halves of vector registers in use. Until they are cleared, SSE code is
 * slower: reading learned limits of 4K frames took 1.4 times as long. */
#if defined(__x86_64__)
#    include <immintrin.h>
__attribute__((target("avx"))) static void clear_halves(void) { _mm256_zeroupper(); }
static void clear_vectors(void)
{
    if (__builtin_cpu_supports("avx")) clear_halves();
}
#else
static void clear_vectors(void) {}
#endif

bool ssimcu_inflate(const uint8_t *from, size_t size, uint8_t *to, size_t wanted)
{
    enum { HEADER = 2, SUM = 4, PRESET = 32 };
    if (size < HEADER + SUM || (from[0] & 15) != 8 || (from[0] << 8 | from[1]) % 31 != 0 ||
        (from[1] & PRESET))
        return false;
    struct inflate_state state;
    isal_inflate_init(&state);
    state.next_in = (uint8_t *)(uintptr_t)from + HEADER; /* igzip only reads */
    state.avail_in = (uint32_t)size - HEADER;
    state.next_out = to;
    state.avail_out = (uint32_t)wanted;
    const int end = isal_inflate_stateless(&state);
    if (end != ISAL_DECOMP_OK || state.avail_out > 0) return false;
    const uint32_t left = state.avail_in;
    const uint8_t *const sum = from + size - left;
    if (left < SUM || left > SUM + SSIMCU_UNPACK_SLACK) return false;
    const uint32_t adler =
        (uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3];
    const bool good = isal_adler32(1, to, wanted) == adler;
    clear_vectors();
    return good;
}
