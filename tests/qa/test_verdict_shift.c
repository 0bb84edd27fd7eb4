/* The limit of shifts: up and down, and against records that have none. */
#include "check.h"

#include "judged.h"
#include "record/record.h"

#include <math.h>
#include <string.h>

static struct record shifted(int64_t frame, double levels)
{
    return (struct record){.frame = frame,
                           .kind = RECORD_SCORED,
                           .shot = "sh030",
                           .scored.score = 1,
                           .scored.channels = 3,
                           .scored.channel = {1, 1, 1},
                           .scored.layout = "rgb",
                           .scored.backend = "cpu",
                           .scored.level_shift = {levels, 2, 64, 128, 60, 22}};
}

Test(verdict_shift, up_and_down_beyond_the_limit)
{
    struct limits limits = {0};
    struct verdict verdict;
    limits_set(&limits, SSIMCU_LIMIT_MAX_LEVEL_SHIFT, 2.5);
    verdict_start(&verdict, &limits);
    const double levels[] = {2.5, -2.5, 0, nextafter(2.5, 3), -4, 3};
    for (int64_t i = 0; i < 6; i++) {
        const struct record record = shifted(i, levels[i]);
        const unsigned expected = i < 3 ? 0 : 1u << SSIMCU_LIMIT_MAX_LEVEL_SHIFT;
        cr_assert_eq(verdict_judge(&limits, &record, NULL, NULL).fails, expected, "%g", levels[i]);
        add_judged(&verdict, &record, NULL);
    }
    cr_assert(verdict.count[SSIMCU_LIMIT_MAX_LEVEL_SHIFT] == 3 &&
              verdict.unjudged[SSIMCU_LIMIT_MAX_LEVEL_SHIFT] == 0);
    cr_assert(verdict.bad == 3 && verdict.listed == 3 && verdict.count[SSIMCU_LIMIT_MIN_TILE] == 0);
    const struct verdict_extreme *const largest = &verdict.extreme[SSIMCU_LIMIT_MAX_LEVEL_SHIFT];
    cr_assert(largest->known && largest->frame == 4 && largest->excess == 4 / 2.5);
    cr_assert_str_eq(largest->shot, "sh030");
    cr_assert_not(verdict.extreme[SSIMCU_LIMIT_MIN_TILE].known);
    verdict_free(&verdict);
}

Test(verdict_shift, a_record_without_one_is_beyond)
{
    struct limits limits = {0};
    struct record old = shifted(1, 0);
    struct verdict verdict;
    old.scored.level_shift.width = 0;
    cr_assert_eq(verdict_judge(&limits, &old, NULL, NULL).fails, 0u);
    limits_set(&limits, SSIMCU_LIMIT_MAX_LEVEL_SHIFT, 255);
    verdict_start(&verdict, &limits);
    add_judged(&verdict, &old, NULL);
    cr_assert(verdict.count[SSIMCU_LIMIT_MAX_LEVEL_SHIFT] == 1 &&
              verdict.unjudged[SSIMCU_LIMIT_MAX_LEVEL_SHIFT] == 1);
    cr_assert_not(verdict.extreme[SSIMCU_LIMIT_MAX_LEVEL_SHIFT].known);
    verdict_free(&verdict);
}

Test(verdict_shift, in_words)
{
    struct limits limits = {0};
    const struct record record = shifted(1, -1.2345678);
    char text[VERDICT_BEYOND];
    limits_set(&limits, SSIMCU_LIMIT_MAX_LEVEL_SHIFT, 0.5);
    cr_assert(verdict_any_limit(&limits));
    cr_assert_str_eq(beyond_text(text, &limits, SSIMCU_LIMIT_MAX_LEVEL_SHIFT, &record),
                     "level shift -1.235 of b at 60x22+64+128 over --max-level-shift 0.5");
}
