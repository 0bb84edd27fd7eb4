/* The permute core, device side: asynchronous copies of a row segment into shared memory, with
 * zero-fill. Both stages stand on it: the permute stage stages interleaved pixels with it, the SSIM
 * stage fills its ring of rows. On sm_80 and newer this is cp.async; on older devices cuda_pipeline
 * copies through registers.
 *
 * A copy never reads outside [row, row + row_bytes). A chunk that lies wholly outside is
 * zero-filled by the copy itself from the row's own start as a safe address: an address outside an
 * allocation must not be formed, even when no byte of it is read. A chunk that is cut is copied
 * word by word, because a 16-byte copy counts as 16 bytes read for a memory checker, however few it
 * takes.
 */
#ifndef SSIMCU_ASYNC_COPY_CUH
#define SSIMCU_ASYNC_COPY_CUH

#include <cuda_pipeline.h>

#include <stdint.h>

namespace ssimcu
{

constexpr int CHUNK_BYTES = 16; /* the widest asynchronous copy */

/* One chunk that lies inside; both pointers are 16-byte aligned. */
__device__ __forceinline__ void copy_chunk(void *shared, const void *from)
{
    __pipeline_memcpy_async(shared, from, CHUNK_BYTES);
}

/* The first `inside` bytes of a chunk, 1 to 15; zeros for the rest. */
__device__ __forceinline__ void copy_cut_chunk(char *shared, const char *from, int inside)
{
    constexpr int WORD = 4;
    for (int i = 0; i < CHUNK_BYTES; i += WORD)
        if (i + WORD <= inside)
            __pipeline_memcpy_async(shared + i, from + i, WORD);
        else
            for (int b = i; b < i + WORD; b++) shared[b] = b < inside ? from[b] : 0;
}

/* One chunk that may not: shared[0..15] = row[offset..offset+15], zero where outside
 * [0, row_bytes). row + offset and shared are 16-byte aligned; the row lies in an allocation of at
 * least 16 bytes. */
__device__ __forceinline__ void copy_chunk_zero_fill(void *shared, const void *row, int offset,
                                                     int row_bytes)
{
    const int inside = offset < 0 ? 0 : row_bytes - offset;
    const char *from = static_cast<const char *>(row);
    if (inside >= CHUNK_BYTES)
        copy_chunk(shared, from + offset);
    else if (inside <= 0)
        __pipeline_memcpy_async(shared, from, CHUNK_BYTES, CHUNK_BYTES);
    else
        copy_cut_chunk(static_cast<char *>(shared), from + offset, inside);
}

} // namespace ssimcu

#endif
