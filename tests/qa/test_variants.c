/* Further references: many frames at once, in order and in little memory, and what a caller is
 * told. */
#include "ssimcu_qa.h"

#include "check.h"
#include "scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATA SSIMCU_TESTDATA "/"

enum { FRAMES = 60 };

static const char *const out_path = "out", *const variants[] = {"first", "second"};

static void run_command(const char *command) { cr_assert_eq(system(command), 0, "%s", command); }

/* Every third frame is REF's own. Of the others the odd ones are in the second variant. The first
 * has other pictures for them, and lacks some. */
static void make_directory(void)
{
    scratch_enter();
    run_command("mkdir ref out first second; for i in $(seq 0 59); do cp " DATA "rgb8_a.png "
                "ref/$i.png; [ $((i % 3)) = 0 ] && n=a || n=b; cp " DATA "rgb8_$n.png out/$i.png; "
                "[ $((i % 2)) = 0 ] || { [ $((i % 5)) = 0 ] || cp " DATA "rgb8_a.png first/$i.png; "
                "cp " DATA "rgb8_b.png second/$i.png; }; done");
}

TestSuite(variants, .init = make_directory, .fini = scratch_leave, .timeout = 60);

static ssimcu_run_options directories(void)
{
    ssimcu_run_options options = SSIMCU_INIT(run_options);
    options.ref = "ref", options.out = &out_path, options.outs = 1;
    options.device = SSIMCU_DEVICE_CPU;
    options.limits = 1u << SSIMCU_LIMIT_MIN_FRAME, options.limit[SSIMCU_LIMIT_MIN_FRAME] = 0.95;
    options.variant = variants, options.variants = 2;
    return options;
}

static ssimcu_status check_record(void *user, const ssimcu_record *record)
{
    char variant[32], ref[32];
    int64_t *next = user;
    const bool own = record->frame % 3 == 0, other = !own && record->frame % 2 == 1;
    snprintf(variant, sizeof variant, "second/%d.png", (int)record->frame);
    snprintf(ref, sizeof ref, "ref/%d.png", (int)record->frame);
    cr_expect_eq(record->frame, (*next)++, "frame %d", (int)record->frame);
    cr_expect_eq(record->kind, SSIMCU_RECORD_SCORED);
    cr_expect_eq(record->scored.score == 1, own || other, "frame %d", (int)record->frame);
    cr_expect_str_eq(record->path[0], ref);
    if (other && record->variant)
        cr_expect_str_eq(record->variant, variant);
    else
        cr_expect_eq(record->variant != NULL, other, "frame %d", (int)record->frame);
    return SSIMCU_OK;
}

static void run_all(const ssimcu_run_options *options, ssimcu_summary *summary)
{
    int64_t next = 0;
    ssimcu_run *run = NULL;
    ssimcu_message why = {{0}};
    const ssimcu_run_hooks hooks = {
        .struct_size = sizeof hooks, .user = &next, .record = check_record};
    cr_assert_eq(ssimcu_run_open(options, &run, &why), SSIMCU_OK, "%s", why.text);
    cr_assert_eq(ssimcu_run_score(run, &hooks, &why), SSIMCU_OK, "%s", why.text);
    cr_assert_eq(ssimcu_run_summary(run, 0, summary, &why), SSIMCU_OK, "%s", why.text);
    cr_expect_eq(next, FRAMES);
    cr_expect_eq(ssimcu_run_exit_code(run), SSIMCU_EXIT_BELOW);
    ssimcu_run_close(&run);
}

Test(variants, many_frames_keep_their_order)
{
    ssimcu_run_options options = directories();
    ssimcu_summary summary = SSIMCU_INIT(summary);
    for (uint32_t threads = 1; threads <= 8; threads *= 8) {
        options.threads = threads;
        options.memory_bytes = 96 * 1024; /* one pair and a half */
        run_all(&options, &summary);
        cr_expect_eq(summary.scored, FRAMES);
        cr_expect_eq(summary.bad, 20, "%d frames", (int)summary.bad);
    }
}

static ssimcu_status refuse(ssimcu_run_options *options)
{
    ssimcu_run *run = NULL;
    ssimcu_message why = {{0}};
    const ssimcu_status status = ssimcu_run_open(options, &run, &why);
    if (status != SSIMCU_OK) cr_expect(strncmp(why.text, "--or", 4) == 0, "%s", why.text);
    ssimcu_run_close(&run);
    return status;
}

Test(variants, wrong_options)
{
    const char *const none[] = {"first", NULL};
    ssimcu_run_options options = directories();
    cr_expect_eq(refuse(&options), SSIMCU_OK);
    options.variant = none;
    cr_expect_eq(refuse(&options), SSIMCU_ERROR_ARGUMENT);
    options.variant = NULL;
    cr_expect_eq(refuse(&options), SSIMCU_ERROR_ARGUMENT);
    options = directories(), options.variants = 9;
    cr_expect_eq(refuse(&options), SSIMCU_ERROR_ARGUMENT);
    options = directories(), options.limits = 0;
    options.score_limits = 1, options.min_scores[0] = 0.9;
    cr_expect_eq(refuse(&options), SSIMCU_ERROR_ARGUMENT);
    options = directories(), options.shard = 1, options.shards = 2;
    cr_expect_eq(refuse(&options), SSIMCU_ERROR_ARGUMENT);
}
