/* ssimcu_accept: killed at each of its steps, a full disk, names that cannot be given, and what it
 * tells its caller. */
#include "ssimcu_qa.h"

#include "check.h"
#include "scratch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DATA SSIMCU_TESTDATA "/"

enum { FRAMES = 3, KILLED = 9 };

static const char *const results = "r.jsonl";

static void run_command(const char *command) { cr_assert_eq(system(command), 0, "%s", command); }

/* Makes frames, of which REF and OUT differ, and their results. Frame 1 is new in ref. */
static void make_directory(void)
{
    static const char *const out = "out";
    ssimcu_run_options options = SSIMCU_INIT(run_options);
    ssimcu_run *run = NULL;
    ssimcu_message why = {{0}};
    scratch_enter();
    run_command("mkdir old out; for i in 1 2 3; do cp " DATA "rgb8_a.png old/f.$i.png; "
                "cp " DATA "rgb8_b.png out/g.$i.png; done");
    options.ref = "old", options.out = &out, options.outs = 1, options.output = results;
    options.device = SSIMCU_DEVICE_CPU;
    cr_assert_eq(ssimcu_run_open(&options, &run, &why), SSIMCU_OK, "%s", why.text);
    cr_assert_eq(ssimcu_run_score(run, NULL, &why), SSIMCU_OK, "%s", why.text);
    ssimcu_run_close(&run);
}

TestSuite(accept, .init = make_directory, .fini = scratch_leave, .timeout = 60);

static ssimcu_status accept_into(const char *into, ssimcu_accepted *accepted, ssimcu_message *why)
{
    ssimcu_accept_options options = SSIMCU_INIT(accept_options);
    options.results = &results, options.results_count = 1, options.into = into;
    *accepted = (ssimcu_accepted)SSIMCU_INIT(accepted);
    *why = (ssimcu_message){{0}};
    return ssimcu_accept(&options, accepted, why);
}

static void begin_anew(void) { run_command("rm -rf ref; cp -r old ref; rm ref/f.1.png"); }

/* ---- Calls that fail, or at which the process ends ------------------------------------------- */

static int ends_at, fails_at, changes_at, steps; /* 0: never */

int __real_rename(const char *from, const char *to);
int __real_fsync(int fd);
ssize_t __real_write(int fd, const void *bytes, size_t count);
int __wrap_rename(const char *from, const char *to);
int __wrap_fsync(int fd);
ssize_t __wrap_write(int fd, const void *bytes, size_t count);

/* Counts a step; the process ends before or after it. Returns whether it fails. */
static bool step(void)
{
    steps++;
    if (steps == ends_at) _exit(KILLED);
    if (steps == changes_at) run_command("touch out/g.2.png");
    return steps == fails_at;
}

int __wrap_rename(const char *from, const char *to)
{
    if (!step()) return __real_rename(from, to);
    errno = EIO;
    return -1;
}

int __wrap_fsync(int fd)
{
    if (!step()) return __real_fsync(fd);
    errno = EIO;
    return -1;
}

/* Half of the bytes are written first, so that a kill tears them apart. */
ssize_t __wrap_write(int fd, const void *bytes, size_t count)
{
    if (count / 2 > 0 && steps + 1 == ends_at) (void)__real_write(fd, bytes, count / 2);
    if (!step()) return __real_write(fd, bytes, count);
    errno = ENOSPC;
    return -1;
}

/* ---- What is there afterwards ---------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
    char command[128];
    snprintf(command, sizeof command, "cmp -s %s %s", a, b);
    return system(command) == 0;
}

/* Returns how many references have the new content. Each must be whole, and have its line in the
 * log if it is new. */
static int count_new(void)
{
    int count = 0;
    for (int i = 1; i <= FRAMES; i++) {
        char ref[32], out[32], old[32], command[96];
        snprintf(ref, sizeof ref, "ref/f.%d.png", i);
        snprintf(out, sizeof out, "out/g.%d.png", i);
        snprintf(old, sizeof old, "old/f.%d.png", i);
        if (same(ref, out)) {
            count++;
            snprintf(command, sizeof command,
                     "grep -q '\"file\":\"f.%d.png\".*}$' ref/accepted.jsonl", i);
            run_command(command);
        } else if (i == 1) {
            cr_expect_eq(access(ref, F_OK), -1, "frame 1 is neither new nor missing");
        } else {
            cr_expect(same(ref, old), "frame %d is neither old nor new", i);
        }
    }
    return count;
}

