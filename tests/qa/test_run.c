/* Runs through ssimcu_qa.h: callbacks, limits, wrong options, early ends, shares, runs side by
 * side.
 */
#include "ssimcu_qa.h"

#include "check.h"
#include "scratch.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATA SSIMCU_TESTDATA "/"

enum { FEW = 5, MANY = 200, BAD = 2 }; /* MANY: more than are under way at once on many cores */

static const char *const out_path = "out";

static void run_command(const char *command) { cr_assert_eq(system(command), 0, "%s", command); }

/* Makes so many pairs. Frame BAD differs, the others are the same on both sides. */
static void make_frames(int count)
{
    char command[256];
    snprintf(command, sizeof command,
             "for i in $(seq %d); do cp %srgb8_a.png ref/f.$i.png; cp ref/f.$i.png out; done; "
             "cp %srgb8_b.png out/f.%d.png",
             count, DATA, DATA, BAD);
    run_command(command);
}

static void make_directory(void)
{
    scratch_enter();
    cr_assert(mkdir("ref", 0777) == 0 && mkdir("out", 0777) == 0);
    make_frames(FEW);
}

TestSuite(run, .init = make_directory, .fini = scratch_leave, .timeout = 120);

/* Returns options that compare the two directories on the CPU. */
static ssimcu_run_options directories(const char *results)
{
    ssimcu_run_options options = SSIMCU_INIT(run_options);
    options.ref = "ref", options.out = &out_path, options.outs = 1;
    options.device = SSIMCU_DEVICE_CPU, options.output = results;
    return options;
}

static ssimcu_run *open_run(const ssimcu_run_options *options)
{
    ssimcu_run *run = NULL;
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_run_open(options, &run, &why), SSIMCU_OK, "%s", why.text);
    return run;
}

static ssimcu_summary summary_of(const ssimcu_run *run)
{
    ssimcu_summary summary = SSIMCU_INIT(summary);
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_run_summary(run, 0, &summary, &why), SSIMCU_OK, "%s", why.text);
    return summary;
}

/* Runs without callbacks to the end and returns the summary. */
static ssimcu_summary score_all(const ssimcu_run_options *options, ssimcu_exit code)
{
    ssimcu_message why = {{0}};
    ssimcu_run *run = open_run(options);
    cr_assert_eq(ssimcu_run_score(run, NULL, &why), SSIMCU_OK, "%s", why.text);
    cr_assert_eq(ssimcu_run_exit_code(run), code, "%d", (int)ssimcu_run_exit_code(run));
    const ssimcu_summary summary = summary_of(run);
    ssimcu_run_close(&run);
    cr_assert_null(run);
    return summary;
}

static bool exists(const char *path) { return access(path, F_OK) == 0; }

/* ---- Callbacks ------------------------------------------------------------------------------- */

/* What callbacks saw, and what they do. */
struct seen {
    ssimcu_run *run;
    char calls[MANY + 16]; /* a letter for each call, except lines */
    int records, known, lines, end_at,
        cancel_at; /* the record that ends or cancels the run; 0: none */
    int64_t total, last;
    double sum;
    bool ordered, parses;
    char message[512], line[4096]; /* the latest */
    pthread_barrier_t *both;       /* NULL: the run is alone */
};

static void note(struct seen *seen, char call)
{
    const size_t used = strlen(seen->calls);
    if (used + 1 < sizeof seen->calls) seen->calls[used] = call;
}

static void on_begin(void *user, int64_t total)
{
    struct seen *seen = user;
    note(seen, 'b');
    seen->total = total;
    if (seen->both) pthread_barrier_wait(seen->both);
}

static bool is_right(const ssimcu_record *record)
{
    char path[32];
    const ssimcu_scored *scored = &record->scored;
    snprintf(path, sizeof path, "out/f.%d.png", (int)record->frame);
    return record->out == 0 && strcmp(record->path[1], path) == 0 && scored->tile.width > 0 &&
           (scored->score < 0.9) == (record->frame == BAD) && !record->message[0];
}

