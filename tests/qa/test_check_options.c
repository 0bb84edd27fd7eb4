/* ssimcu_run_options.check with options that name nothing to check: an error, whatever else is
 * said. */
#include "check.h"

#include "ssimcu_qa.h"

#include <stddef.h>
#include <string.h>

/* Opens a run with these options, which must be refused for these words. */
static void refused(const ssimcu_run_options *options, const char *words)
{
    ssimcu_run *run = (ssimcu_run *)&run;
    ssimcu_message why = {{0}};
    cr_expect_eq(ssimcu_run_open(options, &run, &why), SSIMCU_ERROR_ARGUMENT);
    cr_expect(strstr(why.text, words), "%s", why.text);
    cr_expect_null(run);
}

Test(check_options, nothing_to_check)
{
    static const char *const none[] = {NULL}, *const empty[] = {""},
                             *const last[] = {"a.png", "b.png", ""};
    ssimcu_run_options options = SSIMCU_INIT(run_options, .check = 1);
    for (size_t size = 8; size <= sizeof options; size += 8) { /* the first have no `check` yet */
        options.struct_size = size;
        refused(&options, size > offsetof(ssimcu_run_options, check)
                              ? "check: expected frames"
                              : "expected two files, REF and OUT");
    }
    refused(
        &SSIMCU_INIT(run_options, .check = 1, .junit = "nodir/j.xml", .output = "nodir/r.jsonl"),
        "check: expected frames");
    refused(&SSIMCU_INIT(run_options, .check = 1, .outs = 1), "check: expected frames");
    refused(&SSIMCU_INIT(run_options, .check = 1, .outs = 1, .out = none),
            "check: a path is empty");
    refused(&SSIMCU_INIT(run_options, .check = 1, .outs = 1, .out = empty),
            "check: a path is empty");
    refused(&SSIMCU_INIT(run_options, .check = 1, .outs = 3, .out = last),
            "check: a path is empty");
}

/* Frames come without a reference, as paths or as a list. */
Test(check_options, more_than_frames)
{
    static const char *const frames[] = {"a.png"};
    refused(&SSIMCU_INIT(run_options, .check = 1, .outs = 1, .out = frames, .ref = "r.png"),
            "expected no reference");
    refused(&SSIMCU_INIT(run_options, .check = 1, .outs = 1, .out = frames, .list = "l"),
            "--list names all frames");
    refused(&SSIMCU_INIT(run_options, .check = 1, .outs = 1, .out = frames, .stream = {0, 1}),
            "expected one number");
}
