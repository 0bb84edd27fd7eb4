/* Drafts: what may lie under a draft's name, two at once, and what is there after a failure or a
 * kill. */
#include "base/atomic_file.h"

#include "check.h"
#include "scratch.h"

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

TestSuite(atomic_file, .init = scratch_enter, .fini = scratch_leave, .timeout = 60);

static bool begins(const char *bytes, size_t length)
{
    return length < 4 ? memcmp(bytes, "ours", length) == 0 : memcmp(bytes, "ours", 4) == 0;
}

static const struct atomic_file_kind kind = {.name = "one of ours", .begins = begins};

static ssimcu_status open_draft(struct atomic_file *draft, enum atomic_file_left left,
                                ssimcu_message *why)
{
    *why = (ssimcu_message){{0}};
    return atomic_file_open(draft, "f", strdup("f.tmp"), &kind, left, why);
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

Test(atomic_file, leftovers)
{
    static const struct {
        const char *make, *why; /* "": it is taken over */
    } rows[] = {
        {"printf ours... >f.tmp", ""},
        {"printf ou >f.tmp", ""},
        {": >f.tmp", ""},
        {"printf ours >f.tmp; chmod 444 f.tmp", ""},
        {"printf ours >other; ln other f.tmp", ""},
        {"printf notes >f.tmp", "f.tmp exists and is not one of ours; it was not overwritten"},
        {"ln -s none f.tmp", "f.tmp exists and is not one of ours; it was not overwritten"},
        {"printf ours >other; ln -s other f.tmp",
         "f.tmp exists and is not one of ours; it was not overwritten"},
        {"mkdir f.tmp", "f.tmp exists and is not one of ours; it was not overwritten"},
        {"mkfifo f.tmp", "f.tmp exists and is not one of ours; it was not overwritten"},
        {"mkdir f", "f: not a regular file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct atomic_file draft;
        ssimcu_message why;
        run_command(rows[i].make);
        const ssimcu_status status = open_draft(&draft, ATOMIC_FILE_REPLACE, &why);
        cr_expect_str_eq(why.text, rows[i].why, "row %zu: %s", i, why.text);
        cr_expect_eq(status, rows[i].why[0] ? SSIMCU_ERROR_WRITE : SSIMCU_OK, "row %zu", i);
        if (status == SSIMCU_OK) {
            cr_expect(fputs("new", draft.file) >= 0);
            cr_expect_eq(atomic_file_end(&draft, 0, &why), SSIMCU_OK, "%s", why.text);
        }
        atomic_file_drop(&draft);
        if (status == SSIMCU_OK)
            run_command("test \"$(cat f)\" = new && ! test -e f.tmp");
        else
            run_command("test -e f.tmp || test -L f.tmp || test -d f");
        run_command("test ! -e none && { test ! -e other || test \"$(cat other)\" = ours; }");
        run_command("rm -rf f f.tmp other");
    }
}

Test(atomic_file, go_on_and_refuse)
{
    struct atomic_file draft;
    ssimcu_message why;
    run_command(": >f.tmp");
    cr_expect_eq(open_draft(&draft, ATOMIC_FILE_REFUSE, &why), SSIMCU_OK, "%s", why.text);
    atomic_file_drop(&draft);
    run_command("test ! -e f.tmp && printf ours >f.tmp");
    cr_expect_eq(open_draft(&draft, ATOMIC_FILE_REFUSE, &why), SSIMCU_ERROR_WRITE);
    cr_expect_str_eq(why.text, "");
    atomic_file_drop(&draft);
    cr_expect_eq(open_draft(&draft, ATOMIC_FILE_GO_ON, &why), SSIMCU_OK);
    atomic_file_keep(&draft);
    run_command("test \"$(cat f.tmp)\" = ours");
    run_command("mv f.tmp g; ln -s g f.tmp");
    cr_expect_eq(open_draft(&draft, ATOMIC_FILE_GO_ON, &why), SSIMCU_ERROR_WRITE);
    cr_expect_str_eq(why.text, "f.tmp exists and is not one of ours; it was not overwritten");
    atomic_file_drop(&draft);
    run_command("test -L f.tmp && test \"$(cat g)\" = ours");
}

/* ---- Two at once ----------------------------------------------------------------------------- */

Test(atomic_file, second_is_refused)
{
    struct atomic_file first, second;
    ssimcu_message why;
    cr_assert_eq(open_draft(&first, ATOMIC_FILE_REPLACE, &why), SSIMCU_OK);
    for (int left = ATOMIC_FILE_REPLACE; left <= ATOMIC_FILE_REFUSE; left++) {
        cr_expect_eq(open_draft(&second, (enum atomic_file_left)left, &why), SSIMCU_ERROR_WRITE);
        cr_expect_str_eq(why.text, "f.tmp is being written by another run");
        atomic_file_drop(&second);
    }
    cr_expect_eq(atomic_file_end(&first, 0, &why), SSIMCU_OK, "%s", why.text);
    atomic_file_drop(&first);
    run_command("test -e f && ! test -e f.tmp");
}

/* Another run had the lock, and has renamed its draft between our open and our lock. */
Test(atomic_file, renamed_meanwhile)
{
    struct atomic_file draft;
    ssimcu_message why;
    for (int left = ATOMIC_FILE_REPLACE; left <= ATOMIC_FILE_REFUSE; left++) {
        run_command("printf 'ours, theirs' >f.tmp");
        at_lock = "mv f.tmp f";
        cr_expect_eq(open_draft(&draft, (enum atomic_file_left)left, &why), SSIMCU_ERROR_WRITE);
        cr_expect_str_eq(why.text, "f.tmp is being written by another run");
        atomic_file_drop(&draft);
        run_command("grep -qx 'ours, theirs' f && ! test -e f.tmp");
    }
}

/* Without locks, or if somebody moves files about, a draft never gives its name to another file,
 * and does not remove that. */
Test(atomic_file, another_file_under_the_name)
{
    struct atomic_file draft;
    ssimcu_message why;
    cr_assert_eq(open_draft(&draft, ATOMIC_FILE_REPLACE, &why), SSIMCU_OK);
    run_command("printf ours >g; mv g f.tmp");
    cr_expect_eq(atomic_file_end(&draft, 0, &why), SSIMCU_ERROR_WRITE);
    cr_expect_str_eq(why.text, "f.tmp is being written by another run");
    atomic_file_drop(&draft);
    run_command("test \"$(cat f.tmp)\" = ours && ! test -e f");
}

/* A run that looks whether a new draft is a leftover has it locked for a moment. */
Test(atomic_file, waits_for_who_only_looks)
{
    struct atomic_file draft;
    ssimcu_message why;
    looks = 3;
    cr_expect_eq(open_draft(&draft, ATOMIC_FILE_REPLACE, &why), SSIMCU_OK, "%s", why.text);
    cr_expect_eq(looks, 0);
    atomic_file_drop(&draft);
}

/* ---- Failures and kills ---------------------------------------------------------------------- */

static ssimcu_status write_file(ssimcu_message *why)
{
    struct atomic_file draft;
    ssimcu_status status = open_draft(&draft, ATOMIC_FILE_REPLACE, why);
    if (status == SSIMCU_OK) {
        fputs("ours, new", draft.file);
        status = atomic_file_end(&draft, 0, why);
    }
    atomic_file_drop(&draft);
    return status;
}

Test(atomic_file, killed_at_every_step)
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

Test(atomic_file, every_call_fails_once)
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
