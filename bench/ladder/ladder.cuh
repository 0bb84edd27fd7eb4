/* A job, the interface of a method that does one, and the arithmetic that every rung repeats. The
 * rungs of the SSIM ladder, the library's paths and both benchmarks of them share this.
 *
 * The rungs are lab code. Each does the same job (float planes in, zeros around the frame, the map
 * out) one idea faster than the rung before. docs/ssim-kernel.md tells the story. */
#ifndef SSIMCU_BENCH_LADDER_CUH
#define SSIMCU_BENCH_LADDER_CUH

#include "core/contract.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace ladder
{

enum { REF, OUT, IMAGES };

/* A job of `frames` pairs of one size, `channels` planes each, plane after plane. The same content
 * is there as bytes and as floats; a method reads the form that it is made for. */
struct Job {
    int width, height; /* pixels */
    int channels, frames;
    bool zero_pad; /* true: a window for each pixel; false: only windows inside the frame */
    const uint8_t *hwc[IMAGES]; /* interleaved, rows and frames without padding */
    const float *planes[IMAGES];
    int64_t pitch, plane;         /* floats from one row, and from one plane, to the next */
    double *sums;                 /* one per plane, for the sum of 1 - SSIM */
    float *map;                   /* NULL: none; else for the SSIM map, planes as above */
    int64_t map_pitch, map_plane; /* planes follow each other without free rows */
};

inline int plane_count(const Job &job) { return job.channels * job.frames; }
inline int positions(int side, bool zero_pad) { return zero_pad ? side : side - SSIMCU_TAPS + 1; }
inline unsigned divide_up(int64_t value, int by) { return (unsigned)((value + by - 1) / by); }

/* A way to do a job. A method keeps nothing: what it needs between prepare and launch lies in the
 * scratch memory that it asks for. */
struct Method {
    const char *name;
    const char *input;                    /* name of what it reads, for the tables */
    int sample_bytes;                     /* bytes of one sample of that input */
    bool gives_sums;                      /* false: only the map */
    const char *(*refuses)(const Job &);  /* returns why it cannot do the job, or NULL */
    size_t (*scratch_bytes)(const Job &); /* NULL: none */
    /* Brings the input, untimed, into a form that the benchmark does not hold. NULL: no need. */
    void (*prepare)(const Job &, void *scratch, cudaStream_t);
    cudaError_t (*launch)(const Job &, void *scratch, cudaStream_t); /* timed; does not wait */
};

/* The rungs in order. */
extern const Method naive, two_passes, tiled_x, pipelined_y, register_pipeline, rotating_sums;
/* fused-ssim's published method. */
extern const Method two_pass_tile;
/* The library: every path from a pair in device memory to one sum per plane. */
extern const Method ours[];
extern const int our_roads;

/* Refuses all but zero padding with a map. Unlike the library's paths, rungs do no other job. */
const char *refuses_all_but_zero_pad_map(const Job &job);

#ifdef __CUDACC__

constexpr int TAPS = SSIMCU_TAPS;
constexpr int RADIUS = SSIMCU_RADIUS;
constexpr int OPEN = TAPS - 1; /* rows above a window's last */

__device__ constexpr float G[TAPS] = SSIMCU_GAUSSIAN;

enum { X, Y, XX, YY, XY, MOMENTS };

/* Adds `weight` times one pair of samples to the five moments. */
__device__ __forceinline__ void add_sample(float (&moment)[MOMENTS], float weight, float x, float y)
{
    moment[X] = fmaf(weight, x, moment[X]);
    moment[Y] = fmaf(weight, y, moment[Y]);
    moment[XX] = fmaf(weight, x * x, moment[XX]);
    moment[YY] = fmaf(weight, y * y, moment[YY]);
    moment[XY] = fmaf(weight, x * y, moment[XY]);
}

/* Returns SSIM by the published formula, from five moments in float. */
__device__ __forceinline__ float ssim_of(const float (&moment)[MOMENTS])
{
    constexpr float C1 = (float)SSIMCU_C1(SSIMCU_PEAK), C2 = (float)SSIMCU_C2(SSIMCU_PEAK);
    const float xy = moment[X] * moment[Y];
    const float squares = fmaf(moment[X], moment[X], moment[Y] * moment[Y]);
    const float variances = moment[XX] + moment[YY] - squares;
    const float above = fmaf(2.0f, xy, C1) * fmaf(2.0f, moment[XY] - xy, C2);
    return __fdividef(above, (squares + C1) * (variances + C2));
}

__device__ __forceinline__ bool inside(const Job &job, int y, int x)
{
    return y >= 0 && y < job.height && x >= 0 && x < job.width;
}

__device__ __forceinline__ void store(const Job &job, int plane, int y, int x, float ssim)
{
    if (inside(job, y, x)) job.map[plane * job.map_plane + y * job.map_pitch + x] = ssim;
}

/* A row of samples for a block of ROW_COLS threads, one window column each, with the columns that
 * the outer windows reach to. Each thread fetches its share into registers first and puts it into
 * shared memory later. So a fetch can travel while the block works on the row before. */
constexpr int ROW_COLS = 128;
constexpr int ROW_SAMPLES = ROW_COLS + TAPS - 1;
using SharedRow = float[IMAGES][ROW_SAMPLES];

struct RowShare {
    float value[IMAGES][2]; /* columns threadIdx.x and ROW_COLS + threadIdx.x */
};

/* Fetches row y from column x0 on, zeros outside the frame. */
__device__ __forceinline__ RowShare fetch_share(const Job &job, int plane, int y, int x0)
{
    RowShare share;
#    pragma unroll
    for (int image = 0; image < IMAGES; image++)
#    pragma unroll
        for (int part = 0; part < 2; part++) {
            const int column = part * ROW_COLS + threadIdx.x, x = x0 + column;
            const bool take = column < ROW_SAMPLES && inside(job, y, x);
            share.value[image][part] =
                take ? job.planes[image][plane * job.plane + y * job.pitch + x] : 0.0f;
        }
    return share;
}

__device__ __forceinline__ void put_share(const RowShare &share, SharedRow &row)
{
#    pragma unroll
    for (int image = 0; image < IMAGES; image++) {
        row[image][threadIdx.x] = share.value[image][0];
        if (threadIdx.x < ROW_SAMPLES - ROW_COLS)
            row[image][ROW_COLS + threadIdx.x] = share.value[image][1];
    }
}

/* Returns the horizontal sums of the five moments for this thread's column. */
__device__ __forceinline__ void blur_row(const SharedRow &row, float (&h)[MOMENTS])
{
#    pragma unroll
    for (int m = 0; m < MOMENTS; m++) h[m] = 0;
#    pragma unroll
    for (int k = 0; k < TAPS; k++)
        add_sample(h, G[k], row[REF][threadIdx.x + k], row[OUT][threadIdx.x + k]);
}

#endif

} // namespace ladder

#endif
