/* Asynchronous copies of a row segment into shared memory, with zero-fill. The permute and the
 * planes stage copy runs of pixels with them. The SSIM stage fills its ring of rows. On sm_80 and
 * newer this is cp.async, which cuda_pipeline commits and waits for. On older devices cuda_pipeline
 * copies through registers.
 *
 * A copy never reads outside [row, row + row_bytes). A chunk that lies wholly outside is
 * zero-filled by the copy itself, with the row's own start as a safe address. An address outside an
 * allocation must not be formed, even when no byte of it is read. A chunk that crosses an end is
 * copied word by word, because a memory checker counts a 16-byte copy as 16 bytes read.
 */
#pragma once

#include <cuda_pipeline.h>

#include <stdint.h>

namespace ssimcu
{

constexpr int CHUNK_BYTES = 16; /* the widest asynchronous copy */

/* Copies BYTES bytes: 4, 8 or 16. Both pointers are aligned to BYTES. The copy asks L2 for the
 * whole line of 128 bytes, because other threads copy the rest. Transposes of rows that share lines
 * with their neighbours gain 1 % (tile.cu). */
template <int BYTES>
__device__ __forceinline__ void copy_async(void *shared, const void *from)
{
#if __CUDA_ARCH__ >= 800
    const unsigned to = (unsigned)__cvta_generic_to_shared(shared);
    if constexpr (BYTES == CHUNK_BYTES)
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;" ::"r"(to), "l"(from),
                     "n"(BYTES)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2;" ::"r"(to), "l"(from),
                     "n"(BYTES)
                     : "memory");
#else
    __pipeline_memcpy_async(shared, from, BYTES);
#endif
}

/* Copies the first `inside` bytes of a chunk, 1 to 15, and zeros for the rest. */
__device__ __forceinline__ void copy_cut_chunk(char *shared, const char *from, int inside)
{
    constexpr int WORD = 4;
    for (int i = 0; i < CHUNK_BYTES; i += WORD)
        if (i + WORD <= inside)
            copy_async<WORD>(shared + i, from + i);
        else
            for (int b = i; b < i + WORD; b++) shared[b] = b < inside ? from[b] : 0;
}

/* Copies one chunk that may lie partly outside the row: shared[0..15] = row[offset..offset+15],
 * with zeros outside [0, row_bytes). row + offset and shared are 16-byte aligned; the row lies in
 * an allocation of at least 16 bytes. */
__device__ __forceinline__ void copy_chunk_zero_fill(void *shared, const void *row, int offset,
                                                     int row_bytes)
{
    const int inside = offset < 0 ? 0 : row_bytes - offset;
    const char *from = static_cast<const char *>(row);
    if (inside >= CHUNK_BYTES)
        copy_async<CHUNK_BYTES>(shared, from + offset);
    else if (inside <= 0)
        __pipeline_memcpy_async(shared, from, CHUNK_BYTES, CHUNK_BYTES);
    else
        copy_cut_chunk(static_cast<char *>(shared), from + offset, inside);
}

} // namespace ssimcu