static ssimcu_status on_record(void *user, const ssimcu_record *record)
{
    static const char letters[] = "smf";
    struct seen *seen = user;
    note(seen, letters[record->kind]);
    seen->ordered = (seen->records == 0 || record->frame > seen->last) && seen->ordered;
    seen->last = record->frame;
    seen->records++;
    seen->known += record->known != 0;
    seen->sum += record->scored.score;
    if (record->kind == SSIMCU_RECORD_SCORED) seen->ordered = seen->ordered && is_right(record);
    if (record->kind == SSIMCU_RECORD_FAILED)
        snprintf(seen->message, sizeof seen->message, "%s", record->message);
    if (record->kind == SSIMCU_RECORD_MISSING)
        seen->ordered = seen->ordered && record->missing[1] && !record->missing[0] &&
                        record->path[0] && !record->path[1];
    char *json = ssimcu_record_json(record);
    seen->parses = seen->parses && json && (!seen->line[0] || strcmp(json, seen->line) == 0);
    ssimcu_text_free(json);
    if (seen->records == seen->cancel_at) ssimcu_run_cancel(seen->run);
    return seen->records == seen->end_at ? SSIMCU_ERROR_INTERNAL : SSIMCU_OK;
}

static ssimcu_status on_line(void *user, const char *line)
{
    struct seen *seen = user;
    json_t *object = json_loads(line, 0, NULL);
    seen->parses = seen->parses && object && !strchr(line, '\n');
    snprintf(seen->line, sizeof seen->line, "%s", line);
    seen->lines++;
    json_decref(object);
    return SSIMCU_OK;
}

static void on_end(void *user) { note(user, 'e'); }

static ssimcu_status on_out(void *user, uint32_t out, ssimcu_status status, const char *message)
{
    struct seen *seen = user;
    ssimcu_summary summary = SSIMCU_INIT(summary);
    const bool summed = ssimcu_run_summary(seen->run, out, &summary, NULL) == SSIMCU_OK;
    note(seen, summed && status == SSIMCU_OK && !message[0] ? 'o' : 'x');
    return SSIMCU_OK;
}

static ssimcu_status score_seen(struct seen *seen, ssimcu_message *message)
{
    ssimcu_run_hooks hooks = SSIMCU_INIT(run_hooks);
    hooks.user = seen, hooks.begin = on_begin, hooks.record = on_record, hooks.line = on_line;
    hooks.end = on_end, hooks.out = on_out;
    seen->ordered = seen->parses = true;
    return ssimcu_run_score(seen->run, &hooks, message);
}

Test(run, callbacks_come_in_order)
{
    const ssimcu_run_options options = directories(NULL);
    struct seen seen = {.run = open_run(&options)};
    ssimcu_message why = {{0}};
    cr_assert_eq(score_seen(&seen, &why), SSIMCU_OK, "%s", why.text);
    cr_assert_str_eq(seen.calls, "bssssseo");
    cr_assert(seen.ordered && seen.parses && seen.total == FEW && seen.last == FEW);
    cr_assert_eq(seen.lines, FEW + 2, "header, records and summary");
    check_near(seen.sum, FEW - 1 + 0.890096434, 1e-7, "sum");
    const ssimcu_summary summary = summary_of(seen.run);
    cr_assert(summary.pairs == FEW && summary.scored == FEW && summary.complete && summary.passed);
    check_near(summary.all.mean, seen.sum / FEW, 1e-12, "mean");
    cr_assert(!ssimcu_run_is_pair(seen.run) && !ssimcu_run_was_cancelled(seen.run));
    CHECK_FAILS(ssimcu_run_score(seen.run, NULL, &message), SSIMCU_ERROR_ARGUMENT, "already");
    ssimcu_run_close(&seen.run);
}

/* Scores REF and OUT, or a merge, and checks the calls. */
static void check_calls(ssimcu_run_options options, const char *out, const char *calls,
                        ssimcu_status status)
{
    if (out) options.out = &out;
    struct seen seen = {.run = open_run(&options)};
    cr_assert_eq(ssimcu_run_exit_code(seen.run), SSIMCU_EXIT_USAGE, "it has not scored yet");
    cr_assert_eq(score_seen(&seen, NULL), status);
    cr_assert_str_eq(seen.calls, calls);
    ssimcu_run_close(&seen.run);
}

