/* ssimcu_qa.hpp gives what ssimcu_qa.h and ssimcu_pictures.h give, and throws what they return and
 * what callbacks throw. */
#include "ssimcu_qa.hpp"

#include "wrapped.hpp"

extern "C" {
#include "check.h"
}

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <unistd.h>

#define DATA SSIMCU_TESTDATA "/"

static_assert(is_moved_alone<ssimcu::run>());
static_assert(is_moved_alone<ssimcu::picture>());
static_assert(is_moved_alone<ssimcu::pictures>());

enum { BAD = 2 };

static char directory[] = "/tmp/ssimcu-test-qa-wrapper-XXXXXX";
static const char *const out_path = "out";

/* Makes pairs, of which BAD differs. A fourth frame is missing, a fifth is damaged. */
static void make_directory()
{
    cr_assert(mkdtemp(directory) && chdir(directory) == 0);
    cr_assert_eq(std::system("mkdir ref out; for i in 1 2 3 4 5; do cp " DATA "rgb8_a.png "
                             "ref/f.$i.png; cp ref/f.$i.png out; done; rm out/f.4.png; "
                             "cp " DATA "rgb8_b.png out/f.2.png; "
                             "cp " DATA "truncated.png out/f.5.png"),
                 0);
}

static void remove_directory()
{
    const std::string command = std::string("rm -r '") + directory + "'";
    cr_expect(std::system(command.c_str()) == 0);
}

TestSuite(qa_wrapper, .init = make_directory, .fini = remove_directory, .timeout = 120);

static ssimcu_run_options directories()
{
    ssimcu_run_options options = SSIMCU_INIT(run_options);
    options.ref = "ref", options.out = &out_path, options.outs = 1;
    options.device = SSIMCU_DEVICE_CPU;
    return options;
}

Test(qa_wrapper, two_files_score_as_in_c)
{
    ssimcu_file_result c = SSIMCU_INIT(file_result);
    cr_assert_eq(
        ssimcu_compare_files(nullptr, DATA "rgb8_a.png", DATA "rgb8_b.png", nullptr, &c, nullptr),
        SSIMCU_OK);
    const ssimcu_file_result mine = ssimcu::compare_files(DATA "rgb8_a.png", DATA "rgb8_b.png");
    ssimcu::context context;
    cr_assert_eq(mine.scored.score, c.scored.score);
    cr_assert_eq(mine.scored.tile.score, c.scored.tile.score);
    const ssimcu_file_result own = /* perhaps on another device than a pair of small files gets */
        ssimcu::compare_files(context, DATA "rgb8_a.png", DATA "rgb8_b.png");
    cr_assert_float_eq(own.scored.score, c.scored.score, 1e-6);
    cr_assert_eq(thrown_by([] { ssimcu::compare_files("gone.png", "x"); }, "gone.png"),
                 SSIMCU_ERROR_FILE);
}

Test(qa_wrapper, a_run_gives_its_records)
{
    ssimcu_run_options options = directories();
    options.limits = 1u << SSIMCU_LIMIT_MIN_TILE, options.limit[SSIMCU_LIMIT_MIN_TILE] = 0.9;
    ssimcu::run run(options);
    int at = 0;
    double sum = 0;
    std::string kinds_found;
    for (const ssimcu::record &record : run.records()) {
        static const ssimcu_record_kind kinds[] = {SSIMCU_RECORD_SCORED, SSIMCU_RECORD_SCORED,
                                                   SSIMCU_RECORD_SCORED, SSIMCU_RECORD_MISSING,
                                                   SSIMCU_RECORD_FAILED};
        cr_assert(at < 5 && record.kind == kinds[at] && record.frame == at + 1);
        cr_assert_eq(record.path[0], "ref/f." + std::to_string(record.frame) + ".png");
        cr_assert_eq(record.path[1].empty(), record.missing[1]);
        cr_assert_eq(record.message.empty(), record.kind != SSIMCU_RECORD_FAILED);
        cr_assert(record.shot.empty() && !record.known && record.out == 0);
        if (record.kind == SSIMCU_RECORD_SCORED) sum += record.metrics.metric[SSIMCU_METRIC_SSIM];
        for (const ssimcu::finding &finding : record.findings) {
            cr_assert(finding.fails && !finding.text.empty());
            kinds_found += finding.kind + " ";
        }
        at++;
    }
    cr_assert_eq(kinds_found, "min_tile missing failed ");
    const ssimcu_summary summary = run.summary();
    cr_assert(at == 5 && summary.scored == 3 && summary.bad == 1 && summary.missing == 1);
    check_near(summary.all.mean, sum / 3, 1e-12, "mean");
    cr_assert_eq(run.exit_code(), SSIMCU_EXIT_MISMATCH);
    cr_assert(!run.is_pair() && !run.was_cancelled());
    cr_assert_neq(run.json().find("\"passed\""), std::string::npos);
    cr_assert_eq(run.describe()[0], "5 frames: 3 scored, 1 missing, 1 failed");
    cr_assert_eq(thrown_by([&run] { run.summary(1); }, "OUT 1"), SSIMCU_ERROR_ARGUMENT);
    cr_assert_eq(thrown_by([&run] { run.score(); }, "already"), SSIMCU_ERROR_ARGUMENT);
    cr_assert_throw(run.json(1), std::bad_alloc);
}