/* Checks that nothing is left but references and the log, whose lines are all whole. */
static void check_done(void)
{
    cr_expect_eq(count_new(), FRAMES);
    run_command("test \"$(ls -A ref | tr '\\n' ' ')\" = 'accepted.jsonl f.1.png f.2.png f.3.png '");
    run_command("test -z \"$(grep -v '^{\"type\":\"accepted\",.*}$' ref/accepted.jsonl)\"");
    run_command("! grep -q '.{\"type\"' ref/accepted.jsonl"); /* half a line before a line */
}

/* Accepts in a process that ends at a step. Returns whether it did. */
static bool killed_at(int at)
{
    int state = 0;
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        ssimcu_accepted accepted;
        ssimcu_message why;
        steps = 0, ends_at = at;
        _exit(accept_into("ref", &accepted, &why) == SSIMCU_OK ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &state, 0), child);
    cr_assert(WIFEXITED(state) && WEXITSTATUS(state) != 1);
    return WEXITSTATUS(state) == KILLED;
}

Test(accept, loses_nothing_when_killed)
{
    int at = 1, before = 0;
    ssimcu_accepted accepted;
    ssimcu_message why;
    for (begin_anew(); killed_at(at); at++) {
        const int done = count_new();
        cr_expect_geq(done, before, "step %d: %d files after %d", at, done, before);
        before = done;
        cr_expect_eq(accept_into("ref", &accepted, &why), SSIMCU_OK, "step %d: %s", at, why.text);
        cr_expect(accepted.already == (uint64_t)done && accepted.files == FRAMES);
        cr_expect_eq(accepted.replaced + accepted.added, (uint64_t)(FRAMES - done));
        check_done();
        begin_anew();
    }
    check_done();
    cr_expect_geq(at, 5 * FRAMES, "there are only %d steps", at);
}

Test(accept, keeps_all_when_a_copy_fails)
{
    ssimcu_accepted accepted;
    ssimcu_message why;
    for (int at = 1; at <= 2 * FRAMES; at++) {
        begin_anew();
        steps = 0, fails_at = at; /* each copy is a write and a sync */
        cr_expect_eq(accept_into("ref", &accepted, &why), SSIMCU_ERROR_WRITE);
        cr_expect(strncmp(why.text, "ref/.f.", 7) == 0, "%s", why.text);
        fails_at = 0;
        cr_expect(accepted.code == SSIMCU_EXIT_OUTPUT && accepted.replaced + accepted.added == 0);
        cr_expect_eq(count_new(), 0);
        run_command("test -z \"$(ls -A ref | grep '^[.]')\"");
    }
}

Test(accept, out_that_changes_while_it_is_copied)
{
    ssimcu_accepted accepted;
    ssimcu_message why;
    begin_anew();
    steps = 0, changes_at = 3; /* frame 1 is a write and a sync, then frame 2 is written */
    cr_expect_eq(accept_into("ref", &accepted, &why), SSIMCU_ERROR_MISMATCH);
    cr_expect_str_eq(why.text, "out/g.2.png has changed since it was scored; nothing was replaced");
    changes_at = 0;
    cr_expect(accepted.code == SSIMCU_EXIT_MISMATCH && accepted.replaced + accepted.added == 0);
    cr_expect_eq(count_new(), 0);
    run_command("test \"$(ls -A ref | tr '\\n' ' ')\" = 'f.2.png f.3.png '");
}

Test(accept, goes_on_after_a_name_that_failed)
{
    ssimcu_accepted accepted;
    ssimcu_message why;
    begin_anew();
    steps = 0, fails_at = 2 * FRAMES + 1 + 3 + 3; /* the copies, DIR, frame 1, and then frame 2 */
    cr_expect_eq(accept_into("ref", &accepted, &why), SSIMCU_ERROR_WRITE);
    cr_expect_str_eq(why.text, "ref/f.2.png: Input/output error");
    cr_expect(accepted.added == 1 && accepted.replaced == 0 && accepted.files == FRAMES);
    fails_at = 0;
    cr_expect_eq(count_new(), 1);
    cr_expect_eq(accept_into("ref", &accepted, &why), SSIMCU_OK, "%s", why.text);
    cr_expect(accepted.added == 0 && accepted.replaced == 2 && accepted.already == 1);
    check_done();
}

