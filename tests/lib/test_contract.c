/* The shared constants follow from their definition. */
#include "check.h"
#include "core/contract.h"

#include <math.h>

Test(contract, window_is_the_normalised_gaussian)
{
    static const double window[SSIMCU_TAPS] = SSIMCU_GAUSSIAN;
    double total = 0, sum = 0;
    for (int i = 0; i < SSIMCU_TAPS; i++) total += exp(-pow(i - 5, 2) / (2 * 1.5 * 1.5));
    for (int i = 0; i < SSIMCU_TAPS; i++) {
        check_near(window[i], exp(-pow(i - 5, 2) / (2 * 1.5 * 1.5)) / total, 1e-16, "tap %d", i);
        sum += window[i];
    }
    check_near(sum, 1.0, 1e-15, "sum of the taps");
}

Test(contract, constants_follow_from_k_and_l)
{
    check_near(SSIMCU_C1(255.0), 6.5025, 1e-12, "C1");
    check_near(SSIMCU_C2(255.0), 58.5225, 1e-12, "C2");
    cr_assert_eq(SSIMCU_RADIUS, SSIMCU_TAPS / 2);
}
