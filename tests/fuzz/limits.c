#include "limits/limits_file.h"
#include "record/record.h"
#include "targets.h"

#include <math.h>

/* A file of limits, as a person writes it. */
void fuzz_limits(const uint8_t *data, size_t size)
{
    struct fuzz_file file = fuzz_file_open(data, size);
    struct limits_file limits = {0};
    ssimcu_message why = {{0}};
    if (limits_file_read(file.path, &limits, &why) == SSIMCU_OK) {
        for (size_t i = 0; i < limits.rules; i++)
            for (int f = 0; f < FINDING_FAIL_ON; f++)
                if (limits_has(&limits.rule[i].limits, f))
                    FUZZ_CHECK(!isnan(limits_number(&limits.rule[i].limits, f)));
        struct limits all = {0};
        struct record record = {.frame = 7, .shot = (char[]){"sh030"}};
        all.file = &limits;
        const struct limits own = limits_for(&all, &record, NULL);
        FUZZ_CHECK(!limits_has(&own, SSIMCU_LIMIT_MIN_TILE) ||
                   !isnan(limits_number(&own, SSIMCU_LIMIT_MIN_TILE)));
    } else {
        FUZZ_CHECK(fuzz_is_line(why.text));
    }
    limits_file_free(&limits);
    fuzz_file_close(&file);
}
