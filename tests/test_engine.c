/* The pipeline: every frame once and in order, with the same bits, whoever decodes and scores; what
 * is refused or stopped ends it without losing what came before. */
#include "check.h"
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 1500, KINDS = 6 };

static char list[] = "/tmp/ssimcu-test-engine-XXXXXX";

static void make_list(void)
{
    static const char *const out[KINDS] = {"rgb8_b.png", "rgb8_a.png",    "grey8_a.png",
                                           "gone.png",   "truncated.png", "tiny16x16.jpg"};
    FILE *file = fdopen(mkstemp(list), "w");
    cr_assert_not_null(file);
    for (int i = 0; i < FRAMES; i++)
        fprintf(file, "%s/rgb8_a.png\t%s/%s\n", SSIMCU_TESTDATA, SSIMCU_TESTDATA,
                out[i % 7 < KINDS ? i % 7 : 0]);
    cr_assert_eq(fclose(file), 0);
}

static void remove_list(void) { unlink(list); }

TestSuite(engine, .init = make_list, .fini = remove_list);

struct seen {
    int frames, scored, missing, failed, most;
    double score[FRAMES];
};

static bool take(void *user, const struct record *record, bool known)
{
    struct seen *seen = user;
    cr_assert_not(known);
    cr_assert_eq(record->frame, seen->frames + 1, "frame %d came after %d", (int)record->frame,
                 seen->frames);
    seen->score[seen->frames++] = record->score;
    seen->scored += record->kind == RECORD_SCORED;
    seen->missing += record->kind == RECORD_MISSING;
    seen->failed += record->kind == RECORD_FAILED;
    return seen->frames != seen->most;
}

static struct engine_times run(struct engine_plan plan, const char *device, const char *memory,
                               struct seen *seen)
{
    char *argv[] = {(char[]){"ssimcu"}, (char[]){"--device"}, (char *)device, (char[]){"--memory"},
                    (char *)memory,     (char[]){"--list"},   list,           NULL};
    static struct options options;
    struct engine_times times = {0};
    ssimcu_message why = {{0}};
    optind = 1;
    cr_assert(options_parse(&options, 7, argv));
    cr_assert_eq(source_open(&options, NULL, &plan.source, &why), SSIMCU_OK, "%s", why.text);
    plan.options = &options;
    plan.take = take;
    plan.user = seen;
    cr_assert_eq(engine_run(&plan, &times, &why), SSIMCU_OK, "%s", why.text);
    source_close(plan.source);
    return times;
}

static void expect_all(const struct seen *seen)
{
    cr_assert_eq(seen->frames, FRAMES);
    cr_assert_eq(seen->missing, (FRAMES + 3) / 7);
    cr_assert_eq(seen->failed, (FRAMES + 2) / 7 + (FRAMES + 1) / 7);
    cr_assert_eq(seen->scored, FRAMES - seen->missing - seen->failed);
}

Test(engine, in_place_or_apart_with_any_memory)
{
    static struct seen first, other;
    run((struct engine_plan){0}, "cpu", "1G", &first);
    expect_all(&first);
    static const char *const memory[] = {"1G", "40K", "90K", "200K"};
    for (int i = 0; i < 4; i++) {
        memset(&other, 0, sizeof other);
        const struct engine_times times =
            run((struct engine_plan){.split = true}, "cpu", memory[i], &other);
        expect_all(&other);
        cr_assert(times.memory_peak <= times.memory_limit && times.lanes > 0);
        for (int f = 0; f < FRAMES; f++)
            cr_assert_eq(first.score[f], other.score[f], "frame %d, %s", f, memory[i]);
    }
}

Test(engine, on_every_gpu)
{
    static struct seen cpu, gpu, again;
    if (!check_has_cuda()) return;
    run((struct engine_plan){0}, "cpu", "1G", &cpu);
    run((struct engine_plan){0}, "all", "1G", &gpu);
    run((struct engine_plan){0}, "cuda:0", "90K", &again);
    expect_all(&gpu);
    expect_all(&again);
    for (int f = 0; f < FRAMES; f++) {
        check_near(gpu.score[f], cpu.score[f], 1e-6, "frame %d", f);
        cr_assert_eq(gpu.score[f], again.score[f], "frame %d", f);
    }
}

Test(engine, refused_results_end_it)
{
    for (int split = 0; split < 2; split++) {
        static struct seen seen;
        memset(&seen, 0, sizeof seen);
        seen.most = 100;
        run((struct engine_plan){.split = split}, "cpu", "1G", &seen);
        cr_assert_eq(seen.frames, 100, "nothing is handed out after a refusal");
    }
}

static int asked;
static bool stop_soon(void) { return __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) > 200; }

Test(engine, a_stop_loses_no_frame_that_was_begun)
{
    for (int split = 0; split < 2; split++) {
        static struct seen seen;
        memset(&seen, 0, sizeof seen);
        asked = 0;
        run((struct engine_plan){.split = split, .stopped = stop_soon}, "cpu", "1G", &seen);
        cr_assert(seen.frames >= 90 && seen.frames <= 200, "%d frames", seen.frames);
    }
}

Test(engine, stages_alone)
{
    for (int split = 0; split < 2; split++) {
        static struct seen seen;
        memset(&seen, 0, sizeof seen);
        struct engine_times times =
            run((struct engine_plan){.split = split, .stages = ENGINE_DECODE}, "cpu", "1G", &seen);
        expect_all(&seen);
        cr_assert(times.score == 0 && times.decode > 0);
    }
}