Test(qa_wrapper, hooks_are_called)
{
    ssimcu_run_options options = directories();
    options.report = "report";
    std::string calls;
    ssimcu::hooks hooks;
    int lines = 0, logged = 0, shown = 0;
    hooks.begin = [&](std::int64_t total) { calls += "b" + std::to_string(total); };
    hooks.record = [&](const ssimcu_record &) { calls += 'r'; };
    hooks.line = [&](const char *line) { lines += line[0] == '{'; };
    hooks.end = [&] { calls += 'e'; };
    hooks.out = [&](std::uint32_t out, ssimcu_status status, const char *message) {
        calls += out == 0 && status == SSIMCU_OK && !message[0] ? 'o' : 'x';
    };
    hooks.pictures = [&](std::size_t done, std::size_t count) { shown += done <= count; };
    hooks.log = [&](ssimcu_log, const char *) { logged++; };
    ssimcu::run run(options);
    run.score(hooks);
    cr_assert_str_eq(calls.c_str(), "b5rrrrreo");
    cr_assert(lines == 7 && logged > 0 && shown > 2);
}

/* Whatever a hook throws comes out of score(), and no later frame is delivered. */
Test(qa_wrapper, what_a_hook_throws)
{
    for (int hook = 0; hook < 3; hook++) {
        int records = 0;
        ssimcu::hooks hooks;
        ssimcu::run run(directories());
        hooks.record = [&](const ssimcu_record &) {
            if (++records == BAD && hook == 0) throw std::out_of_range("mine");
        };
        if (hook == 1) hooks.begin = [](std::int64_t) { throw std::out_of_range("mine"); };
        if (hook == 2)
            hooks.line = [](const char *) { throw ssimcu::error(SSIMCU_ERROR_LIMIT, "enough"); };
        if (hook == 2)
            cr_assert_eq(thrown_by([&] { run.score(hooks); }, "enough"), SSIMCU_ERROR_LIMIT);
        else
            cr_assert_throw(run.score(hooks), std::out_of_range);
        cr_assert_eq(records, hook == 0 ? BAD : 0, "hook %d: %d records", hook, records);
    }
    ssimcu::run run(directories());
    ssimcu::hooks hooks;
    hooks.record = [&](const ssimcu_record &) { run.cancel(); };
    run.score(hooks);
    cr_assert(run.was_cancelled() && !run.summary().complete);
}

Test(qa_wrapper, outs_become_references)
{
    const char *const variant = "out/f.1.png", *const results = "r.jsonl";
    ssimcu_run_options options = directories();
    options.limits = 1u << SSIMCU_LIMIT_MIN_FRAME, options.limit[SSIMCU_LIMIT_MIN_FRAME] = 1,
    options.output = results;
    options.variant = &variant, options.variants = 1;
    ssimcu::run run(options);
    for (const ssimcu::record &record : run.records())
        cr_assert(record.variant.empty() || record.variant == variant);
    ssimcu_accept_options wanted = SSIMCU_INIT(accept_options);
    wanted.results = &results, wanted.results_count = 1, wanted.into = "new";
    const ssimcu_accepted accepted = ssimcu::accept(wanted);
    cr_assert(accepted.added == 3 && accepted.left_out == 2 && accepted.code == SSIMCU_EXIT_SCORED);
    wanted.into = "";
    cr_assert_eq(thrown_by([&] { ssimcu::accept(wanted); }, "--into"), SSIMCU_ERROR_ARGUMENT);
}

Test(qa_wrapper, wrong_options_are_thrown)
{
    ssimcu_run_options options = directories();
    options.tile = 45;
    cr_assert_eq(thrown_by([&] { ssimcu::run run(options); }, "--tile"), SSIMCU_ERROR_ARGUMENT);
    cr_assert_eq(thrown_by([&] { ssimcu::pictures all("ref", options); }, "--tile"),
                 SSIMCU_ERROR_ARGUMENT);
}

Test(qa_wrapper, pictures_are_read_and_scored)
{
    ssimcu::context context;
    ssimcu::pictures ref("ref"), out("out");
    ssimcu::pictures moved(std::move(ref));
    int frame = 0;
    while (ssimcu::picture a = moved.next()) {
        if (++frame == BAD + 1) break;
        const ssimcu::picture b = out.next();
        cr_assert_eq(a->frame, frame);
        check_near(ssimcu::compare(context, a, b).score, frame == BAD ? 0.890096434 : 1, 1e-7,
                   "frame %d", frame);
    }
    ssimcu::pictures one(DATA "tiny11x11.png");
    const ssimcu::picture small = one.next(), big = out.next();
    cr_assert_not(one.next());
    cr_assert_eq(thrown_by([&] { ssimcu::compare(context, small, big); }, "sizes differ"),
                 SSIMCU_ERROR_MISMATCH);
    cr_assert_eq(thrown_by([&] { out.next(); }, "out/f.5.png"), SSIMCU_ERROR_DATA);
}