/* A pair begins before its files are opened, and many pairs once their outputs are. */
Test(run, begin_and_end)
{
    static const char *const results = "r.jsonl";
    ssimcu_run_options merge = SSIMCU_INIT(run_options, .merge = &results, .merges = 1);
    ssimcu_run_options pair = directories(NULL);
    pair.ref = "ref/f.1.png";
    check_calls(pair, "out/f.1.png", "bsoe", SSIMCU_OK);
    check_calls(pair, "gone.png", "bmoe", SSIMCU_OK);
    pair.map = "ref/f.1.png";
    check_calls(pair, "out/f.1.png", "be", SSIMCU_ERROR_ARGUMENT);
    check_calls(directories(results), NULL, "bssssseo", SSIMCU_OK);
    check_calls(directories("gone/r.jsonl"), NULL, "", SSIMCU_ERROR_WRITE);
    check_calls(directories(NULL), "gone/f.#.png", "", SSIMCU_ERROR_FILE);
    check_calls(merge, NULL, "ssssso", SSIMCU_OK);
}

Test(run, missing_and_failed_frames_are_records)
{
    const ssimcu_run_options options = directories("r.jsonl");
    struct seen seen = {.run = open_run(&options)};
    ssimcu_message why = {{0}};
    run_command("rm out/f.3.png; cp " DATA "truncated.png out/f.4.png");
    cr_assert_eq(score_seen(&seen, &why), SSIMCU_OK, "%s", why.text);
    cr_assert_str_eq(seen.calls, "bssmfseo");
    cr_assert(seen.ordered && seen.lines == 0 && strstr(seen.message, "out/f.4.png"));
    cr_assert_eq(ssimcu_run_exit_code(seen.run), SSIMCU_EXIT_MISMATCH);
    const ssimcu_summary summary = summary_of(seen.run);
    cr_assert(summary.scored == 3 && summary.missing == 1 && summary.failed == 1 &&
              !summary.passed);
    ssimcu_run_close(&seen.run);
}

Test(run, a_limit_decides)
{
    ssimcu_run_options options = directories(NULL);
    ssimcu_summary before = SSIMCU_INIT(summary);
    options.limits = 1u << SSIMCU_LIMIT_MIN_TILE;
    for (int below = 0; below < 2; below++) {
        ssimcu_message why = {{0}};
        options.limit[SSIMCU_LIMIT_MIN_TILE] = below ? 0.9 : 0.88;
        ssimcu_run *run = open_run(&options);
        CHECK_FAILS(ssimcu_run_summary(run, 0, &before, &message), SSIMCU_ERROR_ARGUMENT, "OUT 0");
        cr_assert_eq(ssimcu_run_score(run, NULL, &why), SSIMCU_OK, "%s", why.text);
        cr_assert_eq((int)ssimcu_run_exit_code(run), below);
        cr_assert(summary_of(run).bad == (uint64_t)below && summary_of(run).passed == !below);
        char *text = ssimcu_run_json(run, 0);
        json_t *json = json_loads(text, 0, NULL);
        const json_t *passed = json_object_get(json_object_get(json, "verdict"), "passed");
        cr_assert(below ? json_is_false(passed) : json_is_true(passed), "%s", text);
        cr_assert_null(ssimcu_run_json(run, 1));
        json_decref(json);
        ssimcu_text_free(text);
        ssimcu_run_close(&run);
    }
}

/* ---- Wrong options --------------------------------------------------------------------------- */

#define REFUSED(field, name)                                                                       \
    do {                                                                                           \
        ssimcu_run_options options = directories(NULL);                                            \
        ssimcu_run *run = (ssimcu_run *)&options;                                                  \
        options.field;                                                                             \
        CHECK_FAILS(ssimcu_run_open(&options, &run, &message), SSIMCU_ERROR_ARGUMENT, name);       \
        cr_assert_null(run);                                                                       \
    } while (0)

