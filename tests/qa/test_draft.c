/* Drafts: what may lie under a draft's name, two at once, and what is there after a failure or a
 * kill. */
#include "base/draft.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILLED = 9 };

static char directory[] = "/tmp/ssimcu-test-draft-XXXXXX";

static void make_directory(void) { cr_assert(mkdtemp(directory) && chdir(directory) == 0); }

static void remove_directory(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    cr_expect(system(command) == 0);
}

TestSuite(draft, .init = make_directory, .fini = remove_directory, .timeout = 60);

static bool begins(const char *bytes, size_t length)
{
    return length < 4 ? memcmp(bytes, "ours", length) == 0 : memcmp(bytes, "ours", 4) == 0;
}

static const struct draft_kind kind = {.name = "one of ours", .begins = begins};

static ssimcu_status open_draft(struct draft *draft, enum draft_left left, ssimcu_message *why)
{
    *why = (ssimcu_message){{0}};
    return draft_open(draft, "f", strdup("f.tmp"), &kind, left, why);
}

static void run_command(const char *command) { cr_assert_eq(system(command), 0, "%s", command); }

/* ---- Calls that fail, or at which the process ends ------------------------------------------- */

static int ends_at, fails_at, steps; /* 0: never */
static int looks;                    /* how often another run has the lock */
static const char *at_lock;          /* a command; NULL: none */

int __real_rename(const char *from, const char *to);
int __real_fsync(int fd);
int __real_unlink(const char *path);
int __real_flock(int fd, int how);
int __wrap_rename(const char *from, const char *to);
int __wrap_fsync(int fd);
int __wrap_unlink(const char *path);
int __wrap_flock(int fd, int how);

static bool step(void)
{
    steps++;
    if (steps == ends_at) _exit(KILLED);
    if (steps == fails_at) errno = EIO;
    return steps == fails_at;
}

int __wrap_rename(const char *from, const char *to)
{
    return step() ? -1 : __real_rename(from, to);
}

int __wrap_fsync(int fd) { return step() ? -1 : __real_fsync(fd); }

int __wrap_unlink(const char *path) { return step() ? -1 : __real_unlink(path); }

int __wrap_flock(int fd, int how)
{
    if (at_lock) run_command(at_lock);
    at_lock = NULL;
    const int other = looks > 0 ? open("f.tmp", O_RDONLY) : -1;
    if (other >= 0) {
        looks--;
        cr_assert(__real_flock(other, how) == 0 && __real_flock(fd, how) != 0);
        const int error = errno;
        close(other);
        errno = error;
        return -1;
    }
    return step() ? -1 : __real_flock(fd, how);
}

/* ---- What lies there ------------------------------------------------------------------------- */

