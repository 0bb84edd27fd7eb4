/* The facts of a record as the caller's callback gets them: members of a struct, and a line of
 * JSON. */
#include "check.h"
#include "delivery/hooks.h"
#include "lines/lines.h"
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

static ssimcu_record got;
static char *line;

static ssimcu_status take(void *user, const ssimcu_record *record)
{
    (void)user;
    got = *record;
    line = ssimcu_record_json(record);
    return SSIMCU_OK;
}

/* What JSON has and the struct lacked: tiles that are ignored, the range of data, decoders. */
Test(facts, the_callback_has_every_fact)
{
    struct hooks hooks = {.call = {.record = take}, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct record record = {
        .frame = 7, .scored.score = 0.5, .scored.layout = "rgb", .scored.backend = "cpu"};
    record.by_nvdec[1] = true;
    record.scored.ignored = (ssimcu_ignored){2, 9, 77, 0.25};
    record.scored.range = (ssimcu_data_range){true, -1, 2, 0.5, 0};
    cr_assert_eq(hooks_record(&hooks, &record, false, NULL), SSIMCU_OK);
    cr_expect(got.scored.ignored.tiles == 2 && got.scored.ignored.all == 9 &&
              got.scored.ignored.crc == 77 && got.scored.ignored.share == 0.25);
    cr_expect(got.scored.range.known && got.scored.range.low == -1 && got.scored.range.high == 2);
    cr_expect_eq(got.scored.range.far, 0.5);
    cr_expect(!got.by_nvdec[0] && got.by_nvdec[1]);
    char *json = record_to_json(&record);
    cr_expect_str_eq(line, json);
    free(json);
    ssimcu_text_free(line);
}