Test(run, wrong_options_are_named)
{
    ssimcu_run_options given = directories(NULL);
    ssimcu_run_hooks hooks = SSIMCU_INIT(run_hooks);
    ssimcu_run *run = NULL;
    REFUSED(ref = NULL, "REF");
    REFUSED(out = NULL, "OUT");
    REFUSED(outs = 65, "OUT");
    REFUSED(merges = 1, "merge");
    REFUSED(list = "list", "--list");
    REFUSED(frames = "x", "--frames");
    REFUSED(offset = INT64_MAX, "--offset");
    REFUSED(shards = 2, "--shard");
    REFUSED(shards = (1u << 24) + 1;
            options.shard = 1, "--shard 16777217: expected up to 16777216");
    REFUSED(max_bad = (1ull << 48) + 1, "--max-bad");
    REFUSED(max_bad = (uint64_t)-1, "--max-bad 18446744073709551615: expected up to");
    REFUSED(max_pixels = (1ull << 48) + 1, "--max-pixels");
    REFUSED(memory_bytes = (1ull << 60) + 1, "--memory");
    REFUSED(device = (ssimcu_device)3, "--device: expected auto, cpu or cuda");
    REFUSED(device = (ssimcu_device)99, "--device");
    REFUSED(tile = 45, "--tile");
    REFUSED(hdr = (ssimcu_hdr)5, "--hdr");
    REFUSED(limits = 1u << SSIMCU_LIMIT_MAX_DROP, "--baseline");
    REFUSED(limits = 1u << SSIMCU_LIMIT_MIN_TILE; options.tile = SSIMCU_NONE, "--min-tile");
    REFUSED(score_limits = 1; options.min_scores[0] = NAN, "--min-score");
    REFUSED(limits = 1u << SSIMCU_LIMIT_MIN_FRAME;
            options.limit[SSIMCU_LIMIT_MIN_FRAME] = NAN, "--min-frame");
    REFUSED(limits = 1u << SSIMCU_LIMIT_MIN_TILE;
            options.limit[SSIMCU_LIMIT_MIN_TILE] = NAN, "--min-tile");
    REFUSED(metrics = 16, "--metric");
    REFUSED(metric = (ssimcu_metric)4, "--metric");
    REFUSED(frame_limits = 2; options.min_frames[1] = 30, "--metric psnr");
    REFUSED(frame_limits = 2; options.metrics = 2, "--min-frame psnr");
    REFUSED(score_limits = 8; options.metrics = 8; options.min_scores[3] = NAN, "--min-score ss");
    REFUSED(score_limits = 16, "score_limits");
    REFUSED(frame_limits = 1; options.min_frames[0] = 0.5, "score_limits");
    REFUSED(limits = 1u << SSIMCU_LIMITS, "limits");
    REFUSED(compat = (ssimcu_compat)5, "--compat");
    REFUSED(compat = SSIMCU_COMPAT_SSIMULACRA2, "--metric ssimulacra2");
    REFUSED(compat = SSIMCU_COMPAT_VMAF; options.metrics = 2, "vmaf: the tool has no psnr");
    REFUSED(compat = SSIMCU_COMPAT_FFMPEG; options.all_devices = 1, "--device");
    REFUSED(compat = SSIMCU_COMPAT_FFMPEG; options.tile = 64, "no tiles");
    REFUSED(limits = 1u << SSIMCU_LIMIT_MAX_DROP; options.baseline = "b";
            options.limit[SSIMCU_LIMIT_MAX_DROP] = NAN, "--max-drop");
    REFUSED(limits = 1u << SSIMCU_LIMIT_MAX_TILE_DROP, "--baseline");
    REFUSED(limits = 1u << SSIMCU_LIMIT_MAX_TILE_DROP; options.baseline = "b";
            options.limit[SSIMCU_LIMIT_MAX_TILE_DROP] = 2, "--max-tile-drop");
    REFUSED(has_exposure = 1; options.exposure = NAN, "--exposure");
    REFUSED(white = NAN, "--white");
    REFUSED(missing = (ssimcu_missing)3, "--missing");
    REFUSED(decode = (ssimcu_decode)3, "--decode");
    REFUSED(map_style = (ssimcu_map_style)3; options.map = "map", "--map-style");
    REFUSED(results = (ssimcu_results)3, "results");
    REFUSED(color = (ssimcu_color)3, "--color");
    REFUSED(pad = (ssimcu_pad)2, "--pad");
    REFUSED(alpha = (ssimcu_alpha)4, "--alpha");
    REFUSED(worst = 1u << 31, "--worst 2147483648: expected up to 1048576");
    REFUSED(report_frames = 1001, "--report-frames");
    const char *const results[] = {"a.jsonl"};
    REFUSED(merge = results; options.merges = 1; options.region.width = 8, "--region does not go");
    REFUSED(merge = results; options.merges = 1;
            options.layer = "d", "--layer does not go with merge");
    REFUSED(list = "list"; options.matrix = "bt709", "--matrix does not go with --list");
    WRONG_SIZES(ssimcu_run_open(&given, &run, &message), given, "run_options");
    CHECK_FAILS(ssimcu_run_open(&given, NULL, &message), SSIMCU_ERROR_ARGUMENT, "run");
    run = open_run(&given);
    WRONG_SIZES(ssimcu_run_score(run, &hooks, &message), hooks, "run_hooks");
    cr_assert_eq(ssimcu_run_score(run, &hooks, NULL), SSIMCU_OK, "a refused call scores nothing");
    for (int twice = 0; twice < 2; twice++) ssimcu_run_close(&run);
    ssimcu_run_close(NULL);
}

