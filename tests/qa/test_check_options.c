/* ssimcu_check with options that name nothing to check: an error, whatever else is said. */
#include "check.h"

#include "ssimcu_qa.h"

#include <string.h>

/* Checks with these options, which must be refused for these words. */
static void refused(const ssimcu_run_options *run, const char *words)
{
    const ssimcu_check_options options = SSIMCU_INIT(check_options, .run = run);
    ssimcu_checked checked = SSIMCU_INIT(checked);
    ssimcu_message why = {{0}};
    cr_expect_eq(ssimcu_check(&options, NULL, &checked, &why), SSIMCU_ERROR_ARGUMENT);
    cr_expect(strstr(why.text, words), "%s", why.text);
    cr_expect_eq(checked.code, SSIMCU_EXIT_USAGE);
}

Test(check_options, nothing_to_check)
{
    static const char *const none[] = {NULL}, *const empty[] = {""};
    ssimcu_run_options run = SSIMCU_INIT(run_options);
    for (size_t size = 8; size <= sizeof run; size += 8) {
        run.struct_size = size;
        refused(&run, "check: expected frames");
    }
    refused(&SSIMCU_INIT(run_options, .junit = "nodir/j.xml", .output = "nodir/r.jsonl"),
            "check: expected frames");
    refused(&SSIMCU_INIT(run_options, .outs = 1), "check: expected frames");
    refused(&SSIMCU_INIT(run_options, .outs = 1, .out = none), "check: a path is empty");
    refused(&SSIMCU_INIT(run_options, .outs = 1, .out = empty), "check: a path is empty");
    refused(&SSIMCU_INIT(run_options, .merges = 1), "check: expected results");
    refused(&SSIMCU_INIT(run_options, .merges = 1, .merge = none), "check: a path is empty");
    refused(&SSIMCU_INIT(run_options, .merges = 1, .merge = empty), "check: a path is empty");
}
