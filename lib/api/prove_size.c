#include "api/prove_size.h"

#include "core/ssim_limits.h"
#include "plan/metrics.h"

/* Smallest pairs: with several tiles, strips and blocks, and large enough for all metrics; too low
 * for strips of SSIMULACRA2; both with all windows in double; with those of chroma in double; and
 * with a second scale of MS-SSIM for tensor cores. */
static const uint32_t ORDINARY[2] = {384, 352}, LOW[2] = {352, 104}, IN_DOUBLE[2] = {120, 114},
                      LOW_IN_DOUBLE[2] = {120, 104}, CHROMA_IN_DOUBLE[2] = {200, 196},
                      LARGE_SCALES[2] = {1044, 1044};

/* Rests repeat after so many columns or rows: those of the strips that a block has side by side, or
 * of a single strip where all windows are in double. ORDINARY is so wide that tensor cores leave no
 * block without work, so the last of their partial sums is not 0. */
enum { DOUBLE_COLUMNS = 16, TENSOR_COLUMNS = 64, FMA_COLUMNS = 128, S2_COLUMNS = 240, ROWS = 8 };

/* Returns the first number from `least` on that has the rest of `side` after division by `step`. */
static uint32_t with_rest(uint32_t least, uint32_t side, uint32_t step)
{
    return least + (side + step - least % step) % step;
}

static int is_in_double(const struct ssimcu_plan *plan)
{
    return ssimcu_plan_has_ssim(plan) &&
           (int64_t)plan->shape.map_width * plan->shape.map_height <= SSIMCU_DOUBLE_POSITIONS;
}

/* Returns whether SSIMULACRA2 has fewer scales than it may have, and so no strips. */
static int is_low(const struct ssimcu_plan *plan)
{
    return ssimcu_metrics_has(plan, SSIMCU_METRIC_SSIMULACRA2) &&
           ssimcu_s2_scales((int)plan->shape.width, (int)plan->shape.height) < SSIMCU_S2_SCALES;
}

static const uint32_t *least_of(const struct ssimcu_plan *plan, uint32_t plans)
{
    if (is_in_double(plan)) return is_low(plan) ? LOW_IN_DOUBLE : IN_DOUBLE;
    if (is_low(plan)) return LOW;
    return is_in_double(&plan[plans - 1]) ? CHROMA_IN_DOUBLE : ORDINARY;
}

static void set(uint32_t size[2], const struct ssimcu_plan *plan, const uint32_t least[2],
                uint32_t columns)
{
    size[0] = with_rest(least[0], plan->shape.width, columns);
    size[1] = with_rest(least[1], plan->shape.height, ROWS);
}

void ssimcu_trial_size(const struct ssimcu_plan *plan, uint32_t plans, uint32_t size[2])
{
    const uint32_t *least = least_of(plan, plans);
    const int has_strips = ssimcu_metrics_has(plan, SSIMCU_METRIC_SSIMULACRA2);
    const uint32_t columns = least != ORDINARY                     ? DOUBLE_COLUMNS
                             : has_strips                          ? S2_COLUMNS
                             : plan->kernel == SSIMCU_KERNEL_PLAIN ? FMA_COLUMNS
                                                                   : TENSOR_COLUMNS;
    set(size, plan, least, columns);
}

int ssimcu_trial_large_size(const struct ssimcu_plan *plan, uint32_t size[2])
{
    set(size, plan, LARGE_SCALES, 2 * TENSOR_COLUMNS); /* the second scale has half the columns */
    return ssimcu_metrics_has(plan, SSIMCU_METRIC_MS_SSIM) && plan->kernel != SSIMCU_KERNEL_PLAIN &&
           (int64_t)ssimcu_metrics_windows(plan->shape.width, 1) *
                   ssimcu_metrics_windows(plan->shape.height, 1) >=
               SSIMCU_TENSOR_POSITIONS;
}
