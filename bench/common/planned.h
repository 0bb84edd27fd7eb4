/* What the library runs for pairs in device memory: its own plan, tasks and launches. Benchmarks of
 * single stages take them from here and fill in no task themselves. So a field that a task gains
 * reaches them too. An error of the library ends the program. */
#ifndef SSIMCU_BENCH_PLANNED_H
#define SSIMCU_BENCH_PLANNED_H

#include "kernels.h"
#include "plan/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

struct planned {
    struct ssimcu_plan plan;
    struct ssimcu_samples samples[SSIMCU_PAIR]; /* where the first pair lies */
};

/* Plans the comparison of views in device memory, or of a batch of them. `tiles` NULL: none are
 * wanted, as in ssimcu_request_create. */
void planned_make(struct planned *planned, const ssimcu_settings *settings, const ssimcu_view *ref,
                  const ssimcu_view *out, const ssimcu_tiles *tiles);

/* Has another kernel than the plan's own. */
void planned_use_kernel(struct planned *planned, enum ssimcu_kernel kernel);

/* Asks for the map as well, whose rows are so many floats apart. The planes of all pairs follow
 * each other. */
void planned_add_map(struct planned *planned, int64_t pitch_floats);

/* Returns the bytes of device memory that launches work in. */
size_t planned_bytes(const struct planned *planned);

/* The launches, queued on a stream. `work` is planned_bytes() of device memory. `results` is
 * plan.bytes.results of it. */

/* Queues all stages of all pairs, in one pass. Planes of pairs follow each other, so only a plan
 * without them has the maps of several pairs. */
cudaError_t planned_launch(const struct planned *planned, void *work, double *results, float *map,
                           cudaStream_t stream);

/* Returns the planes stage of one side of a pair. Its planes begin at `planes`. */
struct ssimcu_planes_task planned_pixels(const struct planned *planned, int slot, uint32_t pair,
                                         float *planes);

/* Queues the SSIM stage and its sums alone, where the planes of all pairs lie ready, pair after
 * pair, in rows of plan.planes_pitch. One launch scores them all. The library has one for each
 * pair, because its pairs share the memory of their planes. */
cudaError_t planned_launch_ready(const struct planned *planned, const float *ref, const float *out,
                                 void *work, double *results, float *map, cudaStream_t stream);

/* Queues SSIMULACRA2 alone, one pair after the other; the settings ask for it. */
cudaError_t planned_launch_ssimulacra2(const struct planned *planned, void *work,
                                       struct ssimcu_metric_sums *sums, cudaStream_t stream);

/* Gives the score of a pair from results in host memory, and its tiles, if *tiles has memory. */
ssimcu_score planned_read(const struct planned *planned, const double *results, uint32_t pair,
                          ssimcu_tiles *tiles);

#ifdef __cplusplus
}
#endif

#endif
