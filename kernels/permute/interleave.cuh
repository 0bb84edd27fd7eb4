/* interleave.cu and the planes stage share this file. A run of pixels is copied to shared memory
 * unchanged, and a kernel deinterleaves it from there. */
#pragma once

#include "permute/permute.cuh"

namespace ssimcu
{

/* The places of the two sides, in bytes. */
struct Sides {
    char *dst;
    const char *src;
    int64_t pixels; /* pixels of a row */
    int64_t plane;  /* bytes from plane to plane, on the planar side */
    int channels, run_px;
    int stride;   /* elements from pixel to pixel, on the interleaved side */
    int32_t runs; /* runs per row */
    int region;   /* bytes of shared memory from plane to plane: an odd number of chunks, so that
                     planes start in different banks */
    Divider<int32_t> by_runs, by_channels, by_quads, by_chunks;
};

/* Bytes [low, high) of device memory. */
struct Span {
    const char *low, *high;
};

/* Copies the `index`-th aligned chunk of the run at `start` to `shared`. The run begins start % 16
 * bytes after a chunk's start there. Truncates chunks that cross the ends of [low, high). */
template <bool GAPS>
__device__ __forceinline__ void stage_chunk(char *shared, const char *start, int index,
                                            const char *low, const char *high)
{
    const int skip = (int)(reinterpret_cast<uintptr_t>(start) % CHUNK_BYTES);
    const char *chunk = start - skip + index * CHUNK_BYTES;
    char *to = shared + spread<GAPS>(index * CHUNK_BYTES);
    if (chunk >= low && chunk + CHUNK_BYTES <= high)
        copy_async<CHUNK_BYTES>(to, chunk);
    else
        *reinterpret_cast<uint4 *>(to) = load_bytes(chunk, low, high);
}

__device__ __forceinline__ void wait_for_stage()
{
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* The row of a block, and the block's run of that row. */
struct Place {
    const char *src;
    char *dst;
    int64_t x0;
    int count;
};

template <int SRC_SIZE, int DST_SIZE>
__device__ __forceinline__ Place find_place(const Walk<int32_t> &outer, const Sides &sides)
{
    const int row = sides.by_runs.quotient(blockIdx.x);
    const int64_t x0 = (int64_t)(blockIdx.x - row * sides.runs) * sides.run_px;
    const Offset at = outer.at(row);
    return {sides.src + at.src * SRC_SIZE, sides.dst + at.dst * DST_SIZE, x0,
            (int)min((int64_t)sides.run_px, sides.pixels - x0)};
}

/* A block copies a run of pixels to shared memory and passes it to `output`. The output writes
 * planes of the unchanged elements (interleave.cu) or of converted ones (planes/planes.cu). An
 * Output has
 *
 *   THREADS, SHARED_BYTES, GAPS        of a block; whether its shared memory is spread()
 *   SRC_SIZE, DST_SIZE                 bytes of an element
 *   SEGMENTS, segment(s), REGION       number of segments of a run; bytes from the first to the
 *                                      s-th; bytes from one to the next in shared memory
 *   stride(sides)                      elements of a segment from pixel to pixel
 *   readable(sides, row, s)            the readable bytes of segment s of the block's row
 *   write(sides, place, shared, skip)  writes the planes from shared memory
 */
template <class Output>
__global__ void __launch_bounds__(Output::THREADS)
    deinterleave_kernel(const __grid_constant__ Walk<int32_t> outer,
                        const __grid_constant__ Sides sides, const __grid_constant__ Output output)
{
    __shared__ __align__(CHUNK_BYTES) char shared[Output::SHARED_BYTES];
    const Place place = find_place<Output::SRC_SIZE, Output::DST_SIZE>(outer, sides);
    const int pixel_bytes = Output::stride(sides) * Output::SRC_SIZE;
    int skip[Output::SEGMENTS]; /* offset of the run in its first chunk */
#pragma unroll
    for (int s = 0; s < Output::SEGMENTS; s++) {
        const char *row = place.src + output.segment(s), *first = row + place.x0 * pixel_bytes;
        const Span readable = output.readable(sides, row, s);
        skip[s] = (int)(reinterpret_cast<uintptr_t>(first) % CHUNK_BYTES);
        for (int i = threadIdx.x; i * CHUNK_BYTES < skip[s] + place.count * pixel_bytes;
             i += Output::THREADS)
            stage_chunk<Output::GAPS>(shared + s * Output::REGION, first, i, readable.low,
                                      readable.high);
    }
    wait_for_stage();
    output.write(sides, place, shared, skip);
}

template <class Output>
void launch_deinterleave(const Walk<int32_t> &outer, const Sides &sides, const Output &output,
                         cudaStream_t stream)
{
    deinterleave_kernel<<<(unsigned)(sides.runs * outer.count()), Output::THREADS, 0, stream>>>(
        outer, sides, output);
}

} // namespace ssimcu