/* ---- Metrics --------------------------------------------------------------------------------- */

static ssimcu_status add_psnr(void *user, const ssimcu_record *record)
{
    double *mse = user;
    const ssimcu_metric_values *values = &record->metrics;
    if (record->kind != SSIMCU_RECORD_SCORED) {
        cr_assert(isnan(values->metric[0]) && isnan(values->mse));
        return SSIMCU_OK;
    }
    cr_assert_eq(values->metric[SSIMCU_METRIC_SSIM], record->scored.score);
    cr_assert_eq(values->metric_channel[0][2], record->scored.channel[2]);
    cr_assert(isnan(values->metric[SSIMCU_METRIC_SSIMULACRA2]));
    mse[0] += values->mse, mse[1]++;
    mse[2] += isinf(values->metric[SSIMCU_METRIC_PSNR]) != 0;
    return SSIMCU_OK;
}

/* A program gets the values of each pair, and what each metric came to. */
Test(run, metrics_of_records_and_summary)
{
    ssimcu_run_options options = directories(NULL);
    double mse[3] = {0};
    options.metric = SSIMCU_METRIC_PSNR;
    options.frame_limits = options.score_limits = 1u << SSIMCU_METRIC_PSNR;
    options.min_frames[SSIMCU_METRIC_PSNR] = 20, options.min_scores[SSIMCU_METRIC_PSNR] = 200;
    ssimcu_run *run = open_run(&options);
    const ssimcu_run_hooks hooks = {.struct_size = sizeof hooks, .user = mse, .record = add_psnr};
    cr_assert_eq(ssimcu_run_score(run, &hooks, NULL), SSIMCU_OK);
    const ssimcu_summary summary = summary_of(run);
    cr_assert_eq((int)summary.metric, (int)SSIMCU_METRIC_PSNR);
    cr_assert(summary.metric_frames[1] == mse[1] && summary.identical == mse[2] && mse[2] > 0);
    cr_assert(summary.metric_frames[2] == 0 && summary.metric_score[0] == summary.all.mean);
    check_near(summary.metric_score[1], 10 * log10(mse[1] / mse[0]), 1e-9, "mean mse");
    cr_assert(isinf(summary.metrics[1].max) && isfinite(summary.metrics[1].mean));
    cr_assert(summary.low_mean == 2 && !summary.passed && summary.bad == 0);
    ssimcu_run_close(&run);
}

/* ---- Early ends ------------------------------------------------------------------------------ */

/* Resumes what an early end has left: so many frames are known, and the mean is that of one run. */
static void check_resumes(int frames, int known)
{
    ssimcu_run_options options = directories("r.jsonl");
    options.resume = "r.jsonl";
    struct seen seen = {.run = open_run(&options)};
    cr_assert_eq(score_seen(&seen, NULL), SSIMCU_OK);
    cr_assert(seen.known == known && seen.records == frames && exists("r.jsonl"), "%d known of %d",
              seen.known, known);
    check_near(summary_of(seen.run).all.mean, (frames - 1 + 0.890096434) / frames, 1e-7, "mean");
    ssimcu_run_close(&seen.run);
}

Test(run, a_callback_ends_the_run)
{
    const ssimcu_run_options options = directories("r.jsonl");
    struct seen seen = {.run = open_run(&options), .end_at = 2};
    CHECK_FAILS(score_seen(&seen, &message), SSIMCU_ERROR_INTERNAL, "callback");
    cr_assert(seen.records == 2 && ssimcu_run_exit_code(seen.run) == SSIMCU_EXIT_INTERNAL);
    cr_assert(!ssimcu_run_was_cancelled(seen.run) && !exists("r.jsonl"));
    ssimcu_run_close(&seen.run);
    check_resumes(FEW, seen.records);
}

Test(run, a_callback_cancels_the_run)
{
    const ssimcu_run_options options = directories("r.jsonl");
    make_frames(MANY);
    struct seen seen = {.run = open_run(&options), .cancel_at = 2};
    ssimcu_message why = {{0}};
    cr_assert_eq(score_seen(&seen, &why), SSIMCU_OK, "%s", why.text);
    const ssimcu_summary summary = summary_of(seen.run);
    cr_assert(ssimcu_run_was_cancelled(seen.run) && !exists("r.jsonl"));
    cr_assert(!summary.complete && !summary.passed && summary.scored < MANY);
    cr_assert_eq(summary.scored, (uint64_t)seen.records);
    ssimcu_run_close(&seen.run);
    check_resumes(MANY, seen.records);
}

