#include "cuda/metrics.h"
#include "launch.h"

/* Returns the maximum bytes of each part over the plans, and the results of all plans. */
static struct ssimcu_plan_bytes bytes_of(const struct ssimcu_plan *plan, uint32_t plans)
{
    struct ssimcu_plan_bytes most = {.results = 0};
    for (uint32_t i = 0; i < plans; i++) {
        const struct ssimcu_plan_bytes *bytes = &plan[i].bytes;
        for (int slot = 0; slot < SSIMCU_PAIR; slot++)
            most.samples[slot] = ssimcu_cuda_larger(most.samples[slot], bytes->samples[slot]);
        most.planes = ssimcu_cuda_larger(most.planes, bytes->planes);
        most.partial = ssimcu_cuda_larger(most.partial, bytes->partial);
        most.map = ssimcu_cuda_larger(most.map, bytes->map);
        most.results += bytes->results;
    }
    return most;
}

/* Returns the bytes of both sides' curves if a plan has any. */
static size_t pieces_bytes(const struct ssimcu_plan *plan, uint32_t plans)
{
    int any = 0;
    for (uint32_t i = 0; i < plans; i++) any |= plan[i].fixed;
    return any ? SSIMCU_PAIR * SSIMCU_CURVE_PIECES * sizeof(struct ssimcu_curve_piece) : 0;
}

/* Returns the bytes of the metrics of the plan that needs most. Uploaded planes are contiguous. */
static size_t metrics_bytes(const struct ssimcu_plan *plan, uint32_t plans, int uploads)
{
    size_t most = 0;
    for (uint32_t i = 0; i < plans; i++) {
        const struct ssimcu_cuda_metrics_layout layout = ssimcu_cuda_metrics_lay_out(&plan[i]);
        most = ssimcu_cuda_larger(most, uploads ? layout.end : layout.end_dense);
    }
    return most;
}

struct ssimcu_cuda_layout ssimcu_cuda_lay_out(const struct ssimcu_plan *plan, uint32_t plans,
                                              int uploads)
{
    const struct ssimcu_plan_bytes bytes = bytes_of(plan, plans);
    struct ssimcu_cuda_layout layout = {.end = 0};
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        layout.samples[slot] = ssimcu_cuda_take(&layout.end, uploads ? bytes.samples[slot] : 0);
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        layout.planes[slot] = ssimcu_cuda_take(&layout.end, bytes.planes);
    layout.pieces = ssimcu_cuda_take(&layout.end, pieces_bytes(plan, plans));
    layout.partial = ssimcu_cuda_take(&layout.end, bytes.partial);
    layout.map = ssimcu_cuda_take(&layout.end, bytes.map);
    layout.metrics = ssimcu_cuda_take(&layout.end, metrics_bytes(plan, plans, uploads));
    layout.results = ssimcu_cuda_take(&layout.end, bytes.results);
    layout.results_bytes = bytes.results;
    return layout;
}

struct ssimcu_cuda_place ssimcu_cuda_place(const struct ssimcu_cuda_layout *layout, void *block)
{
    return (struct ssimcu_cuda_place){
        .planes = {ssimcu_cuda_part(block, layout->planes[SSIMCU_REF]),
                   ssimcu_cuda_part(block, layout->planes[SSIMCU_OUT])},
        .pieces = ssimcu_cuda_part(block, layout->pieces),
        .partial = ssimcu_cuda_part(block, layout->partial),
        .map = ssimcu_cuda_part(block, layout->map),
        .metrics = ssimcu_cuda_part(block, layout->metrics),
        .results = ssimcu_cuda_part(block, layout->results),
    };
}