Test(draft, leftovers)
{
    static const struct {
        const char *make, *why; /* "": it is taken over */
    } rows[] = {
        {"printf ours... >f.tmp", ""},
        {"printf ou >f.tmp", ""},
        {": >f.tmp", ""},
        {"printf ours >f.tmp; chmod 444 f.tmp", ""},
        {"printf ours >other; ln other f.tmp", ""},
        {"printf notes >f.tmp", "f.tmp: is not one of ours, and is left alone"},
        {"ln -s none f.tmp", "f.tmp: is not one of ours, and is left alone"},
        {"printf ours >other; ln -s other f.tmp", "f.tmp: is not one of ours, and is left alone"},
        {"mkdir f.tmp", "f.tmp: is not one of ours, and is left alone"},
        {"mkfifo f.tmp", "f.tmp: is not one of ours, and is left alone"},
        {"mkdir f", "f: not a regular file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct draft draft;
        ssimcu_message why;
        run_command(rows[i].make);
        const ssimcu_status status = open_draft(&draft, DRAFT_REPLACE, &why);
        cr_expect_str_eq(why.text, rows[i].why, "row %zu: %s", i, why.text);
        cr_expect_eq(status, rows[i].why[0] ? SSIMCU_ERROR_WRITE : SSIMCU_OK, "row %zu", i);
        if (status == SSIMCU_OK) {
            cr_expect(fputs("new", draft.file) >= 0);
            cr_expect_eq(draft_end(&draft, 0, &why), SSIMCU_OK, "%s", why.text);
        }
        draft_drop(&draft);
        if (status == SSIMCU_OK)
            run_command("test \"$(cat f)\" = new && ! test -e f.tmp");
        else
            run_command("test -e f.tmp || test -L f.tmp || test -d f");
        run_command("test ! -e none && { test ! -e other || test \"$(cat other)\" = ours; }");
        run_command("rm -rf f f.tmp other");
    }
}

Test(draft, go_on_and_refuse)
{
    struct draft draft;
    ssimcu_message why;
    run_command(": >f.tmp");
    cr_expect_eq(open_draft(&draft, DRAFT_REFUSE, &why), SSIMCU_OK, "%s", why.text);
    draft_drop(&draft);
    run_command("test ! -e f.tmp && printf ours >f.tmp");
    cr_expect_eq(open_draft(&draft, DRAFT_REFUSE, &why), SSIMCU_ERROR_WRITE);
    cr_expect_str_eq(why.text, "");
    draft_drop(&draft);
    cr_expect_eq(open_draft(&draft, DRAFT_GO_ON, &why), SSIMCU_OK);
    draft_keep(&draft);
    run_command("test \"$(cat f.tmp)\" = ours");
    run_command("mv f.tmp g; ln -s g f.tmp");
    cr_expect_eq(open_draft(&draft, DRAFT_GO_ON, &why), SSIMCU_ERROR_WRITE);
    cr_expect_str_eq(why.text, "f.tmp: is not one of ours, and is left alone");
    draft_drop(&draft);
    run_command("test -L f.tmp && test \"$(cat g)\" = ours");
}

/* ---- Two at once ----------------------------------------------------------------------------- */

Test(draft, second_is_refused)
{
    struct draft first, second;
    ssimcu_message why;
    cr_assert_eq(open_draft(&first, DRAFT_REPLACE, &why), SSIMCU_OK);
    for (int left = DRAFT_REPLACE; left <= DRAFT_REFUSE; left++) {
        cr_expect_eq(open_draft(&second, (enum draft_left)left, &why), SSIMCU_ERROR_WRITE);
        cr_expect_str_eq(why.text, "f.tmp: is being written by another run");
        draft_drop(&second);
    }
    cr_expect_eq(draft_end(&first, 0, &why), SSIMCU_OK, "%s", why.text);
    draft_drop(&first);
    run_command("test -e f && ! test -e f.tmp");
}

/* Another run had the lock, and has renamed its draft between our open and our lock. */
Test(draft, renamed_meanwhile)
{
    struct draft draft;
    ssimcu_message why;
    for (int left = DRAFT_REPLACE; left <= DRAFT_REFUSE; left++) {
        run_command("printf 'ours, theirs' >f.tmp");
        at_lock = "mv f.tmp f";
        cr_expect_eq(open_draft(&draft, (enum draft_left)left, &why), SSIMCU_ERROR_WRITE);
        cr_expect_str_eq(why.text, "f.tmp: is being written by another run");
        draft_drop(&draft);
        run_command("grep -qx 'ours, theirs' f && ! test -e f.tmp");
    }
}

/* Without locks, or if somebody moves files about, a draft never gives its name to another file,
 * and does not remove that. */
Test(draft, another_file_under_the_name)
{
    struct draft draft;
    ssimcu_message why;
    cr_assert_eq(open_draft(&draft, DRAFT_REPLACE, &why), SSIMCU_OK);
    run_command("printf ours >g; mv g f.tmp");
    cr_expect_eq(draft_end(&draft, 0, &why), SSIMCU_ERROR_WRITE);
    cr_expect_str_eq(why.text, "f.tmp: is being written by another run");
    draft_drop(&draft);
    run_command("test \"$(cat f.tmp)\" = ours && ! test -e f");
}

/* A run that looks whether a new draft is a leftover has it locked for a moment. */
Test(draft, waits_for_who_only_looks)
{
    struct draft draft;
    ssimcu_message why;
    looks = 3;
    cr_expect_eq(open_draft(&draft, DRAFT_REPLACE, &why), SSIMCU_OK, "%s", why.text);
    cr_expect_eq(looks, 0);
    draft_drop(&draft);
}

/* ---- Failures and kills ---------------------------------------------------------------------- */

static ssimcu_status write_file(ssimcu_message *why)
{
    struct draft draft;
    ssimcu_status status = open_draft(&draft, DRAFT_REPLACE, why);
    if (status == SSIMCU_OK) {
        fputs("ours, new", draft.file);
        status = draft_end(&draft, 0, why);
    }
    draft_drop(&draft);
    return status;
}

Test(draft, killed_at_every_step)
{
    int at = 1, state = KILLED << 8;
    ssimcu_message why;
    for (; WEXITSTATUS(state) == KILLED; at++) {
        run_command("printf 'ours, old' >f; printf ours >f.tmp");
        const pid_t child = fork();
        cr_assert_geq(child, 0);
        if (child == 0) {
            steps = 0, ends_at = at;
            _exit(write_file(&why) == SSIMCU_OK ? 0 : 1);
        }
        cr_assert_eq(waitpid(child, &state, 0), child);
        run_command("grep -qx 'ours, old' f || grep -qx 'ours, new' f");
        cr_expect_eq(write_file(&why), SSIMCU_OK, "step %d: %s", at, why.text);
        run_command("grep -qx 'ours, new' f && ! test -e f.tmp");
    }
    cr_expect_geq(at, 6, "there are only %d steps", at);
}

Test(draft, every_call_fails_once)
{
    ssimcu_message why;
    int refused = 0;
    for (int at = 1; at <= 8; at++) {
        run_command("printf 'ours, old' >f; printf ours >f.tmp");
        steps = 0, fails_at = at;
        const ssimcu_status status = write_file(&why);
        fails_at = 0;
        refused += status != SSIMCU_OK;
        run_command(status == SSIMCU_OK ? "grep -qx 'ours, new' f" : "grep -qx 'ours, old' f");
        cr_expect_eq(write_file(&why), SSIMCU_OK, "step %d: %s", at, why.text);
        run_command("grep -qx 'ours, new' f && ! test -e f.tmp");
    }
    cr_expect_geq(refused, 3); /* unlink, fsync, rename; a file system may have no locks */
}