/* ---- Several runs ---------------------------------------------------------------------------- */

Test(run, shares_merge_to_one_run)
{
    static const char *const shares[] = {"1.jsonl", "2.jsonl"};
    ssimcu_run_options merge = SSIMCU_INIT(run_options);
    for (uint32_t i = 0; i < 2; i++) {
        ssimcu_run_options options = directories(shares[i]);
        options.shard = i + 1, options.shards = 2;
        cr_assert_lt(score_all(&options, SSIMCU_EXIT_SCORED).scored, FEW);
    }
    merge.merge = shares, merge.merges = 2, merge.output = "merged.jsonl";
    const ssimcu_run_options options = directories("whole.jsonl");
    const ssimcu_summary merged = score_all(&merge, SSIMCU_EXIT_SCORED);
    const ssimcu_summary whole = score_all(&options, SSIMCU_EXIT_SCORED);
    cr_assert_eq(memcmp(&merged, &whole, sizeof whole), 0);
    run_command("for f in merged whole; do tail -n 1 $f.jsonl; done | uniq | wc -l | grep -qx 1");
}

struct side_run {
    struct seen seen;
    ssimcu_status status;
};

static void *score_beside(void *argument)
{
    struct side_run *side = argument;
    side->status = score_seen(&side->seen, NULL);
    return NULL;
}

/* Scores to two.jsonl and to three.jsonl at once; the former is cancelled at a record, or never. */
static void score_both(int cancel_at)
{
    pthread_barrier_t both;
    pthread_t thread[2];
    struct side_run side[2] = {{.seen.cancel_at = cancel_at}};
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++) {
        const ssimcu_run_options options = directories(i ? "three.jsonl" : "two.jsonl");
        side[i].seen.run = open_run(&options);
        side[i].seen.both = &both;
        cr_assert_eq(pthread_create(&thread[i], NULL, score_beside, &side[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        cr_assert(side[i].status == SSIMCU_OK && side[i].seen.ordered);
        cr_assert_eq(!!ssimcu_run_was_cancelled(side[i].seen.run), i == 0 && cancel_at > 0);
        ssimcu_run_close(&side[i].seen.run);
    }
    pthread_barrier_destroy(&both);
}

Test(run, two_at_once_write_what_one_alone_writes)
{
    make_frames(MANY);
    const ssimcu_run_options alone = directories("one.jsonl");
    cr_assert_eq(score_all(&alone, SSIMCU_EXIT_SCORED).scored, MANY);
    score_both(0);
    run_command("cmp one.jsonl two.jsonl && cmp one.jsonl three.jsonl && rm two.jsonl three.jsonl");
    score_both(MANY / 4);
    run_command("cmp one.jsonl three.jsonl");
    cr_assert_not(exists("two.jsonl"));
}

static void append_line(void *user, const char *line) { strcat(strcat(user, line), "\n"); }

/* Scores to a CSV, and returns what the run says of itself. */
static void score_to(const char *results, char *said)
{
    const ssimcu_run_options options = directories(results);
    ssimcu_run *run = open_run(&options);
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_run_score(run, NULL, &why), SSIMCU_OK, "%s", why.text);
    said[0] = '\0';
    ssimcu_run_describe(run, 0, 1, append_line, said);
    ssimcu_run_close(&run);
}

/* A process whose locale writes a comma in numbers gets the same results, and keeps its comma. */
Test(run, numbers_have_a_point_in_any_locale)
{
    static char said[2][1 << 16], half[8];
    score_to("point.csv", said[0]);
    if (system("localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 2>/dev/null") != 0)
        cr_skip("there is no locale with a comma: package locales");
    cr_assert(setenv("LOCPATH", ".", 1) == 0 && setlocale(LC_ALL, "de_DE.UTF-8"));
    score_to("comma.csv", said[1]);
    snprintf(half, sizeof half, "%.1f", 0.5);
    cr_assert_str_eq(half, "0,5");
    run_command("cmp point.csv comma.csv");
    cr_assert_str_eq(said[0], said[1]);
}