Test(accept, full_disk_replaces_nothing)
{
    const struct rlimit small = {8192, 8192};
    ssimcu_accepted accepted;
    ssimcu_message why;
    begin_anew();
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    cr_expect_eq(accept_into("ref", &accepted, &why), SSIMCU_ERROR_WRITE);
    cr_expect_str_eq(why.text, "ref/.f.1.png.accept: File too large");
    cr_expect_eq(count_new(), 0);
    run_command("test -z \"$(ls -A ref | grep '^[.]')\"");
}

/* ---- What the caller is told ----------------------------------------------------------------- */

static void count_lines(void *user, ssimcu_log level, const char *line)
{
    cr_expect(level == SSIMCU_LOG_DETAIL && strncmp(line, "add new/f.", 10) == 0, "%s", line);
    ++*(int *)user;
}

Test(accept, says_what_a_dry_run_would_do)
{
    int lines = 0;
    ssimcu_accept_options options = SSIMCU_INIT(accept_options);
    ssimcu_accepted accepted = SSIMCU_INIT(accepted);
    ssimcu_message why = {{0}};
    options.results = &results, options.results_count = 1, options.into = "new";
    options.dry_run = 1, options.log = count_lines, options.user = &lines;
    cr_assert_eq(ssimcu_accept(&options, &accepted, &why), SSIMCU_OK, "%s", why.text);
    cr_expect(lines == FRAMES && accepted.added == FRAMES && accepted.code == SSIMCU_EXIT_SCORED);
    cr_expect_eq(access("new", F_OK), -1);
}

/* Returns what becomes of frames that are black by their results, of a struct of this size. */
static ssimcu_status accept_black(const char *even_if, size_t size, ssimcu_accepted *accepted)
{
    static const char *const black = "black.jsonl";
    ssimcu_accept_options options = SSIMCU_INIT(accept_options);
    options.results = &black, options.results_count = 1, options.into = "black";
    options.even_if = even_if, options.struct_size = size;
    return ssimcu_accept(&options, accepted, NULL);
}

Test(accept, broken_frames)
{
    const size_t size = sizeof(ssimcu_accept_options),
                 old = offsetof(ssimcu_accept_options, even_if);
    ssimcu_accepted accepted = SSIMCU_INIT(accepted);
    run_command("sed '/\"frame\":2,/s/\"backend\":\"cpu\",/&\"findings\":[{\"kind\":\"black\","
                "\"fails\":false,\"text\":\"black\"}],/' r.jsonl >black.jsonl; "
                "grep -q black black.jsonl");
    cr_expect_eq(accept_black(NULL, size, &accepted), SSIMCU_ERROR_MISMATCH);
    cr_expect(accepted.refused == 1 && accepted.code == SSIMCU_EXIT_MISMATCH);
    cr_expect_eq(accept_black("solid,duplicate", size, &accepted), SSIMCU_ERROR_MISMATCH);
    cr_expect_eq(accept_black("black", old, &accepted), SSIMCU_ERROR_MISMATCH); /* it has no such */
    cr_expect_eq(accept_black("pink", size, &accepted), SSIMCU_ERROR_ARGUMENT);
    cr_expect_eq(access("black", F_OK), -1);
    accepted.struct_size = offsetof(ssimcu_accepted, refused);
    cr_expect_eq(accept_black("shift,black", size, &accepted), SSIMCU_OK);
    cr_expect(accepted.added == FRAMES && accepted.code == SSIMCU_EXIT_SCORED);
}

Test(accept, refuses_wrong_arguments)
{
    ssimcu_accept_options options = SSIMCU_INIT(accept_options);
    ssimcu_accepted accepted = SSIMCU_INIT(accepted);
    const char *const none = NULL;
    cr_expect_eq(ssimcu_accept(NULL, &accepted, NULL), SSIMCU_ERROR_ARGUMENT);
    cr_expect_eq(ssimcu_accept(&options, NULL, NULL), SSIMCU_ERROR_ARGUMENT);
    options.into = "new";
    cr_expect_eq(ssimcu_accept(&options, &accepted, NULL), SSIMCU_ERROR_ARGUMENT);
    options.results = &none, options.results_count = 1;
    cr_expect_eq(ssimcu_accept(&options, &accepted, NULL), SSIMCU_ERROR_ARGUMENT);
    options.results = &results, options.into = "";
    cr_expect_eq(ssimcu_accept(&options, &accepted, NULL), SSIMCU_ERROR_ARGUMENT);
    cr_expect_eq(accepted.code, SSIMCU_EXIT_USAGE);
    options.into = "new", options.struct_size++;
    cr_expect_eq(ssimcu_accept(&options, &accepted, NULL), SSIMCU_ERROR_ARGUMENT);
}
