/* Data within the range of a rule: samples inside, at both ends, and beyond them. */
#include "pair/range.h"

#include "check.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 9 };

/* Returns where a sample must be: beyond an end that is not 0, by the logarithm of its distance. */
static double expected(double sample, double low, double high)
{
    if (sample > high && high > 0) return 1 + high / (high - low) * log(sample / high);
    if (sample < low && low < 0) return low / (high - low) * log(sample / low);
    return (sample - low) / (high - low);
}

Test(range, samples_beyond_both_ends)
{
    static const float samples[SAMPLES] = {-16, -4, -2, -1, 0, 1, 3, 6, 48};
    static const double ends[][2] = {{-2, 3}, {0, 3}, {-2, 0}, {-16, 48}, {-1, 1}};
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
        const double low = ends[e][0], high = ends[e][1];
        const struct compare_rule rule = {.has_range = true, .low = low, .high = high};
        const struct range_of of = {.rule = &rule};
        float data[2][SAMPLES];
        struct pair pair = {.planes = 1};
        ssimcu_data_range range;
        uint32_t beyond = 0;
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < SAMPLES; i++) data[side][i] = samples[side ? SAMPLES - 1 - i : i];
            pair.plane[side][0] = (ssimcu_frame){.width = SAMPLES,
                                                 .height = 1,
                                                 .channels = 1,
                                                 .bits = SSIMCU_BITS_F32,
                                                 .pitch = sizeof data[side],
                                                 .data = data[side]};
        }
        cr_assert_eq(range_apply(&pair, &of, &range, NULL), SSIMCU_OK);
        for (int i = 0; i < SAMPLES; i++) {
            const double wanted = expected((double)samples[i], low, high);
            beyond += (double)samples[i] < low || (double)samples[i] > high;
            check_near((double)data[0][i], wanted, 1e-5, "%g of %g to %g", (double)samples[i], low,
                       high);
            cr_expect_eq(data[0][i], data[1][SAMPLES - 1 - i]);
        }
        check_near(range.beyond, (double)beyond / SAMPLES, 1e-9, "beyond %g to %g", low, high);
    }
}
