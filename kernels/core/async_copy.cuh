/* The permute core, device side: asynchronous copies of a row segment into shared memory, with
 * zero-fill. Both stages stand on it: the permute stage stages interleaved pixels with it, the SSIM
 * stage fills its ring of rows.
 *
 * A copy never reads outside [row, row + row_bytes): bytes beyond are zero-filled by the copy
 * itself, and a chunk that lies wholly outside is given the row's own start as a safe address,
 * because an address outside an allocation must not be formed even when no byte of it is read. On
 * sm_80 and newer this is cp.async; on older devices cuda_pipeline copies through registers.
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

/* One chunk that may not: shared[0..15] = row[offset..offset+15], zero where outside [0,
 * row_bytes). row + offset and shared are 16-byte aligned; row_bytes is at most 2^31 - 16. The
 * three cases are apart because a size known to the compiler is one instruction, and any other a
 * choice among 17. */
__device__ __forceinline__ void copy_chunk_zero_fill(void *shared, const void *row, int offset,
                                                     int row_bytes)
{
    const int inside = offset < 0 ? 0 : row_bytes - offset;
    const char *from = static_cast<const char *>(row);
    if (inside >= CHUNK_BYTES)
        __pipeline_memcpy_async(shared, from + offset, CHUNK_BYTES);
    else if (inside <= 0)
        __pipeline_memcpy_async(shared, from, CHUNK_BYTES, CHUNK_BYTES);
    else
        __pipeline_memcpy_async(shared, from + offset, CHUNK_BYTES, CHUNK_BYTES - inside);
}

} // namespace ssimcu

#endif
