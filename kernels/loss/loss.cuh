/* The two stages of the loss share this file. It has the shape of a block, the rows in shared
 * memory between the stages, the sums along and down a window, and the barriers. loss.cu has the
 * story. */
#pragma once

#include "core/contract.h"
#include "core/divide_up.h"
#include "loss/loss.h"

#include <cuda_runtime.h>

namespace ssimcu::loss
{

constexpr int TAPS = SSIMCU_TAPS, OPEN = TAPS - 1;
constexpr int REACH = 2 * SSIMCU_RADIUS; /* a gradient depends on so many pixels to each side */
constexpr int PX = 2;                    /* columns of a thread; 12 samples serve 2 windows */
constexpr float ORIGIN_STEP = 64;        /* a segment's origin is a multiple of 1 / this */
constexpr int READ = PX + OPEN;          /* samples under a thread's windows */

/* The shape of a block. It reads COLUMNS columns and makes the gradient of the inner OWN. The
 * stages meet at a barrier every STEP_ROWS rows. The ring holds every row from the newest back to
 * the row of the gradient. */
template <int COLUMNS_, int STEP_ROWS_>
struct BlockShape {
    static constexpr int COLUMNS = COLUMNS_, STEP_ROWS = STEP_ROWS_;
    static constexpr int OWN = COLUMNS - 2 * REACH;
    static constexpr int RING_ROWS = STEP_ROWS == 2 ? 16 : 32;
    static constexpr int ROW = COLUMNS + OPEN;         /* the last thread reads as many, too */
    static constexpr int STAGE_THREADS = COLUMNS / PX; /* threads of each stage */
    static constexpr int THREADS = 2 * STAGE_THREADS;
    static constexpr int FILL_UNITS = 2 * REACH + 2 * STEP_ROWS; /* only fill windows */
    /* The threads that fetch a row, and the columns of each. Every row of a step has one such
     * group. */
    static constexpr int FETCH_THREADS = STAGE_THREADS / STEP_ROWS;
    static constexpr int FETCH_PX = COLUMNS / FETCH_THREADS;
    static constexpr uint32_t ALL = (1u << FETCH_PX) - 1;
    static_assert(RING_ROWS >= REACH + 3 * STEP_ROWS, "rows are in use that long");
    static_assert(ROW % 2 == 0, "rows are read in pairs");
};

__device__ constexpr float G[TAPS] = SSIMCU_GAUSSIAN;

/* The rows between the stages. The first stage writes the partial derivatives of one step while the
 * second reads those of the step before. */
template <class C>
struct Shared {
    float ring[C::RING_ROWS][2][C::ROW];     /* s and d minus the segment's origins */
    float slope[2][C::STEP_ROWS][3][C::ROW]; /* rows of the three derivatives of a window */
    float origin[2];
    float sum[C::THREADS / 32][2];
    double sums[3][C::STAGE_THREADS / 32];
};

/* Weights of pixels and windows, in rows of `pitch` floats. */
struct Weights {
    int rule;             /* with SSIMCU_LOSS_ZERO, pixel weights multiply the samples */
    const float *pixel;   /* NULL: all pixels count */
    const float *window;  /* 0: the window does not count */
    int64_t pitch, frame; /* floats */
    const double *sums;   /* sum of pixel weights, sum of window weights */
};

/* The arguments of a launch. Side 0 gets the gradient. */
struct Launch {
    ssimcu_loss_samples side[2], gradient;
    Weights weights;
    int width, height, channels;
    int strips;          /* strips in a plane */
    int low[2], high[2]; /* range of windows that count: columns, rows */
    int64_t units, unit_per_strip;
    double by_ssim, by_l1, by_mse; /* weights * the gradient's factor / counts */
    double *partial;               /* three per block: sums of 1 - SSIM, |d|, d^2 */
};

/* A piece of a strip: rows first to last - 1 of one plane. Its columns begin at base + REACH. */
struct Segment {
    const char *side[2];
    char *gradient;
    int base;
    int first, last;
    int frame;
};

/* Reads the samples under a thread's windows. */
__device__ __forceinline__ void read_row(const float *row, float (&v)[READ])
{
#pragma unroll
    for (int k = 0; k < READ; k += 2)
        *reinterpret_cast<float2 *>(&v[k]) = *reinterpret_cast<const float2 *>(&row[k]);
}

/* Makes the horizontal sums of a row. */
__device__ __forceinline__ void sum_row(const float (&v)[READ], float (&sum)[PX])
{
#pragma unroll
    for (int j = 0; j < PX; j++) sum[j] = G[0] * v[j];
#pragma unroll
    for (int k = 1; k < TAPS; k++)
#pragma unroll
        for (int j = 0; j < PX; j++) sum[j] = fmaf(G[k], v[j + k], sum[j]);
}

/* Adds a row's sums to the open windows, and returns the windows that this row completes. */
__device__ __forceinline__ void take_sums(const float (&sum)[PX], float (&open)[PX][OPEN],
                                          float (&done)[PX])
{
#pragma unroll
    for (int j = 0; j < PX; j++) {
        done[j] = fmaf(G[OPEN], sum[j], open[j][0]);
#pragma unroll
        for (int k = 0; k < OPEN - 1; k++)
            open[j][k] = fmaf(G[OPEN - 1 - k], sum[j], open[j][k + 1]);
        open[j][OPEN - 1] = G[0] * sum[j];
    }
}

/* ---- Order of the stages --------------------------------------------------------------------- */

/* The stages synchronize by these barriers, numbered by step. One stage arrives and continues; the
 * other waits. */
enum Barrier { RING_FULL = 1, RING_BARRIERS = 4, PARTIALS_FULL = 5, PARTIALS_FREE = 7, SUMS = 9 };

template <class C>
__device__ __forceinline__ void arrive(int barrier)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "n"(C::THREADS) : "memory");
}
template <class C>
__device__ __forceinline__ void await(int barrier)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(C::THREADS) : "memory");
}

} // namespace ssimcu::loss
